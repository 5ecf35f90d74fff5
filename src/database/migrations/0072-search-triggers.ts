import { askThrough } from './ask-through.ts';
import type { Migration } from './migration.ts';
import { ownStep } from './own-step.ts';
import { readTables } from './read-tables.ts';
import { runAll } from './statements.ts';

/**
 * Triggers of full-text searches whose work is linear in the text. Those of earlier releases replaced each accented
 * letter in the whole text, one after the other. They made the same words.
 */
export const searchTriggers: Migration = ownStep(async (db, dialect) => {
  for (const [of, { search }] of await readTables(askThrough(db), dialect))
    if (search !== undefined) await runAll(db, dialect.schema.search.renew({ of, columns: search }));
});
