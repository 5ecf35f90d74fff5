import { authMethod } from '../auth/registry.ts';
import { ConstraintError } from '../database/database.ts';
import { dialectOf } from '../database/registry.ts';
import type { FieldError } from '../kernel/field-error.ts';
import type { JsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { AfterCommitContext, BeforeCommitContext, BeforeSaveContext } from '../model/hooks.ts';
import type { Grant } from '../policy/grant.ts';
import type { WrittenBeside, WrittenColumns } from '../records/beside.ts';
import {
  keptOfNew,
  keptSides,
  type RecordedAction,
  type RecordedActor,
  setByServer,
} from '../records/history/recorded.ts';
import type { Columns, CurrentRecord, RecordStanding, RowLock, SavedRecord } from '../records/records.ts';
import type { Included } from '../records/relations/include.ts';
import { recordAudit } from '../service/audit/audit.ts';
import type { ServedResource } from './served-resource.ts';
import { type Acting, recordKey, type SharedTransaction, together } from './transaction.ts';

/** What every write of a record begins with: whose resource, on whose behalf, and what the policy lets them do. */
export interface RecordWrite {
  readonly resource: ServedResource;
  readonly acting: Acting;
  readonly grant: Grant;
  /** The record within whose body this one is written; absent for one that is written by itself. */
  readonly of?: Surrounding | undefined;
}

/** The record within which another is written. Which one it is, is its own word, and never that of the body. */
interface Surrounding {
  readonly model: string;
  /** The reference by which the inner record names it. */
  readonly field: string;
  /** Undefined where it is not there, as it has been refused: the inner record is looked at only. */
  readonly id: number | undefined;
  /** 1 for records within the one that was asked for, 2 for those within them. */
  readonly level: number;
}

type WriteAction = 'create' | 'update' | 'destroy';

/** A write with the transaction that it is part of. */
export interface SharedWrite extends RecordWrite {
  readonly acting: Acting & { readonly shared: SharedTransaction };
}

export const isShared = (write: RecordWrite): write is SharedWrite => write.acting.shared !== undefined;

/** Hooks that may lead to one another by what they write; more is a circle. */
const maxDepth = 16;

const deeper = (acting: Acting, what: string): Acting => {
  const depth = acting.depth + 1;
  if (depth > maxDepth) throw new Error(`${what}: ${maxDepth} hooks have led to one another by their writes`);
  return { ...acting, depth };
};

/** What code of the application is answered as: a problem as it is, a constraint as a conflict, all else says nothing. */
const codeFailure = (cause: unknown): Problem => {
  if (cause instanceof Problem) return cause;
  return new Problem(cause instanceof ConstraintError ? 'conflict' : 'internal', { cause });
};

const custom = (field: string | undefined, message: string): FieldError => ({
  field: field ?? '',
  rule: 'custom',
  message,
});

const parsed = (text: string | undefined): JsonObject | undefined =>
  text === undefined ? undefined : JSON.parse(text);

/** Runs the resource's `beforeSave`, which may change the values. Answers the messages that it added. */
export const beforeSave = async (
  { resource, acting }: RecordWrite,
  action: 'create' | 'update',
  values: JsonObject,
  { id, whole }: { readonly id?: number | undefined; readonly whole?: string | undefined },
): Promise<readonly FieldError[]> => {
  const { model, context } = resource;
  const added: FieldError[] = [];
  const hook = model.hooks.beforeSave;
  if (hook === undefined) return added;
  const what = `beforeSave of ${model.name}, ${action}`;
  try {
    const told: BeforeSaveContext<JsonObject> = {
      ...context.scopeOf(deeper(acting, what)),
      action,
      id,
      before: parsed(whole),
      values,
      addError: (field, message) => void added.push(custom(field, message)),
    };
    await context.code.run(what, () => hook(told));
  } catch (cause) {
    throw codeFailure(cause);
  }
  return added;
};

/** Runs the resource's `beforeCommit`. What it refuses must not stand, whoever catches the error. */
export const beforeCommit = async (
  { resource, acting }: SharedWrite,
  action: WriteAction,
  id: number,
  before: string | undefined,
  after: string | undefined,
): Promise<void> => {
  const { model, context } = resource;
  const hook = model.hooks.beforeCommit;
  if (hook === undefined) return;
  const what = `beforeCommit of ${model.name}, ${action} of ${id}`;
  const errors: FieldError[] = [];
  try {
    const told: BeforeCommitContext = {
      ...context.scopeOf(deeper(acting, what)),
      action,
      id,
      before: parsed(before),
      after: parsed(after),
      addError: (field, message) => void errors.push(custom(field, message)),
    };
    await context.code.run(what, () => hook(told));
  } catch (cause) {
    acting.shared.refuse(codeFailure(cause));
  }
  if (errors.length > 0) acting.shared.refuse(new Problem('invalid_record', { errors }));
};

/**
 * Runs the resource's `afterCommit` beside the answer, once the record is durable: at once, or when the transaction that
 * the write was part of is committed. What the hook throws is only logged.
 */
export const afterCommit = (
  { resource, acting }: RecordWrite,
  action: WriteAction,
  { id, whole }: { readonly id: number; readonly whole?: string | undefined },
  values: JsonObject,
): void => {
  const { model, context } = resource;
  const hook = model.hooks.afterCommit;
  if (hook === undefined || whole === undefined) return;
  const what = `afterCommit of ${model.name}, ${action} of ${id}`;
  const run = async (): Promise<void> => {
    // Neither the transaction nor the request is there any more.
    const after: Acting = { ...deeper(acting, what), shared: undefined, by: undefined };
    const told: AfterCommitContext = {
      ...context.scopeOf(after),
      action,
      id,
      record: JSON.parse(whole),
      values,
    };
    await context.code.run(what, () => hook(told));
  };
  const start = (): void => {
    run().catch((error: unknown) => context.report(error, `afterCommit of ${model.name} ${id}`));
  };
  if (acting.shared === undefined) start();
  else acting.shared.committed(start);
};

/** What a write has made of a record. */
interface RecordChange {
  readonly record: number;
  readonly version: number;
  readonly action: RecordedAction;
  /** JSON texts of every field; undefined where there was no record, and where there is none any more. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** What is kept of a record that is gone, as JSON text (`keptReach`); of others it follows from their values. */
  readonly reach?: string | undefined;
}

/** Whether a model keeps anything of what is written: its versions, or events. */
export const isRecorded = ({ history, model }: Pick<ServedResource, 'history' | 'model'>): boolean =>
  history !== undefined || model.events;

/** Who stands behind a version of a record, or an event. */
export const whoDid = ({ principal, ...acting }: Acting): RecordedActor => {
  const reason = acting.reason ?? null;
  if (principal.kind === 'user') {
    const { id, username, method, credential } = principal;
    const key = authMethod(method).holder === principal.kind ? null : (credential ?? null);
    return { kind: 'user', id: String(id), name: username, key, reason };
  }
  const id = principal.kind === 'application' ? principal.appId : null;
  // For whom nobody asked: a job, a payment.
  const kind = principal.kind === 'nobody' && reason !== null ? 'system' : principal.kind;
  return { kind, id, name: id, key: null, reason };
};

const valuesOf = (text: string | undefined): JsonObject | undefined =>
  text === undefined ? undefined : JSON.parse(text);

const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));

