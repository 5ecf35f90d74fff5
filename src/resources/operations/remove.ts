/** Deletes a record with its cascade, its hooks and its place in the trash. */

import { ConstraintError, type Database, type Transaction } from '../../database/database.ts';
import type { RecordId } from '../../fields/key.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Actor } from '../../ledger/audit.ts';
import type { TrashBundle } from '../../records/trash.ts';
import { cascadeFrom, endOwned, intoTrash, newTrashBundle } from './cascade.ts';
import { affectsOthers, createCascade } from './cascade-links.ts';
import type { ServedResource } from './served-resource.ts';
import { type Acting, runInTransaction, type SharedTransaction, transactionOf } from './transaction.ts';
import {
  afterCommit,
  beforeCommit,
  currentRecord,
  isInTransaction,
  type RecordWrite,
  recordChange,
  refuseTarget,
  runWrite,
  type TransactionalWrite,
  traceWrite,
} from './writing.ts';

/** The new bundle of a record that goes into the trash; undefined where its model has none. */
const bundleOf = ({ resource: { model, context }, acting }: RecordWrite): TrashBundle | undefined =>
  model.trash ? newTrashBundle(context, acting) : undefined;

const destroy = async (
  write: RecordWrite,
  id: RecordId,
  versions: readonly number[] | undefined,
  bundle = bundleOf(write),
): Promise<void> => {
  const { resource, grant, acting } = write;
  const removed = await resource.records.remove(grant, id, versions, acting.shared?.transaction);
  if (removed === undefined) return refuseTarget(write, id, versions);
  if (isInTransaction(write)) {
    traceWrite(write, 'destroy', id, []);
    const version = removed.version + 1;
    recordChange(write, {
      record: id,
      version,
      action: 'destroy',
      before: removed.whole,
      after: undefined,
      reach: removed.reach,
    });
    if (bundle !== undefined && removed.whole !== undefined) {
      const { name: model } = resource.model;
      const record = { ...bundle, kind: 'first', model, id, version, record: removed.whole } as const;
      await intoTrash(resource.context.trash, write.acting.shared, record);
    }
    await endOwned(write, id);
  }
  afterCommit(write, 'destroy', { id, whole: removed.whole }, {});
};

/** Locks the record and checks its version, then runs the hook and finds its dependents, which may change it. */
const destroyWith = async (
  write: TransactionalWrite,
  id: RecordId,
  versions: readonly number[] | undefined,
): Promise<void> => {
  const { model, cascade, context } = write.resource;
  const { whole } = await currentRecord(write, id, versions, 'deleteLock');
  // Before the statement: the hook may remove records that would keep this one from being deleted.
  await beforeCommit(write, 'destroy', id, whole, undefined);
  const { resourceOf } = context;
  const bundle = bundleOf(write);
  const conclude = affectsOthers(cascade)
    ? await cascadeFrom({ model: model.name, id, bundle }, write.acting, { cascade, resourceOf })
    : undefined;
  await destroy(write, id, undefined, bundle);
  await conclude?.();
};

/** Deletes in a transaction if more than the record's own statement is needed. */
const destroyAll = (
  write: RecordWrite,
  id: RecordId,
  versions: readonly number[] | undefined,
): Promise<void> => {
  const { hooks, stored, table } = write.resource.model;
  if (stored.readOnly === true) throw new Problem('forbidden');
  const { database, transactionLimit } = write.resource.context;
  const isSingle = hooks.beforeCommit === undefined && !affectsOthers(write.resource.cascade);
  const { trash, rules } = write.resource.model;
  const always = trash || rules.manage !== undefined;
  if (isSingle) return runWrite(write, (each) => destroy(each, id, versions), { always });
  if (isInTransaction(write)) return destroyWith(write, id, versions);
  const runsCode = hooks.beforeCommit !== undefined || write.resource.cascade.runsHooks;
  return runInTransaction(
    database,
    (shared) => destroyWith({ ...write, acting: { ...write.acting, shared } }, id, versions),
    { table, limit: runsCode ? transactionLimit : undefined },
  );
};

/**
 * Deletes a record with those that refer to it by `onDelete: 'cascade'`; other references become null, or prevent the
 * deletion. Runs in the caller's transaction if there is one.
 * @throws Problem `record_not_found`, `stale`, `still_referenced`, `cascade_too_large`
 */
export const remove = async (
  write: RecordWrite,
  id: RecordId,
  versions: readonly number[] | undefined,
): Promise<void> => {
  try {
    await destroyAll(write, id, versions);
  } catch (error) {
    if (error instanceof ConstraintError && error.kind === 'foreign_key')
      throw new Problem('still_referenced', { cause: error });
    throw error;
  }
};

/** The deletion of users, with the records that refer to them by `onDelete: 'cascade'`. */
export interface UserRemoval<Extra> {
  /** True if other records may be deleted or changed with a user, and whether hooks run then. */
  readonly takesOthers: boolean;
  readonly runsHooks: boolean;
  /**
   * Deletes a user, in the caller's transaction if there is one.
   * @throws Problem `record_not_found`, `forbidden`, `last_super_admin`, `still_referenced`, `cascade_too_large`
   */
  readonly remove: (id: number, acting: Acting, extra?: Extra) => Promise<void>;
}

/** The transaction that deletes a user, and work to do in it before. */
interface RemovalPart {
  readonly transaction: Transaction;
  readonly before: () => Promise<void>;
}

/** Removes users, with the parts of a removal that are done in the same transaction. */
interface RemovedUsers<Extra> {
  remove(id: number, actor: Actor, part?: RemovalPart, extra?: Extra): Promise<void>;
}

export const createUserRemoval = <Extra = undefined>(
  database: Database,
  users: RemovedUsers<Extra>,
  resources: ReadonlyMap<string, ServedResource>,
): UserRemoval<Extra> => {
  const model = 'User';
  const models = new Map([...resources].map(([name, resource]) => [name, resource.model]));
  const cascade = createCascade(database, models, model);
  const { runsHooks } = cascade;
  const [link] = [...cascade.links, ...cascade.nulled];
  const context = link && resources.get(link.model)?.context;
  const actorIn = ({ actor, reason }: Acting): Actor =>
    reason === undefined ? actor() : { ...actor(), reason };

  const removeWithin = async (
    id: number,
    acting: Acting & { readonly shared: SharedTransaction },
    extra: Extra | undefined,
  ): Promise<void> => {
    const { shared } = acting;
    let conclude = async (): Promise<void> => {};
    const before = async (): Promise<void> => {
      if (context === undefined) return;
      conclude = await cascadeFrom({ model, id }, acting, { cascade, resourceOf: context.resourceOf });
    };
    await users.remove(id, actorIn(acting), { transaction: shared.transaction, before }, extra);
    shared.writes += 1;
    await conclude();
  };

  const removeOne = async (id: number, acting: Acting, extra?: Extra): Promise<void> => {
    const { shared } = acting;
    transactionOf(acting);
    if (shared !== undefined) return removeWithin(id, { ...acting, shared }, extra);
    if (context === undefined) return users.remove(id, actorIn(acting), undefined, extra);
    const limit = runsHooks ? context.transactionLimit : undefined;
    const work = (made: SharedTransaction) => removeWithin(id, { ...acting, shared: made }, extra);
    await runInTransaction(database, work, { table: 'users', limit });
  };
  return { takesOthers: context !== undefined, runsHooks, remove: removeOne };
};
