/** Stores refused requests of known callers, equal ones of an hour as one row with a count. */

import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Claim } from '../../auth/method.ts';
import type { Principal } from '../../auth/principal.ts';
import { verifiedAs } from '../../auth/registry.ts';
import type { Query } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { BatchedCounter } from '../../ledger/batched-counter.ts';
import type { TableContext } from '../../ledger/context.ts';
import { createRefusedClaims, type KeptRefusal, type RefusedCaller } from './refused-claims.ts';

/** Milliseconds for which a refusal is kept after the last one of its kind. */
const retentionMs = 24 * 3_600_000;
const hourMs = 3_600_000;
/** Maximum number of different refusals of one caller in an hour; further ones are not stored. */
const maxRefusalsOfCaller = 100;
/** Maximum number of callers that are distinguished in an hour. */
const maxCallers = 10_000;
/** Maximum length of a path in characters. */
const maxPathLength = 500;

/** The parts of a request that a refusal stores: never its query, its body or its credentials. */
export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly address: string;
}

interface Pending extends KeptRefusal {
  readonly firstAt: number;
  lastAt: number;
  count: number;
  /** The record that a 404 was about. It counts as a refusal only if the record exists. */
  readonly record: { readonly table: string; readonly id: number } | undefined;
}

/** Returns the refused caller; undefined without credentials, since such refusals are not stored. */
const callerOf = (principal: Principal): RefusedCaller | undefined => {
  if (principal.kind === 'nobody') return undefined;
  if (principal.kind === 'application')
    return { caller_kind: 'application', caller_id: principal.appId, caller_name: principal.appId };
  const { credential, id, username } = principal;
  if (verifiedAs(principal.method) === 'api_key' && credential !== undefined)
    return { caller_kind: 'api_key', caller_id: String(credential), caller_name: username };
  return { caller_kind: 'user', caller_id: String(id), caller_name: username };
};

/** Most rows of a grouping: the rarest are left out of it. */
const maxGrouped = 20_000;

/** Equal refusals of a caller within a day. */
export interface GroupedRefusal extends Omit<KeptRefusal, 'status'> {
  readonly refusals: number;
  readonly refused_at: string | Date;
}

const statusOf = (code: number): number => Math.floor(code / 100);

type PendingEntry = readonly [fingerprint: string, refusal: Pending];

/** Times of the first and last refusal, and their number. */
interface RefusedTimes {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

/**
 * Refusals of known callers, including those whose credentials are no longer valid. Equal refusals of one caller
 * within an hour are one row with a count, whichever processes refused them.
 */
export const createRefusals = (
  { database, clock }: TableContext,
  isApplication: (appId: string) => boolean,
) => {
  const db = tablesOf(database);
  let callers = new Map<string, number>();
  let since = 0;

  /** Whether one more kind of refusal is stored for this caller. */
  const admits = (caller: string, now: number): boolean => {
    if (now - since >= hourMs || now < since) {
      callers = new Map();
      since = now;
    }
    const kept = callers.get(caller) ?? 0;
    if (kept >= maxRefusalsOfCaller || counter.isFull) return false;
    if (kept === 0 && callers.size >= maxCallers) return false;
    callers.set(caller, kept + 1);
    return true;
  };

  /**
   * Returns the refusals about no record and those whose record exists: a 404 for a record that never existed is no
   * refusal.
   */
  const refusedOf = async (batch: readonly PendingEntry[]): Promise<readonly PendingEntry[]> => {
    const asked = new Map<string, Set<number>>();
    for (const [, { record }] of batch)
      if (record !== undefined)
        asked.set(record.table, (asked.get(record.table) ?? new Set()).add(record.id));
    const [first, ...others] = [...asked].map(([table, ids]) =>
      db
        // Also tables of models: each has an id.
        .selectFrom(table as 'users')
        .select(['id', sql<string>`${sql.lit(table)}`.as('of')])
        .where('id', 'in', [...ids]),
    );
    if (first === undefined) return batch;
    const look = others.reduce((all, each) => all.unionAll(each), first);
    const rows = await database.all<{ readonly of: string; readonly id: number }>(toQuery(look));
    const there = new Set(rows.map(({ of, id }) => `${of} ${id}`));
    return batch.filter(
      ([, { record }]) => record === undefined || there.has(`${record.table} ${record.id}`),
    );
  };

  const insertOf = (batch: readonly PendingEntry[]): Query => {
    const rows = batch.map(([fingerprint, { firstAt, lastAt, count, record: _record, ...refusal }]) => ({
      ...refusal,
      fingerprint,
      refusals: count,
      first_at: toTimestamp(firstAt),
      refused_at: toTimestamp(lastAt),
    }));
    return toQuery(
      db
        .insertInto('gatewright_refusals')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('fingerprint').doUpdateSet((eb) => ({
            refusals: eb('gatewright_refusals.refusals', '+', eb.ref('excluded.refusals')),
            refused_at: eb.ref('excluded.refused_at'),
          })),
        ),
    );
  };

