/** Stores refused requests of known callers, equal ones of an hour as one row with a count. */

import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Claim } from '../../auth/method.ts';
import type { Principal } from '../../auth/principal.ts';
import { verifiedAs } from '../../auth/registry.ts';
import type { Database, Query } from '../../database/database.ts';
import { columnsOfRows, isAmongRecords, rowsOf, toQuery } from '../../database/statement.ts';
import type { RecordId } from '../../fields/key.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { Change, TableContext } from '../../ledger/context.ts';
import { CountedTable } from '../../ledger/counted-table.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { StoredTable } from '../../model/stored-table.ts';
import {
  createRefusedClaims,
  type KeptRefusal,
  type RefusedCaller,
  type RefusedClaims,
} from './refused-claims.ts';

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

/** A model whose records a 404 may have hidden. */
type HiddenModel = Pick<ResourceModel, 'key' | 'stored'>;

interface Pending extends KeptRefusal {
  readonly fingerprint: string;
  readonly first_at: number;
  refused_at: number;
  refusals: number;
  /** The record that a 404 was about. It counts as a refusal only if the record exists. */
  readonly record: { readonly stored: StoredTable; readonly id: RecordId } | undefined;
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

/** Equal refusals of a caller within an hour. */
export interface LatestRefusal extends KeptRefusal {
  readonly refusals: number;
  readonly refused_at: string | Date;
}

const statusOf = (code: number): number => Math.floor(code / 100);

type OwnTables = Change['tables'];

/** Times of the first and last refusal, and their number. */
interface RefusedTimes {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

/**
 * Returns refusals about no record, and about an existing record: a 404 for a record that never existed is no
 * refusal.
 */
const refusedOf = async (database: Database, batch: readonly Pending[]): Promise<readonly Pending[]> => {
  const records = batch.flatMap(({ record }) => record ?? []);
  const asked = [...Map.groupBy(records, ({ stored }) => stored)];
  if (asked.length === 0) return batch;
  const looks = asked.map(([stored, some], of) => {
    const id = columnsOfRows(stored)('id');
    const ids = [...new Set(some.map((record) => record.id))].map((each) => sql`${each}`);
    return sql`select cast(${id} as text) as id, ${sql.lit(of)} as of_table from ${rowsOf(stored)} where ${isAmongRecords(stored, ids)}`;
  });
  const look = sql`${sql.join(looks, sql` union all `)}`;
  const rows = await database.all<{ readonly of_table: number; readonly id: string }>(
    toQuery({ compile: () => look.compile(database.dialect.builder) }),
  );
  const there = new Set(rows.map(({ of_table: of, id }) => `${of} ${id}`));
  const place = (of: StoredTable): number => asked.findIndex(([stored]) => stored === of);
  return batch.filter(
    ({ record }) => record === undefined || there.has(`${place(record.stored)} ${record.id}`),
  );
};

/** The refusals since a time by caller, request and code, the most frequent first. */
const groupedSince = (db: OwnTables, from: string): Query =>
  toQuery(
    db
      .selectFrom('gatewright_refusals')
      .select(['caller_kind', 'caller_id', 'caller_name', 'method', 'path', 'code'])
      .select((eb) => [
        sql<number>`cast(sum(refusals) as bigint)`.as('refusals'),
        eb.fn.max('address').as('address'),
        eb.fn.max('refused_at').as('refused_at'),
      ])
      .where('refused_at', '>=', from)
      .groupBy(['caller_kind', 'caller_id', 'caller_name', 'method', 'path', 'code'])
      .orderBy('refusals', 'desc')
      .orderBy('path')
      .limit(maxGrouped),
  );

/**
 * Refusals of known callers, including callers whose credentials are no longer valid. Equal refusals of one caller
 * within an hour are one row with a count, whichever processes refused them.
 */
export class RefusalStore extends CountedTable<'gatewright_refusals', Pending> {
  readonly #claims: RefusedClaims;
  /** Numbers of kinds of refusals in the hour since `#since`, by caller. */
  #callers = new Map<string, number>();
  #since = 0;

