/** Reads a batch from its body and writes it: updates, deletes and creates in one transaction. */

import { isJsonObject, type Json, type JsonObject, own } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import { nextSlice } from '../../kernel/slices.ts';
import type { IdempotentRequest } from '../../ledger/idempotency.ts';
import { requireGrant } from './area.ts';
import { CollectedErrors } from './collected-errors.ts';
import { announce, begin } from './make-way.ts';
import { countNested, parseNested } from './nested.ts';
import { isRefusedWithin } from './prepare.ts';
import { requireId } from './record-id.ts';
import { remove } from './remove.ts';
import { announceUpdate, answerOnce, create, keepOnce, type Once, update } from './save.ts';
import type { ServedResource } from './served-resource.ts';
import { type Acting, runInTransaction, type SharedTransaction } from './transaction.ts';
import { msPerRecord, type RecordWrite } from './writing.ts';

/**
 * Most records of one batch, nested ones included.
 * @limit Bodies | records of a batch | count | 413 `batch_too_large`
 */
export const maxBatch = 1000;

const lists = ['create', 'update', 'delete'] as const;

/** The parsed body of a batch. */
export interface Batch {
  readonly create: readonly JsonObject[];
  readonly update: readonly JsonObject[];
  readonly delete: readonly Json[];
  /** Number of these records, nested ones included. */
  readonly records: number;
  /** True if names that the batch would ignore are refused. */
  readonly isStrict?: boolean;
}

const invalid = (name: string): Problem => new Problem('invalid_parameter', { params: { name } });

const objects = (name: string, values: readonly Json[]): readonly JsonObject[] =>
  values.map((value, index) => {
    if (!isJsonObject(value)) throw invalid(`${name}.${index}`);
    return value;
  });

/** Reads the body of a batch. @throws Problem `invalid_parameter`, naming the place, `batch_too_large` */
export const readBatch = (resource: ServedResource, body: JsonObject): Batch => {
  const unknown = Object.keys(body).find((key) => !lists.some((name) => name === key));
  if (unknown !== undefined) throw invalid(unknown);
  const [creates = [], updates = [], deletes = []] = lists.map((name) => {
    const value = own(body, name) ?? [];
    if (!Array.isArray(value)) throw invalid(name);
    return value as readonly Json[];
  });
  const tooLarge = (): Problem => new Problem('batch_too_large', { params: { records: maxBatch } });
  const named = creates.length + updates.length + deletes.length;
  if (named > maxBatch) throw tooLarge();
  const batch = { create: objects('create', creates), update: objects('update', updates), delete: deletes };
  const within = [...batch.create, ...batch.update].map((each) => countNested(resource, each));
  const records = within.reduce((sum, each) => sum + each, named);
  if (records > maxBatch) throw tooLarge();
  return { ...batch, records };
};

/** The values of a record in a batch, without its id. */
const withoutId = (body: JsonObject): JsonObject => {
  const { id: _id, ...values } = body;
  return values;
};

/**
 * The writes of each list that is not empty, with the caller's grants, those for nested records included.
 * @throws Problem `forbidden`
 */
const writesOf = (
  resource: ServedResource,
  acting: Acting,
  batch: Batch,
): ReadonlyMap<(typeof lists)[number], RecordWrite> => {
  const { model, context } = resource;
  const writes = new Map<(typeof lists)[number], RecordWrite>();
  for (const name of lists) {
    if (batch[name].length === 0) continue;
    const grant = requireGrant(model, context, acting, name === 'delete' ? 'destroy' : name);
    writes.set(name, { resource, acting, grant, isStrict: batch.isStrict });
  }
  for (const name of ['create', 'update'] as const)
    for (const body of batch[name]) {
      const write = writes.get(name);
      if (write !== undefined) parseNested(write, name, body);
    }
  return writes;
};

/**
 * Locks the records that the batch names in the order of their ids, whatever its own order is: two batches of the same
 * records then come one after the other.
 */
const lockNamed = async (
  { model, records }: ServedResource,
  { transaction }: SharedTransaction,
  batch: Batch,
  writes: ReturnType<typeof writesOf>,
): Promise<void> => {
  const grants = (['update', 'delete'] as const).flatMap((name) => writes.get(name)?.grant ?? []);
  const named = [...batch.update.map((body) => own(body, 'id')), ...batch.delete].filter((id) =>
    model.key.is(id),
  );
  const ids = [...new Set(named)];
  const lock = batch.delete.length > 0 ? 'deleteLock' : 'updateLock';
  await records.lock(grants, 'id', ids, transaction, lock);
};

