import type { OpenDatabase } from './database.ts';
import type { PostgresOptions } from './dialects/postgres/database.ts';
import { openSqlite, type SqliteOptions } from './dialects/sqlite/database.ts';
import { type DatabaseTarget, databaseTarget } from './dialects/target.ts';

/** What each of the databases takes; the other leaves it alone. */
export interface DatabaseOptions extends SqliteOptions, PostgresOptions {}

/**
 * Opens a database by URL, or by the target that the migrations were given before: a temporary SQLite file is known
 * by its target only. Throws an Error on a URL of another kind.
 */
export const openDatabase = async (
  database: string | DatabaseTarget,
  options: DatabaseOptions = {},
): Promise<OpenDatabase> => {
  const target = typeof database === 'string' ? databaseTarget(database) : database;
  if (target.dialect === 'sqlite') return openSqlite(target, options);
  // Whoever stays with SQLite never loads the driver of PostgreSQL.
  const { openPostgres } = await import('./dialects/postgres/database.ts');
  return await openPostgres(target.url, options);
};