/** Names of the fields whose values became others; of a new record those that have one. */
const changedFields = (before: JsonObject | undefined, after: JsonObject | undefined): readonly string[] =>
  Object.entries(after ?? {}).flatMap(([name, value]) =>
    setByServer.has(name) || isEqual(value, before?.[name] ?? null) ? [] : [name],
  );

/** Changes of records that wait at most: their values are in memory. */
const mostWaiting = 256;

/** The statements are not awaited: where one is refused, the transaction is, and its error is told. */
const writeChanges = ({ resource: { context }, acting: { shared } }: SharedWrite): void => {
  const { transaction } = shared;
  const changed = shared.changed.splice(0);
  const refused = (): void => {};
  for (const [history, some] of Map.groupBy(changed, (change) => change.history)) {
    const versions = some.map(({ version }) => version);
    history?.keep(transaction, versions).catch(refused);
  }
  const events = changed.flatMap(({ event }) => event ?? []);
  if (events.length > 0) context.events.append(transaction, events).catch(refused);
};

/**
 * Keeps what a write has made of a record, in its transaction, where its model keeps versions or tells of what happens.
 * What is kept of many is written by few statements, at the end of the transaction at the latest.
 */
export const recordChange = (write: SharedWrite, change: RecordChange): void => {
  const { resource, acting } = write;
  const { history, model, context } = resource;
  if (!isRecorded(resource)) return;
  const { shared } = acting;
  const { before = null, after = null, reach, ...known } = change;
  const told = { ...known, at: context.clock(), actor: whoDid(acting) };
  const [old, made] = model.events ? [valuesOf(change.before), valuesOf(change.after)] : [];
  const event = model.events
    ? {
        ...{ ...told, model: model.name, fields: changedFields(old, made) },
        reach: made === undefined ? (reach ?? null) : keptSides(model, context.models, old, made),
      }
    : undefined;
  const waiting = shared.changed.push({ history, version: { ...told, before, after }, event });
  if (event !== undefined) shared.committed(context.eventsCommitted);
  if (waiting === 1) shared.last(async () => writeChanges(write));
  if (waiting >= mostWaiting) writeChanges(write);
};