/** Announces the updates and deletions, before the first one. */
const announceAll = (
  acting: Acting & { readonly shared: SharedTransaction },
  batch: Batch,
  writes: ReturnType<typeof writesOf>,
): void => {
  const [changes, removals] = [writes.get('update'), writes.get('delete')];
  for (const body of changes === undefined ? [] : batch.update) {
    const id = own(body, 'id');
    if (changes?.resource.model.key.is(id) === true)
      announceUpdate({ ...changes, acting }, id, withoutId(body));
  }
  for (const id of removals === undefined ? [] : batch.delete)
    if (removals?.resource.model.key.is(id) === true) announce({ ...removals, acting }, id, undefined);
};

const run = async (
  resource: ServedResource,
  acting: Acting & { readonly shared: SharedTransaction },
  batch: Batch,
): Promise<string> => {
  const { key } = resource.model;
  const errors = new CollectedErrors();
  // The policy decides before the records are validated.
  const writes = writesOf(resource, acting, batch);
  await lockNamed(resource, acting.shared, batch, writes);
  announceAll(acting, batch, writes);
  /** Writes every record of one list, under the policy of its action. */
  const each = async <Item, T>(
    name: (typeof lists)[number],
    items: readonly Item[],
    work: (write: RecordWrite, item: Item) => Promise<T>,
  ): Promise<T[]> => {
    const write = writes.get(name);
    const results: T[] = [];
    if (write === undefined) return results;
    for (const [index, item] of items.entries()) {
      await nextSlice();
      const result = await errors.of(resource, `${name}.${index}`, () => work(write, item));
      if (result !== undefined) results.push(result);
    }
    return results;
  };

  // Updates first: they may release a record that is deleted. Creates last: they may reuse a unique value.
  const updated = await each('update', batch.update, (write, body) => {
    const id = requireId(key, own(body, 'id'));
    begin(write, id);
    return update(write, id, withoutId(body), undefined);
  });
  const deleted = await each('delete', batch.delete, async (write, id) => {
    begin(write, requireId(key, id));
    await remove(write, requireId(key, id), undefined);
    return id;
  });
  const created = await each('create', batch.create, (write, body) => create(write, body));
  errors.assertNone();
  const texts = (records: readonly { readonly json: string }[]): string =>
    `[${records.map(({ json }) => json).join(',')}]`;
  return `{"created":${texts(created)},"updated":${texts(updated)},"deleted":${deleted.length}}`;
};

/**
 * A conflict tells about stored records, so it is reported only to a caller who may make each write: 403 comes before
 * 409, wherever it stands in the batch. Called after the batch was rolled back.
 */
const assertNoneForbidden = async (resource: ServedResource, acting: Acting, batch: Batch): Promise<void> => {
  const writes = writesOf(resource, acting, batch);
  for (const id of batch.delete) {
    const grant = writes.get('delete')?.grant;
    const state =
      grant && resource.model.key.is(id) ? await resource.records.writeState(grant, id) : undefined;
    if (state?.writable === false) throw new Problem('forbidden');
  }
  const write = writes.get('create');
  for (const body of write === undefined ? [] : batch.create)
    if (write !== undefined && (await isRefusedWithin(write, body))) throw new Problem('forbidden');
};

/**
 * Updates, deletes and creates records, in this order and in one transaction: all or nothing. Each record passes the
 * policy of its action, validation and hooks, as a single write does. Returns JSON text.
 * @throws Problem `invalid_record` with the messages of all records, fields named `create.17.sku`; any other problem of
 * a single write
 */
export const writeBatch = async (
  resource: ServedResource,
  acting: Acting,
  batch: Batch,
  request: IdempotentRequest | undefined,
): Promise<string> => {
  try {
    return await writeAll(resource, acting, batch, request);
  } catch (error) {
    if (error instanceof Problem && error.status === 409) await assertNoneForbidden(resource, acting, batch);
    throw error;
  }
};

const writeAll = async (
  resource: ServedResource,
  acting: Acting,
  batch: Batch,
  request: IdempotentRequest | undefined,
): Promise<string> => {
  const { database, idempotency, transactionLimit } = resource.context;
  const options = { table: resource.model.table, limit: transactionLimit + batch.records * msPerRecord };
  const written = (shared: SharedTransaction): Promise<string> => run(resource, { ...acting, shared }, batch);
  if (request === undefined) return runInTransaction(database, written, options);
  const once = (shared: SharedTransaction): Promise<Once> =>
    keepOnce(idempotency, shared, request, 200, async () => ({ data: await written(shared), headers: {} }));
  const { data } = await answerOnce(idempotency, request, () => runInTransaction(database, once, options));
  return data;
};
