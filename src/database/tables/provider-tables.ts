/** Accounts of users at identity providers. */

import { seconds } from './stored-time.ts';
import { column, table } from './table.ts';

/**
 * Seconds for which the one-time code of a sign-in with a provider is valid.
 * @limit Accounts and credentials | the one-time code of a sign-in | s | 401
 */
export const providerCodeLifetime = 120;

export const linkedAccountsTable = table(
  'gatewright_linked_accounts',
  {
    id: column.id(),
    user_id: column.integer({ references: 'users.id', onDelete: 'cascade' }),
    /** Name in the configuration. */
    provider: column.text(),
    issuer: column.text(),
    /** Unique with the issuer. */
    subject: column.text(),
    /** Session at the provider of the last sign-in, for its logout. */
    session_id: column.text({ nullable: true }),
    created_at: column.time('shown'),
    last_used_at: column.time('shown'),
    /** JSON array of texts: the claim from which roles followed at the last sign-in. Null if the provider maps none. */
    claim_values: column.text({ nullable: true }),
    /** Another user had its address when the first sign-in made the user, who then has none. */
    email_taken: column.boolean({ default: false }),
  },
  {
    indexes: {
      gatewright_linked_accounts_subject_unique: { on: ['issuer', 'subject'], unique: true },
      gatewright_linked_accounts_user_id: { on: ['user_id'] },
    },
  },
);

export const signInCodesTable = table(
  'gatewright_sign_in_codes',
  {
    /** SHA-256 of the one-time code, lowercase hex. */
    code_hash: column.text({ primaryKey: true }),
    user_id: column.integer({ references: 'users.id', onDelete: 'cascade' }),
    security_stamp: column.integer(),
    /** The provider has proved a second factor. */
    second_factor: column.boolean(),
    expires_at: column.time({
      decides: 'how long the one-time code of a sign-in is valid',
      mostMs: seconds(providerCodeLifetime),
      wasAhead: 'the code is invalid',
      wasBehind: 'ends sooner by as much',
    }),
  },
  {
    indexes: {
      gatewright_sign_in_codes_expires_at: { on: ['expires_at'] },
      gatewright_sign_in_codes_user_id: { on: ['user_id'] },
    },
  },
);