  constructor(context: TableContext, isApplication: (appId: string) => boolean) {
    const claims = createRefusedClaims(context, isApplication, ({ caller, code, ...claimed }) =>
      this.#note(caller, claimed, code, claimed),
    );
    super(context, {
      name: 'refusals',
      table: 'gatewright_refusals',
      key: ['fingerprint'],
      sums: ['refusals'],
      newest: ['refused_at'],
      removal: { column: 'refused_at', ageMs: retentionMs, text: toTimestamp },
      maxEntries: 1_000,
      merge: (pending, { refusals, refused_at }) => {
        pending.refusals += refusals;
        pending.refused_at = refused_at;
        return pending;
      },
      gather: () => claims.flush(),
      select: (batch) => refusedOf(context.database, batch),
    });
    this.#claims = claims;
  }

  /** Stores a refusal later; for a 404 that may have hidden a record, with the record's model. Returns at once. */
  record(principal: Principal, request: RefusedRequest, code: number | undefined, model?: HiddenModel): void {
    const caller = callerOf(principal);
    if (caller === undefined || code === undefined) return;
    const id = model?.key.parse(request.params['id'] ?? '');
    if (model !== undefined && id === undefined) return;
    const now = this.clock();
    const { method, address } = request;
    const path = request.path.slice(0, maxPathLength);
    const seen = { firstAt: now, lastAt: now, count: 1 };
    this.#note(
      caller,
      { method, path, address },
      code,
      seen,
      model === undefined || id === undefined ? undefined : { stored: model.stored, id },
    );
  }

  /** Stores a refusal of credentials later, if they belong to a caller. Returns at once. */
  recordClaim(claim: Claim, request: RefusedRequest, code: number | undefined): void {
    if (code === undefined) return;
    const { method, address } = request;
    const path = request.path.slice(0, maxPathLength);
    this.#claims.add(claim, { method, path, address }, code, this.clock());
  }

  /** The refusals of a day by caller, request and code, the most frequent first; `maxGrouped` at most. */
  grouped(): Promise<readonly GroupedRefusal[]> {
    return this.database.all(groupedSince(this.tables, toTimestamp(this.clock() - retentionMs)));
  }

  /** The refusals of a day, the newest first. */
  latest(limit: number): Promise<readonly LatestRefusal[]> {
    const since = toTimestamp(this.clock() - retentionMs);
    const query = this.tables
      .selectFrom('gatewright_refusals')
      .select(['refused_at', 'refusals', 'caller_kind', 'caller_id', 'caller_name', 'method', 'path'])
      .select(['status', 'code', 'address'])
      .where('refused_at', '>=', since)
      .orderBy('refused_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit);
    return this.database.all(toQuery(query));
  }

  /** Counts one or several equal refusals, unless their caller has too many kinds of them. */
  #note(
    caller: RefusedCaller,
    { method, path, address }: Pick<KeptRefusal, 'method' | 'path' | 'address'>,
    code: number,
    { firstAt, lastAt, count }: RefusedTimes,
    record?: Pending['record'],
  ): void {
    const { caller_kind, caller_id } = caller;
    const parts = [Math.floor(firstAt / hourMs), caller_kind, caller_id, method, path, code, address];
    const fingerprint = hash('sha256', parts.join('\n'), 'hex');
    if (!this.counter.has(fingerprint) && !this.#admits(`${caller_kind} ${caller_id}`, firstAt)) return;
    this.counter.add(fingerprint, {
      ...caller,
      fingerprint,
      method,
      path,
      address,
      code,
      status: statusOf(code),
      first_at: firstAt,
      refused_at: lastAt,
      refusals: count,
      record,
    });
  }

  /** True if one more kind of refusal is stored for this caller. */
  #admits(caller: string, now: number): boolean {
    if (now - this.#since >= hourMs || now < this.#since) {
      this.#callers = new Map();
      this.#since = now;
    }
    const kept = this.#callers.get(caller) ?? 0;
    if (kept >= maxRefusalsOfCaller || this.counter.isFull) return false;
    if (kept === 0 && this.#callers.size >= maxCallers) return false;
    this.#callers.set(caller, kept + 1);
    return true;
  }
}

export const createRefusals = (
  context: TableContext,
  isApplication: (appId: string) => boolean,
): RefusalStore => new RefusalStore(context, isApplication);
