import type { OpenDatabase } from './database.ts';
import type { DatabaseOptions, DatabaseTarget } from './target.ts';
import { databaseTarget } from './targets.ts';

/**
 * Opens a database by URL, or by the target that the migrations were given before: a temporary file is known by its
 * target only. Throws an Error on a URL of another kind.
 */
export const openDatabase = async (
  database: string | DatabaseTarget,
  options: DatabaseOptions = {},
): Promise<OpenDatabase> => {
  const target = typeof database === 'string' ? databaseTarget(database) : database;
  return target.open(options);
};
