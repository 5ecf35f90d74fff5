import type { JsonObject } from '../kernel/json.ts';
import type { SavedRecord } from '../records/records.ts';
import { type Included, nothingIncluded } from '../records/relations/include.ts';
import type { IdempotentRequest } from '../service/idempotency/idempotency.ts';
import { answeredOnce, keptOnce, type Once } from './once.ts';
import { tagOf } from './preconditions.ts';
import { isShared, type RecordWrite } from './record-write.ts';
import { attempt, create, insert, type PreparedNew } from './save.ts';
import { writing } from './writing.ts';

/** The answer of a create: the record in its `saved` view. */
const answerOf = (saved: SavedRecord, view: string, included: Included): Once => ({
  data: saved.json,
  headers: { ETag: tagOf(saved.json, saved.version, view, included) },
});

const status = 201;

/** Inserts in the transaction that takes the `Idempotency-Key`. */
const insertOnce = (
  write: RecordWrite,
  prepared: PreparedNew,
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

/**
 * Creates a record for a request. With an `Idempotency-Key` the same request answers what it answered first, and writes
 * nothing.
 * @throws Problem `invalid_record`, `idempotency_conflict`; for what stands within it also `forbidden`, `batch_too_large`
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
      writing(write, (within) => insertOnce(within, prepared, request, view, included), {
        always: true,
        further: prepared.nested?.records,
      }),
    ),
  );
};
