import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Records that were deleted and can come back, with all that went with them. */
export const trash: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table gatewright_trash (
        id ${t.id},
        bundle ${t.text} not null,
        kind ${t.text} not null,
        model ${t.text} not null,
        record_id ${t.integer} not null,
        version ${t.integer},
        record ${t.json},
        field ${t.text},
        target_id ${t.integer},
        deleted_at ${t.timestamp} not null,
        actor_kind ${t.text} not null,
        actor_id ${t.text},
        actor_name ${t.text},
        actor_key ${t.integer},
        reason ${t.text}
      )`,
      sql`create index gatewright_trash_record on gatewright_trash (model, record_id) where kind <> 'reference'`,
      sql`create index gatewright_trash_deleted on gatewright_trash (model, deleted_at, id) where kind = 'first'`,
      sql`create index gatewright_trash_bundle on gatewright_trash (bundle, kind)`,
      sql`create index gatewright_trash_age on gatewright_trash (kind, deleted_at)`,
    ])
      await statement.execute(db);
  },
};
