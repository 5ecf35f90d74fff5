/** The frame of every write: hooks, transaction, version checks, history, events and the response. */

import { callerOf } from '../../auth/caller.ts';
import { authMethod } from '../../auth/registry.ts';
import { ConstraintError } from '../../database/database.ts';
import type { RecordId } from '../../fields/key.ts';
import { parseExact } from '../../kernel/exact-json.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type Catalogue, fieldError, type Label } from '../../kernel/messages.ts';
import { nearestHint } from '../../kernel/options.ts';
import { Problem } from '../../kernel/problem.ts';
import { recordAudit } from '../../ledger/audit.ts';
import type { AfterCommitContext, BeforeCommitContext, BeforeSaveContext } from '../../model/hooks.ts';
import { type ResourceModel, setByServer } from '../../model/resource.ts';
import type { Grant } from '../../policy/grant.ts';
import type { CompanionInsert, WrittenColumns } from '../../records/companion-inserts.ts';
import { keptOfNew, keptSides, type RecordedAction, type RecordedActor } from '../../records/history.ts';
import type { Columns, CurrentRecord, RowLock, SavedRecord, WriteState } from '../../records/records.ts';
import type { Included } from '../../records/relations.ts';
import { makeWayIn } from './make-way.ts';
import type { ServedResource } from './served-resource.ts';
import {
  type Acting,
  isThereIn,
  recordKey,
  runInTransaction,
  type SharedTransaction,
} from './transaction.ts';

/** A write of a record: its resource, its principal, and the grant that the policy made for it. */
export interface RecordWrite {
  readonly resource: ServedResource;
  readonly acting: Acting;
  readonly grant: Grant;
  /** The outer record of a nested write; absent for a write by itself. */
  readonly of?: Surrounding | undefined;
  /** A create that restores a record from the trash. */
  readonly restores?: boolean | undefined;
  /** Names under which this request alone has uploaded files, beside that of its caller. */
  readonly uploader?: string | undefined;
  /** True if the record may name files again that it has named before. */
  readonly renames?: boolean | undefined;
  /** True if names that the write would ignore are refused. The writes of hooks never are. */
  readonly isStrict?: boolean | undefined;
}

/** The outer record of a nested one. It sets the nested record's reference; a body cannot. */
interface Surrounding {
  readonly model: string;
  /** The field of the nested record that refers to it. */
  readonly field: string;
  /** Undefined if the outer record was refused, so that the nested one is only validated. */
  readonly id: RecordId | undefined;
  /** 1 for records nested in the requested one, 2 for those nested in them. */
  readonly level: number;
}

type WriteAction = 'create' | 'update' | 'destroy';

/** A write within a transaction. */
export interface TransactionalWrite extends RecordWrite {
  readonly acting: Acting & { readonly shared: SharedTransaction };
}

export const isInTransaction = (write: RecordWrite): write is TransactionalWrite =>
  write.acting.shared !== undefined;

/**
 * Most nested hook calls, each caused by a write of the one before; more is taken for an endless loop.
 * @limit Bodies | hooks that call one another through their writes | count | 500
 */
const maxHookDepth = 16;

const deeper = (acting: Acting, what: string): Acting => {
  const depth = acting.depth + 1;
  if (depth > maxHookDepth)
    throw new Error(`${what}: hooks have called one another ${maxHookDepth} times by their writes`);
  return { ...acting, sendsMail: false, depth };
};

/**
 * The problem for an error of the application's code: a problem as it is, a constraint as `conflict`, else `internal`.
 */
const codeFailure = (cause: unknown): Problem => {
  if (cause instanceof Problem) return cause;
  return new Problem(cause instanceof ConstraintError ? 'conflict' : 'internal', { cause });
};

/** A validation error of a hook. A text per language is translated like any other message. */
const custom = (catalogue: Catalogue, field: string | undefined, message: Label): FieldError =>
  typeof message === 'string'
    ? { field: field ?? '', rule: 'custom', message }
    : fieldError(catalogue, field ?? '', '', { sentence: message, name: 'custom' });

const parsed = (text: string | undefined): JsonObject | undefined =>
  text === undefined ? undefined : JSON.parse(text);

