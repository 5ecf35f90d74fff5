import { sql as raw } from 'kysely';
import { type Reservation, reservationLifetime, type ThrottleStore } from '../../auth/ports.ts';
import type { CoreSchema } from '../schema.ts';
import { compilerFor, prepare, toQuery } from '../statement.ts';
import type { TableContext } from './context.ts';

interface Counted {
  readonly failures: number;
  readonly window_started: number;
}

/**
 * Failed logins, counted in the database: every instance sees the same figures, and one statement both looks and
 * reserves, so that no two attempts pass the limit together.
 */
export const createLoginAttempts = ({ database }: Pick<TableContext, 'database'>): ThrottleStore => {
  const sql = compilerFor<CoreSchema>(database.dialect);

  const reserve = prepare<{ key: string; limit: number; now: number; ended: number; until: number }>(
    (param) => ({
      compile: () => {
        const [now, ended] = [raw`${param('now')}`, raw`${param('ended')}`];
        const failures = raw`(case when a.window_started <= ${ended} then 0 else a.failures end)`;
        const pending = raw`(case when a.pending_until <= ${now} then 0 else a.pending end)`;
        return raw`insert into login_attempts as a (key, failures, pending, window_started, pending_until)
        values (${param('key')}, 0, 1, ${now}, ${param('until')})
        on conflict (key) do update set
          failures = ${failures},
          pending = ${pending} + 1,
          window_started = case when a.window_started <= ${ended} then ${now} else a.window_started end,
          pending_until = excluded.pending_until
        where ${failures} + ${pending} < ${param('limit')}
        returning failures`.compile(sql);
      },
    }),
  );

  const find = prepare<{ key: string }>((param) =>
    sql.selectFrom('login_attempts').select(['failures', 'window_started']).where('key', '=', param('key')),
  );

  const settle = prepare<{ key: string; failed: number }>((param) => ({
    compile: () =>
      raw`update login_attempts set failures = failures + ${param('failed')},
        pending = case when pending > 0 then pending - 1 else 0 end
        where key = ${param('key')}`.compile(sql),
  }));

  const forget = prepare<{ key: string }>((param) =>
    sql
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
      const row = await database.get<Counted>(find({ key }));
      if (row === undefined || row.failures < limit) return 'busy';
      return { retryAfterMs: Math.max(1, row.window_started + windowMs - now) };
    },
    // One statement each: a transaction around a counter that everybody touches would only be run again and again.
    settle: async (key, failed) => {
      await database.execute(settle({ key, failed: failed ? 1 : 0 }));
      if (!failed) await database.execute(forget({ key }));
    },
  };
};

/** Deletes counters whose window is over; run now and then. */
export const sweepLoginAttempts = async (
  { database }: Pick<TableContext, 'database'>,
  before: number,
): Promise<void> => {
  const sql = compilerFor<CoreSchema>(database.dialect);
  await database.execute(
    toQuery(
      sql
        .deleteFrom('login_attempts')
        .where('window_started', '<', before)
        .where('pending_until', '<', before),
    ),
  );
};
