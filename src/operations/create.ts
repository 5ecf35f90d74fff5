import type { JsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { Columns, SavedRecord } from '../store/records/records.ts';
import type { IdempotentRequest } from '../store/tables/idempotency.ts';
import { refusal } from './constraint.ts';
import { entityTag } from './preconditions.ts';
import { type Prepared, prepareWrite } from './prepare.ts';
import { isShared, type RecordWrite } from './record-write.ts';
import { conclude, writing } from './writing.ts';

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
const withOwner = ({ resource: { model }, grant }: RecordWrite, columns: Columns): Columns =>
  model.owner === undefined || grant.owner === undefined
    ? columns
    : { ...columns, [model.owner]: grant.owner };

const status = 201;

const insert = async (write: RecordWrite, { values, columns }: Prepared): Promise<SavedRecord> => {
  const { resource, grant, acting } = write;
  const { records, context } = resource;
  const owned = withOwner(write, columns);
  const saved = await records.insert(grant, owned, context.clock(), acting.shared?.transaction);
  // It would be a record that the caller may not write.
  if (saved === undefined) throw new Problem('forbidden');
  return conclude(write, 'create', saved, undefined, values);
};

/** Inserts in the transaction that takes the `Idempotency-Key`: the record and its kept answer stand or fall together. */
const insertOnce = async (
  write: RecordWrite,
  prepared: Prepared,
  request: IdempotentRequest,
  view: string,
): Promise<Created> => {
  if (!isShared(write)) throw new Error('an answer is kept in the transaction of its record');
  const { idempotency } = write.resource.context;
  const { transaction } = write.acting.shared;
  const kept = await idempotency.claim(transaction, request);
  if (kept !== undefined) return kept;
  const created = answerOf(await insert(write, prepared), view);
  await idempotency.keep(transaction, request, { status, ...created });
  return created;
};

/** Validates, and saves what is good. What the database refuses all the same is told like what was found before. */
const attempt = async <T>(
  write: RecordWrite,
  body: JsonObject,
  save: (prepared: Prepared) => Promise<T>,
): Promise<T> => {
  const prepared = await prepareWrite(write, 'create', body);
  try {
    if (prepared.errors.length > 0) throw new Problem('invalid_record', { errors: prepared.errors });
    return await save(prepared);
  } catch (error) {
    throw await refusal(write, error, prepared);
  }
};

/**
 * Creates a record, on its own or in the transaction that it is asked for in.
 * @throws Problem `invalid_record`
 */
export const create = (write: RecordWrite, body: JsonObject): Promise<SavedRecord> =>
  attempt(write, body, (prepared) => writing(write, (within) => insert(within, prepared)));

/**
 * The same for a request. With an `Idempotency-Key` the same request answers what it answered first, and writes nothing.
 * @throws Problem `invalid_record`, `idempotency_conflict`
 */
export const createForRequest = async (
  write: RecordWrite,
  body: JsonObject,
  request: IdempotentRequest | undefined,
  view: string,
): Promise<Created> => {
  if (request === undefined) return answerOf(await create(write, body), view);
  const { idempotency } = write.resource.context;
  const kept = await idempotency.find(request);
  if (kept !== undefined) return kept;
  try {
    return await attempt(write, body, (prepared) =>
      writing(write, (within) => insertOnce(within, prepared, request, view), true),
    );
  } catch (refused) {
    // The same request may have been written a moment ago, and its own record be what this one collides with.
    // Where that cannot be looked up, what happened first is what is said: the write may stand all the same.
    const first = await idempotency.find(request).catch(() => undefined);
    if (first !== undefined) return first;
    throw refused;
  }
};
