/** Reports about keys, service accounts and failed sign-ins that need an administrator's attention. */

import { sql as raw } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { serviceTime, timesAt, timeText } from '../database/source.ts';
import {
  type Fragment,
  literal,
  own,
  param,
  type Statement,
  sql,
  statement,
  tableName,
  toQuery,
} from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import { type Clock, toTimestamp } from '../kernel/clock.ts';
import type { Change, TableContext } from '../ledger/context.ts';
import { neglectedKey } from './api-keys/entity.ts';

/** Milliseconds before its end from which a key needs attention. */
const soon = 30 * 24 * 3_600_000;

/** Milliseconds for which a failed sign-in is shown. */
const recent = 24 * 3_600_000;

/** Maximum number of entries that are listed; further ones are only counted. */
export const maxListed = 5;

/** Maximum number of rows that are counted, which bounds the query; an exact number beyond it is of no use. */
export const maxCounted = 1000;

export interface KeyInNeed {
  readonly id: number;
  readonly name: string;
  readonly user_id: number;
  readonly username: string;
  /** The owner, if the key is one of a service account. */
  readonly owner_id: number | null;
  readonly owner_name: string | null;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface KeysInNeed {
  /** At most `maxCounted`. */
  readonly count: number;
  readonly keys: readonly KeyInNeed[];
}

/** A service account without an owner who could look after it. */
export interface OwnerlessAccount {
  readonly id: number;
  readonly username: string;
  /** The owner, if it is disabled; null if it was deleted. */
  readonly owner_id: number | null;
  readonly owner_name: string | null;
}

/** Failed sign-ins with one account from one address. */
export interface FailedSignIn {
  /** Null if the account does not exist. */
  readonly user_id: number | null;
  readonly username: string | null;
  readonly disabled: boolean | number | null;
  readonly address: string | null;
  readonly count: number;
  readonly last_at: string;
}

type OwnTables = Change['tables'];

type Moments = { readonly now: string | null; readonly monthAgo: string | null; readonly soon: string };

const signInActions = raw`('sign_in.failed', 'sign_in.locked')`;

/** Finds listed keys: their number, and the first ones. */
interface KeyQueries {
  readonly count: Statement<Moments>;
  readonly first: Statement<Moments>;
}

/** Returns queries of the keys `t` that meet a condition, and of the first ones in an order. */
const keyQueries = (dialect: Dialect, condition: Fragment, order: Fragment): KeyQueries => {
  const found = sql`from ${tableName('api_keys')} as t where ${condition}`;
  return {
    count: statement<Moments>(
      dialect,
      () => sql`select count(*) as "count" from (select 1 ${found} limit ${literal(maxCounted)}) as c`,
    ),
    first: statement<Moments>(
      dialect,
      () => sql`select t.id, t.name, t.user_id, u.username, o.id as owner_id, o.username as owner_name,
        ${timeText(dialect, sql`t.expires_at`)} as expires_at,
        ${timeText(dialect, sql`t.created_at`)} as created_at, ${timeText(dialect, sql`t.last_used_at`)} as last_used_at
        from (select t.* ${found} order by ${order} limit ${literal(maxListed)}) as t
        join ${own('users')} u on u.id = t.user_id left join ${own('users')} o on o.id = u.owner_id order by ${order}`,
    ),
  };
};

/** The newest failed sign-ins since a time. */
const newestFailures = (db: OwnTables, since: string) =>
  db
    .selectFrom('audit')
    .select(['target_id', 'address', 'created_at'])
    .where(raw<boolean>`action in ${signInActions}`)
    .where('created_at', '>=', since)
    .orderBy('created_at', 'desc')
    .limit(maxCounted);

/** The most frequent failed sign-ins since a time, by account and address, with the name of the account. */
const frequentFailures = (db: OwnTables, dialect: Dialect, since: string) => {
  const grouped = db
    .selectFrom(newestFailures(db, since).as('f'))
    .select(['f.target_id', 'f.address'])
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.max('f.created_at').as('last')])
    .groupBy(['f.target_id', 'f.address'])
    .orderBy('count', 'desc')
    .orderBy('last', 'desc')
    .limit(maxListed);
  return db
    .selectFrom(grouped.as('g'))
    .leftJoin('users as u', (join) =>
      join.on((eb) => eb('u.id', '=', eb.cast<number>('g.target_id', 'bigint'))),
    )
    .select(['u.id as user_id', 'u.username', 'u.disabled', 'g.address', 'g.count'])
    .select(raw<string>`${timeText(dialect, sql`g.last`)}`.as('last_at'))
    .orderBy('g.count', 'desc')
    .orderBy('g.last', 'desc');
};

