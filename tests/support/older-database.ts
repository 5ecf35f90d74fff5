import { readFile } from 'node:fs/promises';
import { coreSet } from '../../src/database/migrations/core.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { migrate } from '../../src/database/migrations/runner.ts';
import { runAll } from '../../src/database/migrations/statements.ts';
import type { DialectName } from '../../src/database/name.ts';
import { databaseTarget } from '../../src/database/targets.ts';

/**
 * The migrations that the baseline replaces, by name, as their SQL on an empty database. A file has a comment with the name
 * before the statements of each, and a blank line between statements.
 */
const replacedMigrations = async (dialect: DialectName): Promise<Migrations> => {
  const file = new URL(`./tables-at-0057/${dialect}.sql`, import.meta.url);
  const steps = (await readFile(file, 'utf8')).split(/^-- /m).slice(1);
  return Object.fromEntries(
    steps.map((step) => {
      const [name = '', ...statements] = step.trim().split('\n\n');
      return [name, { up: (db) => runAll(db, statements) }];
    }),
  );
};

/**
 * Makes the service's tables of an earlier commit in an empty database, with later steps of today as far as `last`.
 * Returns the names of the steps.
 */
export const createOlderTables = async (
  url: string,
  dialect: DialectName,
  last = '0057_fills',
): Promise<readonly string[]> => {
  const { baseline, migrations, tableName } = coreSet;
  const later = Object.entries(migrations).filter(([name]) => name !== baseline?.name);
  const steps = [...Object.entries(await replacedMigrations(dialect)), ...later].filter(
    ([name]) => name <= last,
  );
  return migrate(databaseTarget(url), Object.fromEntries(steps), { tableName });
};
