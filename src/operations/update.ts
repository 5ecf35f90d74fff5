import type { JsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { SavedRecord } from '../store/records/records.ts';
import { nothingIncluded } from '../store/relations/include.ts';
import { refusal } from './constraint.ts';
import { type Prepared, prepareWrite } from './prepare.ts';
import { isShared, type RecordWrite } from './record-write.ts';
import { checkTarget, conclude, currentRecord, refuseTarget, withRelated, writing } from './writing.ts';

const save = async (
  write: RecordWrite,
  id: number,
  { values, columns }: Prepared,
  versions: readonly number[] | undefined,
): Promise<SavedRecord> => {
  const { resource, grant, acting } = write;
  const { records, context, model } = resource;
  const told = model.hooks.beforeCommit !== undefined && isShared(write);
  const before = told ? await currentRecord(write, id, versions) : undefined;
  const { shared } = acting;
  const saved = await records.update(grant, id, columns, context.clock(), versions, shared?.transaction);
  if (saved === undefined) return refuseTarget(write, id, versions);
  return conclude(write, 'update', saved, before?.whole, values);
};

/**
 * Changes the fields that were sent, on its own or in the transaction that it is asked for in. The record must have one
 * of the versions, where they are given; they are compared in the statement that writes.
 * @throws Problem `record_not_found`, `stale`, `invalid_record`
 */
export const update = async (
  write: RecordWrite,
  id: number,
  body: JsonObject,
  versions: readonly number[] | undefined,
  included = nothingIncluded,
): Promise<SavedRecord> => {
  const { hooks } = write.resource.model;
  // A hook must not run for a record that is not there.
  const before = hooks.beforeSave === undefined ? undefined : await currentRecord(write, id, versions);
  const prepared = await prepareWrite(write, 'update', body, { id, whole: before?.whole });
  if (prepared.errors.length > 0) {
    await checkTarget(write, id, versions);
    throw new Problem('invalid_record', { errors: prepared.errors });
  }
  try {
    return await writing(
      write,
      async (within) => withRelated(within, await save(within, id, prepared, versions), included),
      included !== nothingIncluded,
    );
  } catch (error) {
    throw await refusal(write, error, prepared, id);
  }
};
