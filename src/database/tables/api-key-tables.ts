/** API keys, their secrets and their use. */

import { sql } from '../statement.ts';
import { clockSlackMs, removedAfter, seconds, setToNow } from './stored-time.ts';
import { column, table } from './table.ts';

/**
 * Most seconds for which a replaced secret stays valid beside the new one.
 * @limit Accounts and credentials | overlap of two secrets of a key, an application or a webhook | s | 422
 */
export const maxOverlapSeconds = 30 * 86_400;

export const apiKeysTable = table(
  'api_keys',
  {
    id: column.id(),
    user_id: column.integer({ references: 'users.id', onDelete: 'cascade' }),
    name: column.text(),
    /** SHA-256 of the key, lowercase hex; unique. */
    key_hash: column.text(),
    /** First 8 hex digits of the key. */
    key_prefix: column.text(),
    expires_at: column.time(
      {
        decides: 'when a key ends',
        most: 'any: chosen by a person',
        wasAhead: 'stays: it is an absolute time',
        wasBehind: 'stays',
      },
      { nullable: true },
    ),
    created_at: column.time('shown'),
    /** Last use of any of its secrets. */
    last_used_at: column.time(
      {
        decides: 'which keys count as unused',
        mostMs: 0,
        set: setToNow,
        // The expression of the index.
        found: (ahead) => sql`coalesce(last_used_at, created_at) > ${ahead(clockSlackMs)}
        and last_used_at > ${ahead(clockSlackMs)}`,
        wasAhead: 'counts as used now',
        wasBehind: 'the next use corrects it',
      },
      { nullable: true },
    ),
    /** The other user who made it; null if the owner did. No foreign key: the maker matters when that user is gone. */
    created_by: column.integer({ nullable: true }),
    /** JSON array of texts; null: everything that the owner may do. */
    scopes: column.json({ nullable: true }),
    /** JSON array of texts; null: from everywhere. */
    networks: column.json({ nullable: true }),
    /** Time of the last rotation; null before the first one. */
    rotated_at: column.time('shown', { nullable: true }),
    /** Last use of the present secret. */
    secret_used_at: column.time(
      {
        decides: 'whether the new secret of a rotated key is in use',
        mostMs: 0,
        set: setToNow,
        wasAhead: 'counts as used now',
        wasBehind: 'the next use corrects it',
      },
      { nullable: true },
    ),
    /** The expiry of which the owner of its service account has been notified. */
    notified_expires_at: column.time(
      {
        decides: 'whether the owner of a service account has been notified that its key expires',
        most: 'any: the expiry of the key',
        wasAhead: 'notified sooner, and once: like removals, it waits for a day after a leap of the clock',
        wasBehind: 'notified later by as much',
      },
      { nullable: true },
    ),
    /** JSON object `{max, window, burst}`; null: no limit of its own. */
    limit: column.json({ nullable: true }),
    /** Requests of a month; null: any number. */
    quota: column.integer({ nullable: true }),
  },
  {
    indexes: {
      api_keys_created_by: { on: ['created_by', 'id'], where: 'created_by is not null' },
      api_keys_expires_at: { on: ['expires_at'], where: 'expires_at is not null' },
      // Keys by the time of their last use; the end is there so that expired ones are skipped.
      api_keys_idle: { on: ['coalesce(last_used_at, created_at)', 'expires_at'] },
      api_keys_key_hash_unique: { on: ['key_hash'], unique: true },
      api_keys_user_id: { on: ['user_id', 'id'] },
    },
  },
);

