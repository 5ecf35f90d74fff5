/** Scopes that the requests of each key needed, by day, and the keys whose rights exceed their recent use. */

import type { Principal } from '../../../auth/principal.ts';
import type { Dialect } from '../../../database/dialect.ts';
import { monthAgo, serviceTime, timesAt, timeText } from '../../../database/source.ts';
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
} from '../../../database/statement.ts';
import type { TableContext } from '../../../ledger/context.ts';
import { CountedTable } from '../../../ledger/counted-table.ts';
import { narrowerScopes } from '../../../policy/key-scope.ts';
import type { KeyInNeed } from '../../attention.ts';
import { dayOf } from './daily-counts.ts';
import { keyBatches } from './key-batches.ts';

const dayMs = 24 * 3_600_000;

/** Days that count as the recent use of a key, today included. */
export const recentDays = 30;

/** Days that are kept: one more, for clocks that differ. */
const keptDays = recentDays + 1;

/** Keys that are compared with their use, the ones used last: it bounds the query. */
const maxCompared = 200;

/** The first day of the recent use. */
export const firstRecentDay = (now: number): string => dayOf(now - (recentDays - 1) * dayMs);

interface CountedUse {
  readonly key_id: number;
  readonly scope: string;
  requests: number;
}

/** Requests of a key that needed one scope. */
export interface ScopeUse {
  readonly scope: string;
  readonly requests: number;
  /** `YYYY-MM-DD`, UTC. */
  readonly last_day: string;
}

/** A key that may do more than its recent use needed, with the scopes that would do. */
export interface WideKey extends KeyInNeed {
  readonly narrower: readonly string[];
}

interface ComparedRow extends KeyInNeed {
  readonly scopes: string | null;
  readonly used: string | null;
}

type Moments = Record<'now' | 'monthAgo', string | null> & { readonly from: string; readonly id: number };

/** Active keys that are older than a month and have been used within it, the one used last first. */
const comparedKeys = (condition: Fragment): Fragment => sql`(select t.* from ${tableName('api_keys')} as t
  where ${condition} and coalesce(t."last_used_at", t."created_at") > ${monthAgo} and t."created_at" <= ${monthAgo}
    and (t."expires_at" is null or t."expires_at" > ${serviceTime})
  order by coalesce(t."last_used_at", t."created_at") desc limit ${literal(maxCompared)})`;

/**
 * Returns keys with the scopes that they used. Keys with a day of successful requests of which no use is recorded are
 * left out: less is known of them than they did.
 */
const comparison = (dialect: Dialect, condition: Fragment): Statement<Moments> =>
  statement<Moments>(
    dialect,
    (value) => sql`select k.id, k.name, k.user_id, u.username, o.id as owner_id, o.username as owner_name,
        cast(k.scopes as text) as scopes,
        ${timeText(dialect, sql`k.expires_at`)} as expires_at, ${timeText(dialect, sql`k.created_at`)} as created_at,
        ${timeText(dialect, sql`k.last_used_at`)} as last_used_at,
        (select string_agg(d.scope, ',') from (select distinct s.scope from ${own('gatewright_key_uses')} s
          where s.key_id = k.id and s.day >= ${value('from')}) d) as used
        from ${comparedKeys(condition)} as k join ${own('users')} u on u.id = k.user_id left join ${own('users')} o on o.id = u.owner_id
        where not exists (select 1 from ${own('gatewright_key_usage')} g
            where g.key_id = k.id and g.day >= ${value('from')} and g.requests > g.refused
              and not exists (select 1 from ${own('gatewright_key_uses')} s where s.key_id = g.key_id and s.day = g.day))
        order by coalesce(k.last_used_at, k.created_at) desc`,
  );

/**
 * The scopes that requests of each key needed, whatever scopes the key has: they say which scopes would be enough. A
 * batch is added to the day on which it is written.
 */
export class KeyUses extends CountedTable<'gatewright_key_uses', CountedUse> {
  readonly #ofAllKeys: Statement<Moments>;
  readonly #ofOneKey: Statement<Moments>;

  constructor(context: TableContext) {
    super(context, {
      name: 'scopes used by keys',
      table: 'gatewright_key_uses',
      key: ['key_id', 'day', 'scope'],
      sums: ['requests'],
      written: { day: dayOf },
      owner: 'key_id',
      removal: { column: 'day', ageMs: keptDays * dayMs, text: dayOf },
      ...keyBatches,
      merge: (pending, { requests }) => {
        pending.requests += requests;
        return pending;
      },
    });
    const { dialect } = context.database;
    this.#ofAllKeys = comparison(dialect, sql`1 = 1`);
    this.#ofOneKey = comparison(dialect, sql`t."id" = ${param('id')}`);
  }

  /** Counts the scopes that a request of a key needed; for any other caller nothing. */
  count(principal: Principal): void {
    if (principal.kind !== 'user' || principal.credential === undefined) return;
    const key_id = principal.credential;
    for (const scope of principal.uses ?? [])
      this.counter.add(`${key_id} ${scope}`, { key_id, scope, requests: 1 });
  }

  /** Returns the recent use of a key by scope, the most used first. */
  async of(keyId: number): Promise<readonly ScopeUse[]> {
    const uses = this.tables
      .selectFrom('gatewright_key_uses')
      .select((eb) => [
        'scope',
        eb.cast<number>(eb.fn.sum('requests'), 'bigint').as('requests'),
        eb.fn.max('day').as('last_day'),
      ])
      .where('key_id', '=', keyId)
      .where('day', '>=', firstRecentDay(this.clock()))
      .groupBy('scope')
      .orderBy('requests', 'desc')
      .orderBy('scope');
    const rows = await this.database.all<ScopeUse>(toQuery(uses));
    return rows.map((row) => ({ ...row, requests: Number(row.requests) }));
  }

  /**
   * Returns keys that may do more than their recent use needed. They have existed for 30 days, so that their use says
   * something. `known` are the scopes of the service.
   */
  wide(known: ReadonlySet<string>): Promise<readonly WideKey[]> {
    return this.#wider(this.#ofAllKeys, known);
  }

  /** Returns the scopes that would be enough for a key; undefined where it has no more, or too little is known. */
  async narrowerOf(id: number, known: ReadonlySet<string>): Promise<readonly string[] | undefined> {
    return (await this.#wider(this.#ofOneKey, known, id))[0]?.narrower;
  }

  async #wider(
    compared: Statement<Moments>,
    known: ReadonlySet<string>,
    id = 0,
  ): Promise<readonly WideKey[]> {
    const now = this.clock();
    const moments = { ...timesAt(now), from: firstRecentDay(now), id };
    const rows = await this.database.all<ComparedRow>(compared(moments));
    return rows.flatMap(({ scopes, used, ...key }) => {
      const held = scopes === null ? null : (JSON.parse(scopes) as string[]);
      const narrower = narrowerScopes(held, used?.split(',') ?? [], known);
      return narrower === undefined ? [] : [{ ...key, narrower }];
    });
  }
}

export const createKeyUses = (context: TableContext): KeyUses => new KeyUses(context);
