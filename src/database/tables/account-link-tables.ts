/** Links by which a user sets a password, or confirms an address or a registration. */

import { accountLinkLifetime, invitationLifetime } from '../../auth/link-token.ts';
import { sql } from '../statement.ts';
import { seconds } from './stored-time.ts';
import { column, table } from './table.ts';

/** Links by which users set a password of their own; at most one of a user is open. */
export const invitationsTable = table(
  'gatewright_invitations',
  {
    id: column.id(),
    user_id: column.integer({ references: 'users.id', onDelete: 'cascade' }),
    /** SHA-256 of the token, lowercase hex; unique. */
    token_hash: column.text(),
    created_at: column.time('shown'),
    expires_at: column.time({
      decides: 'how long a link is valid',
      mostMs: seconds(invitationLifetime),
      of: sql`ended_at is null`,
      set: { column: 'ended_at', aheadMs: 0 },
      wasAhead: 'the link is invalid',
      wasBehind: 'ends sooner by as much',
    }),
    used_at: column.time('shown', { nullable: true }),
    /** Time at which it was used or replaced; null also once its time is over. */
    ended_at: column.time('shown', { nullable: true }),
    /** The administrator who made it: it is good for what they may do when it is used. */
    made_by: column.integer({ nullable: true, references: 'users.id', onDelete: 'cascade' }),
    /** Code of the application made it for the system. An instance of an older version does not accept it. */
    by_system: column.boolean({ default: false }),
    /** Security stamp of the user when the link was made. */
    security_stamp: column.integer({ nullable: true }),
  },
  {
    indexes: {
      gatewright_invitations_expires_at: { on: ['expires_at'] },
      gatewright_invitations_made_by: { on: ['made_by'] },
      gatewright_invitations_open_unique: { on: ['user_id'], unique: true, where: 'ended_at is null' },
      gatewright_invitations_token_hash_unique: { on: ['token_hash'], unique: true },
      gatewright_invitations_user_id: { on: ['user_id'] },
    },
  },
);

/** Requests that are confirmed by mail. A row has a token once its job has found a recipient. */
export const accountLinksTable = table(
  'gatewright_account_links',
  {
    id: column.id(),
    /** `password_reset`, `email` or `registration`; `address_in_use` once a notice was sent in place of a link. */
    purpose: column.text(),
    /** The account or address as it was sent; with a token, the address to which the link was sent. */
    account: column.text(),
    /** See `canonicalAccount`. */
    canonical: column.text(),
    user_id: column.integer({ nullable: true, references: 'users.id', onDelete: 'cascade' }),
    /** JSON of the requested username, name and password hash. */
    registration: column.text({ nullable: true }),
    locale: column.text(),
    /** Address of the client that made the request. */
    address: column.text({ nullable: true }),
    /**
     * SHA-256 of the token, lowercase hex; unique. Null before a message was sent, and once a newer link replaced it.
     */
    token_hash: column.text({ nullable: true }),
    created_at: column.time({
      decides: 'when a request without a link is removed',
      mostMs: 0,
      wasAhead: 'the request is invalid',
      wasBehind: 'is removed sooner by as much',
    }),
    /** Null until a message was sent. */
    expires_at: column.time(
      {
        decides: 'how long a link that was sent by mail is valid',
        mostMs: seconds(accountLinkLifetime),
        wasAhead: 'the link is invalid',
        wasBehind: 'ends sooner by as much',
      },
      { nullable: true },
    ),
    /** Security stamp of the user when the password was verified or the link was sent; null without a user. */
    security_stamp: column.integer({ nullable: true }),
    /** The user who asked for it, or the network of an anonymous client. */
    requester: column.text({ nullable: true }),
  },
  {
    indexes: {
      gatewright_account_links_canonical: { on: ['canonical'] },
      gatewright_account_links_created_at: { on: ['created_at'] },
      gatewright_account_links_token_hash_unique: { on: ['token_hash'], unique: true },
      gatewright_account_links_user_id: { on: ['user_id'] },
    },
  },
);