/** For comparisons: two numbers that are one double are two values. */
const parsedExactly = (text: string | undefined): JsonObject | undefined =>
  text === undefined ? undefined : (parseExact(text) as JsonObject);

/** A name that no field has is an error of the code, as a wrong option is. */
const assertFields = (model: ResourceModel, what: string, values: object): void => {
  const unknown = Object.keys(values).find((name) => !model.fields.has(name));
  if (unknown !== undefined)
    throw new Error(
      `${what}: ${model.name} has no field "${unknown}"${nearestHint(unknown, model.fields.keys())}`,
    );
};

/** Runs the resource's `beforeSave`, which may change the values. Returns the messages that it added. */
export const beforeSave = async (
  { resource, acting }: RecordWrite,
  action: 'create' | 'update',
  values: JsonObject,
  { id, whole }: { readonly id?: RecordId | undefined; readonly whole?: string | undefined },
): Promise<readonly FieldError[]> => {
  const { model, context } = resource;
  const added: FieldError[] = [];
  const hook = model.hooks.beforeSave;
  if (hook === undefined) return added;
  const what = `beforeSave of ${model.name}, ${action}`;
  const limit = { isOver: false };
  try {
    const hookContext: BeforeSaveContext<JsonObject, string, JsonObject, RecordId> = {
      ...context.scopeOf({ ...deeper(acting, what), limit }),
      action,
      id,
      before: parsed(whole),
      values,
      addError: (field, message) => void added.push(custom(context.languages.first, field, message)),
    };
    await context.code.run(
      what,
      () => hook(hookContext),
      () => {
        limit.isOver = true;
      },
    );
    assertFields(model, what, values);
  } catch (cause) {
    throw codeFailure(cause);
  }
  return added;
};

/**
 * Runs the resource's `beforeCommit`. Returns the values that it set. A write that it refuses is rolled back, even if
 * the application catches the error.
 */
export const beforeCommit = async (
  { resource, acting, restores = false }: TransactionalWrite,
  action: WriteAction,
  id: RecordId,
  before: string | undefined,
  after: string | undefined,
): Promise<JsonObject> => {
  const { model, context } = resource;
  const values: JsonObject = {};
  const hook = model.hooks.beforeCommit;
  if (hook === undefined) return values;
  const what = `beforeCommit of ${model.name}, ${action} of ${id}`;
  const errors: FieldError[] = [];
  try {
    const hookContext: BeforeCommitContext<JsonObject, string, JsonObject, RecordId> = {
      ...context.scopeOf(deeper(acting, what)),
      action,
      restored: restores,
      id,
      before: parsed(before),
      after: parsed(after),
      addError: (field, message) => void errors.push(custom(context.languages.first, field, message)),
      set: (some) => {
        if (action === 'destroy') throw new Error(`${what}: a deleted record has no fields to set`);
        assertFields(model, what, some);
        Object.assign(values, some);
      },
    };
    await context.code.run(what, () => hook(hookContext));
  } catch (cause) {
    acting.shared.refuse(codeFailure(cause));
  }
  if (errors.length > 0) acting.shared.refuse(new Problem('invalid_record', { errors }));
  return values;
};

/**
 * Runs the resource's `afterCommit` once the record is durable: immediately, or after the commit of the write's
 * transaction. The response does not wait for it. An error of the hook is only logged.
 */
export const afterCommit = (
  { resource, acting, restores = false }: RecordWrite,
  action: WriteAction,
  { id, whole }: { readonly id: RecordId; readonly whole?: string | undefined },
  values: JsonObject,
): void => {
  const { model, context } = resource;
  const hook = model.hooks.afterCommit;
  if (hook === undefined || whole === undefined) return;
  const what = `afterCommit of ${model.name}, ${action} of ${id}`;
  const run = async (): Promise<void> => {
    // Both the transaction and the request have ended.
    const after: Acting = { ...deeper(acting, what), shared: undefined, by: undefined, limit: undefined };
    const hookContext: AfterCommitContext<JsonObject, JsonObject, RecordId> = {
      ...context.scopeOf(after),
      action,
      restored: restores,
      id,
      record: JSON.parse(whole),
      values,
    };
    await context.code.run(what, () => hook(hookContext));
  };
  const start = (): void => {
    run().catch((error: unknown) => context.report(error, `afterCommit of ${model.name} ${id}`));
  };
  if (acting.shared === undefined) start();
  else acting.shared.onCommit(start);
};