  const counter = new BatchedCounter<string, Pending>({
    maxEntries: 1_000,
    merge: (earlier, added) => {
      if (earlier === undefined) return added;
      earlier.count += added.count;
      earlier.lastAt = added.lastAt;
      return earlier;
    },
    gather: () => claims.flush(),
    write: async (batch) => {
      const refused = await refusedOf(batch);
      if (refused.length > 0)
        await database.write(async (transaction) => {
          await transaction.run(insertOf(refused));
        });
    },
  });

  /** Counts one or several equal refusals, unless their caller has too many kinds of them. */
  const note = (
    caller: RefusedCaller,
    { method, path, address }: Pick<KeptRefusal, 'method' | 'path' | 'address'>,
    code: number,
    { firstAt, lastAt, count }: RefusedTimes,
    record?: Pending['record'],
  ): void => {
    const { caller_kind, caller_id } = caller;
    const parts = [Math.floor(firstAt / hourMs), caller_kind, caller_id, method, path, code, address];
    const fingerprint = hash('sha256', parts.join('\n'), 'hex');
    if (!counter.has(fingerprint) && !admits(`${caller_kind} ${caller_id}`, firstAt)) return;
    counter.add(fingerprint, {
      ...caller,
      method,
      path,
      address,
      code,
      status: statusOf(code),
      firstAt,
      lastAt,
      count,
      record,
    });
  };

  const claims = createRefusedClaims({ database, clock }, isApplication, ({ caller, code, ...claimed }) =>
    note(caller, claimed, code, claimed),
  );

  return {
    /** Stores a refusal later; for a 404 that may have hidden a record, with the record's table. Returns at once. */
    record: (
      principal: Principal,
      request: RefusedRequest,
      code: number | undefined,
      table?: string,
    ): void => {
      const caller = callerOf(principal);
      if (caller === undefined || code === undefined) return;
      const id = Number(request.params['id']);
      if (table !== undefined && !(Number.isSafeInteger(id) && id > 0)) return;
      const now = clock();
      const { method, address } = request;
      const path = request.path.slice(0, maxPathLength);
      const seen = { firstAt: now, lastAt: now, count: 1 };
      note(caller, { method, path, address }, code, seen, table === undefined ? undefined : { table, id });
    },

    /** Stores a refusal of credentials later, if they belong to a caller. Returns at once. */
    recordClaim: (claim: Claim, request: RefusedRequest, code: number | undefined): void => {
      if (code === undefined) return;
      const { method, address } = request;
      claims.add(claim, { method, path: request.path.slice(0, maxPathLength), address }, code, clock());
    },

    /** The refusals of a day by caller, request and code, the most frequent first; `maxGrouped` at most. */
    grouped: (): Promise<readonly GroupedRefusal[]> => {
      const sum = sql<number>`cast(sum(refusals) as bigint)`;
      const query = db
        .selectFrom('gatewright_refusals')
        .select(['caller_kind', 'caller_id', 'caller_name', 'method', 'path', 'code'])
        .select((eb) => [
          sum.as('refusals'),
          eb.fn.max('address').as('address'),
          eb.fn.max('refused_at').as('refused_at'),
        ])
        .where('refused_at', '>=', toTimestamp(clock() - retentionMs))
        .groupBy(['caller_kind', 'caller_id', 'caller_name', 'method', 'path', 'code'])
        .orderBy('refusals', 'desc')
        .orderBy('path')
        .limit(maxGrouped);
      return database.all<GroupedRefusal>(toQuery(query));
    },

    flush: counter.flush,
    start: (onError: (error: unknown) => void) => counter.start(10_000, onError),

    /** Deletes refusals that are older than a day; called periodically. */
    sweep: async (now = clock()): Promise<void> => {
      const before = toTimestamp(now - retentionMs);
      await database.execute(toQuery(db.deleteFrom('gatewright_refusals').where('refused_at', '<', before)));
    },
  };
};

export type RefusalStore = ReturnType<typeof createRefusals>;
