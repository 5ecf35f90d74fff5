import type { JsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { CurrentRecord, SavedRecord } from '../store/records/records.ts';
import { recordAudit } from '../store/tables/audit.ts';
import { afterCommit, beforeCommit } from './hooks.ts';
import { isShared, type RecordWrite, type SharedWrite, type WriteAction } from './record-write.ts';
import { recordKey, together } from './transaction.ts';

/** Whether a write is more than its statement: a hook belongs to its transaction, or a line of the audit list. */
const takesTransaction = ({ resource, acting }: RecordWrite): boolean =>
  resource.model.hooks.beforeCommit !== undefined || acting.reason !== undefined;

/**
 * Runs the work of a write: as part of the transaction that it was asked for in, in one of its own where it takes one,
 * and otherwise in none, as a statement alone is one.
 */
export const writing = <T>(
  write: RecordWrite,
  work: (write: RecordWrite) => Promise<T>,
  always = false,
): Promise<T> => {
  const { resource, acting } = write;
  if (isShared(write) || !(always || takesTransaction(write))) return work(write);
  const { database, transactionLimit } = resource.context;
  const { table, hooks } = resource.model;
  const limit = hooks.beforeCommit === undefined ? undefined : transactionLimit;
  return together(database, (shared) => work({ ...write, acting: { ...acting, shared } }), { table, limit });
};

/** The record as it is for this caller, locked where the write has a transaction. @throws Problem 404, 412 */
export const currentRecord = async (
  { resource: { records }, acting, grant }: RecordWrite,
  id: number,
  versions: readonly number[] | undefined,
): Promise<CurrentRecord> => {
  const current = await records.current(grant, id, acting.shared?.transaction);
  if (current === undefined) throw new Problem('record_not_found');
  assertVersion(current.version, versions);
  return current;
};

/** @throws Problem `stale` where it is none of the versions that are accepted */
const assertVersion = (version: number, versions: readonly number[] | undefined): void => {
  if (versions !== undefined && !versions.includes(version)) throw new Problem('stale');
};

/** Refuses with 404 or 412 where these come before what is wrong with the body. */
export const checkTarget = async (
  { resource: { records }, acting, grant }: RecordWrite,
  id: number,
  versions: readonly number[] | undefined,
): Promise<void> => {
  const version = await records.version(grant, id, acting.shared?.transaction);
  if (version === undefined) throw new Problem('record_not_found');
  assertVersion(version, versions);
};

/** Says why a write found no record: none there for this caller (404), or another version (412). */
export const refuseMissing = async (
  { resource: { records }, acting, grant }: RecordWrite,
  id: number,
): Promise<never> => {
  const version = await records.version(grant, id, acting.shared?.transaction);
  throw new Problem(version === undefined ? 'record_not_found' : 'stale');
};

/** Leaves the trace of what the application did on its own account, in the transaction that did it. */
export const leaveTrace = (
  { resource, acting }: SharedWrite,
  action: WriteAction,
  id: number,
  fields: readonly string[],
): void => {
  const { reason, shared, actor } = acting;
  const key = recordKey(resource.model.name, id);
  shared.writes += 1;
  if (action === 'destroy') shared.known.delete(key);
  else shared.known.add(key);
  if (reason === undefined) return;
  const { database, clock } = resource.context;
  // Not awaited: where it is refused, the transaction is, and its error is told.
  recordAudit(shared.transaction, database.dialect, clock(), actor(), {
    action: `record.${action}`,
    target: { kind: resource.model.name, id, name: null },
    detail: { reason, ...(fields.length === 0 ? {} : { fields: [...fields] }) },
  }).catch(() => {});
};

/** The record as the hooks of its transaction have left it. */
const readAgain = async (write: SharedWrite, { id }: SavedRecord): Promise<SavedRecord> => {
  const { resource, acting, grant } = write;
  const { transaction } = acting.shared;
  const current = await resource.records.current(grant, id, transaction);
  const shown = await resource.show(grant, id, [], { within: transaction });
  // The hook has removed it, or put it out of the caller's reach.
  if (current === undefined || shown === undefined)
    return acting.shared.refuse(new Problem('record_not_found'));
  return { id, version: current.version, json: shown.json, whole: current.whole };
};

/** What belongs to a create or update behind its statement: the trace, and the hooks. Answers the record in the end. */
export const conclude = async (
  write: RecordWrite,
  action: 'create' | 'update',
  written: SavedRecord,
  before: string | undefined,
  values: JsonObject,
): Promise<SavedRecord> => {
  let saved = written;
  if (isShared(write)) {
    leaveTrace(write, action, saved.id, Object.keys(values));
    const { shared } = write.acting;
    const { writes } = shared;
    await beforeCommit(write, action, saved.id, before, saved.whole);
    if (shared.writes !== writes) saved = await readAgain(write, saved);
  }
  afterCommit(write, action, saved, values);
  return saved;
};
