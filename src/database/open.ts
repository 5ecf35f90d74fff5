import type { OpenDatabase } from './database.ts';
import type { DatabaseOptions, DatabaseTarget } from './target.ts';
import { databaseTarget } from './targets.ts';

/**
 * Opens a database by its URL, or by the target that migrations have used: a temporary file is known only to its
 * target.
 * @throws Error for a URL of another kind
 */
export const openDatabase = async (
  database: string | DatabaseTarget,
  options: DatabaseOptions = {},
): Promise<OpenDatabase> => {
  const target = typeof database === 'string' ? databaseTarget(database) : database;
  return target.open(options);
};
