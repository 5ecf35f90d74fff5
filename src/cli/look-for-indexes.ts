import { readConfig } from '../config.ts';
import type { Models } from '../model/models.ts';
import { schemaDifferences } from '../schema-check.ts';
import { databaseTarget } from '../store/dialects/targets.ts';
import { type MissingIndex, missingIndexes } from '../store/migrations/missing-indexes.ts';
import { openDatabase } from '../store/open.ts';
import type { Io } from './io.ts';

/**
 * Indexes that models and their rules ask for and the database has not. Undefined where there is no database to look
 * at, or none that answers, which is told: whoever reads the model files in a place without one learns the rest.
 */
export const lookForIndexes = async (
  io: Pick<Io, 'env' | 'warn'>,
  models: Models,
): Promise<readonly MissingIndex[] | undefined> => {
  const target = databaseTarget(readConfig(io.env).databaseUrl);
  if (target.isEmpty()) return undefined;
  try {
    const database = await openDatabase(target, { poolSize: 1 });
    try {
      const ask = <Row>(sql: string): Promise<Row[]> => database.all<Row>({ sql, parameters: [] });
      return missingIndexes(await schemaDifferences(ask, database.dialect, models));
    } finally {
      await database.close();
    }
  } catch (error) {
    io.warn(`the database was not looked at: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
};
