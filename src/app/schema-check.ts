import type { Dialect } from '../database/dialect.ts';
import type { Ask } from '../database/introspection.ts';
import { readStored } from '../database/migrations.ts';
import {
  breaksRequests,
  type Difference,
  describeDifference,
  differences,
  externalFlaws,
} from '../database/schema-differences.ts';
import type { DatabaseTarget } from '../database/target.ts';
import type { Models } from '../model/models.ts';

/** Models and database differ too much to serve: some requests would fail or read wrong values. */
export class SchemaError extends Error {
  readonly differences: readonly Difference[];

  constructor(found: readonly Difference[]) {
    const lines = found.map((difference) => `  ${describeDifference(difference)}`);
    const isForeign = found.every(({ kind }) => kind === 'external_flaw');
    const hint = isForeign ? '' : ' (gatewright generate migration NAME writes what is missing)';
    super(`models and database differ${hint}:\n${lines.join('\n')}`);
    this.name = 'SchemaError';
    this.differences = found;
  }
}

/** The differences between models and database, field by field. */
export const schemaDifferences = async (
  ask: Ask,
  dialect: Dialect,
  models: Models,
): Promise<readonly Difference[]> => {
  if (models.size === 0) return [];
  return [
    ...differences(models, await readStored(ask, dialect)),
    ...(await externalFlaws(ask, dialect, models)),
  ];
};

/** The differences of a database, over a read-only connection of its own. */
export const differencesOf = (target: DatabaseTarget, models: Models): Promise<readonly Difference[]> =>
  target.snapshot(({ ask, dialect }) => schemaDifferences(ask, dialect, models));

/**
 * Compares the models with the database before anything is served. Harmless differences are passed to `warn`, one
 * line each.
 * @throws SchemaError where a request would fail
 */
export const checkSchema = async (
  ask: Ask,
  dialect: Dialect,
  models: Models,
  warn: (line: string) => void,
): Promise<void> => {
  const found = await schemaDifferences(ask, dialect, models);
  if (found.some(breaksRequests)) throw new SchemaError(found);
  for (const difference of found) warn(`models and database differ: ${describeDifference(difference)}`);
};