/** The effect of a write on a record. */
interface RecordChange {
  readonly record: RecordId;
  readonly version: number;
  readonly action: RecordedAction;
  /** JSON texts of every field; undefined before a create and after a deletion. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The values that decide who may read a deleted record, as JSON text (`keptReach`). */
  readonly reach?: string | undefined;
}

/** True if writes of a model store versions or events. */
export const isRecorded = ({ history, model }: Pick<ServedResource, 'history' | 'model'>): boolean =>
  history !== undefined || model.events;

/** The actor of a version or an event. */
export const actorOfWrite = ({ principal, ...acting }: Acting): RecordedActor => {
  const reason = acting.reason ?? null;
  if (principal.kind === 'user') {
    const { id, username, method, credential } = principal;
    const key = authMethod(method).holder === principal.kind ? null : (credential ?? null);
    return { kind: 'user', id: String(id), name: username, key, reason };
  }
  const id = principal.kind === 'application' ? principal.appId : null;
  // Without a caller: a job, a payment.
  const kind = principal.kind === 'nobody' && reason !== null ? 'system' : principal.kind;
  return { kind, id, name: id, key: null, reason };
};

const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));

/** Names of the fields whose values differ; for a new record, of those that are not null. */
const changedFields = (before: JsonObject | undefined, after: JsonObject | undefined): readonly string[] =>
  Object.entries(after ?? {}).flatMap(([name, value]) =>
    setByServer.has(name) || isEqual(value, before?.[name] ?? null) ? [] : [name],
  );

/** Most changes of records that a transaction buffers in memory. */
const maxBufferedChanges = 256;

/** Stores the buffered changes. The statements are not awaited: if one fails, the transaction fails with its error. */
const writeChanges = ({ resource: { context }, acting: { shared } }: TransactionalWrite): void => {
  const { transaction } = shared;
  const changed = shared.changed.splice(0);
  const ignore = (): void => {};
  for (const [history, some] of Map.groupBy(changed, (change) => change.history)) {
    const versions = some.map(({ version }) => version);
    history?.keep(transaction, versions).catch(ignore);
  }
  const events = changed.flatMap(({ event }) => event ?? []);
  if (events.length > 0) context.events.append(transaction, events).catch(ignore);
};

/** The version and the event of a change, where the model has them. */
const changeOf = (
  { resource, acting }: TransactionalWrite,
  { before, after, reach, ...written }: RecordChange,
): SharedTransaction['changed'][number] => {
  const { history, model, context } = resource;
  const entry = { ...written, at: context.clock(), actor: actorOfWrite(acting) };
  const version = { ...entry, before: before ?? null, after: after ?? null };
  const of = { model: model.name, history };
  if (!model.events) return { ...of, version, event: undefined };
  const [old, made] = [parsedExactly(before), parsedExactly(after)];
  const kept = made === undefined ? (reach ?? null) : keptSides(model, context.models, old, made);
  const event = { ...entry, model: model.name, fields: changedFields(old, made), reach: kept };
  return { ...of, version, event };
};

/**
 * Stores the version and the event of a write in its transaction, where the model has them. Changes are buffered and
 * stored in batches, the last one at the end of the transaction. None is stored while a hook may still set values of an
 * earlier one (`settleChange`).
 */
export const recordChange = (write: TransactionalWrite, change: RecordChange): void => {
  const { resource, acting } = write;
  if (!isRecorded(resource)) return;
  const { shared } = acting;
  const made = changeOf(write, change);
  const buffered = shared.changed.push(made);
  if (made.event !== undefined) shared.onCommit(resource.context.eventsCommitted);
  if (buffered === 1) shared.beforeEnd(async () => writeChanges(write));
  if (buffered >= maxBufferedChanges && shared.unsettled === 0) writeChanges(write);
};

