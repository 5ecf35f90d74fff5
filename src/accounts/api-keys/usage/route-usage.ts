/** Routes that each key called, with the statuses of the responses: the last ones of a key. */

import { sql as raw } from 'kysely';
import type { Principal } from '../../../auth/principal.ts';
import { isOfKeys } from '../../../auth/registry.ts';
import { timeText } from '../../../database/source.ts';
import { toQuery } from '../../../database/statement.ts';
import { toTimestamp } from '../../../kernel/clock.ts';
import type { TableContext } from '../../../ledger/context.ts';
import { CountedTable } from '../../../ledger/counted-table.ts';
import { keyBatches } from './key-batches.ts';

/** Routes and statuses that are kept of a key, and shown: the last ones. */
export const shownCalls = 50;

/** Requests of a key to one route that had the same status. */
export interface KeyCall {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly requests: number;
  readonly last_at: string;
}

interface CountedCall {
  readonly key_id: number;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  requests: number;
}

/**
 * The routes that each key calls, with the statuses of the responses and the time of writing. Paths are those of
 * routes, so that no value of a request is kept.
 */
export class KeyCalls extends CountedTable<'gatewright_key_calls', CountedCall> {
  constructor(context: TableContext) {
    super(context, {
      name: 'calls of keys',
      table: 'gatewright_key_calls',
      key: ['key_id', 'method', 'route', 'status'],
      sums: ['requests'],
      newest: ['last_at'],
      written: { last_at: toTimestamp },
      owner: 'key_id',
      ...keyBatches,
      merge: (pending, { requests }) => {
        pending.requests += requests;
        return pending;
      },
    });
  }

  /** Counts a response to a key; to any other caller nothing. */
  count(principal: Principal, method: string, route: string, status: number): void {
    if (principal.kind !== 'user' || principal.credential === undefined || !isOfKeys(principal.method))
      return;
    const key_id = principal.credential;
    this.counter.add(`${key_id} ${status} ${method} ${route}`, {
      key_id,
      method,
      route,
      status,
      requests: 1,
    });
  }

  /** Deletes all but the last calls of each key; run now and then. */
  override async sweep(): Promise<void> {
    const numbered = this.tables
      .selectFrom('gatewright_key_calls')
      .select(['key_id', 'method', 'route', 'status'])
      .select(
        raw<number>`row_number() over (partition by key_id order by last_at desc, method, route, status)`.as(
          'place',
        ),
      )
      .as('numbered');
    const old = this.tables
      .selectFrom(numbered)
      .select(['key_id', 'method', 'route', 'status'])
      .where('place', '>', shownCalls);
    const removal = this.tables
      .deleteFrom('gatewright_key_calls')
      .where(({ eb, refTuple }) =>
        eb(
          refTuple('key_id', 'method', 'route', 'status'),
          'in',
          old.$asTuple('key_id', 'method', 'route', 'status'),
        ),
      );
    await this.database.execute(toQuery(removal));
  }

  /** Returns the last calls of a key, the newest first. */
  async of(keyId: number): Promise<readonly KeyCall[]> {
    const at = timeText(this.database.dialect, raw`c.last_at`);
    const calls = this.tables
      .selectFrom('gatewright_key_calls as c')
      .select(['c.method', 'c.route', 'c.status', 'c.requests'])
      .select(raw<string>`${at}`.as('last_at'))
      .where('c.key_id', '=', keyId)
      .orderBy('c.last_at', 'desc')
      .orderBy('c.method')
      .orderBy('c.route')
      .orderBy('c.status')
      .limit(shownCalls);
    const rows = await this.database.all<KeyCall>(toQuery(calls));
    return rows.map((row) => ({ ...row, status: Number(row.status), requests: Number(row.requests) }));
  }
}

export const createKeyCalls = (context: TableContext): KeyCalls => new KeyCalls(context);
