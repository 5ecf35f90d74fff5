import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../tests/support/databases.ts';
import { createOlderTables } from '../../../../tests/support/older-database.ts';
import { coreSet } from '../../../database/migrations/core.ts';
import { readTables } from '../../../database/migrations/read-tables.ts';
import { migrateAll } from '../../../database/migrations/runner.ts';
import { serviceNames } from '../../../database/service-names.ts';
import { databaseTarget } from '../../../database/targets.ts';
import { assertSameSteps, assertSameTables, stepsOf } from './compare.ts';

describeEachDatabase('a move', (databases) => {
  const found = async (url: string) => {
    await migrateAll(databaseTarget(url), [coreSet]);
    const database = await databases.open(url);
    const ask = <Row>(sql: string): Promise<readonly Row[]> => database.all<Row>({ sql, parameters: [] });
    const tables = await readTables(ask, database.dialect);
    return { tables, steps: await stepsOf(ask, tables, serviceNames()) };
  };

  it('a database from before the baseline has the same steps and tables as a new one', async () => {
    const older = await databases.create();
    await createOlderTables(older, databases.dialect);
    const [source, destination] = [await found(older), await found(await databases.create())];
    expect(source.steps[0]).toBe('gatewright_migrations 0001_baseline');
    expect(() => assertSameSteps(source.steps, destination.steps)).not.toThrow();
    expect(() => assertSameTables(source.tables, destination.tables, serviceNames())).not.toThrow();
    expect(() => assertSameSteps(source.steps.slice(1), destination.steps)).toThrow(/0001_baseline/);
  });
});
