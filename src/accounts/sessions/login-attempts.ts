/** Counters of failed logins in the database, shared by all processes. */

import { type Reservation, reservationLifetime, type ThrottleStore } from '../../auth/ports.ts';
import { own, prepare, sql, statement, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { TableContext } from '../../ledger/context.ts';

interface CountedAttempts {
  readonly failures: number;
  readonly window_started: number;
}

/**
 * Failed logins, counted in the database: all processes share the counts, and one statement both checks and
 * increments, so that concurrent attempts do not exceed the limit.
 */
export const createLoginAttempts = ({ database }: Pick<TableContext, 'database'>): ThrottleStore => {
  const db = tablesOf(database);

  const { dialect } = database;

  const reserve = statement<{ key: string; limit: number; now: number; ended: number; until: number }>(
    dialect,
    (value) => {
      const now = value('now');
      const ended = value('ended');
      const failures = sql`(case when a.window_started <= ${ended} then 0 else a.failures end)`;
      const pending = sql`(case when a.pending_until <= ${now} then 0 else a.pending end)`;
      return sql`insert into ${own('login_attempts')} as a (key, failures, pending, window_started, pending_until)
        values (${value('key')}, 0, 1, ${now}, ${value('until')})
        on conflict (key) do update set
          failures = ${failures},
          pending = ${pending} + 1,
          window_started = case when a.window_started <= ${ended} then ${now} else a.window_started end,
          pending_until = excluded.pending_until
        where ${failures} + ${pending} < ${value('limit')}
        returning failures`;
    },
  );

  const find = prepare<{ key: string }>((param) =>
    db.selectFrom('login_attempts').select(['failures', 'window_started']).where('key', '=', param('key')),
  );

  const settle = statement<{ key: string; failed: number }>(
    dialect,
    (value) => sql`update ${own('login_attempts')} set failures = failures + ${value('failed')},
        pending = case when pending > 0 then pending - 1 else 0 end
        where key = ${value('key')}`,
  );

  const forget = prepare<{ key: string }>((param) =>
    db
      .deleteFrom('login_attempts')
      .where('key', '=', param('key'))
      .where('failures', '=', 0)
      .where('pending', '=', 0),
  );

  return {
    reserve: async (key, limit, windowMs, now): Promise<Reservation> => {
      const args = { key, limit, now, ended: now - windowMs, until: now + reservationLifetime };
      const granted = await database.execute(reserve(args));
      if (granted.length > 0) return 'granted';
      const row = await database.get<CountedAttempts>(find({ key }));
      if (row === undefined || row.failures < limit) return 'busy';
      // A window that a clock ahead of time began is no longer than others.
      return { retryAfterMs: Math.min(windowMs, Math.max(1, row.window_started + windowMs - now)) };
    },
    // One statement each: a transaction on a counter that many requests update would often be repeated.
    settle: async (key, failed) => {
      await database.execute(settle({ key, failed: failed ? 1 : 0 }));
      if (!failed) await database.execute(forget({ key }));
    },
    forget: async (keys) => {
      const clear = db
        .updateTable('login_attempts')
        .set({ failures: 0 })
        .where('key', 'in', [...keys])
        .where('failures', '>', 0);
      await database.execute(toQuery(clear));
    },
  };
};

/** Deletes the counters of finished windows; called periodically. */
export const sweepLoginAttempts = async (
  { database }: Pick<TableContext, 'database'>,
  before: number,
): Promise<void> => {
  const db = tablesOf(database);
  await database.execute(
    toQuery(
      db
        .deleteFrom('login_attempts')
        .where('window_started', '<', before)
        .where('pending_until', '<', before),
    ),
  );
};
