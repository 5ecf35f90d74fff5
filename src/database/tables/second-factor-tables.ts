/** Second factors of users, and sign-ins that wait for one. */

import { ticketLifetime } from '../../auth/sign-in-ticket.ts';
import { totpPeriod } from '../../auth/totp.ts';
import { seconds } from './stored-time.ts';
import { column, table } from './table.ts';

/**
 * Seconds in which a second factor can be set up.
 * @limit Accounts and credentials | the setup of a second factor | s | 410 `second_factor_setup_ended`
 */
export const setupLifetime = 10 * 60;

/** The authenticator application of a user. */
export const totpTable = table('gatewright_totp', {
  user_id: column.integer({ primaryKey: true, references: 'users.id', onDelete: 'cascade' }),
  /** Sealed. */
  secret: column.text(),
  /** Number of the period whose code was taken last: no code is taken twice. */
  last_step: column.integer({
    time: {
      decides: 'up to which one codes of an authenticator are used up',
      mostMs: seconds(totpPeriod),
      unitMs: seconds(totpPeriod),
      set: { aheadMs: seconds(totpPeriod) },
      wasAhead: 'codes from the next minute on are taken',
      wasBehind: 'nothing: a code is taken once',
    },
  }),
  created_at: column.time('shown'),
  last_used_at: column.time('shown', { nullable: true }),
});

export const passkeysTable = table(
  'gatewright_passkeys',
  {
    id: column.id(),
    user_id: column.integer({ references: 'users.id', onDelete: 'cascade' }),
    name: column.text(),
    /** Id that the authenticator gave it, base64url; unique. */
    credential: column.text(),
    /** COSE key, base64url. */
    public_key: column.text(),
    /** Number of signatures that the authenticator last reported; zero if it does not count them. */
    counter: column.integer(),
    /** JSON array of WebAuthn transports. */
    transports: column.text(),
    created_at: column.time('shown'),
    last_used_at: column.time('shown', { nullable: true }),
  },
  {
    indexes: {
      gatewright_passkeys_credential_unique: { on: ['credential'], unique: true },
      gatewright_passkeys_user_id: { on: ['user_id'] },
    },
  },
);

/** Recovery codes that are not used yet. */
export const recoveryCodesTable = table(
  'gatewright_recovery_codes',
  {
    user_id: column.integer({ references: 'users.id', onDelete: 'cascade' }),
    code_hash: column.text(),
    created_at: column.time('shown'),
  },
  {
    primaryKey: ['user_id', 'code_hash'],
  },
);

/** Second factors that a session has begun to set up. */
export const factorSetupsTable = table(
  'gatewright_factor_setups',
  {
    session_id: column.integer({ references: 'sessions.id', onDelete: 'cascade' }),
    kind: column.oneOf(['totp', 'passkey']),
    /** The sealed secret of the application, or the challenge that the authenticator has to sign. */
    secret: column.text(),
    expires_at: column.time({
      decides: 'how long a second factor can be set up',
      mostMs: seconds(setupLifetime),
      wasAhead: 'the setup is over',
      wasBehind: 'ends sooner',
    }),
    /** Security stamp of the user when the password was verified. */
    security_stamp: column.integer({ nullable: true }),
  },
  {
    primaryKey: ['session_id', 'kind'],
  },
);

/** Sign-ins with a correct password that wait for the second factor. */
export const signInTicketsTable = table(
  'gatewright_sign_in_tickets',
  {
    /** SHA-256 of the ticket, lowercase hex. */
    token_hash: column.text({ primaryKey: true }),
    user_id: column.integer({ references: 'users.id', onDelete: 'cascade' }),
    /** Security stamp of the user when the password was verified. */
    security_stamp: column.integer(),
    /** The challenge that a passkey has to sign; null where the user has none. */
    challenge: column.text({ nullable: true }),
    /** Number of tries. */
    tries: column.integer({ default: 0 }),
    expires_at: column.time({
      decides: 'how long the second factor is awaited',
      mostMs: seconds(ticketLifetime),
      wasAhead: 'the ticket ends',
      wasBehind: 'ends sooner',
    }),
  },
  {
    indexes: {
      gatewright_sign_in_tickets_expires_at: { on: ['expires_at'] },
      gatewright_sign_in_tickets_user_id: { on: ['user_id'] },
    },
  },
);
