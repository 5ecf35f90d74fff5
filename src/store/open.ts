import type { Database } from './database.ts';
import { openSqlite, type SqliteOptions } from './dialects/sqlite/database.ts';
import { type DatabaseTarget, databaseTarget } from './dialects/target.ts';

export interface DatabaseOptions extends SqliteOptions {
  /** Most connections to PostgreSQL, those of streams (up to 8) not counted; 10 unless given. */
  readonly poolSize?: number;
}

/**
 * Opens a database by URL, or by the target that the migrations were given before: a temporary SQLite file is known
 * by its target only. Throws an Error on a URL of another kind.
 */
export const openDatabase = async (
  database: string | DatabaseTarget,
  options: DatabaseOptions = {},
): Promise<Database> => {
  const target = typeof database === 'string' ? databaseTarget(database) : database;
  if (target.dialect === 'sqlite') return openSqlite(target, options);
  // Whoever stays with SQLite never loads the driver of PostgreSQL.
  const { openPostgres } = await import('./dialects/postgres/database.ts');
  return openPostgres(target.url, options);
};