/** Whether what is kept of new records is written in the statement that makes them: no transaction is needed for it. */
const keepsBeside = ({ history, context, model }: ServedResource): boolean =>
  (history !== undefined || model.events) && dialectOf(context.database).writeWithCte !== undefined;

/** What is kept of a record that is made by one statement alone. */
export const keptBeside = ({ resource, acting }: RecordWrite, columns: Columns): readonly WrittenBeside[] => {
  const { history, context, model } = resource;
  const known = { at: context.clock(), actor: whoDid(acting) };
  const kept = history === undefined ? [] : [history.beside(known)];
  if (!model.events) return kept;
  const fields = [...model.fields.keys()].filter(
    (name) => !setByServer.has(name) && (columns[name] ?? null) !== null,
  );
  const event = { ...known, model: model.name, action: 'create', fields } as const;
  const { database, models } = context;
  const reach = ({ whole }: WrittenColumns) => keptOfNew(model, models, dialectOf(database), whole);
  return [...kept, context.events.beside(event, reach)];
};

/**
 * Whether a write is more than its statement: a hook belongs to its transaction, a version, an event, or a line of the
 * audit log.
 */
const takesTransaction = ({ resource, acting }: RecordWrite, creates: boolean): boolean =>
  resource.model.hooks.beforeCommit !== undefined ||
  (isRecorded(resource) && !(creates && keepsBeside(resource))) ||
  acting.reason !== undefined;

/** Milliseconds of a transaction's time that each further record adds: slow ones are no reason to give up many. */
export const timeOfRecord = 25;

interface WritingOptions {
  /** It takes a transaction, whatever the resource. */
  readonly always?: boolean;
  /** How many records it may write beside its own. */
  readonly further?: number | undefined;
  /** It makes one record, by one statement. */
  readonly creates?: boolean;
}

/**
 * Runs the work of a write: as part of the transaction that it was asked for in, in one of its own where it takes one,
 * and otherwise in none, as a statement alone is one.
 */
export const writing = <T>(
  write: RecordWrite,
  work: (write: RecordWrite) => Promise<T>,
  { always = false, further = 0, creates = false }: WritingOptions = {},
): Promise<T> => {
  const { resource, acting } = write;
  if (isShared(write) || !(always || takesTransaction(write, creates))) return work(write);
  const { database, transactionLimit } = resource.context;
  const { table, hooks } = resource.model;
  const runsCode = hooks.beforeCommit !== undefined || further > 0;
  const limit = runsCode ? transactionLimit + further * timeOfRecord : undefined;
  return together(database, (shared) => work({ ...write, acting: { ...acting, shared } }), { table, limit });
};

