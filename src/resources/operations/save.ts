/** Creates and updates records, with the nested records of their bodies, which are written by the same functions. */

import type { RecordId } from '../../fields/key.ts';
import { tagOf } from '../../http/preconditions.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import { nextSlice } from '../../kernel/slices.ts';
import { recordAudit } from '../../ledger/audit.ts';
import type { Idempotency, IdempotentRequest, KeptAnswer } from '../../ledger/idempotency.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { rowsShowing } from '../../policy/decide.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Columns, SavedRecord } from '../../records/records.ts';
import { type Included, nothingIncluded } from '../../records/relations.ts';
import { CollectedErrors } from './collected-errors.ts';
import { announce, begin } from './make-way.ts';
import { type Nested, type NestedItem, type NestedList, parseNested, tasks } from './nested.ts';
import { isRefusedWithin, type Prepared, prepareWrite, translateError } from './prepare.ts';
import { remove } from './remove.ts';
import type { SharedTransaction } from './transaction.ts';
import {
  checkTarget,
  companionsOf,
  conclude,
  currentRecord,
  holdFiles,
  isInTransaction,
  isRecorded,
  namesFiles,
  type RecordWrite,
  refuseTarget,
  runWrite,
  type TransactionalWrite,
  type WriteWithin,
  withRelated,
} from './writing.ts';

/**
 * The columns to insert: those of the body, and the owner that the policy set, which neither a body nor a hook
 * overrides unless the caller may write that field.
 */
const withOwner = ({ resource: { model }, grant }: RecordWrite, columns: Columns): Columns => {
  const { owner } = model;
  if (owner === undefined || grant.owner === undefined) return columns;
  const named = grant.writable.has(owner) ? columns[owner] : undefined;
  return { ...columns, [owner]: named ?? grant.owner };
};

/** True if an administrator sets the owner of the record, which goes into the audit log. */
const setsOwner = (
  { resource: { model }, acting }: RecordWrite,
  { columns }: Pick<Prepared, 'columns'>,
): boolean =>
  acting.area.name === 'admin' &&
  acting.reason === undefined &&
  model.owner !== undefined &&
  columns[model.owner] !== undefined;

const ownerIn = ({ owner }: ResourceModel, whole: string): Json =>
  owner === undefined ? null : ((JSON.parse(whole) as JsonObject)[owner] ?? null);

/** Adds an audit entry where an administrator has given a record another owner than it had or would get. */
const auditOwner = (
  write: RecordWrite,
  action: 'create' | 'update',
  id: RecordId,
  before: Json,
  columns: Columns,
): void => {
  const { resource, acting } = write;
  const { model, context } = resource;
  const { owner = '' } = model;
  const after = columns[owner] ?? null;
  if (!isInTransaction(write) || !setsOwner(write, { columns }) || after === before) return;
  const { shared } = write.acting;
  // Not awaited: if it fails, the transaction fails, and reports the error.
  recordAudit(shared.transaction, context.database.dialect, context.clock(), acting.actor(), {
    action: `record.${action}`,
    target: { kind: model.name, id, name: null },
    detail: { fields: [owner], before, after },
  }).catch(() => {});
};

/** The prepared values of a new record, with its nested records. */
export interface PreparedNew extends Prepared {
  readonly nested: Nested | undefined;
}

/**
 * Inserts the record, with the numbers that are counted for it. A record that is refused after its number was taken
 * rolls its transaction back, even if the application catches the error: the number is taken again.
 */
const insertCounted = async (
  { resource: { records, counts }, acting, grant }: RecordWrite,
  columns: Columns,
  at: number,
  companions: ReturnType<typeof companionsOf>,
): Promise<SavedRecord> => {
  const { shared } = acting;
  const insertWith = async (numbers: Columns): Promise<SavedRecord> => {
    const all = { ...columns, ...numbers };
    const saved = await records.insert(grant, all, at, shared?.transaction, companions);
    // The caller may not write the record that this would be.
    if (saved === undefined) throw new Problem('forbidden');
    return saved;
  };
  if (counts === undefined) return insertWith({});
  if (shared === undefined) throw new Error('records are counted in the transaction that inserts them');
  const numbers = await counts.take(shared.transaction, columns, at);
  try {
    return await insertWith(numbers);
  } catch (error) {
    return shared.refuse(error);
  }
};

/** The columns of a new record, with its id where the service gives it. */
const withId = ({ key: { create } }: ResourceModel, columns: Columns, at: number): Columns =>
  create === undefined ? columns : { id: create(at), ...columns };