/** Enabled service accounts whose owner was deleted or is disabled. */
const ownerless = (db: OwnTables) =>
  db
    .selectFrom('users as u')
    .leftJoin('users as o', 'o.id', 'u.owner_id')
    .where('u.kind', '=', 'service')
    .where('u.disabled', '=', false)
    // One of a record ends with it.
    .where('u.owner_record', 'is', null)
    .where((eb) => eb.or([eb('o.id', 'is', null), eb('o.disabled', '=', true)]));

/** Each query is bounded by an index of its own. */
export class Attention {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #db: OwnTables;
  readonly #expiring: KeyQueries;
  readonly #endless: KeyQueries;
  readonly #neglected: KeyQueries;

  constructor({ database, clock }: TableContext) {
    const { dialect } = database;
    this.#database = database;
    this.#clock = clock;
    this.#db = tablesOf(database);
    this.#expiring = keyQueries(
      dialect,
      sql`t."expires_at" > ${serviceTime} and t."expires_at" <= ${param('soon')}`,
      sql`t."expires_at", t."id"`,
    );
    this.#endless = keyQueries(dialect, sql`t."expires_at" is null`, sql`t."id" desc`);
    this.#neglected = keyQueries(
      dialect,
      neglectedKey,
      sql`coalesce(t."last_used_at", t."created_at"), t."id"`,
    );
  }

  /** Keys that expire within 30 days, the next one first. */
  expiringKeys(): Promise<KeysInNeed> {
    return this.#keys(this.#expiring);
  }

  /** Keys that never expire, the newest first. */
  endlessKeys(): Promise<KeysInNeed> {
    return this.#keys(this.#endless);
  }

  /** Active keys that are not used (see `neglectedKey`), the longest unused first. */
  neglectedKeys(): Promise<KeysInNeed> {
    return this.#keys(this.#neglected);
  }

  /** Enabled service accounts whose owner was deleted or is disabled, by their names. */
  async ownerlessAccounts(): Promise<{
    readonly count: number;
    readonly accounts: readonly OwnerlessAccount[];
  }> {
    const bounded = ownerless(this.#db).select('u.id').limit(maxCounted);
    const total = this.#db.selectFrom(bounded.as('f')).select((eb) => eb.fn.countAll().as('count'));
    const listed = ownerless(this.#db)
      .select(['u.id', 'u.username', 'o.id as owner_id', 'o.username as owner_name'])
      .orderBy('u.username')
      .orderBy('u.id')
      .limit(maxListed);
    const [row, accounts] = await Promise.all([
      this.#database.get<{ count: number }>(toQuery(total)),
      this.#database.all<OwnerlessAccount>(toQuery(listed)),
    ]);
    return { count: Number(row?.count ?? 0), accounts };
  }

  /**
   * Failed sign-ins of the last 24 hours by account and address, the most frequent first; only the newest 1,000 are
   * read.
   */
  async failedSignIns(): Promise<{ readonly count: number; readonly signIns: readonly FailedSignIn[] }> {
    const since = toTimestamp(this.#clock() - recent);
    const newest = newestFailures(this.#db, since);
    const total = this.#db.selectFrom(newest.as('f')).select((eb) => eb.fn.countAll().as('count'));
    const [row, found] = await Promise.all([
      this.#database.get<{ count: number }>(toQuery(total)),
      this.#database.all<FailedSignIn>(toQuery(frequentFailures(this.#db, this.#database.dialect, since))),
    ]);
    const signIns = found.map((each) => ({ ...each, count: Number(each.count) }));
    return { count: Number(row?.count ?? 0), signIns };
  }

  async #keys(queries: KeyQueries): Promise<KeysInNeed> {
    const now = this.#clock();
    const moments = { ...timesAt(now), soon: toTimestamp(now + soon) };
    const [row, keys] = await Promise.all([
      this.#database.get<{ count: number }>(queries.count(moments)),
      this.#database.all<KeyInNeed>(queries.first(moments)),
    ]);
    return { count: Number(row?.count ?? 0), keys };
  }
}

export const createAttention = (context: TableContext): Attention => new Attention(context);
