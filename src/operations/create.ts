import type { JsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { Columns, SavedRecord } from '../store/records/records.ts';
import { type Included, nothingIncluded } from '../store/relations/include.ts';
import type { IdempotentRequest } from '../store/tables/idempotency.ts';
import { refusal } from './constraint.ts';
import { answeredOnce, keptOnce, type Once } from './once.ts';
import { tagOf } from './preconditions.ts';
import { type Prepared, prepareWrite } from './prepare.ts';
import { isShared, type RecordWrite } from './record-write.ts';
import { conclude, withRelated, writing } from './writing.ts';

/** The answer of a create: the record in its `saved` view. */
const answerOf = (saved: SavedRecord, view: string, included: Included): Once => ({
  data: saved.json,
  headers: { ETag: tagOf(saved.json, saved.version, view, included) },
});

/** The columns to insert: those of the body, and the owner that the policy set, which no body and no hook overrides. */
const withOwner = ({ resource: { model }, grant }: RecordWrite, columns: Columns): Columns =>
  model.owner === undefined || grant.owner === undefined
    ? columns
    : { ...columns, [model.owner]: grant.owner };

const status = 201;

const insert = async (
  write: RecordWrite,
  { values, columns }: Prepared,
  included: Included,
): Promise<SavedRecord> => {
  const { resource, grant, acting } = write;
  const { records, context } = resource;
  const owned = withOwner(write, columns);
  const saved = await records.insert(grant, owned, context.clock(), acting.shared?.transaction);
  // It would be a record that the caller may not write.
  if (saved === undefined) throw new Problem('forbidden');
  return withRelated(write, await conclude(write, 'create', saved, undefined, values), included);
};

/** Inserts in the transaction that takes the `Idempotency-Key`. */
const insertOnce = (
  write: RecordWrite,
  prepared: Prepared,
  request: IdempotentRequest,
  view: string,
  included: Included,
): Promise<Once> => {
  if (!isShared(write)) throw new Error('an answer is kept in the transaction of its record');
  const { idempotency } = write.resource.context;
  return keptOnce(idempotency, write.acting.shared, request, status, async () =>
    answerOf(await insert(write, prepared, included), view, included),
  );
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
export const create = (
  write: RecordWrite,
  body: JsonObject,
  included = nothingIncluded,
): Promise<SavedRecord> =>
  attempt(write, body, (prepared) =>
    writing(write, (within) => insert(within, prepared, included), included !== nothingIncluded),
  );

/**
 * The same for a request. With an `Idempotency-Key` the same request answers what it answered first, and writes nothing.
 * @throws Problem `invalid_record`, `idempotency_conflict`
 */
export const createForRequest = async (
  write: RecordWrite,
  body: JsonObject,
  request: IdempotentRequest | undefined,
  view: string,
  included = nothingIncluded,
): Promise<Once> => {
  if (request === undefined) return answerOf(await create(write, body, included), view, included);
  return answeredOnce(write.resource.context.idempotency, request, () =>
    attempt(write, body, (prepared) =>
      writing(write, (within) => insertOnce(within, prepared, request, view, included), true),
    ),
  );
};