/** Gives the buffered version and event of a write the final values, which its hook has set. */
const settleChange = (write: TransactionalWrite, { id, whole }: SavedRecord): void => {
  const { changed } = write.acting.shared;
  const { name } = write.resource.model;
  const at = changed.findLastIndex(({ model, version }) => model === name && version.record === id);
  const made = changed[at];
  if (made === undefined) return;
  const { before, ...version } = made.version;
  changed[at] = changeOf(write, { ...version, before: before ?? undefined, after: whole });
};

/** True if the insert of a record can store its version and event in the same statement, without a transaction. */
const canWriteCompanions = ({ history, context, model }: ServedResource): boolean =>
  (history !== undefined || model.events) && context.database.dialect.writeWithCte !== undefined;

/** The version and the event of a new record, stored by the statement that inserts it. */
export const companionsOf = (
  { resource, acting }: RecordWrite,
  columns: Columns,
): readonly CompanionInsert[] => {
  const { history, context, model } = resource;
  const record = model.key.of(columns['id']);
  const entry = { at: context.clock(), actor: actorOfWrite(acting) };
  const kept = history === undefined ? [] : [history.companion(entry, record, model.key)];
  if (!model.events) return kept;
  const fields = [...model.fields.keys()].filter(
    (name) => !setByServer.has(name) && (columns[name] ?? null) !== null,
  );
  const event = { ...entry, model: model.name, action: 'create', fields } as const;
  const { database, models } = context;
  const reach = ({ whole }: WrittenColumns) => keptOfNew(model, models, database.dialect, whole);
  return [...kept, context.events.companion(event, record, model.key, reach)];
};

/**
 * True if a write needs a transaction beside its statement: for a hook, a number, a version, an event, or an audit
 * entry.
 */
const takesTransaction = ({ resource, acting }: RecordWrite, creates: boolean): boolean =>
  (creates && resource.counts !== undefined) ||
  // A second statement reads what triggers made of the record.
  resource.model.stored.external === true ||
  resource.model.hooks.beforeCommit !== undefined ||
  (isRecorded(resource) && !(creates && canWriteCompanions(resource))) ||
  acting.reason !== undefined;

/** Milliseconds that each further record adds to the time limit of a transaction. */
export const msPerRecord = 25;

interface WritingOptions {
  /** True if it takes a transaction, whatever the resource. */
  readonly always?: boolean;
  /** How many further records it may write. */
  readonly further?: number | undefined;
  /** True if it inserts one record, by one statement. */
  readonly creates?: boolean;
}

/**
 * Runs the work of a write: in the caller's transaction if there is one, in its own if it needs one, else as a single
 * statement.
 */
export const runWrite = <T>(
  write: RecordWrite,
  work: (write: RecordWrite) => Promise<T>,
  { always = false, further = 0, creates = false }: WritingOptions = {},
): Promise<T> => {
  const { resource, acting } = write;
  if (resource.model.stored.readOnly === true) throw new Problem('forbidden');
  if (isInTransaction(write) || !(always || takesTransaction(write, creates))) return work(write);
  const { database, transactionLimit } = resource.context;
  const { table, hooks } = resource.model;
  const runsCode = hooks.beforeCommit !== undefined || further > 0;
  const limit = runsCode ? transactionLimit + further * msPerRecord : undefined;
  return runInTransaction(database, (shared) => work({ ...write, acting: { ...acting, shared } }), {
    table,
    limit,
  });
};

/**
 * Refuses a record that the caller does not reach (404) or may not write (403), and a version that is not accepted
 * (412), in this order: only callers who may write learn whether a version matches.
 */
const assertTarget: (
  state: WriteState | undefined,
  versions: readonly number[] | undefined,
) => asserts state is WriteState = (state, versions) => {
  if (state === undefined) throw new Problem('record_not_found');
  if (!state.writable) throw new Problem('forbidden');
  if (versions !== undefined && !versions.includes(state.version)) throw new Problem('stale');
};

/** Reads the record as this caller reaches it, locked if the write has a transaction. @throws Problem 403, 404, 412 */
export const currentRecord = async (
  { resource: { records }, acting, grant }: RecordWrite,
  id: RecordId,
  versions: readonly number[] | undefined,
  lock?: RowLock,
): Promise<CurrentRecord> => {
  const current = await records.current(grant, id, acting.shared?.transaction, lock);
  assertTarget(current, versions);
  return current;
};

