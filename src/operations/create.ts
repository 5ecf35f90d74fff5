import type { JsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { Grant } from '../policy/grant.ts';
import type { Columns, SavedRecord } from '../store/records/records.ts';
import type { IdempotentRequest, KeptAnswer } from '../store/tables/idempotency.ts';
import { afterCommit } from './after-commit.ts';
import { refusal } from './constraint.ts';
import { entityTag } from './preconditions.ts';
import { type Prepared, prepareWrite } from './prepare.ts';
import type { ServedResource } from './served-resource.ts';

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

/** Inserts in the transaction that takes the `Idempotency-Key`: the record and its kept answer stand or fall together. */
const insertOnce = (
  { context, records, model }: ServedResource,
  grant: Grant,
  columns: Columns,
  request: IdempotentRequest,
  view: string,
): Promise<{ readonly saved: SavedRecord } | { readonly kept: KeptAnswer }> =>
  context.database.write(async (transaction) => {
    const kept = await context.idempotency.claim(transaction, request);
    if (kept !== undefined) return { kept };
    const saved = await records.insert(grant, columns, context.clock(), transaction);
    const { data, headers } = answerOf(saved, view);
    await context.idempotency.keep(transaction, request, { status, data, headers });
    return { saved };
  }, model.table);

const insert = async (
  resource: ServedResource,
  grant: Grant,
  { values, columns }: Prepared,
  request: IdempotentRequest | undefined,
  view: string,
): Promise<Created> => {
  const { records, context } = resource;
  const owned = withOwner(resource, columns, grant);
  const written =
    request === undefined
      ? { saved: await records.insert(grant, owned, context.clock()) }
      : await insertOnce(resource, grant, owned, request, view);
  if ('kept' in written) return written.kept;
  afterCommit(resource, 'create', grant, written.saved, values);
  return answerOf(written.saved, view);
};

/**
 * Creates a record. With an `Idempotency-Key` the same request answers what it answered first, and writes nothing.
 * @throws Problem `invalid_record`, `idempotency_conflict`
 */
export const create = async (
  resource: ServedResource,
  grant: Grant,
  body: JsonObject,
  request: IdempotentRequest | undefined,
  view: string,
): Promise<Created> => {
  const { idempotency } = resource.context;
  const kept = request === undefined ? undefined : await idempotency.find(request);
  if (kept !== undefined) return kept;
  const prepared = await prepareWrite(resource, 'create', grant, body);
  try {
    if (prepared.errors.length > 0) throw new Problem('invalid_record', { errors: prepared.errors });
    return await insert(resource, grant, prepared, request, view);
  } catch (error) {
    const refused = await refusal(resource, error, grant, prepared);
    // The same request may have been written a moment ago, and its own record be what this one collides with.
    // Where that cannot be looked up, what happened first is what is said: the write may stand all the same.
    const first = request === undefined ? undefined : await idempotency.find(request).catch(() => undefined);
    if (first !== undefined) return first;
    throw refused;
  }
};
