import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Which run of `gatewright import` may write a model's records, and how far each file has been read. */
export const imports: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table gatewright_imports (
        model ${t.text} primary key not null,
        run ${t.text},
        steps ${t.integer} not null
      )`,
      sql`create table gatewright_import_places (
        id ${t.id},
        model ${t.text} not null,
        bytes ${t.integer} not null,
        digest ${t.text} not null,
        lines ${t.integer} not null,
        created ${t.integer} not null,
        updated ${t.integer} not null,
        changed_at ${t.timestamp} not null
      )`,
      sql`create index gatewright_import_places_model on gatewright_import_places (model, id)`,
    ])
      await statement.execute(db);
  },
};
