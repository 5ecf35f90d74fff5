import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import {
  createThings,
  emptyThing,
  insertThings,
  textOf,
  thingFields,
  thingSource,
} from '../../../tests/support/things.ts';
import { watchReads } from '../../../tests/support/watched-reads.ts';
import type { Database } from '../../database/database.ts';
import { systemGrant } from '../../policy/system-grant.ts';
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

  it('totals of a large table are right when asked again, on another page and under another row filter', async () => {
    for (const page of [1, 1, 2, 500]) expect(await total(`page=${page}&per_page=10`)).toBe(rows);
    const [one, two] = [[{ column: 'n', value: 1 }], [{ column: 'n', value: 2 }]];
    for (const filter of [one, two, one]) expect(await total('page=1&per_page=10', filter)).toBe(rows / 3);
    expect(await total('page=1&per_page=10&filter[n][gte]=1')).toBe((rows * 2) / 3);
    expect(await total('page=1&per_page=10')).toBe(rows);
  });

  it('totals of pages of a large table count what was written meanwhile, by this process or another', async () => {
    const before = await total('page=1&per_page=10');
    await insertThings(database, [blank]);
    expect(await total('page=1&per_page=10')).toBe(before + 1);
    await insertThings(other, [blank]);
    expect(await total('page=1&per_page=10')).toBe(before + 2);
    await other.execute({ sql: `delete from things where id > ${rows}`, parameters: [] });
    expect(await total('page=1&per_page=10')).toBe(before);
  });

  /** The list of a database in which something happens once, just before the next page is read. */
  const listBehind = (
    happens: () => Promise<unknown>,
    revision: (sql: string) => number = (sql) => database.revision?.(sql) ?? 0,
  ) => {
    let pending = false;
    const first = async (): Promise<void> => {
      if (!pending) return;
      pending = false;
      await happens();
    };
    const watched: Database = {
      dialect: database.dialect,
      all: (query) => database.all(query),
      get: (query) => first().then(() => database.get(query)),
      scan: (query, by) => first().then(() => database.scan(query, by)),
      stream: (query, by) => database.stream(query, by),
      execute: (query) => database.execute(query),
      write: (unit) => database.write(unit),
      ping: () => database.ping(),
      interrupt: () => database.interrupt(),
      close: () => database.close(),
      ...(database.revision && { revision }),
    };
    const page = createList(watched, thingSource);
    const ask = async (query: string, during = false) => {
      await page(grant, { query: 'page=1&per_page=1&sort=n', path: '/things' });
      pending = during;
      const answer = await page(grant, { query, path: '/things' });
      return {
        total: Number(answer.headers['X-Total-Count']),
        rows: (JSON.parse(await textOf(answer)) as unknown[]).length,
      };
    };
    return ask;
  };
  const fives = 'page=1&per_page=1000&filter[n]=5';
  const remove = () => other.execute({ sql: `delete from things where id > ${rows}`, parameters: [] });

  it('totals that are known are counted again where somebody writes before the rows are read', async () => {
    const ask = listBehind(() => insertThings(other, [{ ...blank, n: 5 }]));
    expect(await ask(fives)).toEqual({ total: 0, rows: 0 });
    expect(await ask(fives, true)).toEqual({ total: 1, rows: 1 });
    await remove();
  });

  it('totals are not remembered where somebody wrote while they were counted', async () => {
    let revision = 1;
    const ask = listBehind(
      async () => {
        await insertThings(other, [{ ...blank, n: 5 }]);
        revision = 2;
      },
      () => revision,
    );
    expect(await ask(fives, true)).toEqual({ total: 1, rows: 1 });
    await remove();
    // A turn sees this whose snapshot is from before the write.
    revision = 1;
    expect(await ask(fives)).toEqual({ total: 0, rows: 0 });
  });

  it('totals are counted with the page, in one statement, while every page follows a write', async () => {
    let pages = 0;
    const watched = watchReads(database, ({ sql }) => {
      if (sql.includes('row_json')) pages += 1;
    });
    const paged = createList(watched, thingSource);
    const ask = async (): Promise<number> => {
      pages = 0;
      database.renewSnapshot?.();
      await paged(grant, { query: 'page=2&per_page=10', path: '/things' });
      return pages;
    };
    for (let n = 0; n < 3; n++) await ask();
    const statements: number[] = [];
    for (let n = 0; n < 4; n++) {
      await insertThings(other, [blank]);
      statements.push(await ask());
    }
    // The first page finds out that the database has changed.
    expect(statements.slice(1)).toEqual([1, 1, 1]);
    await remove();
  });

  it('totals of pages of a large table agree with the rows while somebody writes all the time', async () => {
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
