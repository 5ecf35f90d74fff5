/** Sessions of the administration area, long sign-ins, and failed sign-ins. */

import { throttleWindow } from '../../auth/login-throttle.ts';
import { reservationLifetime } from '../../auth/ports.ts';
import { refreshRepeatTime } from '../../auth/refresh-token.ts';
import { removedAfter, setToNow } from './stored-time.ts';
import { column, table } from './table.ts';

export const sessionsTable = table(
  'sessions',
  {
    id: column.id(),
    user_id: column.integer({ references: 'users.id', onDelete: 'cascade' }),
    /** HMAC-SHA256 of the session id, or of the name of a long sign-in, lowercase hex; unique. */
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
    /** Of a long sign-in, which refresh tokens renew: the number of renewals. Null where a cookie names the session. */
    generation: column.integer({ nullable: true }),
  },
  {
    indexes: {
      sessions_long: { on: ['last_used_at'], where: 'generation is not null' },
      sessions_of_cookies: { on: ['created_at'], where: 'generation is null' },
      sessions_session_hash_unique: { on: ['session_hash'], unique: true },
      sessions_user_id: { on: ['user_id', 'id'] },
    },
  },
);

/** The tokens of long sign-ins: a row for each refresh token, and for the token that was returned beside it. */
export const sessionTokensTable = table(
  'gatewright_session_tokens',
  {
    session_id: column.integer({ references: 'sessions.id', onDelete: 'cascade' }),
    /** Number of renewals before it. */
    generation: column.integer(),
    /** Expiry of the token beside it, in Unix seconds. */
    expiry: column.integer(),
    /** Null while the refresh token is not used. */
    used_at: column.time(
      {
        decides: `how long a used refresh token returns the same pair again: ${refreshRepeatTime / 1000} s`,
        mostMs: 0,
        set: setToNow,
        wasAhead: 'the time begins now',
        wasBehind: 'ends sooner by as much: the same token then ends its sign-in',
      },
      { nullable: true },
    ),
  },
  {
    primaryKey: ['session_id', 'generation'],
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
