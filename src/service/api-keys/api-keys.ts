import { prepare, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { Problem } from '../../kernel/problem.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Actor } from '../audit/audit.ts';
import { createCommands } from '../command.ts';
import { otherUserId, type TableContext } from '../context.ts';
import { revokeKeys } from './revoked-keys.ts';

interface StoredKey {
  readonly name: string;
  readonly user_id: number;
  readonly expired: number;
}

export interface NewKey {
  readonly userId: number;
  readonly name: string;
  readonly hash: string;
  readonly prefix: string;
  /** Milliseconds since the epoch; null: never expires. */
  readonly expiresAt: number | null;
}

/** What an administrator changes of a key; what is absent stays. */
export interface KeyChange {
  readonly name?: string;
  /** Milliseconds since the epoch; null: never expires. */
  readonly expiresAt?: number | null;
}

const timestampOrNull = (time: number | null): string | null => (time === null ? null : toTimestamp(time));

/** API keys: hashes only, the keys themselves are nowhere. */
export const createKeyStore = ({ database, clock }: TableContext) => {
  const { dialect } = database;
  const db = tablesOf({ dialect });
  const command = createCommands({ database, clock });
  const find = prepare<{ id: number; now: string }>((param) =>
    db
      .selectFrom('api_keys')
      .select(['name', 'user_id'])
      .select((eb) =>
        eb.case().when('expires_at', '<=', param('now')).then(eb.lit(1)).else(eb.lit(0)).end().as('expired'),
      )
      .where('id', '=', param('id')),
  );

  return {
    /** @throws Problem `record_not_found` where the owner is gone */
    create: (key: NewKey, actor: Actor): Promise<{ readonly id: number; readonly createdAt: number }> =>
      command(
        actor,
        async (transaction, now) => {
          const insert = db
            .insertInto('api_keys')
            .values({
              user_id: key.userId,
              name: key.name,
              key_hash: key.hash,
              key_prefix: key.prefix,
              expires_at: timestampOrNull(key.expiresAt),
              created_at: toTimestamp(now),
              last_used_at: null,
              created_by: otherUserId(actor, key.userId),
            })
            .returning('id');
          const row = await transaction.get<{ id: number }>(toQuery(insert));
          if (row === undefined) throw new Error('an insert answered no id');
          const audit = {
            action: 'key.create',
            target: { kind: 'api_key', id: row.id, name: key.name },
            detail: { user_id: key.userId, expires_at: timestampOrNull(key.expiresAt) },
          };
          return { audit, answer: { id: row.id, createdAt: now } };
        },
        { foreign_key: 'record_not_found' },
      ),

    /**
     * Renames a key, or gives it another end. One that is over stays so: whoever let it run out need not reckon with it.
     * @throws Problem `record_not_found`, `key_expired`
     */
    update: (id: number, { name, expiresAt }: KeyChange, actor: Actor): Promise<void> =>
      command(actor, async (transaction, now) => {
        const stored = await transaction.get<StoredKey>(find({ id, now: toTimestamp(now) }));
        if (stored === undefined) throw new Problem('record_not_found');
        if (expiresAt !== undefined && Number(stored.expired) === 1) throw new Problem('key_expired');
        const change = {
          ...(name === undefined ? {} : { name }),
          ...(expiresAt === undefined ? {} : { expires_at: timestampOrNull(expiresAt) }),
        };
        if (Object.keys(change).length === 0) return { audit: [], answer: undefined };
        await transaction.run(toQuery(db.updateTable('api_keys').set(change).where('id', '=', id)));
        const target = { kind: 'api_key', id, name: name ?? stored.name };
        const detail = { user_id: stored.user_id, ...change };
        return { audit: { action: 'key.update', target, detail }, answer: undefined };
      }),

    /** Deletes a key among those that the grant covers. @throws Problem `record_not_found` */
    remove: (id: number, grant: Grant, actor: Actor): Promise<void> =>
      command(actor, async (transaction, now) => {
        if (grant.rows === 'none') throw new Problem('record_not_found');
        const allowed = grant.rows.map((condition) => {
          if ('rule' in condition) throw new Error('no rule is over keys');
          return condition;
        });
        const meant = [{ column: 'id', value: id }, ...allowed];
        const [removed] = await revokeKeys(transaction, dialect, meant, actor, now);
        if (removed === undefined) throw new Problem('record_not_found');
        const target = { kind: 'api_key', id, name: removed.name };
        const detail = { user_id: removed.user_id };
        return { audit: { action: 'key.delete', target, detail }, answer: undefined };
      }),
  };
};

export type KeyStore = ReturnType<typeof createKeyStore>;
