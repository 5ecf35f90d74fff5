import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Records at each of their versions, with the user who made it. */
export const history: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table gatewright_history (
        id ${t.id},
        model ${t.text} not null,
        record_id ${t.integer} not null,
        version ${t.integer} not null,
        action ${t.text} not null,
        at ${t.timestamp} not null,
        actor_kind ${t.text} not null,
        actor_id ${t.text},
        actor_name ${t.text},
        actor_key ${t.integer},
        reason ${t.text},
        before ${t.json},
        after ${t.json}
      )`,
      sql`create index gatewright_history_record on gatewright_history (model, record_id, id)`,
    ])
      await statement.execute(db);
  },
};
