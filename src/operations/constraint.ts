import { ConstraintError, type Transaction } from '../database/database.ts';
import type { FieldError } from '../kernel/field-error.ts';
import { Problem } from '../kernel/problem.ts';
import type { Candidate, Collision } from '../records/records.ts';
import type { RecordWrite } from './record-write.ts';

/** The reference to the record within which it is written stands in no body: of values taken together it is not told. */
const isTold = ({ of }: RecordWrite, { field, others }: Collision): boolean =>
  others === undefined || field !== of?.field;

/** The messages of what collides with what is stored, but for fields of which something was said before. */
export const collisionErrors = async (
  write: RecordWrite,
  candidate: Candidate,
  id: number | undefined,
  within?: Transaction,
): Promise<readonly FieldError[]> => {
  const { resource, grant } = write;
  const collisions = await resource.records.collisions(grant, candidate, id, within);
  return collisions
    .filter((each) => candidate.refused?.has(each.field) !== true && isTold(write, each))
    .map(resource.collision);
};

/**
 * What the database's refusal of a write means. A value that was taken, or a reference that went, between the look-up
 * and the write is a validation message like one that was found before.
 */
export const refusal = async (
  write: RecordWrite,
  error: unknown,
  candidate: Candidate,
  id?: number,
): Promise<unknown> => {
  if (!(error instanceof ConstraintError)) return error;
  const { of } = write;
  // It is looked up outside of the transaction, in which alone that record may be.
  const isThere = of && ((model: string, value: unknown) => model === of.model && value === of.id);
  const errors = await collisionErrors(write, { ...candidate, isThere }, id);
  if (errors.length === 0) return new Problem('conflict', { cause: error });
  return new Problem('invalid_record', { errors, cause: error });
};
