import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import {
  createThings,
  emptyThing,
  insertThings,
  textOf,
  thingFields,
  thingSource,
} from '../../tests/support/things.ts';
import { systemGrant } from '../policy/system-grant.ts';
import type { Database } from './database.ts';
import { createList, type List } from './list.ts';

const grant = systemGrant(thingFields);
const rows = 6_000;
const { id: _id, ...blank } = emptyThing;

describeEachDatabase('totals of pages of a large table', (databases) => {
  let database: Database;
  let other: Database;
  let list: List;

  beforeAll(async () => {
    const url = await databases.create();
    database = await databases.open(url);
    await createThings(database);
    await insertThings(
      database,
      Array.from({ length: rows }, (_, n) => ({ ...blank, n: n % 3 })),
    );
    other = await databases.open(url);
    list = createList(database, thingSource);
  });

  const total = async (query: string, extra = [{ column: 'n', value: 1 }].slice(0, 0)): Promise<number> => {
    database.renewSnapshot?.();
    const answer = await list(grant, { query, path: '/things' }, extra);
    return Number(answer.headers['X-Total-Count']);
  };

  it('are right when asked again, on another page and under another row filter', async () => {
    for (const page of [1, 1, 2, 500]) expect(await total(`page=${page}&per_page=10`)).toBe(rows);
    const [one, two] = [[{ column: 'n', value: 1 }], [{ column: 'n', value: 2 }]];
    for (const filter of [one, two, one]) expect(await total('page=1&per_page=10', filter)).toBe(rows / 3);
    expect(await total('page=1&per_page=10&filter[n][gte]=1')).toBe((rows * 2) / 3);
    expect(await total('page=1&per_page=10')).toBe(rows);
  });

  it('count what was written meanwhile, by this process or another', async () => {
    const before = await total('page=1&per_page=10');
    await insertThings(database, [blank]);
    expect(await total('page=1&per_page=10')).toBe(before + 1);
    await insertThings(other, [blank]);
    expect(await total('page=1&per_page=10')).toBe(before + 2);
    await other.execute({ sql: `delete from things where id > ${rows}`, parameters: [] });
    expect(await total('page=1&per_page=10')).toBe(before);
  });

  it('agree with the rows while somebody writes all the time', async () => {
    const writing = (async () => {
      for (let n = 0; n < 40; n++) await insertThings(other, [{ ...blank, n: 7 }]);
    })();
    for (let n = 0; n < 40; n++) {
      const answer = await list(grant, { query: 'page=1&per_page=1000&filter[n]=7', path: '/t' });
      if (!('json' in answer)) throw new Error('a small page came in pieces');
      expect((JSON.parse(await textOf(answer)) as unknown[]).length).toBe(
        Number(answer.headers['X-Total-Count']),
      );
    }
    await writing;
  });
});