export const insert = async (
  write: RecordWrite,
  { grant, values, columns, nested }: PreparedNew,
  included: Included,
): Promise<SavedRecord> => {
  const { resource, acting } = write;
  const { context } = resource;
  const owned = withId(resource.model, withOwner({ ...write, grant }, columns), context.clock());
  // In a transaction `conclude` stores the version and the event.
  const companions = acting.shared === undefined && isRecorded(resource) ? companionsOf(write, owned) : [];
  const saved = await insertCounted({ ...write, grant }, owned, context.clock(), companions);
  if (resource.files.length > 0) await holdFiles(write, saved.id, owned);
  if (companions.length > 0 && resource.model.events) context.eventsCommitted();
  auditOwner(write, 'create', saved.id, grant.owner ?? null, owned);
  const concluded = await conclude(write, 'create', saved, undefined, values, within(nested));
  return withRelated(write, concluded, included);
};

/**
 * True if a row rule refuses any nested record of a new record. Checked before the transaction that writes them, since
 * the hook of the outer record runs before it too.
 */
const isAnyRefused = async (write: RecordWrite, nested: Nested | undefined): Promise<boolean> => {
  if (nested === undefined || isInTransaction(write)) return false;
  for (const [list, item] of nestedWrites(nested)) {
    const inner = innerWrite(write, list, item, undefined);
    if (await isRefusedWithin(inner, item.values)) return true;
    if (await isAnyRefused(inner, parseNested(inner, 'create', item.values))) return true;
  }
  return false;
};

/** Validates a new record and saves it. A constraint that the write violates is reported like a failed validation. */
export const prepareAndSave = async <T>(
  write: RecordWrite,
  body: JsonObject,
  save: (prepared: PreparedNew) => Promise<T>,
): Promise<T> => {
  const nested = write.resource.nested.length === 0 ? undefined : parseNested(write, 'create', body);
  const prepared = await prepareWrite(write, 'create', body, {}, () => isAnyRefused(write, nested));
  try {
    const isFlawed = prepared.errors.length > 0 || (nested !== undefined && nested.errors.length > 0);
    if (isFlawed) {
      const inside = nested === undefined ? [] : await validateNested(write, nested);
      throw new Problem('invalid_record', { errors: [...prepared.errors, ...inside] });
    }
    return await save({ ...prepared, nested });
  } catch (error) {
    throw await translateError(write, error, prepared);
  }
};

/**
 * Creates a record, in the caller's transaction if there is one.
 * @throws Problem `invalid_record`; for nested records also `forbidden`, `batch_too_large`
 */
export const create = (
  write: RecordWrite,
  body: JsonObject,
  included = nothingIncluded,
): Promise<SavedRecord> =>
  prepareAndSave(write, body, (prepared) =>
    runWrite(write, (each) => insert(each, prepared, included), {
      always:
        included !== nothingIncluded ||
        prepared.nested !== undefined ||
        setsOwner(write, prepared) ||
        namesFiles(write, prepared),
      further: prepared.nested?.records,
      creates: true,
    }),
  );

const save = async (
  write: RecordWrite,
  id: RecordId,
  { grant, values, columns }: Prepared,
  versions: readonly number[] | undefined,
  nested?: Nested,
): Promise<SavedRecord> => {
  const { resource, acting } = write;
  const { records, context, model } = resource;
  const needsBefore =
    model.hooks.beforeCommit !== undefined || isRecorded(resource) || setsOwner(write, { columns });
  const before = needsBefore && isInTransaction(write) ? await currentRecord(write, id, versions) : undefined;
  const { shared } = acting;
  const saved = await records.update(grant, id, columns, context.clock(), versions, shared?.transaction);
  if (saved === undefined) return refuseTarget({ ...write, grant }, id, versions);
  if (resource.files.length > 0) await holdFiles(write, id, columns);
  if (before !== undefined) auditOwner(write, 'update', id, ownerIn(model, before.whole), columns);
  return conclude(write, 'update', saved, before?.whole, values, within(nested));
};

/** Locks and checks the outer record first: a caller who may not write it learns nothing about its nested records. */
const updateWith = async (
  write: TransactionalWrite,
  id: RecordId,
  body: JsonObject,
  versions: readonly number[] | undefined,
  nested: Nested,
): Promise<SavedRecord> => {
  const { whole } = await currentRecord(write, id, versions);
  const prepared = await prepareWrite(write, 'update', body, { id, whole });
  if (prepared.errors.length > 0) {
    const errors = [...prepared.errors, ...(await writeNested(write, id, nested))];
    throw new Problem('invalid_record', { errors });
  }
  try {
    return await save(write, id, prepared, versions, nested);
  } catch (error) {
    throw await translateError(write, error, prepared, id);
  }
};

