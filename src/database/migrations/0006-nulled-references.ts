import { dialectOf } from '../registry.ts';
import { askThrough } from './ask-through.ts';
import type { Migration } from './migration.ts';
import { nulledColumns, watchReference } from './nulled-references.ts';
import { readTables } from './read-tables.ts';
import { runAll } from './statements.ts';

/** Tables that were made before: from now on `createTable` and `alterTable` see to it. */
export const nulledReferences: Migration = {
  up: async (db, name) => {
    const dialect = dialectOf({ dialect: name });
    const tables = await readTables(askThrough(db), dialect);
    for (const table of tables.values())
      for (const column of nulledColumns(table))
        await runAll(db, watchReference(dialect, table.name, column));
  },
};