/** Secrets that a rotation has replaced, whether or not their overlap has ended. */
export const formerSecretsTable = table(
  'gatewright_former_secrets',
  {
    /** SHA-256, lowercase hex. */
    key_hash: column.text({ primaryKey: true }),
    /** No foreign key: the row outlives its key, so that a former secret is still recognised. */
    key_id: column.integer(),
    key_prefix: column.text(),
    replaced_at: column.time('shown'),
    /** End of the overlap: the secret is refused from then on. */
    ends_at: column.time([
      {
        decides: 'how long the replaced secret of a key works next to the new one',
        mostMs: seconds(maxOverlapSeconds),
        set: setToNow,
        // The overlap is no longer than the time since the replacement allows, whatever the clock said then.
        found: (ahead) => sql`ends_at > ${ahead(clockSlackMs)}
        and (ends_at > ${ahead(seconds(maxOverlapSeconds) + clockSlackMs)} or replaced_at > ${ahead(clockSlackMs)})`,
        wasAhead: 'ends now',
        wasBehind: 'ends sooner by as much',
      },
      removedAfter('90 days', 'replaced secrets of keys are'),
    ]),
    last_used_at: column.time(
      {
        decides: 'whether the replaced secret of a key is still in use',
        mostMs: 0,
        set: setToNow,
        wasAhead: 'counts as used now',
        wasBehind: 'the next use corrects it',
      },
      { nullable: true },
    ),
  },
  {
    indexes: {
      gatewright_former_secrets_ends_at: { on: ['ends_at'] },
      gatewright_former_secrets_key_id: { on: ['key_id', 'ends_at'] },
    },
  },
);

/** Deleted keys by name; triggers of `api_keys` and `users` write a row where the service does not. */
export const revokedKeysTable = table(
  'gatewright_revoked_keys',
  {
    key_id: column.integer({ primaryKey: true }),
    /** The hash as it stood in `api_keys`. */
    key_hash: column.text(),
    name: column.text(),
    /** The owner as they were then. */
    user_id: column.integer(),
    username: column.text(),
    revoked_at: column.time(removedAfter('90 days', 'names of revoked keys are')),
    /** Kind of the actor, as in the audit log; null if a statement of another version or program deleted it. */
    actor_kind: column.text({ nullable: true }),
    actor_id: column.text({ nullable: true }),
    actor_name: column.text({ nullable: true }),
  },
  {
    indexes: {
      gatewright_revoked_keys_key_hash: { on: ['key_hash'] },
      gatewright_revoked_keys_revoked_at: { on: ['revoked_at'] },
    },
  },
);

/** Networks from which keys were used. */
export const keyNetworksTable = table(
  'gatewright_key_networks',
  {
    key_id: column.integer({ references: 'api_keys.id', onDelete: 'cascade' }),
    network: column.text(),
    first_used_at: column.time(removedAfter('90 days', 'networks of keys are')),
  },
  {
    primaryKey: ['key_id', 'network'],
    indexes: {
      key_networks_first_used_at: { on: ['first_used_at'] },
    },
  },
);

/** Responses to each key by the day: `YYYY-MM-DD` in UTC. */
export const keyUsageTable = table(
  'gatewright_key_usage',
  {
    key_id: column.integer({ references: 'api_keys.id', onDelete: 'cascade' }),
    day: column.text({ time: removedAfter('31 days', 'use of keys by the day is') }),
    requests: column.integer(),
    /** The part of them with a status of 400 or above. */
    refused: column.integer(),
    /** Address of the last one. */
    address: column.text(),
  },
  {
    primaryKey: ['key_id', 'day'],
    indexes: {
      gatewright_key_usage_day: { on: ['day'] },
    },
  },
);

/** Requests of each key by the day and the scope that they needed. */
export const keyUsesTable = table(
  'gatewright_key_uses',
  {
    key_id: column.integer({ references: 'api_keys.id', onDelete: 'cascade' }),
    day: column.text({ time: removedAfter('31 days', 'scopes used by keys by the day are') }),
    scope: column.text({ kept: 'log' }),
    requests: column.integer(),
  },
  {
    primaryKey: ['key_id', 'day', 'scope'],
    indexes: {
      gatewright_key_uses_day: { on: ['day'] },
    },
  },
);

/** Routes and statuses of each key's requests, the last ones. */
export const keyCallsTable = table(
  'gatewright_key_calls',
  {
    key_id: column.integer({ references: 'api_keys.id', onDelete: 'cascade' }),
    method: column.text(),
    route: column.text({ kept: 'log' }),
    status: column.integer(),
    requests: column.integer(),
    last_at: column.time('shown'),
  },
  {
    primaryKey: ['key_id', 'method', 'route', 'status'],
  },
);
