import { readConfig } from '../app/config.ts';
import { differencesOf } from '../app/schema-check.ts';
import type { Difference } from '../database/migrations/differences.ts';
import { databaseTarget } from '../database/targets.ts';
import type { Models } from '../model/models.ts';
import type { Io } from './io.ts';

/**
 * Where models and database differ. Undefined where there is no database to look at, or none that responds, which is
 * printed: the model files alone tell the rest.
 */
export const lookAtSchema = async (
  io: Pick<Io, 'env' | 'warn'>,
  models: Models,
): Promise<readonly Difference[] | undefined> => {
  const target = databaseTarget(readConfig(io.env).databaseUrl);
  if (target.isEmpty()) return undefined;
  try {
    return await differencesOf(target, models);
  } catch (error) {
    io.warn(`the database was not looked at: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
};
