/** Stored responses by `Idempotency-Key`: a repeated request gets the response of the first one. */

import { createHash } from 'node:crypto';
import type { Principal } from '../auth/principal.ts';
import type { Database, Transaction } from '../database/database.ts';
import { prepare, toQuery } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import type { RecordId } from '../fields/key.ts';
import { type Clock, toTimestamp } from '../kernel/clock.ts';
import { Problem } from '../kernel/problem.ts';
import type { TableContext } from './context.ts';

/**
 * Milliseconds for which the response to an `Idempotency-Key` is stored.
 * @limit Events, webhooks and jobs | an `Idempotency-Key` is kept for | ms | -
 */
export const idempotencyLifetime = 24 * 3_600_000;

/** A successful response, as it was given the first time. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text of `data`. */
  readonly data: string;
}

/** One use of an `Idempotency-Key`: its caller, its target and its body. */
export interface IdempotentRequest {
  readonly scope: string;
  readonly fingerprint: string;
  /** Model of the records in the response; undefined if it contains none. */
  readonly model?: string | undefined;
}

const sha256 = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
};

const identityOf = (principal: Principal): string => {
  if (principal.kind === 'user') return `user ${principal.id}`;
  return principal.kind === 'application' ? `application ${principal.appId}` : 'nobody';
};

/**
 * Reads the header; undefined if there is none.
 * @param asked parts of the request beside the body that determine the response
 * @param isStrict whether it asks for strict handling: the same body without it is another request
 * @param model model of the records in the response
 * @throws Problem `invalid_parameter` unless it is 1 to 255 visible ASCII characters
 */
export const idempotentRequest = (
  key: string | undefined,
  principal: Principal,
  method: string,
  path: string,
  bytes: Uint8Array,
  {
    model,
    asked = '',
    isStrict = false,
  }: { readonly model?: string; readonly asked?: string; readonly isStrict?: boolean } = {},
): IdempotentRequest | undefined => {
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new Problem('invalid_parameter', { params: { name: 'Idempotency-Key' } });
  return {
    scope: sha256(identityOf(principal), method, path, key),
    fingerprint: sha256(bytes, ...(asked === '' ? [] : [asked]), ...(isStrict ? ['strict'] : [])),
    model,
  };
};

interface KeptRow {
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: string;
  readonly data: string | null;
}

const toAnswer = (row: KeptRow, request: IdempotentRequest): KeptAnswer => {
  if (row.fingerprint !== request.fingerprint) throw new Problem('idempotency_conflict');
  const headers = JSON.parse(row.headers) as Record<string, string>;
  return { status: row.status, headers, data: row.data ?? 'null' };
};

const unanswered = { status: 0, headers: '{}', data: null } as const;

/**
 * Removes the data of stored responses that may contain a record: of those with its id, whatever their model, since
 * responses also contain related records, and of those of its model without ids. The requests stay known and are
 * answered without data.
 */
export const forgetResponses = async (
  transaction: Transaction,
  database: Pick<Database, 'dialect'>,
  model: string,
  record: RecordId,
): Promise<void> => {
  const update = tablesOf(database)
    .updateTable('idempotency_keys')
    .set({ data: null })
    .where('model', 'is not', null)
    .where((eb) =>
      eb.or([
        ...[',', '}'].map((end) => eb('data', 'like', `%"id":${record}${end}%`)),
        eb.and([eb('model', '=', model), eb('data', 'not like', '%"id":%')]),
      ]),
    );
  await transaction.run(toQuery(update));
};

/** Stored responses by `Idempotency-Key`, each written in the transaction of its write. */
export const createIdempotency = ({
  database,
  clock,
  removalClock = clock,
}: TableContext & { readonly removalClock?: Clock }) => {
  const db = tablesOf(database);
  const find = prepare<{ scope: string; born: string }>((param) =>
    db
      .selectFrom('idempotency_keys')
      .select(['fingerprint', 'status', 'headers', 'data'])
      .where('scope', '=', param('scope'))
      .where('created_at', '>', param('born')),
  );
  const born = (): string => toTimestamp(removalClock() - idempotencyLifetime);

  return {
    /**
     * The stored response of an earlier equal request; undefined if there is none.
     * @throws Problem `idempotency_conflict`
     */
    find: async (request: IdempotentRequest): Promise<KeptAnswer | undefined> => {
      const row = await database.get<KeptRow>(find({ scope: request.scope, born: born() }));
      return row === undefined ? undefined : toAnswer(row, request);
    },

    /**
     * Stores the key in this transaction. If another request with the key is running, it is awaited (PostgreSQL waits
     * at the unique row, SQLite writes one after the other), and its response is returned.
     * @throws Problem `idempotency_conflict`
     */
    claim: async (transaction: Transaction, request: IdempotentRequest): Promise<KeptAnswer | undefined> => {
      const now = toTimestamp(clock());
      const stale = db
        .deleteFrom('idempotency_keys')
        .where('scope', '=', request.scope)
        .where('created_at', '<=', born());
      await transaction.run(toQuery(stale));
      const claim = db
        .insertInto('idempotency_keys')
        .values({ ...request, model: request.model ?? null, ...unanswered, created_at: now })
        .onConflict((conflict) => conflict.doNothing());
      if ((await transaction.run(toQuery(claim))) === 1) return undefined;
      const row = await transaction.get<KeptRow>(find({ scope: request.scope, born: born() }));
      if (row === undefined) throw new Problem('conflict');
      return toAnswer(row, request);
    },

    keep: async (transaction: Transaction, request: IdempotentRequest, answer: KeptAnswer): Promise<void> => {
      const update = db
        .updateTable('idempotency_keys')
        .set({ status: answer.status, headers: JSON.stringify(answer.headers), data: answer.data })
        .where('scope', '=', request.scope);
      await transaction.run(toQuery(update));
    },

    /** Deletes expired responses; called periodically. */
    sweep: async (): Promise<void> => {
      await database.execute(toQuery(db.deleteFrom('idempotency_keys').where('created_at', '<=', born())));
    },
  };
};

export type Idempotency = ReturnType<typeof createIdempotency>;
