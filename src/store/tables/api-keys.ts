import { Problem } from '../../kernel/problem.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { Grant } from '../../policy/grant.ts';
import { ConstraintError } from '../database.ts';
import { toQuery } from '../statement.ts';
import { type Actor, recordAudit } from './audit.ts';
import type { TableContext } from './context.ts';
import { tablesOf } from './tables-of.ts';

export interface NewKey {
  readonly userId: number;
  readonly name: string;
  readonly hash: string;
  readonly prefix: string;
  /** Milliseconds since the epoch; null: never expires. */
  readonly expiresAt: number | null;
}

/** API keys: hashes only, the keys themselves are nowhere. */
export const createKeyStore = ({ database, clock }: TableContext) => {
  const { dialect } = database;
  const db = tablesOf({ dialect });

  return {
    /** @throws Problem `record_not_found` where the owner is gone */
    create: (key: NewKey, actor: Actor): Promise<{ readonly id: number; readonly createdAt: number }> =>
      database
        .write(async (transaction) => {
          const now = clock();
          const insert = db
            .insertInto('api_keys')
            .values({
              user_id: key.userId,
              name: key.name,
              key_hash: key.hash,
              key_prefix: key.prefix,
              expires_at: key.expiresAt === null ? null : toTimestamp(key.expiresAt),
              created_at: toTimestamp(now),
              last_used_at: null,
            })
            .returning('id');
          const row = await transaction.get<{ id: number }>(toQuery(insert));
          if (row === undefined) throw new Error('an insert answered no id');
          await recordAudit(transaction, dialect, now, actor, {
            action: 'key.create',
            target: { kind: 'api_key', id: row.id, name: key.name },
            detail: {
              user_id: key.userId,
              expires_at: key.expiresAt === null ? null : toTimestamp(key.expiresAt),
            },
          });
          return { id: row.id, createdAt: now };
        })
        .catch((error: unknown) => {
          if (error instanceof ConstraintError && error.kind === 'foreign_key')
            throw new Problem('record_not_found', { cause: error });
          throw error;
        }),

    /** Deletes a key among those that the grant covers. @throws Problem `record_not_found` */
    remove: (id: number, grant: Grant, actor: Actor): Promise<void> =>
      database.write(async (transaction) => {
        if (grant.rows === 'none') throw new Problem('record_not_found');
        let query = db.deleteFrom('api_keys').where('id', '=', id).returning(['name', 'user_id']);
        for (const condition of grant.rows) {
          if ('rule' in condition) throw new Error('no rule is over keys');
          query = query.where(db.dynamic.ref(condition.column), '=', condition.value);
        }
        const row = await transaction.get<{ name: string; user_id: number }>(toQuery(query));
        if (row === undefined) throw new Problem('record_not_found');
        await recordAudit(transaction, dialect, clock(), actor, {
          action: 'key.delete',
          target: { kind: 'api_key', id, name: row.name },
          detail: { user_id: row.user_id },
        });
      }),
  };
};

export type KeyStore = ReturnType<typeof createKeyStore>;