const updateAlone = async (
  write: RecordWrite,
  id: RecordId,
  body: JsonObject,
  versions: readonly number[] | undefined,
  included: Included,
): Promise<SavedRecord> => {
  const { hooks } = write.resource.model;
  // A hook must not run for a record that does not exist.
  const before = hooks.beforeSave === undefined ? undefined : await currentRecord(write, id, versions);
  const prepared = await prepareWrite(write, 'update', body, { id, whole: before?.whole });
  if (prepared.errors.length > 0) {
    await checkTarget(write, id, versions);
    throw new Problem('invalid_record', { errors: prepared.errors });
  }
  try {
    return await runWrite(
      write,
      async (each) => withRelated(each, await save(each, id, prepared, versions), included),
      { always: included !== nothingIncluded || setsOwner(write, prepared) || namesFiles(write, prepared) },
    );
  } catch (error) {
    throw await translateError(write, error, prepared, id);
  }
};

/**
 * Changes the fields that were sent, in the caller's transaction if there is one. The record must have one of the
 * versions, where they are given; the writing statement itself compares them.
 * @throws Problem `record_not_found`, `stale`, `invalid_record`; for nested records also `forbidden`,
 * `batch_too_large`, `still_referenced`, `cascade_too_large`
 */
export const update = async (
  write: RecordWrite,
  id: RecordId,
  body: JsonObject,
  versions: readonly number[] | undefined,
  included = nothingIncluded,
): Promise<SavedRecord> => {
  const nested = write.resource.nested.length === 0 ? undefined : parseNested(write, 'update', body);
  if (nested === undefined) return updateAlone(write, id, body, versions, included);
  const work = async (each: RecordWrite): Promise<SavedRecord> => {
    if (!isInTransaction(each))
      throw new Error('nested records are written in the transaction of the outer record');
    return withRelated(each, await updateWith(each, id, body, versions, nested), included);
  };
  return runWrite(write, work, { always: true, further: nested.records });
};

/**
 * The write of a nested record: restricted by its own policy, and to the children of its outer record. A record that
 * hides its reference from the caller is no child: otherwise the response would reveal the reference.
 */
const innerWrite = (
  write: RecordWrite,
  { relation, resource, grants }: NestedList,
  { task }: NestedItem,
  id: RecordId | undefined,
): RecordWrite => {
  const grant = grants.get(task);
  if (grant === undefined) throw new Error(`no grant was made for the nested records: ${task}`);
  const level = (write.of?.level ?? 0) + 1;
  const of = { model: write.resource.model.name, field: relation.to, id, level };
  const held =
    task === 'create' || id === undefined
      ? grant
      : grant.narrowed({ column: relation.to, value: id }, rowsShowing(relation.to, grant));
  return { resource, acting: write.acting, grant: held, of, isStrict: write.isStrict };
};

const writeItem = async (write: RecordWrite, { task, id, values }: NestedItem): Promise<void> => {
  if (task !== 'create') begin(write, id);
  if (task === 'delete') await remove(write, id, undefined);
  else if (task === 'update') await update(write, id, values, undefined);
  else await create(write, values);
};

/** The writes of all nested records of a body, in the order in which they are made. */
const nestedWrites = function* ({ lists }: Nested): Generator<readonly [NestedList, NestedItem]> {
  for (const task of tasks)
    for (const list of lists) for (const item of list.items) if (item.task === task) yield [list, item];
};

/** Announces the updates and deletions of nested records, those of all levels. */
const announceNested = (write: TransactionalWrite, id: RecordId, nested: Nested): void => {
  for (const [list, item] of nestedWrites(nested)) {
    const inner = { ...innerWrite(write, list, item, id), acting: write.acting };
    if (item.task === 'delete') announce(inner, item.id, undefined);
    else if (item.task === 'update') announceUpdate(inner, item.id, item.values);
  }
};

/** Announces an update with its nested records. @throws Problem `forbidden` */
export const announceUpdate = (write: TransactionalWrite, id: RecordId, values: JsonObject): void => {
  announce(write, id, values);
  const nested = parseNested(write, 'update', values);
  if (nested !== undefined) announceNested(write, id, nested);
};

/**
 * Writes the nested records of a record in its transaction. Returns their validation errors in the order of the body.
 */
const writeNested = async (
  write: TransactionalWrite,
  id: RecordId,
  nested: Nested,
): Promise<readonly FieldError[]> => {
  const collected = new CollectedErrors();
  for (const { errors, rank } of nested.errors) collected.add(errors, rank);
  announceNested(write, id, nested);
  for (const [list, item] of nestedWrites(nested)) {
    await nextSlice();
    const inner = innerWrite(write, list, item, id);
    await collected.of(list.resource, item.place, () => writeItem(inner, item), item.rank);
  }
  return collected.found;
};

