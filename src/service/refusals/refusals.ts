import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Claim } from '../../auth/method.ts';
import type { Principal } from '../../auth/principal.ts';
import { verifiedAs } from '../../auth/registry.ts';
import type { Query } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { TableContext } from '../context.ts';
import { batchesOf } from '../usage/batches.ts';
import type { KeptRefusal, RefusedCaller } from './refusal.ts';
import { createRefusedClaims } from './refused-claims.ts';

/** Milliseconds between two batches. */
const interval = 10_000;
/** Milliseconds for which a refusal is kept after the last of its kind. */
const retention = 24 * 3_600_000;
const hour = 3_600_000;
/** Different refusals of one batch, and of one caller in an hour; more of them are not kept. */
const mostPending = 1_000;
const mostOfCaller = 100;
/** Callers who are told apart in an hour. */
const mostCallers = 10_000;
/** Characters of a path. */
const longestPath = 500;

/** A request as far as a refusal keeps it: never its query, its body or its credentials. */
export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly address: string;
}

interface Pending extends KeptRefusal {
  readonly fingerprint: string;
  readonly firstAt: number;
  lastAt: number;
  count: number;
  /** The record that a 404 was about: it was refused if it is there. */
  readonly record: { readonly table: string; readonly id: number } | undefined;
}

/** Who was refused; nobody is not told apart, and is not kept. */
const callerOf = (principal: Principal): RefusedCaller | undefined => {
  if (principal.kind === 'nobody') return undefined;
  if (principal.kind === 'application')
    return { caller_kind: 'application', caller_id: principal.appId, caller_name: principal.appId };
  const { credential, id, username } = principal;
  if (verifiedAs(principal.method) === 'api_key' && credential !== undefined)
    return { caller_kind: 'api_key', caller_id: String(credential), caller_name: username };
  return { caller_kind: 'user', caller_id: String(id), caller_name: username };
};

const statusOf = (code: number): number => Math.floor(code / 100);

