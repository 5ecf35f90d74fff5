import { type RawBuilder, sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/**
 * The user who made something for another one: links, keys, webhooks, passwords. Null: users did it themselves, or it was
 * done by the command line or by an instance of an older version. The audit log says it of what is there already.
 */
export const makers: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    const textOf = (column: string) => sql`cast(${sql.ref(column)} as text)`;
    /** Sets a column to the user who did the last of these actions to the row. */
    const fill = (table: string, column: string, id: string, kind: string, actions: RawBuilder<unknown>) =>
      sql`update ${sql.table(table)} set ${sql.ref(column)} = cast(made.actor_id as ${t.integer})
        from (select a.target_id, a.actor_id from audit a where a.actor_kind = 'user' and a.id in (
          select max(id) from audit where target_kind = ${sql.lit(kind)} and ${actions} group by target_id)) made
        where ${textOf(`${table}.${id}`)} = made.target_id`;
    for (const statement of [
      // A link goes with its maker, also where an instance of an older version deletes them.
      sql`alter table gatewright_invitations add column made_by ${t.integer} references users (id) on delete cascade`,
      sql`create index gatewright_invitations_made_by on gatewright_invitations (made_by)`,
      // No foreign keys: ids are never used again, and the maker of a key matters when the maker is gone.
      sql`alter table api_keys add column created_by ${t.integer}`,
      sql`create index api_keys_created_by on api_keys (created_by, id) where created_by is not null`,
      sql`alter table gatewright_webhooks add column created_by ${t.integer}`,
      sql`alter table users add column password_set_by ${t.integer}`,
      sql`${fill('gatewright_invitations', 'made_by', 'user_id', 'user', sql`action = 'invitation.create'`)}
        and ended_at is null and exists (select 1 from users u where ${textOf('u.id')} = made.actor_id)`,
      sql`${fill('api_keys', 'created_by', 'id', 'api_key', sql`action = 'key.create'`)}
        and ${textOf('user_id')} <> made.actor_id`,
      fill('gatewright_webhooks', 'created_by', 'id', 'webhook', sql`action = 'webhook.create'`),
      sql`${fill(
        'users',
        'password_set_by',
        'id',
        'user',
        sql`(action in ('user.create', 'user.password', 'invitation.use')
          or action = 'user.update' and ${textOf('detail')} like '%"password"%')`,
      )} and ${textOf('users.id')} <> made.actor_id`,
    ])
      await statement.execute(db);
  },
};