/** True if the writes of these nested records may change their outer record: by hooks, or by `onDelete`. */
const mayChangeIt = ({ resource: { model, nested }, items }: NestedList): boolean =>
  items.some(({ task }) => task === 'delete') ||
  (items.length > 0 &&
    (model.hooks.beforeSave !== undefined || model.hooks.beforeCommit !== undefined || nested.length > 0));

const within = (nested: Nested | undefined): WriteWithin | undefined =>
  nested &&
  (async (write, id) => {
    const errors = await writeNested(write, id, nested);
    if (errors.length > 0) throw new Problem('invalid_record', { errors });
    return nested.lists.some(mayChangeIt);
  });

/**
 * Validates the nested records of a record that is not created, since its own values are invalid: nothing is written,
 * and no hook runs, as there is no outer record to give to it.
 */
const validateNested = async (write: RecordWrite, nested: Nested): Promise<readonly FieldError[]> => {
  const collected = new CollectedErrors();
  for (const { errors, rank } of nested.errors) collected.add(errors, rank);
  for (const [list, item] of nestedWrites(nested)) {
    await nextSlice();
    const look = async (): Promise<void> => {
      const inner = innerWrite(write, list, item, undefined);
      const { errors } = await prepareWrite(inner, 'create', item.values);
      const deeper = parseNested(inner, 'create', item.values);
      const inside = deeper === undefined ? [] : await validateNested(inner, deeper);
      const all = [...errors, ...inside];
      if (all.length > 0) throw new Problem('invalid_record', { errors: all });
    };
    await collected.of(list.resource, item.place, look, item.rank);
  }
  return collected.found;
};

/** The part of a response that is stored for an `Idempotency-Key`, without the status. */
export type Once = Omit<KeptAnswer, 'status'>;

/**
 * Returns the stored answer of the same request, or does the work. An error of the work is thrown only if no such
 * answer was stored meanwhile. @throws Problem `idempotency_conflict`
 */
export const answerOnce = async (
  idempotency: Idempotency,
  request: IdempotentRequest,
  work: () => Promise<Once>,
): Promise<Once> => {
  const kept = await idempotency.find(request);
  if (kept !== undefined) return kept;
  try {
    return await work();
  } catch (refused) {
    // The same request may have succeeded a moment ago, and these values collide with the records that it made. If that
    // look-up fails, the first error is thrown: it may say that the write's outcome is unknown.
    const first = await idempotency.find(request).catch(() => undefined);
    if (first !== undefined) return first;
    throw refused;
  }
};

/**
 * Does the work in the transaction that claims the `Idempotency-Key`: both the work and its answer are committed, or
 * neither.
 */
export const keepOnce = async (
  idempotency: Idempotency,
  { transaction }: SharedTransaction,
  request: IdempotentRequest,
  status: number,
  work: () => Promise<Once>,
): Promise<Once> => {
  const kept = await idempotency.claim(transaction, request);
  if (kept !== undefined) return kept;
  const answer = await work();
  await idempotency.keep(transaction, request, { status, ...answer });
  return answer;
};

/** The response to a create: the record in its `saved` view. */
const answerOf = (saved: SavedRecord, view: string, included: Included, grant: Grant): Once => ({
  data: saved.json,
  headers: { ETag: tagOf(saved.json, saved.version, view, included, grant) },
});

const status = 201;

/** Inserts in the transaction that claims the `Idempotency-Key`. */
const insertOnce = (
  write: RecordWrite,
  prepared: PreparedNew,
  request: IdempotentRequest,
  view: string,
  included: Included,
): Promise<Once> => {
  if (!isInTransaction(write)) throw new Error('a response is stored in the transaction of its record');
  const { idempotency } = write.resource.context;
  return keepOnce(idempotency, write.acting.shared, request, status, async () =>
    answerOf(await insert(write, prepared, included), view, included, write.grant),
  );
};

/**
 * Creates a record for a request. With an `Idempotency-Key`, a repeated request returns the first response and writes
 * nothing.
 * @throws Problem `invalid_record`, `idempotency_conflict`; for nested records also `forbidden`, `batch_too_large`
 */
export const createForRequest = async (
  write: RecordWrite,
  body: JsonObject,
  request: IdempotentRequest | undefined,
  view: string,
  included = nothingIncluded,
): Promise<Once> => {
  if (request === undefined)
    return answerOf(await create(write, body, included), view, included, write.grant);
  return answerOnce(write.resource.context.idempotency, request, () =>
    prepareAndSave(write, body, (prepared) =>
      runWrite(write, (within) => insertOnce(within, prepared, request, view, included), {
        always: true,
        further: prepared.nested?.records,
      }),
    ),
  );
};
