/** Rotation: a key gets a new secret, and the present one stays valid for an overlap. */

import { hashKey, keyPrefixLength, newKey } from '../../auth/api-key.ts';
import { timeText } from '../../database/source.ts';
import { own, sql, statement, toQuery } from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { Problem } from '../../kernel/problem.ts';
import type { AuditEntry } from '../../ledger/audit.ts';
import type { Change } from '../../ledger/context.ts';
import type { Grant } from '../../policy/grant.ts';
import { restrictionsShown, type StoredRestrictions } from './restrictions.ts';
import { storedHash } from './stored-hash.ts';

/** A key, locked until the end of the transaction. */
export interface LockedKey extends StoredRestrictions {
  readonly id: number;
  readonly user_id: number;
  /** The person behind the key: its user, or the owner of its service account. */
  readonly owner_id: number | null;
  /** The record that owns the service account of the key; null for every other key. */
  readonly owner_model: string | null;
  readonly owner_record: number | null;
  readonly name: string;
  readonly key_hash: string;
  readonly key_prefix: string;
  readonly expires_at: string | null;
  readonly created_at: string;
  /** Last use of its present secret. */
  readonly used_at: string | null;
}

/** Locks a key by its id; undefined if there is none. */
export const lockKey = ({ transaction, dialect }: Change, id: number): Promise<LockedKey | undefined> => {
  const lock = statement<{ id: number }>(
    dialect,
    (value) => sql`select k.id, k.user_id, k.name, k.key_hash, k.key_prefix,
        cast(k.scopes as text) as scopes, cast(k.networks as text) as networks,
        cast(k."limit" as text) as "limit", k.quota,
        ${timeText(dialect, sql`k.expires_at`)} as expires_at, ${timeText(dialect, sql`k.created_at`)} as created_at,
        ${timeText(dialect, sql`case when k.rotated_at is null then k.last_used_at else k.secret_used_at end`)} as used_at,
        (select case when u.kind = 'service' then u.owner_id else u.id end from ${own('users')} u where u.id = k.user_id) as owner_id,
        (select u.owner_model from ${own('users')} u where u.id = k.user_id) as owner_model,
        (select u.owner_record from ${own('users')} u where u.id = k.user_id) as owner_record
      from ${own('api_keys')} k where k.id = ${value('id')}${dialect.updateLock}`,
  );
  return transaction.get<LockedKey>(lock({ id }));
};

/** Tells whether an actor is responsible for the service accounts of a record. */
export type ManagesOwner = (
  change: Change,
  record: { readonly model: string; readonly id: number },
) => Promise<boolean>;

/**
 * The record that owns the service account of a key, if the actor manages it. It is locked before the key, as a
 * deletion of the record locks them.
 */
const managedOwner = async (
  change: Change,
  id: number,
  manages: ManagesOwner,
): Promise<{ readonly model: string; readonly id: number } | undefined> => {
  const find = statement<{ id: number }>(
    change.dialect,
    (value) => sql`select u.owner_model as model, u.owner_record as id
      from ${own('api_keys')} k join ${own('users')} u on u.id = k.user_id where k.id = ${value('id')} and u.owner_record is not null`,
  );
  const found = await change.transaction.get<{ model: string; id: number | string }>(find({ id }));
  const owner = found && { model: found.model, id: Number(found.id) };
  return owner !== undefined && (await manages(change, owner)) ? owner : undefined;
};

/**
 * Locks a key of a grant, or of a service account of a record that the actor manages.
 * @throws Problem `record_not_found`
 */
export const lockGrantedKey = async (
  change: Change,
  id: number,
  { rows }: Grant,
  manages?: ManagesOwner,
): Promise<LockedKey> => {
  if (rows === 'none') throw new Problem('record_not_found');
  const owner = manages && (await managedOwner(change, id, manages));
  const key = await lockKey(change, id);
  if (key === undefined) throw new Problem('record_not_found');
  const isManaged =
    owner !== undefined && owner.model === key.owner_model && owner.id === Number(key.owner_record);
  for (const condition of rows) {
    if ('rule' in condition || condition.column !== 'holder_id') throw new Error('keys have one condition');
    const isOwn = condition.value === key.user_id || condition.value === key.owner_id;
    if (!isOwn && !isManaged) throw new Problem('record_not_found');
  }
  return key;
};

/** A new secret, in full this once. */
export interface Rotated {
  readonly key: string;
  /** Time from which the replaced secret is refused; null: now. */
  readonly previousUntil: string | null;
}

/**
 * Gives a key a new secret. The present one stays valid until the overlap ends, or the key expires; one that was
 * replaced before ends at once, so that a key never has more than two.
 * @param overlap seconds
 * @throws Problem `key_expired`
 */
export const rotateKey = async (
  { transaction, tables, at, now }: Change,
  { id, ...key }: LockedKey,
  overlap: number,
): Promise<Rotated & { readonly audit: AuditEntry }> => {
  if (key.expires_at !== null && key.expires_at <= at) throw new Problem('key_expired');
  const secret = newKey();
  const end = toTimestamp(now + overlap * 1_000);
  const ends_at = key.expires_at !== null && key.expires_at < end ? key.expires_at : end;
  const endEarlier = tables
    .updateTable('gatewright_former_secrets')
    .set({ ends_at: at })
    .where('key_id', '=', id)
    .where('ends_at', '>', at);
  await transaction.run(toQuery(endEarlier));
  const former = {
    key_hash: key.key_hash,
    key_id: id,
    key_prefix: key.key_prefix,
    replaced_at: at,
    ends_at,
    last_used_at: key.used_at,
  };
  await transaction.run(toQuery(tables.insertInto('gatewright_former_secrets').values(former)));
  const replace = tables
    .updateTable('api_keys')
    .set({ key_hash: storedHash(hashKey(secret), key), key_prefix: secret.slice(0, keyPrefixLength) })
    .set({ rotated_at: at, secret_used_at: null })
    .where('id', '=', id);
  await transaction.run(toQuery(replace));
  const previousUntil = overlap === 0 ? null : ends_at;
  const target = { kind: 'api_key', id, name: key.name };
  const detail = { user_id: key.user_id, overlap, previous_until: previousUntil };
  return { key: secret, previousUntil, audit: { action: 'key.rotate', target, detail } };
};

/** A rotated key, as the response shows it. */
export const rotatedKey = (
  { id, name, expires_at, created_at, ...stored }: LockedKey,
  { key, previousUntil }: Rotated,
) => ({
  id,
  name,
  key,
  expires_at,
  created_at,
  ...restrictionsShown(stored),
  previous_until: previousUntil,
});
