import { ConstraintError } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import type { TrashBundle } from '../records/trash/bundle.ts';
import { cascadeFrom, intoTrash, newTrashBundle } from './cascade.ts';
import { noticesOthers } from './cascade-links.ts';
import { together } from './transaction.ts';
import {
  afterCommit,
  beforeCommit,
  currentRecord,
  isShared,
  leaveTrace,
  type RecordWrite,
  recordChange,
  refuseTarget,
  type SharedWrite,
  writing,
} from './writing.ts';

/** What is told of it where the record goes into the trash. */
const bundleOf = ({ resource: { model, context }, acting }: RecordWrite): TrashBundle | undefined =>
  model.trash ? newTrashBundle(context, acting) : undefined;

const destroy = async (
  write: RecordWrite,
  id: number,
  versions: readonly number[] | undefined,
  bundle = bundleOf(write),
): Promise<void> => {
  const { resource, grant, acting } = write;
  const removed = await resource.records.remove(grant, id, versions, acting.shared?.transaction);
  if (removed === undefined) return refuseTarget(write, id, versions);
  if (isShared(write)) {
    leaveTrace(write, 'destroy', id, []);
    const version = removed.version + 1;
    recordChange(write, {
      ...{ record: id, version, action: 'destroy' },
      ...{ before: removed.whole, after: undefined, reach: removed.reach },
    });
    if (bundle !== undefined && removed.whole !== undefined) {
      const { name: model } = resource.model;
      const record = { ...bundle, kind: 'first', model, id, version, record: removed.whole } as const;
      await intoTrash(resource.context.trash, write.acting.shared, record);
    }
  }
  afterCommit(write, 'destroy', { id, whole: removed.whole }, {});
};

const takesOthers = ({ cascade }: RecordWrite['resource']): boolean => noticesOthers(cascade);

/** The record is locked, and its version was looked at, before a hook or what goes with it may change that. */
const destroyWith = async (
  write: SharedWrite,
  id: number,
  versions: readonly number[] | undefined,
): Promise<void> => {
  const { model, cascade, context } = write.resource;
  const { whole } = await currentRecord(write, id, versions, 'deleteLock');
  // Before the statement: it may take away first what would keep the record.
  await beforeCommit(write, 'destroy', id, whole, undefined);
  const { resourceOf } = context;
  const bundle = bundleOf(write);
  const conclude = takesOthers(write.resource)
    ? await cascadeFrom({ model: model.name, id, bundle }, write.acting, { cascade, resourceOf })
    : undefined;
  await destroy(write, id, undefined, bundle);
  await conclude?.();
};

/** Runs it as part of a transaction where more than the record's own statement belongs to it. */
const within = (write: RecordWrite, id: number, versions: readonly number[] | undefined): Promise<void> => {
  const { hooks, table } = write.resource.model;
  const { database, transactionLimit } = write.resource.context;
  const alone = hooks.beforeCommit === undefined && !takesOthers(write.resource);
  if (alone)
    return writing(write, (each) => destroy(each, id, versions), { always: write.resource.model.trash });
  if (isShared(write)) return destroyWith(write, id, versions);
  const runsCode = hooks.beforeCommit !== undefined || write.resource.cascade.runsHooks;
  return together(
    database,
    (shared) => destroyWith({ ...write, acting: { ...write.acting, shared } }, id, versions),
    { table, limit: runsCode ? transactionLimit : undefined },
  );
};

/**
 * Deletes a record, with what refers to it by `onDelete: 'cascade'`; other references to it become null or keep it. On
 * its own, or in the transaction that it is asked for in.
 * @throws Problem `record_not_found`, `stale`, `still_referenced`, `cascade_too_large`
 */
export const remove = async (
  write: RecordWrite,
  id: number,
  versions: readonly number[] | undefined,
): Promise<void> => {
  try {
    await within(write, id, versions);
  } catch (error) {
    if (error instanceof ConstraintError && error.kind === 'foreign_key')
      throw new Problem('still_referenced', { cause: error });
    throw error;
  }
};
