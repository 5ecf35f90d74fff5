import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { describeDatabase, describeEachDatabase } from '../../../tests/support/databases.ts';
import { createPostgres } from '../../../tests/support/postgres.ts';
import {
  createThings,
  emptyThing,
  insertThings,
  textOf,
  thingFields,
  thingSource,
} from '../../../tests/support/things.ts';
import { watchReads } from '../../../tests/support/watched-reads.ts';
import type { Database, OpenDatabase } from '../../database/database.ts';
import { openDatabase } from '../../database/open.ts';
import { systemGrant } from '../../policy/system-grant.ts';
import { createList, type List } from './list.ts';
import { PageStarts } from './page-starts.ts';

describe('starts of pages', () => {
  it('starts of pages are found at an offset or before it, in whatever order they came', () => {
    const starts = new PageStarts();
    expect(starts.before(1_000)).toBeUndefined();
    for (const offset of [60, 20, 100, 20]) starts.keep({ offset, key: offset + 1 });
    const found = [0, 19, 20, 59, 60, 99, 100, 5_000].map((offset) => starts.before(offset)?.offset);
    expect(found).toEqual([undefined, undefined, 20, 20, 60, 60, 100, 100]);
    expect(starts.before(70)).toEqual({ offset: 60, key: 61 });
  });

  it('starts of pages stay few, and the last one is always kept', () => {
    const starts = new PageStarts();
    for (let offset = 20; offset <= 200_000; offset += 20) {
      starts.keep({ offset, key: offset });
      expect(starts.before(offset)?.offset).toBe(offset);
    }
    const kept = new Set(Array.from({ length: 10_000 }, (_, n) => starts.before(n * 20)?.offset));
    expect(kept.size).toBeLessThanOrEqual(258);
    // They are spread: a page anywhere passes a small part of the rows.
    expect(180_000 - (starts.before(180_000)?.offset ?? 0)).toBeLessThan(5_000);
  });
});

const grant = systemGrant(thingFields);
const { id: _id, ...blank } = emptyThing;
const size = 6_000;
const source = { ...thingSource, table: 'things' };

const fill = async (database: Database): Promise<void> => {
  await createThings(database);
  await insertThings(
    database,
    Array.from({ length: size }, (_, n) => ({ ...blank, n: n % 3 })),
  );
};

describeEachDatabase('pages that start behind known keys', (databases) => {
  let database: Database;
  let other: Database;
  let list: List;

  beforeAll(async () => {
    const url = await databases.create();
    database = await databases.open(url);
    await fill(database);
    other = await databases.open(url);
    list = createList(database, source);
  });

  const read = async (reader: List, query: string): Promise<unknown> => {
    database.renewSnapshot?.();
    const answer = await reader(grant, { query, path: '/things' });
    return { total: answer.headers['X-Total-Count'], rows: JSON.parse(await textOf(answer)) as unknown[] };
  };

  const conditions = ['', '&sort=-id', '&filter[n][gte]=1', '&filter[n]=2&sort=-id', '&sort=n', '&fields=id'];

  it('pages that start behind known keys have the rows that a first reader finds', async () => {
    for (const page of [1, 2, 3, 290, 100, 101, 12, 291, 300, 301, 400])
      for (const condition of conditions) {
        const query = `page=${page}&per_page=20${condition}`;
        expect(await read(list, query), query).toEqual(await read(createList(database, source), query));
      }
    const odd = 'page=23&per_page=77';
    expect(await read(list, odd)).toEqual(await read(createList(database, source), odd));
  });

  it('pages that start behind known keys have the rows of now after any write of this process or another', async () => {
    const writes = [
      () => insertThings(database, [blank]),
      () => other.execute({ sql: 'delete from things where id in (3, 44, 2000, 5000)', parameters: [] }),
      () => database.execute({ sql: 'delete from things where id = 4000', parameters: [] }),
      () => other.execute({ sql: 'update things set n = 2 where id < 1000', parameters: [] }),
      () => database.execute({ sql: 'update things set n = 1 where id > 5500', parameters: [] }),
      () => database.execute({ sql: 'update things set id = 9000000 where id = 7', parameters: [] }),
    ];
    for (const write of writes) {
      for (const condition of conditions) await read(list, `page=150&per_page=20${condition}`);
      await write();
      for (const page of [151, 250])
        for (const condition of conditions) {
          const query = `page=${page}&per_page=20${condition}`;
          expect(await read(list, query), query).toEqual(await read(createList(database, source), query));
        }
    }
  });
});

/** The offsets of the statements for some pages, read one after the other behind an earlier one. */
const offsetsOfPages = async (database: OpenDatabase): Promise<readonly unknown[]> => {
  await fill(database);
  const offsets: unknown[] = [];
  const watched = watchReads(database, ({ sql, parameters }) => {
    if (sql.includes('row_json')) offsets.push(parameters.at(-1));
  });
  const list = createList(watched, source);
  for (const page of [199, 200, 201, 204]) {
    database.renewSnapshot?.();
    await list(grant, { query: `page=${page}&per_page=20`, path: '/things' });
  }
  return offsets;
};

describeDatabase('sqlite', 'rows before a page', (databases) => {
  it('rows before a page are passed from the nearest known key, and none before the next page', async () => {
    const database = await databases.open(await databases.create());
    expect(await offsetsOfPages(database)).toEqual([3960, 0, 0, 40]);
  });
});

// On a server of its own: where others commit, no page of PostgreSQL is in the state of the one before.
describe('rows before a page (postgres alone)', () => {
  it('rows before a page are passed from the nearest known key, and none before the next page', async () => {
    const server = await createPostgres(['autovacuum=off']);
    onTestFinished(() => server.remove());
    await server.start();
    const database = await openDatabase(server.url);
    onTestFinished(() => database.close());
    expect(await offsetsOfPages(database)).toEqual([3960, 0, 0, 40]);
  }, 60_000);
});