/** Refuses with 403, 404 or 412, which come before the validation errors of a body. */
export const checkTarget = async (
  { resource: { records }, acting, grant }: RecordWrite,
  id: RecordId,
  versions: readonly number[] | undefined,
): Promise<void> => {
  assertTarget(await records.writeState(grant, id, acting.shared?.transaction), versions);
};

/** Throws the reason for which a write found no record that it may change. */
export const refuseTarget = async (
  write: RecordWrite,
  id: RecordId,
  versions: readonly number[] | undefined,
): Promise<never> => {
  await checkTarget(write, id, versions);
  // The caller may write the record as it is: either its new values are forbidden, or it has just changed.
  const { writes, settledRows } = write.grant;
  throw new Problem(writes === undefined && settledRows === undefined ? 'stale' : 'forbidden');
};

/** Counts a write in its transaction, and audits it if the application acts past the policy. */
export const traceWrite = (
  { resource, acting }: TransactionalWrite,
  action: WriteAction,
  id: RecordId,
  fields: readonly string[],
): void => {
  const { reason, shared, actor } = acting;
  const key = recordKey(resource.model.name, id);
  shared.writes += 1;
  if (action === 'destroy') shared.present.delete(key);
  else shared.present.add(key);
  if (reason === undefined) return;
  const { database, clock } = resource.context;
  // Not awaited: if it fails, the transaction fails, and reports the error.
  recordAudit(
    shared.transaction,
    database.dialect,
    clock(),
    { ...actor(), reason },
    {
      action: `record.${action}`,
      target: { kind: resource.model.name, id, name: null },
      detail: fields.length === 0 ? {} : { fields: [...fields] },
    },
  ).catch(() => {});
};

/** The files that columns name. */
const filesNamed = (
  { files }: ServedResource,
  columns: Columns,
): readonly { readonly field: string; readonly file: number }[] =>
  files.flatMap(({ name: field }) => {
    const file = columns[field];
    return typeof file === 'number' ? [{ field, file }] : [];
  });

/** True if a write names files, which become those of its record in its transaction. */
export const namesFiles = ({ resource }: RecordWrite, { columns }: { readonly columns: Columns }): boolean =>
  resource.files.length > 0 && filesNamed(resource, columns).length > 0;

/** Gives the named files to the record. @throws Problem `invalid_record` for one that its caller may not name */
export const holdFiles = async (write: RecordWrite, record: RecordId, columns: Columns): Promise<void> => {
  const { resource, acting, uploader, renames = false } = write;
  const named = filesNamed(resource, columns);
  if (named.length === 0) return;
  if (!isInTransaction(write)) throw new Error('files are named in the transaction of their record');
  const { shared } = write.acting;
  const { principal } = acting;
  // Anonymous callers are not distinguished: only this request itself may have uploaded for them.
  const caller = principal.kind === 'nobody' ? [] : [callerOf(principal, '')];
  const uploaders = uploader === undefined ? caller : [...caller, uploader];
  const held = { model: resource.model.name, record, uploaders, restores: renames, named };
  const refused = await resource.context.files?.hold(shared.transaction, held);
  if (refused === undefined) return;
  const label = resource.model.fields.get(refused)?.label ?? refused;
  const error = fieldError(resource.context.languages.first, refused, label, 'upload');
  shared.refuse(new Problem('invalid_record', { errors: [error] }));
};

/** The written record with the related records of the response, as its transaction sees them. */
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

/** Reads the record again after hooks have written in its transaction. */
const readAgain = async (write: TransactionalWrite, written: SavedRecord): Promise<SavedRecord> => {
  const { resource, acting, grant } = write;
  const { transaction } = acting.shared;
  const { id } = written;
  const current = await resource.records.current(grant, id, transaction);
  const shown = await resource.show(grant, id, [], { within: transaction });
  // A separate write rule may allow values that the caller cannot read back: they get the record that they wrote.
  const isThere = acting.shared.present.has(recordKey(resource.model.name, id));
  if (current === undefined && isThere && grant.writes !== undefined) return written;
  // A hook has removed it, or moved it out of the caller's reach.
  if (current === undefined || shown === undefined)
    return acting.shared.refuse(new Problem('record_not_found'));
  return { id, version: current.version, json: shown.json, whole: current.whole };
};

