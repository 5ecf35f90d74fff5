/** People and service accounts, and their revoked tokens. */

import { column, table } from './table.ts';

export const usersTable = table(
  'users',
  {
    id: column.id(),
    username: column.text(),
    /** NFKC and case folded; unique. */
    username_canonical: column.text(),
    /** Empty if there is none. */
    email: column.text(),
    /** See `canonicalAddress`; unique. A text that is no address if there is none. */
    email_canonical: column.text(),
    name: column.text(),
    /** argon2id, PHC string; empty while there is none: the user is invited. */
    password_hash: column.text(),
    disabled: column.boolean({ default: false }),
    created_at: column.time('shown'),
    updated_at: column.time('shown'),
    must_change_password: column.boolean({ default: false }),
    /** Incremented by a new password, a disabling and the end of all sessions: earlier verifications become invalid. */
    security_stamp: column.integer({ default: 0 }),
    /** The user has an authenticator application or a passkey, which the administration area then requires. */
    second_factor: column.boolean({ default: false }),
    /** The other user who set the password; null where users did it themselves. */
    password_set_by: column.integer({ nullable: true }),
    /** Greatest expiry of a token that was issued to the user, in Unix seconds; null before the first one. */
    last_token_expiry: column.integer({ nullable: true }),
    /** Tokens of the user up to this expiry (Unix seconds) are revoked; null while none are. */
    revoked_token_expiry: column.integer({ nullable: true }),
    /** Expiry of the last token that a sign-in issued, in Unix seconds: it tells a fresh sign-in. Null before it. */
    sign_in_expiry: column.integer({ nullable: true }),
    /** `service`: no password and no sign-in, API keys only. */
    kind: column.oneOf(['person', 'service'], {
      default: 'person',
      check: "kind = 'person' or (kind = 'service' and password_hash = '')",
    }),
    /** The person who is responsible for a service account; null once that user is deleted, and of persons. */
    owner_id: column.integer({ nullable: true, references: 'users.id', onDelete: 'set null' }),
    /** Language of messages to the user, a BCP 47 tag; null while the user has chosen none. */
    locale: column.text({ nullable: true }),
    /** The model of the record that owns a service account in place of a person; null of all others. */
    owner_model: column.text({ nullable: true, kept: 'owner' }),
    owner_record: column.integer({ nullable: true }),
  },
  {
    indexes: {
      users_email_canonical_unique: { on: ['email_canonical'], unique: true },
      users_kind_service: { on: ['id'], where: "kind = 'service'" },
      users_owner_id: { on: ['owner_id'], where: 'owner_id is not null' },
      users_owner_record: { on: ['owner_record', 'owner_model'], where: 'owner_record is not null' },
      users_username_canonical_unique: { on: ['username_canonical'], unique: true },
    },
  },
);

/** Tokens that were revoked one by one; a row is removed after the token's expiry (Unix seconds). */
export const revokedTokensTable = table(
  'gatewright_revoked_tokens',
  {
    user_id: column.integer({ references: 'users.id', onDelete: 'cascade' }),
    expiry: column.integer(),
  },
  {
    primaryKey: ['user_id', 'expiry'],
    indexes: {
      gatewright_revoked_tokens_expiry: { on: ['expiry'] },
    },
  },
);
