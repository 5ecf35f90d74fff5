/**
 * Deletion of keys: every deleted key leaves a row with its data and its actor, so that a leaked key can still be
 * named.
 */

import type { SqlValue } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type AuditEntry, auditActorOf } from '../../ledger/audit.ts';
import type { Changed } from '../../ledger/command.ts';
import type { Change, TableContext } from '../../ledger/context.ts';
import { lockKey } from './rotation.ts';

/** Milliseconds for which a deleted key is kept by name: as long as security events. */
const retention = 90 * 24 * 3_600_000;

/** A key that was deleted. */
export interface RemovedKey {
  readonly id: number;
  readonly name: string;
  readonly user_id: number;
}

/** A value that a column of `api_keys` must have. */
export interface KeyCondition {
  readonly column: string;
  readonly value: SqlValue;
}

/**
 * Deletes the keys that meet all conditions, and stores their data and the actor. All code of the service
 * deletes keys this way; a trigger stores the same row without an actor for any other deletion.
 */
export const revokeKeys = async (
  { transaction, tables, actor, at }: Change,
  conditions: readonly KeyCondition[],
): Promise<readonly RemovedKey[]> => {
  const { actor_kind, actor_id, actor_name } = auditActorOf(actor);
  let kept = tables
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select(['api_keys.id', 'api_keys.key_hash', 'api_keys.name', 'api_keys.user_id', 'users.username'])
    .select((eb) => [
      eb.val(at).as('revoked_at'),
      eb.val<string | null>(actor_kind).as('actor_kind'),
      eb.val(actor_id).as('actor_id'),
      eb.val(actor_name).as('actor_name'),
    ]);
  let deletion = tables.deleteFrom('api_keys').returning(['id', 'name', 'user_id']);
  for (const { column, value } of conditions) {
    kept = kept.where(tables.dynamic.ref(`api_keys.${column}`), '=', value);
    deletion = deletion.where(tables.dynamic.ref(column), '=', value);
  }
  const insert = tables
    .insertInto('gatewright_revoked_keys')
    .columns([
      'key_id',
      'key_hash',
      'name',
      'user_id',
      'username',
      'revoked_at',
      'actor_kind',
      'actor_id',
      'actor_name',
    ])
    .expression(kept)
    .onConflict((conflict) => conflict.column('key_id').doNothing());
  await transaction.run(toQuery(insert));
  return await transaction.all<RemovedKey>(toQuery(deletion));
};

/** Revokes a key, with the line of the audit log. `more` are details of it. */
export const revokeKey = async (
  change: Change,
  { id, name, user_id }: RemovedKey,
  more: JsonObject = {},
): Promise<AuditEntry> => {
  await revokeKeys(change, [{ column: 'id', value: id }]);
  const target = { kind: 'api_key', id, name };
  return { action: 'key.delete', target, detail: { user_id, ...more } };
};

/** Revokes a key that was found where others can read it. Returns false if it does not exist any more. */
export const revokeLeakedKey = async (change: Change, id: number): Promise<Changed<boolean>> => {
  const key = await lockKey(change, id);
  if (key === undefined) return { result: false };
  return { audit: await revokeKey(change, key, { leaked: true }), result: true };
};

/** Deletes rows of keys that were deleted, and of secrets that ended, long ago; called periodically. */
export const sweepRevokedKeys = async ({ database, clock }: TableContext, now = clock()): Promise<void> => {
  const before = toTimestamp(now - retention);
  const db = tablesOf(database);
  const keys = db.deleteFrom('gatewright_revoked_keys').where('revoked_at', '<', before);
  const secrets = db.deleteFrom('gatewright_former_secrets').where('ends_at', '<', before);
  for (const old of [keys, secrets]) await database.execute(toQuery(old));
};
