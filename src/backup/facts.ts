import { readTables } from '../database/migrations/read-tables.ts';
import { quoteName } from '../database/quote.ts';
import { dialectOf } from '../database/registry.ts';
import type { TableSnapshot } from '../database/target.ts';
import type { Manifest } from './manifest.ts';

/** The id of a database, its major version and its applied migrations. */
type Facts = Pick<Manifest, 'database' | 'major' | 'migrations'>;

/** Tables of applied migrations: those of the service, and of the application. */
const migrationTables = ['gatewright_migrations', 'migrations'] as const;

/** Reads the facts. A database of a release without ids has none. */
export const readFacts = async ({ ask, dialect }: TableSnapshot): Promise<Facts> => {
  const tables = await readTables(ask, dialectOf({ dialect }));
  const [row] = tables.has('gatewright_database')
    ? await ask<{ id: string; major: number | string }>('select id, major from gatewright_database')
    : [];
  const migrations: [string, readonly string[]][] = [];
  for (const table of migrationTables)
    if (tables.get(table)?.columns.has('name') === true) {
      const rows = await ask<{ name: string }>(`select name from ${quoteName(table)}`);
      migrations.push([table, rows.map(({ name }) => name).sort()]);
    }
  return {
    database: row?.id,
    major: Number(row?.major ?? 0),
    migrations: Object.fromEntries(migrations),
  };
};
