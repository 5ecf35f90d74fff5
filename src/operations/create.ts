import type { JsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { Grant } from '../policy/grant.ts';
import type { Columns, SavedRecord } from '../store/records/records.ts';
import type { IdempotentRequest } from '../store/tables/idempotency.ts';
import { afterCommit } from './after-commit.ts';
import { refusal } from './constraint.ts';
import { entityTag } from './preconditions.ts';
import { type Prepared, prepareWrite } from './prepare.ts';
import type { ServedResource } from './served-resource.ts';
import { type SharedTransaction, together } from './transaction.ts';

/** The answer of a create: the record in its `saved` view, or what the same request was answered before. */
export interface Created {
  readonly data: string;
  readonly headers: Readonly<Record<string, string>>;
}

const answerOf = (saved: SavedRecord, view: string): Created => ({
  data: saved.json,
  headers: { ETag: entityTag(saved.version, view) },
});

/** The columns to insert: those of the body, and the owner that the policy set, which no body and no hook overrides. */
const withOwner = ({ model }: ServedResource, columns: Columns, grant: Grant): Columns =>
  model.owner === undefined || grant.owner === undefined
    ? columns
    : { ...columns, [model.owner]: grant.owner };

const status = 201;

const insert = async (
  resource: ServedResource,
  grant: Grant,
  { values, columns }: Prepared,
  view: string,
  shared: SharedTransaction | undefined,
): Promise<Created> => {
  const { records, context } = resource;
  const owned = withOwner(resource, columns, grant);
  const saved = await records.insert(grant, owned, context.clock(), shared?.transaction);
  afterCommit(resource, 'create', grant, saved, values, shared);
  return answerOf(saved, view);
};

/** Inserts in the transaction that takes the `Idempotency-Key`: the record and its kept answer stand or fall together. */
const insertOnce = async (
  resource: ServedResource,
  grant: Grant,
  prepared: Prepared,
  request: IdempotentRequest,
  view: string,
  shared: SharedTransaction,
): Promise<Created> => {
  const { idempotency } = resource.context;
  const kept = await idempotency.claim(shared.transaction, request);
  if (kept !== undefined) return kept;
  const created = await insert(resource, grant, prepared, view, shared);
  await idempotency.keep(shared.transaction, request, { status, ...created });
  return created;
};

/** Inserts on its own, in a transaction with other operations, or in one with the answer that is kept. */
const write = (
  resource: ServedResource,
  grant: Grant,
  prepared: Prepared,
  request: IdempotentRequest | undefined,
  view: string,
  shared: SharedTransaction | undefined,
): Promise<Created> => {
  if (request === undefined) return insert(resource, grant, prepared, view, shared);
  const once = (within: SharedTransaction): Promise<Created> =>
    insertOnce(resource, grant, prepared, request, view, within);
  return shared === undefined
    ? together(resource.context.database, once, resource.model.table)
    : once(shared);
};

/**
 * Creates a record, on its own or in a transaction with other operations. With an `Idempotency-Key` the same request answers what it answered first, and writes nothing.
 * @throws Problem `invalid_record`, `idempotency_conflict`
 */
export const create = async (
  resource: ServedResource,
  grant: Grant,
  body: JsonObject,
  request: IdempotentRequest | undefined,
  view: string,
  shared?: SharedTransaction,
): Promise<Created> => {
  const { idempotency } = resource.context;
  const kept = request === undefined ? undefined : await idempotency.find(request);
  if (kept !== undefined) return kept;
  const prepared = await prepareWrite(resource, 'create', grant, body, undefined, shared);
  try {
    if (prepared.errors.length > 0) throw new Problem('invalid_record', { errors: prepared.errors });
    return await write(resource, grant, prepared, request, view, shared);
  } catch (error) {
    const refused = await refusal(resource, error, grant, prepared);
    // The same request may have been written a moment ago, and its own record be what this one collides with.
    // Where that cannot be looked up, what happened first is what is said: the write may stand all the same.
    const first = request === undefined ? undefined : await idempotency.find(request).catch(() => undefined);
    if (first !== undefined) return first;
    throw refused;
  }
};
