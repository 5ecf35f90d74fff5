import { Problem } from '../kernel/problem.ts';
import { ConstraintError } from '../store/database.ts';
import type { Candidate } from '../store/records/records.ts';
import type { RecordWrite } from './record-write.ts';

/**
 * What the database's refusal of a write means. A value that was taken, or a reference that went, between the look-up
 * and the write is a validation message like one that was found before.
 */
export const refusal = async (
  { resource, grant }: RecordWrite,
  error: unknown,
  candidate: Candidate,
  id?: number,
): Promise<unknown> => {
  if (!(error instanceof ConstraintError)) return error;
  const collisions = await resource.records.collisions(grant, candidate, id);
  if (collisions.length === 0) return new Problem('conflict', { cause: error });
  return new Problem('invalid_record', { errors: collisions.map(resource.collision), cause: error });
};