/**
 * Refuses what the caller does not reach (404), what they may not write (403), and a version that is none of those that
 * are accepted (412), in this order: a condition on the version is only asked of who may write.
 */
const assertTarget: (
  standing: RecordStanding | undefined,
  versions: readonly number[] | undefined,
) => asserts standing is RecordStanding = (standing, versions) => {
  if (standing === undefined) throw new Problem('record_not_found');
  if (!standing.writable) throw new Problem('forbidden');
  if (versions !== undefined && !versions.includes(standing.version)) throw new Problem('stale');
};

/** The record as it is for this caller, locked where the write has a transaction. @throws Problem 403, 404, 412 */
export const currentRecord = async (
  { resource: { records }, acting, grant }: RecordWrite,
  id: number,
  versions: readonly number[] | undefined,
  lock?: RowLock,
): Promise<CurrentRecord> => {
  const current = await records.current(grant, id, acting.shared?.transaction, lock);
  assertTarget(current, versions);
  return current;
};

/** Refuses with 403, 404 or 412 where these come before what is wrong with the body. */
export const checkTarget = async (
  { resource: { records }, acting, grant }: RecordWrite,
  id: number,
  versions: readonly number[] | undefined,
): Promise<void> => {
  assertTarget(await records.standing(grant, id, acting.shared?.transaction), versions);
};

/** Says why a write found no record that it may change. */
export const refuseTarget = async (
  write: RecordWrite,
  id: number,
  versions: readonly number[] | undefined,
): Promise<never> => {
  await checkTarget(write, id, versions);
  // It may be written as it is, so it is what it would become that may not; where nothing says so, it has just changed.
  throw new Problem(write.grant.writes === undefined ? 'stale' : 'forbidden');
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
const readAgain = async (write: SharedWrite, written: SavedRecord): Promise<SavedRecord> => {
  const { resource, acting, grant } = write;
  const { transaction } = acting.shared;
  const { id } = written;
  const current = await resource.records.current(grant, id, transaction);
  const shown = await resource.show(grant, id, [], { within: transaction });
  // By a rule of its own the write may lead out of what the caller reads: they are answered what they wrote.
  const isThere = acting.shared.known.has(recordKey(resource.model.name, id));
  if (current === undefined && isThere && grant.writes !== undefined) return written;
  // The hook has removed it, or put it out of the caller's reach.
  if (current === undefined || shown === undefined)
    return acting.shared.refuse(new Problem('record_not_found'));
  return { id, version: current.version, json: shown.json, whole: current.whole };
};

/** The record that was written, with what is to be answered beside it, as its transaction has it. */
export const withRelated = async (
  { resource, grant, acting }: RecordWrite,
  saved: SavedRecord,
  included: Included,
): Promise<SavedRecord> => {
  if (included.included.length === 0) return saved;
  const within = acting.shared?.transaction;
  const shown = await resource.show(grant, saved.id, [], { included, written: true, within });
  return shown === undefined ? saved : { ...saved, json: shown.json };
};

/** Writes what stands within a record, once that is there. Answers whether the record may have become another by it. */
export type WriteWithin = (write: SharedWrite, id: number) => Promise<boolean>;

/**
 * What belongs to a create or update behind its statement: the trace, the records within it, and the hooks, which see
 * these. Answers the record in the end.
 */
export const conclude = async (
  write: RecordWrite,
  action: 'create' | 'update',
  written: SavedRecord,
  before: string | undefined,
  values: JsonObject,
  within?: WriteWithin,
): Promise<SavedRecord> => {
  let saved = written;
  if (isShared(write)) {
    leaveTrace(write, action, saved.id, Object.keys(values));
    const { id, version, whole } = saved;
    recordChange(write, { record: id, version, action, before, after: whole });
    const { shared } = write.acting;
    if ((await within?.(write, saved.id)) === true) saved = await readAgain(write, saved);
    const { writes } = shared;
    await beforeCommit(write, action, saved.id, before, saved.whole);
    if (shared.writes !== writes) saved = await readAgain(write, saved);
  }
  afterCommit(write, action, saved, values);
  return saved;
};