/** When a refusal came first and last, and how often. */
interface RefusedTimes {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

/**
 * Refusals of known callers, also of those whose credentials are not good any more. A refused request costs an entry of a bounded map; batches write them, those of one caller,
 * request, code and hour as one line with a count, whichever instance has refused them.
 */
export const createRefusals = (
  { database, clock }: TableContext,
  isApplication: (appId: string) => boolean,
) => {
  const db = tablesOf(database);
  const claims = createRefusedClaims(database, isApplication);
  let pending = new Map<string, Pending>();
  let callers = new Map<string, number>();
  let since = 0;

  /** Whether one more refusal of another kind is kept of this caller. */
  const admits = (caller: string, now: number): boolean => {
    if (now - since >= hour || now < since) {
      callers = new Map();
      since = now;
    }
    const kept = callers.get(caller) ?? 0;
    if (kept >= mostOfCaller || pending.size >= mostPending) return false;
    if (kept === 0 && callers.size >= mostCallers) return false;
    callers.set(caller, kept + 1);
    return true;
  };

  /** Those whose 404 hid a record, and those of no record; a 404 of what was never there is no refusal. */
  const refusedOf = async (batch: readonly Pending[]): Promise<Pending[]> => {
    const asked = new Map<string, Set<number>>();
    for (const { record } of batch)
      if (record !== undefined)
        asked.set(record.table, (asked.get(record.table) ?? new Set()).add(record.id));
    const [first, ...others] = [...asked].map(([table, ids]) =>
      db
        // Tables of models as well: each has an id.
        .selectFrom(table as 'users')
        .select(['id', sql<string>`${sql.lit(table)}`.as('of')])
        .where('id', 'in', [...ids]),
    );
    if (first === undefined) return [...batch];
    const look = others.reduce((all, each) => all.unionAll(each), first);
    const rows = await database.all<{ readonly of: string; readonly id: number }>(toQuery(look));
    const there = new Set(rows.map(({ of, id }) => `${of} ${id}`));
    return batch.filter(({ record }) => record === undefined || there.has(`${record.table} ${record.id}`));
  };

  const insertOf = (each: Pending): Query => {
    const { fingerprint, firstAt, lastAt, count, record: _record, ...refusal } = each;
    const values = {
      ...{ ...refusal, fingerprint, refusals: count },
      ...{ first_at: toTimestamp(firstAt), refused_at: toTimestamp(lastAt) },
    };
    return toQuery(
      db
        .insertInto('gatewright_refusals')
        .values(values)
        .onConflict((conflict) =>
          conflict.column('fingerprint').doUpdateSet((eb) => ({
            refusals: eb('gatewright_refusals.refusals', '+', eb.ref('excluded.refusals')),
            refused_at: eb.ref('excluded.refused_at'),
          })),
        ),
    );
  };

  const putBack = (batch: ReadonlyMap<string, Pending>): void => {
    for (const [fingerprint, each] of batch) {
      const later = pending.get(fingerprint);
      if (later !== undefined) later.count += each.count;
      else if (pending.size < mostPending) pending.set(fingerprint, each);
    }
  };

  /** Notes one or several that are alike, unless their caller has too many others. */
  const note = (
    caller: RefusedCaller,
    { method, path, address }: Pick<KeptRefusal, 'method' | 'path' | 'address'>,
    code: number,
    { firstAt, lastAt, count }: RefusedTimes,
    record?: Pending['record'],
  ): void => {
    const { caller_kind, caller_id } = caller;
    const parts = [Math.floor(firstAt / hour), caller_kind, caller_id, method, path, code, address];
    const fingerprint = hash('sha256', parts.join('\n'), 'hex');
    const known = pending.get(fingerprint);
    if (known !== undefined) {
      known.count += count;
      known.lastAt = lastAt;
    } else if (admits(`${caller_kind} ${caller_id}`, firstAt))
      pending.set(fingerprint, {
        ...{ ...caller, method, path, address, code, status: statusOf(code) },
        ...{ fingerprint, firstAt, lastAt, count, record },
      });
  };

  const write = async (): Promise<void> => {
    for (const { caller, code, ...claimed } of await claims.take()) note(caller, claimed, code, claimed);
    if (pending.size === 0) return;
    const batch = pending;
    pending = new Map();
    try {
      const refused = await refusedOf([...batch.values()]);
      if (refused.length === 0) return;
      // In the same order on every instance, so that two never wait for each other's rows crosswise.
      refused.sort((one, other) => (one.fingerprint < other.fingerprint ? -1 : 1));
      await database.write(async (transaction) => {
        for (const each of refused) await transaction.run(insertOf(each));
      });
    } catch (error) {
      putBack(batch);
      throw error;
    }
  };

  return {
    /** Keeps a refusal; with a table, a 404 that may have hidden a record of it. Nothing is awaited. */
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
      const path = request.path.slice(0, longestPath);
      const seen = { firstAt: now, lastAt: now, count: 1 };
      note(caller, { method, path, address }, code, seen, table === undefined ? undefined : { table, id });
    },

    /** Keeps a refusal of credentials, if it turns out that they are somebody's. Nothing is looked up or awaited. */
    recordClaim: (claim: Claim, request: RefusedRequest, code: number | undefined): void => {
      if (code === undefined) return;
      const { method, address } = request;
      claims.add(claim, { method, path: request.path.slice(0, longestPath), address }, code, clock());
    },

    ...batchesOf(write, interval),

    /** Deletes what is older than a day; run now and then. */
    sweep: async (now = clock()): Promise<void> => {
      const before = toTimestamp(now - retention);
      await database.execute(toQuery(db.deleteFrom('gatewright_refusals').where('refused_at', '<', before)));
    },
  };
};

export type RefusalStore = ReturnType<typeof createRefusals>;
