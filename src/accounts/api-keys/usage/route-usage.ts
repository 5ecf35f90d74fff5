/** Routes that each key called, with the statuses of the responses: the last ones of a key. */

import { sql as raw } from 'kysely';
import type { Principal } from '../../../auth/principal.ts';
import { isOfKeys } from '../../../auth/registry.ts';
import { timeText } from '../../../database/source.ts';
import { toQuery } from '../../../database/statement.ts';
import { tablesOf } from '../../../database/tables-of.ts';
import { toTimestamp } from '../../../kernel/clock.ts';
import type { TableContext } from '../../../ledger/context.ts';
import { keyCounter } from './key-counter.ts';

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
 * The routes that each key calls, with the statuses of the responses: counted in memory, written in batches with the
 * time of writing. Paths are those of routes, so that no value of a request is kept.
 */
export const createKeyCalls = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);

  const counter = keyCounter<CountedCall>(database, (rows) => {
    const at = toTimestamp(clock());
    const insert = db
      .insertInto('gatewright_key_calls')
      .values(rows.map((each) => ({ ...each, last_at: at })))
      .onConflict((conflict) =>
        conflict.columns(['key_id', 'method', 'route', 'status']).doUpdateSet((eb) => ({
          requests: eb('gatewright_key_calls.requests', '+', eb.ref('excluded.requests')),
          last_at: eb.ref('excluded.last_at'),
        })),
      );
    return toQuery(insert);
  });

  return {
    /** Counts a response to a key; to any other caller nothing. */
    count: (principal: Principal, method: string, route: string, status: number): void => {
      if (principal.kind !== 'user' || principal.credential === undefined || !isOfKeys(principal.method))
        return;
      const key_id = principal.credential;
      counter.add(`${key_id} ${status} ${method} ${route}`, { key_id, method, route, status, requests: 1 });
    },
    flush: counter.flush,
    start: (onError: (error: unknown) => void) => counter.start(10_000, onError),

    /** Deletes all but the last calls of each key; run now and then. */
    sweep: async (): Promise<void> => {
      const numbered = db
        .selectFrom('gatewright_key_calls')
        .select(['key_id', 'method', 'route', 'status'])
        .select(
          raw<number>`row_number() over (partition by key_id order by last_at desc, method, route, status)`.as(
            'place',
          ),
        )
        .as('numbered');
      const old = db
        .selectFrom(numbered)
        .select(['key_id', 'method', 'route', 'status'])
        .where('place', '>', shownCalls);
      const removal = db
        .deleteFrom('gatewright_key_calls')
        .where(({ eb, refTuple }) =>
          eb(
            refTuple('key_id', 'method', 'route', 'status'),
            'in',
            old.$asTuple('key_id', 'method', 'route', 'status'),
          ),
        );
      await database.execute(toQuery(removal));
    },

    /** Returns the last calls of a key, the newest first. */
    of: async (keyId: number): Promise<readonly KeyCall[]> => {
      const at = timeText(database.dialect, raw`c.last_at`);
      const calls = db
        .selectFrom('gatewright_key_calls as c')
        .select(['c.method', 'c.route', 'c.status', 'c.requests'])
        .select(raw<string>`${at}`.as('last_at'))
        .where('c.key_id', '=', keyId)
        .orderBy('c.last_at', 'desc')
        .orderBy('c.method')
        .orderBy('c.route')
        .orderBy('c.status')
        .limit(shownCalls);
      const rows = await database.all<KeyCall>(toQuery(calls));
      return rows.map((row) => ({ ...row, status: Number(row.status), requests: Number(row.requests) }));
    },
  };
};

export type KeyCalls = ReturnType<typeof createKeyCalls>;