/** A written record, and the values that the write has set. */
interface Completed {
  readonly saved: SavedRecord;
  readonly values: JsonObject;
}

/**
 * Writes what `beforeCommit` has set, by the rules of `beforeSave`: the values are validated, restricted fields
 * included, and the row rule holds for them. A refusal rolls the transaction back.
 */
const complete = async (
  write: TransactionalWrite,
  action: 'create' | 'update',
  { saved, values }: Completed,
  set: JsonObject,
): Promise<Completed> => {
  const { resource, acting, grant } = write;
  const { model, records } = resource;
  const { shared } = acting;
  const keepsOwner = action === 'create' && grant.owner !== undefined;
  const settable = {
    has: (name: string) =>
      model.fields.has(name) && !(keepsOwner && name === model.owner && !grant.writable.has(name)),
  };
  const valid = resource.validate(set, 'update', settable);
  const { columns } = valid;
  const names = Object.keys(columns);
  if (names.length === 0 && valid.errors.length === 0) return { saved, values };
  const refused = new Set(valid.errors.map(({ field }) => field));
  const chosen = new Set<string>();
  const candidate = { columns, chosen, refused, isThere: isThereIn(acting), makeWay: makeWayIn(write) };
  const collisions = await records.collisions(grant, candidate, saved.id, shared.transaction);
  const errors = [
    ...valid.errors,
    ...collisions.filter(({ field }) => !refused.has(field)).map(resource.collision),
  ];
  if (errors.length > 0) return shared.refuse(new Problem('invalid_record', { errors }));
  const final = await records.complete(grant, saved.id, columns, shared.transaction);
  if (final === undefined) {
    const isThere = shared.present.has(recordKey(model.name, saved.id));
    return shared.refuse(new Problem(isThere ? 'forbidden' : 'record_not_found'));
  }
  if (resource.files.length > 0) await holdFiles(write, saved.id, columns);
  settleChange(write, final);
  traceWrite(write, 'update', saved.id, names);
  return { saved: final, values: { ...values, ...valid.values } };
};

/** Writes the nested records of a written record. Returns whether that may have changed the outer record. */
export type WriteWithin = (write: TransactionalWrite, id: RecordId) => Promise<boolean>;

/** The nested records of a written record, and its hook. */
const concludeShared = async (
  write: TransactionalWrite,
  action: 'create' | 'update',
  written: Completed,
  before: string | undefined,
  within: WriteWithin | undefined,
): Promise<Completed> => {
  const { shared } = write.acting;
  let { saved } = written;
  if ((await within?.(write, saved.id)) === true) saved = await readAgain(write, saved);
  const { writes } = shared;
  const set = await beforeCommit(write, action, saved.id, before, saved.whole);
  const hasWritten = shared.writes !== writes;
  const completed = await complete(write, action, { saved, values: written.values }, set);
  return hasWritten ? { ...completed, saved: await readAgain(write, completed.saved) } : completed;
};

/**
 * Completes a create or update after its statement: audit, version and event, nested records, and then the hooks, which
 * see all of these. Returns the final record.
 */
export const conclude = async (
  write: RecordWrite,
  action: 'create' | 'update',
  saved: SavedRecord,
  before: string | undefined,
  values: JsonObject,
  within?: WriteWithin,
): Promise<SavedRecord> => {
  let completed: Completed = { saved, values };
  if (isInTransaction(write)) {
    traceWrite(write, action, saved.id, Object.keys(values));
    const { id, version, whole } = saved;
    recordChange(write, { record: id, version, action, before, after: whole });
    const { shared } = write.acting;
    const unsettled = write.resource.model.hooks.beforeCommit === undefined ? 0 : 1;
    shared.unsettled += unsettled;
    try {
      completed = await concludeShared(write, action, completed, before, within);
    } finally {
      shared.unsettled -= unsettled;
    }
  }
  afterCommit(write, action, completed.saved, completed.values);
  return completed.saved;
};
