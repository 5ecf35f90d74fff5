import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import type { OpenDatabase } from '../../database/database.ts';
import { openDatabase } from '../../database/open.ts';
import { applicationDatabase } from './application-database.ts';

describeEachDatabase('the database of an application', (databases) => {
  let database: OpenDatabase;
  beforeAll(async () => {
    database = await openDatabase(await databases.create());
  });
  afterAll(() => database.close());

  it('the database of an application has the name of its dialect', () => {
    expect(applicationDatabase(database).dialect).toBe(databases.dialect);
  });

  it('runs statements, alone and in a transaction', async () => {
    const query = { sql: 'select 1 as n', parameters: [] };
    const { get, write } = applicationDatabase(database);
    expect(await get(query)).toEqual({ n: 1 });
    expect(await write((transaction) => transaction.all(query))).toEqual([{ n: 1 }]);
  });
});
