import { Problem } from '../kernel/problem.ts';
import { ConstraintError } from '../store/database.ts';
import { afterCommit, beforeCommit } from './hooks.ts';
import { isShared, type RecordWrite } from './record-write.ts';
import { currentRecord, leaveTrace, refuseTarget, writing } from './writing.ts';

const destroy = async (
  write: RecordWrite,
  id: number,
  versions: readonly number[] | undefined,
): Promise<void> => {
  const { resource, grant, acting } = write;
  if (isShared(write) && resource.model.hooks.beforeCommit !== undefined) {
    const { whole } = await currentRecord(write, id, versions);
    // Before the statement: it may take away first what would keep the record.
    await beforeCommit(write, 'destroy', id, whole, undefined);
  }
  const removed = await resource.records.remove(grant, id, versions, acting.shared?.transaction);
  if (removed === undefined) return refuseTarget(write, id, versions);
  if (isShared(write)) leaveTrace(write, 'destroy', id, []);
  afterCommit(write, 'destroy', { id, whole: removed.whole }, {});
};

/**
 * Deletes a record; optional references to it become null. On its own, or in the transaction that it is asked for in.
 * @throws Problem `record_not_found`, `stale`, `still_referenced`
 */
export const remove = async (
  write: RecordWrite,
  id: number,
  versions: readonly number[] | undefined,
): Promise<void> => {
  try {
    await writing(write, (within) => destroy(within, id, versions));
  } catch (error) {
    if (error instanceof ConstraintError && error.kind === 'foreign_key')
      throw new Problem('still_referenced', { cause: error });
    throw error;
  }
};
