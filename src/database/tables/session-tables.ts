/** Sessions of the administration area, and failed sign-ins. */

import { throttleWindow } from '../../auth/login-throttle.ts';
import { reservationLifetime } from '../../auth/ports.ts';
import { removedAfter, setToNow } from './stored-time.ts';
import { column, table } from './table.ts';

export const sessionsTable = table(
  'sessions',
  {
    id: column.id(),
    user_id: column.integer({ references: 'users.id', onDelete: 'cascade' }),
    /** HMAC-SHA256 of the session id, lowercase hex; unique. */
    session_hash: column.text(),
    address: column.text(),
    user_agent: column.text(),
    created_at: column.time({
      decides: 'how long a session lives',
      mostMs: 0,
      wasAhead: 'the session ends',
      wasBehind: 'it ends sooner by as much',
    }),
    last_used_at: column.time({
      decides: 'when an unused session ends',
      mostMs: 0,
      set: setToNow,
      wasAhead: 'counts as used now',
      wasBehind: 'ends sooner by as much, unless it is used',
    }),
    /** The session began with a second factor; without one it does not count for a user who has one. */
    second_factor: column.boolean({ default: false }),
  },
  {
    indexes: {
      sessions_session_hash_unique: { on: ['session_hash'], unique: true },
      sessions_user_id: { on: ['user_id', 'id'] },
    },
  },
);

export const loginAttemptsTable = table(
  'login_attempts',
  {
    /** Keyed hash of account and address: no account is stored in clear. */
    key: column.text({ primaryKey: true }),
    failures: column.integer(),
    pending: column.integer(),
    window_started: column.integer({
      time: {
        decides: `which failed sign-ins still count, and how long a lock lasts: ${throttleWindow / 60_000} min`,
        mostMs: 0,
        unitMs: 1,
        set: setToNow,
        wasAhead: 'the window begins now; `Retry-After` is never longer than it',
        wasBehind: 'the window ends sooner by as much',
      },
    }),
    pending_until: column.integer({
      time: {
        decides: 'how long sign-ins of a process that is gone still count as under way',
        mostMs: reservationLifetime,
        unitMs: 1,
        set: setToNow,
        wasAhead: 'ends now',
        wasBehind: 'ends sooner',
      },
    }),
  },
  {
    indexes: {
      login_attempts_window_started: { on: ['window_started'] },
    },
  },
);

export const signInFailuresTable = table('sign_in_failures', {
  hour: column.text({ primaryKey: true, time: removedAfter('31 days', 'counted failures of sign-ins are') }),
  failures: column.integer(),
});
