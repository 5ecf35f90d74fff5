import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import { createThings, emptyThing, insertThings, type Thing } from '../../tests/support/things.ts';
import type { Database } from './database.ts';
import { checksumDifferences, type TableChecksums, tableChecksums } from './table-checksum.ts';
import { databaseTarget } from './targets.ts';

const full: Thing = {
  ...emptyThing,
  id: 1,
  title: 'a quote " and 书 and 😀',
  body: 'two\nlines',
  n: -9_007_199_254_740_991,
  price: 1_250,
  ratio: 0.1 + 0.2,
  flag: true,
  day: '2024-02-29',
  at: '2024-02-29T23:59:59.007Z',
  state: 'draft',
  data: '{"b": 1,"a":[null, 1e3]}',
  uid: '0190b5a4-7f4e-7cc2-9f6e-3f0a1b2c3d4e',
};
const things: readonly Thing[] = [
  full,
  { ...emptyThing, id: 2, ratio: 5, flag: false, title: '-' },
  { ...emptyThing, id: 3, ratio: 1e21, title: '' },
  { ...emptyThing, id: 4, ratio: -1.5e-7, at: '0001-01-01T00:00:00.000Z' },
];

const run = (database: Database, sql: string): Promise<unknown> => database.execute({ sql, parameters: [] });

describeEachDatabase('checksums of tables', (databases) => {
  const checksumsOf = (url: string): Promise<TableChecksums> =>
    databaseTarget(url).snapshot((snapshot) => tableChecksums(snapshot));

  const filled = async (rows: readonly Thing[]): Promise<{ url: string; database: Database }> => {
    const url = await databases.create();
    const database = await databases.open(url);
    await createThings(database);
    if (rows.length > 0) await insertThings(database, rows);
    return { url, database };
  };

  it('checksums of tables are the same on every database, whatever the order of rows, in every kind of column', async () => {
    const { url } = await filled(things);
    const checksums = await checksumsOf(url);
    // A constant: every database returns the same.
    expect(checksums).toEqual({
      things: { rows: 4, sha256: '56f4f83bbe785a344179b78cbcee74e34aa18fe545ab8425edc55e36462c33ef' },
    });
    const { url: other } = await filled(things.toReversed());
    expect(await checksumsOf(other)).toEqual(checksums);
  });

  it('checksums of tables differ by any one value, by null and nothing, and by a row that stands there twice', async () => {
    const { url, database } = await filled(things);
    const before = await checksumsOf(url);
    const seen = new Set([before['things']?.sha256]);
    for (const change of [
      `title = ''`,
      `title = 'null'`,
      `title = null, body = title`,
      'n = n + 1',
      'price = 1251',
      'ratio = 0.3',
      `flag = ${database.dialect.name === 'sqlite' ? '0' : 'false'}`,
      `day = '2024-03-01'`,
      `at = '2024-02-29T23:59:59.008Z'`,
      `data = '{"b":1,"a":[null, 1e3]}'`,
      'id = 5',
    ]) {
      await run(database, `update things set ${change} where id = 1`);
      seen.add((await checksumsOf(url))['things']?.sha256);
    }
    expect(seen.size).toBe(12);
    await run(database, 'create table twice (a integer)');
    await run(database, 'insert into twice values (1), (1)');
    const [once] = [await checksumsOf(url)];
    await run(database, 'insert into twice values (2), (2)');
    await run(database, 'delete from twice where a = 1');
    const now = await checksumsOf(url);
    expect(checksumDifferences(once, now)).toEqual(['twice has rows with other values']);
    expect(checksumDifferences(before, now)).toEqual([
      'things has rows with other values',
      'twice is one table too many',
    ]);
    await run(database, 'delete from twice');
    expect(checksumDifferences(now, await checksumsOf(url))).toEqual(['twice has 0 rows and not 2']);
    expect(checksumDifferences(now, {})).toEqual(['things is missing', 'twice is missing']);
  });

  it('checksums of tables read one state of all tables while others write', async () => {
    const { url, database } = await filled([]);
    const many = Array.from({ length: 3_000 }, (_, index) => ({
      ...emptyThing,
      id: index + 1,
      body: 'x'.repeat(1_000),
    }));
    await insertThings(database, many);
    await run(database, 'create table zeros (a integer)');
    let wrote = false;
    const found = await databaseTarget(url).snapshot((snapshot) =>
      tableChecksums(snapshot, (table) => {
        if (wrote || table !== 'things') return;
        wrote = true;
        void run(database, 'insert into zeros values (1)');
        void run(database, 'delete from things where id > 10');
      }),
    );
    expect(Object.entries(found).map(([name, { rows }]) => [name, rows])).toEqual([
      ['things', 3_000],
      ['zeros', 0],
    ]);
    await expect
      .poll(async () => Object.values(await checksumsOf(url)).map(({ rows }) => rows))
      .toEqual([10, 1]);
  });
});
