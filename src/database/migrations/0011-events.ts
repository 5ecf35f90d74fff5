import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/**
 * Events of records, in the order in which it was committed. Where ids are not given in that order, an event
 * stands in the inbox until it gets its number.
 */
export const events: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const table of ['gatewright_events', 'gatewright_event_inbox'])
      await sql`create table ${sql.table(table)} (
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
        fields ${t.json} not null,
        reach ${t.json}
      )`.execute(db);
  },
};
