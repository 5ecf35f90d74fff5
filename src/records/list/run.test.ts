import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Databases, describeDatabase, describeEachDatabase } from '../../../tests/support/databases.ts';
import { createPostgres, type PostgresServer } from '../../../tests/support/postgres.ts';
import {
  createThings,
  emptyThing,
  insertThings,
  linkOf,
  rowsOf,
  type Thing,
  textOf,
  thingFields,
  thingSource,
} from '../../../tests/support/things.ts';
import type { Caller, Database, DeferredCaller, OpenDatabase, Query } from '../../database/database.ts';
import { openDatabase } from '../../database/open.ts';
import type { Source } from '../../database/source.ts';
import { serviceTime } from '../../database/source.ts';
import { sql } from '../../database/statement.ts';
import { systemGrant } from '../../policy/system-grant.ts';
import { createList } from './list.ts';
import { smallTable } from './run.ts';

const path = '/things';
const grant = systemGrant(thingFields);
const mib = 1024 * 1024;

const rowsBy = (count: number, of: (index: number) => Thing = () => ({})): Thing[] =>
  Array.from({ length: count }, (_, index) => ({ ...emptyThing, id: (index + 1) * 10, ...of(index) }));

/** SQLite has revisions: there a total that is not known is counted for itself, and then an index finds the page. */
const onSqlite = ({ revision }: Database): boolean => revision !== undefined;

/** A list, the ways that its statements take, on whose behalf, and what happens before a page is streamed. */
const watch = async (databases: Databases, things: readonly Thing[], source: Source = thingSource) => {
  const database = await databases.open();
  await createThings(database);
  await insertThings(database, things);
  const ways: string[] = [];
  const callers: (Caller | undefined)[] = [];
  const brief: (boolean | undefined)[] = [];
  const scans: Query[] = [];
  const hooks = {
    beforeStream: async () => {},
    beforeRead: async () => {},
    revision: undefined as number | undefined,
    rowless: false,
  };
  const time = { now: 0 };
  const watched: Database = {
    dialect: database.dialect,
    all: (query) => database.all(query),
    get: async <Row>(query: Query) => {
      if (!query.sql.includes('as counted')) {
        ways.push('get');
        await hooks.beforeRead();
      }
      return hooks.rowless ? undefined : database.get<Row>(query);
    },
    scan: async (query, by) => {
      ways.push('scan');
      callers.push(by);
      brief.push(query.brief);
      scans.push(query);
      await hooks.beforeRead();
      return database.scan(query, by);
    },
    stream: async (query, by) => {
      ways.push('stream');
      callers.push(by);
      await hooks.beforeStream();
      return database.stream(query, by);
    },
    execute: (query) => database.execute(query),
    write: (unit) => database.write(unit),
    ping: () => database.ping(),
    interrupt: () => database.interrupt(),
    close: () => database.close(),
    // The revision is that of a database without other writers, unless a test states one.
    ...(database.revision && { revision: (sql) => hooks.revision ?? database.revision?.(sql) ?? 0 }),
  };
  const list = createList(watched, source, { clock: () => time.now });
  const ask = (query: string, by?: DeferredCaller) => list(grant, { query, path, ...(by && { by }) });
  const taken = () => ways.splice(0).join(' ');
  const briefs = () => brief.splice(0);
  const scanned = () => scans.splice(0);
  const ids = async (query: string) => (await rowsOf(await ask(query))).map(({ id }) => id);
  const wayOf = async (query: string) => {
    const answer = await ask(query);
    if ('chunks' in answer) await answer.chunks.return?.();
    return taken();
  };
  return { database, list, ask, ids, taken, wayOf, callers, briefs, scanned, hooks, time };
};

describeEachDatabase('the way of a page', (databases) => {
  it('a page is read directly up to a small table, and by a scan for one row more', async () => {
    const { database, wayOf, time } = await watch(databases, rowsBy(smallTable));
    expect(await wayOf('page=1')).toBe('get');
    await insertThings(database, [{ ...emptyThing, id: 1 }]);
    time.now = 1000;
    expect(await wayOf('page=1')).toBe(onSqlite(database) ? 'scan get' : 'scan');
  });

  it('a page is asked for again, the same way, where a row takes more than its share of one piece', async () => {
    const wide = (index: number): Thing => ({ body: index === 0 ? 'x'.repeat(2 * mib) : 'x' });
    const small = await watch(databases, rowsBy(8, wide));
    expect(await small.wayOf('page=1&per_page=4&fields=id,body')).toBe('get get');
    const large = await watch(databases, rowsBy(smallTable + 1, wide));
    const way = onSqlite(large.database) ? 'scan get get' : 'scan scan';
    expect(await large.wayOf('page=1&per_page=4&fields=id,body')).toBe(way);
  });

  it('a page is one statement where a row takes just its share, and one piece where they just fill it', async () => {
    const exact = await watch(
      databases,
      rowsBy(4, () => ({ body: 'x'.repeat(mib) })),
    );
    expect(await exact.wayOf('page=1&per_page=4&fields=id,body')).toBe('get');
    const two = await watch(
      databases,
      rowsBy(4, (index) => ({ body: 'x'.repeat(index < 2 ? 2 * mib : 0) })),
    );
    expect(await two.wayOf('page=1&per_page=4&fields=id,body')).toBe('get get');
    await two.database.execute({
      sql: `update "things" set "body" = 'x' where "id" = 40`,
      parameters: [],
    });
    expect(await two.wayOf('page=1&per_page=4&fields=id,body')).toBe('get stream');
  });

  it('knows a total for its own question only: its values, its searched fields, its row filter', async () => {
    const count = smallTable + 100;
    const { list, hooks } = await watch(
      databases,
      rowsBy(count, (index) => ({
        title: index < 7 ? 'x' : null,
        body: index < 9 ? 'x' : null,
        n: index < 4 ? 1 : 2,
        user_id: index < 3 ? 1 : 2,
      })),
    );
    // All of them are kept, for nothing is written.
    hooks.revision = 1;
    const total = async (query: string, fields: readonly string[] = thingFields, user?: number) => {
      const extra = user === undefined ? [] : [{ column: 'user_id', value: user }];
      const answer = await list(systemGrant(fields), { query: `page=1&${query}`, path }, extra);
      return Number(answer.headers['X-Total-Count']);
    };
    for (let round = 0; round < 2; round += 1) {
      expect(await total('')).toBe(count);
      expect(await total('filter[n]=1')).toBe(4);
      expect(await total('filter[n]=2')).toBe(count - 4);
      expect(await total('filter[n][ne]=2')).toBe(4);
      expect(await total('q=x', ['id', 'title'])).toBe(7);
      expect(await total('q=x')).toBe(9);
      expect(await total('q=y')).toBe(0);
      expect(await total('', thingFields, 1)).toBe(3);
      expect(await total('', thingFields, 2)).toBe(count - 3);
      expect(await total('filter[n]=2', thingFields, 1)).toBe(0);
    }
  });

  it('tells what the database was asked where it answers no row', async () => {
    const { ask, hooks } = await watch(databases, []);
    hooks.rowless = true;
    await expect(ask('after=')).rejects.toThrow(/^no row for: select /);
  });
});

describeDatabase('sqlite', 'the way of a page whose total is known', (databases) => {
  it('counts once while nothing is written; then an index finds the rows, unless too many are skipped', async () => {
    const { ask, wayOf, database, hooks, taken } = await watch(databases, rowsBy(6001));
    hooks.revision = 1;
    expect(await wayOf('page=1')).toBe('scan get');
    for (const query of ['page=1&sort=title', 'q=a&page=1']) expect(await wayOf(query), query).toBe('scan');
    expect(await wayOf('page=2')).toBe('get');
    expect(await wayOf('page=6&per_page=1000')).toBe('get');
    expect(await wayOf('page=5002&per_page=1')).toBe('scan');
    expect(await wayOf('page=1&sort=title')).toBe('scan');
    expect(await wayOf('q=a&page=1')).toBe('scan');
    // A total that is known is not counted: it stays what it was until the revision says otherwise.
    await insertThings(database, [{ ...emptyThing, id: 1 }]);
    expect((await ask('page=1')).headers['X-Total-Count']).toBe('6001');
    expect(taken()).toBe('get');
    hooks.revision = 2;
    expect((await ask('page=1')).headers['X-Total-Count']).toBe('6002');
    expect(taken()).toBe('scan get');
  });

  it('a total that was out of date before it was counted is counted with the page for some time', async () => {
    const { wayOf, hooks } = await watch(databases, rowsBy(6001));
    hooks.revision = 1;
    const readTime = 50;
    hooks.beforeRead = async () => {
      hooks.revision = (hooks.revision ?? 0) + 1;
      await delay(readTime);
    };
    expect(await wayOf('page=1')).toBe('scan scan');
    expect(await wayOf('page=1')).toBe('scan');
    hooks.beforeRead = async () => {};
    const afterWrite = () => {
      hooks.revision = (hooks.revision ?? 0) + 1;
      return wayOf('page=1');
    };
    await expect.poll(afterWrite).toBe('scan get');
    expect(await wayOf('page=1')).toBe('get');
  });

  it('counts once for pages that are asked for at once; each counts for itself where that count fails', async () => {
    const { ask, hooks, taken } = await watch(databases, rowsBy(6001));
    hooks.revision = 1;
    const totals = async () => {
      const pages = await Promise.allSettled([1, 2, 3].map((page) => ask(`page=${page}`)));
      return pages.map((page) =>
        page.status === 'fulfilled' ? page.value.headers['X-Total-Count'] : 'failed',
      );
    };
    expect(await totals()).toEqual(['6001', '6001', '6001']);
    expect(taken()).toBe('scan get get get');
    hooks.revision = 2;
    hooks.beforeRead = () => {
      hooks.beforeRead = async () => {};
      return Promise.reject(new Error('refused'));
    };
    expect(await totals()).toEqual(['failed', '6001', '6001']);
  });

  it('a page without a total is found by an index, and an estimate is counted once', async () => {
    const { ask, wayOf, hooks, taken } = await watch(databases, rowsBy(2 * smallTable + 1));
    hooks.revision = 1;
    expect(await wayOf('page=2&total=none')).toBe('get');
    expect(await wayOf('per_page=9&sort=n&total=none')).toBe('get');
    expect(await wayOf('page=5002&per_page=1&total=none')).toBe('scan');
    expect(await wayOf('page=1&sort=title&total=none')).toBe('scan');
    for (const way of ['scan', 'get', 'get']) {
      const { headers } = await ask('page=1&total=estimate');
      expect([headers['X-Total-Count'], headers['X-Total-Count-Relation']]).toEqual(['10000', 'gte']);
      expect(taken()).toBe(way);
    }
    hooks.revision = 2;
    expect(await wayOf('page=3&total=estimate')).toBe('scan');
  });

  it('counts at once where somebody writes during the page, and remembers that', async () => {
    const { ask, database, hooks, taken } = await watch(databases, rowsBy(6001));
    hooks.revision = 1;
    await ask('page=1');
    hooks.beforeRead = async () => {
      hooks.beforeRead = async () => {};
      await insertThings(database, [{ ...emptyThing, id: 1 }]);
      hooks.revision = 2;
    };
    expect((await ask('page=1')).headers['X-Total-Count']).toBe('6002');
    expect(taken()).toBe('scan get get scan');
    expect((await ask('page=1')).headers['X-Total-Count']).toBe('6002');
    expect(taken()).toBe('get');
  });
});

/** A server of its own: any commit anywhere on it is another moment. */
describe('totals of a large table (postgres)', () => {
  let server: PostgresServer;
  let database: OpenDatabase;
  const alone = (): Databases => ({
    dialect: 'postgres',
    create: async () => server.url,
    createForStart: async () => server.url,
    open: async (url = server.url) => {
      database = await openDatabase(url);
      return database;
    },
  });
  beforeAll(async () => {
    server = await createPostgres(['autovacuum=off']);
    await server.start();
  }, 60_000);
  afterEach(async () => {
    await database.execute({ sql: 'drop table things', parameters: [] });
    await database.close();
  });
  afterAll(() => server.remove());

  it('counts once; then an index finds the rows', async () => {
    const { wayOf } = await watch(alone(), rowsBy(6001));
    for (const query of ['page=1', 'page=1&sort=title', 'q=a&page=1'])
      expect(await wayOf(query), query).toBe('scan');
    expect(await wayOf('page=2')).toBe('get');
    expect(await wayOf('page=6&per_page=1000')).toBe('get');
    expect(await wayOf('page=5002&per_page=1')).toBe('scan');
    expect(await wayOf('page=1&sort=title')).toBe('scan');
  });

  it('counts again with the page after any commit', async () => {
    const { ask, taken } = await watch(alone(), rowsBy(6001));
    const total = async (query = 'page=1') => (await ask(query)).headers['X-Total-Count'];
    expect([await total(), await total()]).toEqual(['6001', '6001']);
    expect(taken()).toBe('scan get');
    await insertThings(database, [{ ...emptyThing, id: 1 }]);
    const pages = ['page=1', 'page=2', 'page=3', 'page=4&per_page=5'];
    expect(await Promise.all(pages.map(total))).toEqual(pages.map(() => '6002'));
    // A page may find that another one has counted what it has seen.
    expect(taken().split(' ').sort().join(' ')).toMatch(/^get get get get(?: scan){1,4}$/);
    expect([await total(), await total()]).toEqual(['6002', '6002']);
    expect(taken()).toMatch(/^(?:get|scan) get$/);
  });

  it('counts with the page where every statement sees another commit', async () => {
    const { ask, taken, hooks } = await watch(alone(), rowsBy(6001));
    let written = 0;
    hooks.beforeRead = async () => {
      written += 1;
      await insertThings(database, [{ ...emptyThing, id: 100_000 + written }]);
    };
    for (let times = 0; times < 3; times += 1)
      expect((await ask('page=1')).headers['X-Total-Count']).toBe(String(6001 + written));
    // The second page finds that the database has changed; the third one expects it.
    expect(taken()).toBe('scan get scan scan');
  });

  it('tells with every page the total of what the page shows, while others write', async () => {
    const { ask, taken } = await watch(alone(), rowsBy(6001));
    let writing = true;
    const writer = (async () => {
      for (let id = 60_020; writing; id += 10) {
        await insertThings(database, [{ ...emptyThing, id }]);
        await delay(id % 70);
      }
    })();
    const reader = async (index: number): Promise<void> => {
      for (let times = 0; times < 60; times += 1) {
        const answer = await ask(`page=1&per_page=${1 + (index % 3)}&sort=-id`);
        const [first] = await rowsOf(answer);
        expect(answer.headers['X-Total-Count']).toBe(String(Number(first?.id) / 10));
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => reader(index))).finally(() => {
      writing = false;
    });
    await writer;
    const ways = taken().split(' ');
    expect(ways.filter((way) => way === 'get').length).toBeGreaterThan(100);
  });

  it('tells a commit whose transaction began before the count', async () => {
    const { ask, taken } = await watch(alone(), rowsBy(6001));
    const total = async () => (await ask('page=1')).headers['X-Total-Count'];
    const [written, counted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writing = database.write(async (unit) => {
      await unit.run({ sql: 'delete from things where id <= 50', parameters: [] });
      written.resolve();
      await counted.promise;
    });
    await written.promise;
    for (let times = 0; times < 3; times += 1) expect(await total()).toBe('6001');
    expect(taken()).toBe('scan get get');
    counted.resolve();
    await writing;
    expect(await total()).toBe('5996');
  });

  it('counts again after a restart that has taken commits away', async () => {
    const { ask, taken } = await watch(alone(), rowsBy(6001));
    for (let times = 0; times < 2; times += 1) await ask('page=1');
    expect(taken()).toBe('scan get');
    await server.stop();
    await server.start();
    await vi.waitFor(() => database.ping(), 20_000);
    expect((await ask('page=1')).headers['X-Total-Count']).toBe('6001');
    expect(taken()).toBe('get scan');
  });
});

describeDatabase('postgres', 'a look at all of a table of few bytes', (databases) => {
  const source: Source = { ...thingSource, table: 'things' };
  const paragraph = Array.from({ length: 2000 }, (_, index) =>
    String.fromCharCode(0x4e00 + ((index * 7919) % 20000)),
  );

  it('a look at all of a table of few bytes is brief until the table has grown', async () => {
    const { database, ask, briefs, time } = await watch(databases, rowsBy(smallTable + 1), source);
    await ask('page=1&sort=title');
    await ask('q=a&page=1');
    expect(briefs()).toEqual([true, true]);
    await database.execute({ sql: 'update things set body = $1', parameters: [paragraph.join('')] });
    time.now += 1000;
    await ask('page=1&sort=title');
    expect(new Set(briefs())).toEqual(new Set([false]));
  });

  it('a look at all of a table is not brief while its size is unknown', async () => {
    const { ask, briefs } = await watch(databases, rowsBy(smallTable + 1));
    await ask('page=1&sort=title');
    expect(briefs()).toEqual([false]);
  });

  it('finds the rows of a filtered page and of its total once', async () => {
    const things = rowsBy(smallTable + 100, (index) => ({
      title: `${(index * 7919) % 97}`,
    }));
    const { database, ask, scanned } = await watch(databases, things, source);
    const expected = things
      .filter(({ title = '' }) => (title ?? '') >= '5')
      .map(({ id = 0, title }) => ({ id: Number(id), title: title ?? '' }))
      .sort((a, b) => (a.title === b.title ? a.id - b.id : a.title < b.title ? 1 : -1));
    for (const page of [1, 3, 4000]) {
      const answer = await ask(`page=${page}&per_page=5&sort=-title&filter[title][gte]=5&fields=id,title`);
      expect(answer.headers['X-Total-Count']).toBe(String(expected.length));
      expect(await rowsOf(answer)).toEqual(expected.slice((page - 1) * 5, page * 5));
    }
    const [first] = scanned();
    if (first === undefined) throw new Error('nothing was scanned');
    const plan = await database.all<Record<string, string>>({ ...first, sql: `explain ${first.sql}` });
    const steps = plan.flatMap((row) => Object.values(row));
    expect(steps.filter((step) => /Seq Scan on things/.test(step))).toHaveLength(1);
  });
});

describeEachDatabase('a list without pages', (databases) => {
  it('comes in one piece up to 1,000 rows, and is not even tried in one beyond', async () => {
    const { wayOf, database, time } = await watch(databases, rowsBy(1000));
    expect(await wayOf('fields=id')).toBe('get');
    await insertThings(database, [{ ...emptyThing, id: 1 }]);
    time.now = 1000;
    expect(await wayOf('fields=id')).toBe('stream');
  });

  it('a list without pages has no last row but that of the table', async () => {
    const things = rowsBy(1100);
    const { ids, taken } = await watch(databases, things);
    expect(await ids('fields=id')).toEqual(things.map(({ id }) => id));
    expect(taken()).toBe('stream');
  });

  it('a list without pages is streamed where few rows hold too much', async () => {
    const { ids, taken } = await watch(
      databases,
      rowsBy(5, () => ({ body: 'x'.repeat(mib) })),
    );
    expect(await ids('fields=id,body')).toEqual([10, 20, 30, 40, 50]);
    expect(taken()).toBe('get stream');
  });
});

describeEachDatabase('the caller', (databases) => {
  /** A caller whose identity takes a moment, and how often it was asked. */
  const somebody = () => {
    const abort = new AbortController();
    const seen = { asked: 0, cut: undefined as Error | undefined };
    const by: DeferredCaller = {
      get caller() {
        seen.asked += 1;
        return Promise.resolve('user:5');
      },
      signal: abort.signal,
      cut: (reason) => {
        seen.cut = reason;
      },
    };
    return { by, seen, signal: abort.signal };
  };

  it('the caller is passed to the database where nothing bounds the work, and not looked up where an index does', async () => {
    const { ask, callers } = await watch(databases, rowsBy(smallTable + 1));
    const { by, seen, signal } = somebody();
    await textOf(await ask('after=&per_page=5', by));
    expect([seen.asked, callers.length]).toEqual([0, 0]);
    await textOf(await ask('page=1', by));
    await textOf(await ask('', by));
    expect(callers).toMatchObject([{ caller: 'user:5' }, { caller: 'user:5' }]);
    expect(callers.map((each) => each?.signal === signal)).toEqual([true, true]);
    const slow = new Error('slow');
    callers[1]?.cut(slow);
    expect(seen.cut).toBe(slow);
  });

  it('the caller is absent where the service itself asks', async () => {
    const { ask, callers } = await watch(databases, rowsBy(smallTable + 1));
    await textOf(await ask('page=1'));
    await textOf(await ask(''));
    expect(callers).toEqual([undefined, undefined]);
  });
});

describeEachDatabase('a source that asks for the time', (databases) => {
  const title = thingSource.columns.get('title');
  if (title === undefined) throw new Error('no title');
  const timed: Source = {
    ...thingSource,
    columns: new Map(thingSource.columns).set('title', {
      ...title,
      expression: () => sql`case when t."at" <= ${serviceTime} then 'past' else 'future' end`,
    }),
    timed: true,
  };
  const at = (index: number): Thing => ({ at: new Date(index * 1000).toISOString() });
  const past = 'page=1&filter[title]=past';

  it('a source that asks for the time is listed as of the moment of the request', async () => {
    const { ids, time } = await watch(databases, rowsBy(5, at), timed);
    time.now = 1500;
    expect(await ids(past)).toEqual([10, 20]);
    time.now = 3000;
    expect(await ids(past)).toEqual([10, 20, 30, 40]);
  });

  it('a source that asks for the time has its rows counted again in every moment, with and without writes', async () => {
    const count = smallTable + 10;
    const { ask, hooks, time } = await watch(databases, rowsBy(count, at), timed);
    hooks.revision = 1;
    const total = async () => (await ask(past)).headers['X-Total-Count'];
    time.now = (count - 3) * 1000;
    expect(await total()).toBe(String(count - 2));
    time.now += 1000;
    expect(await total()).toBe(String(count - 1));
  });
});

describeEachDatabase('a page that is streamed while others write', (databases) => {
  /** Rows so long that three are streamed; before they are, the given ones come. */
  const setUp = async (sort: string, count: number, of: (index: number) => Thing = () => ({})) => {
    const body = 'x'.repeat(1.5 * mib);
    const { ask, database, hooks } = await watch(
      databases,
      rowsBy(count, (index) => ({ body, ...of(index) })),
    );
    const page = async (query: string, ...coming: readonly number[]) => {
      hooks.beforeStream = async () => {
        if (coming.length === 0) return;
        await insertThings(
          database,
          coming.map((id) => ({ ...emptyThing, id, body })),
        );
      };
      const answer = await ask(query);
      expect('chunks' in answer).toBe(true);
      return { ids: (await rowsOf(answer)).map(({ id }) => id), answer };
    };
    const first = `fields=id,body&per_page=3&sort=${sort}&after=`;
    return { page, first };
  };

  it('goes on to where the next one begins', async () => {
    const { page, first } = await setUp('id', 9);
    const one = await page(first, 15);
    expect(one.ids).toEqual([10, 15, 20, 30]);
    const two = await page(linkOf(one.answer, 'next') ?? '', 35, 65);
    // Rows behind the cursor are not lost; rows behind the page are left to the next one.
    expect(two.ids).toEqual([35, 40, 50, 60]);
    expect((await page(linkOf(two.answer, 'next') ?? '')).ids).toEqual([65, 70, 80]);
  });

  it('a page that is streamed while others write has no end where no other one follows', async () => {
    const { page, first } = await setUp('id', 5, (index) => ({ body: 'x'.repeat(3 * mib + index) }));
    const one = await page(first);
    const two = await page(linkOf(one.answer, 'next') ?? '', 60);
    expect(linkOf(two.answer, 'next')).toBeUndefined();
    expect(two.ids).toEqual([40, 50, 60]);
  });

  it('found backwards, keeps to both of its ends', async () => {
    const { page, first } = await setUp('id', 9);
    const one = await page(first);
    const two = await page(linkOf(one.answer, 'next') ?? '');
    const three = await page(linkOf(two.answer, 'next') ?? '');
    const back = await page(linkOf(three.answer, 'prev') ?? '', 35, 45, 65);
    expect(back.ids).toEqual([40, 45, 50, 60]);
    // New rows on either side of it are found there.
    expect((await page(linkOf(back.answer, 'prev') ?? '')).ids).toEqual([20, 30, 35]);
    expect((await page(linkOf(back.answer, 'next') ?? '')).ids).toEqual([65, 70, 80]);
  });

  it('a page by number that is streamed while others write has as many rows as it has room for', async () => {
    const { page } = await setUp('id', 8);
    expect((await page('fields=id,body&per_page=3&page=1')).ids).toEqual([10, 20, 30]);
    expect((await page('fields=id,body&per_page=3&page=2', 15)).ids).toEqual([30, 40, 50]);
  });

  it('ends right where the last value is null, and where texts order it', async () => {
    for (const [sort, field] of [
      ['n', 'n'],
      ['-n', 'n'],
      ['title,-n', 'title'],
    ] as const) {
      const { page, first } = await setUp(sort, 8, () => ({ [field]: null }));
      const one = await page(first);
      expect(one.ids, sort).toEqual([10, 20, 30]);
      const two = await page(linkOf(one.answer, 'next') ?? '');
      expect(two.ids, sort).toEqual([40, 50, 60]);
      expect((await page(linkOf(two.answer, 'prev') ?? '')).ids, sort).toEqual([10, 20, 30]);
    }
  });
});

describeDatabase('sqlite', 'texts of a row', (databases) => {
  it('texts of a row go out as the database made them, and readable where one is no UTF-8', async () => {
    const { ask, database } = await watch(
      databases,
      rowsBy(1, () => ({ title: 'aé' })),
    );
    const good = await ask('fields=title&page=1');
    expect('json' in good && good.json instanceof Uint8Array).toBe(true);
    expect(await textOf(good)).toBe('[{"title":"aé"}]');
    await database.execute({
      sql: `update "things" set "title" = cast(x'61ff62' as text)`,
      parameters: [],
    });
    const bad = await ask('fields=title&page=1');
    if (!('json' in bad)) throw new Error('a small page came in pieces');
    const bytes = Buffer.from(bad.json);
    expect(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toBe('[{"title":"a\ufffdb"}]');
  });
});

describeDatabase('sqlite', 'a page that is streamed', (databases) => {
  it('a page that is streamed has its number of rows where another program left a place that no cursor tells', async () => {
    const { ask, database } = await watch(
      databases,
      rowsBy(6, (index) => ({ n: index, body: 'x'.repeat(1.5 * mib) })),
    );
    const base = 'fields=id,body&per_page=3&sort=n&after=';
    const second = linkOf(await ask(base), 'next') ?? '';
    const third = linkOf(await ask(second.replace('per_page=3', 'per_page=2')), 'next') ?? '';
    const back = linkOf(await ask(third.replace('per_page=2', 'per_page=3')), 'prev') ?? '';
    // Whole numbers are what the column takes.
    await database.execute({ sql: 'update "things" set "n" = 2.5 where "id" = 30', parameters: [] });
    const page = await ask(back);
    expect('chunks' in page).toBe(true);
    expect((await rowsOf(page)).map(({ id }) => id)).toEqual([30, 40, 50]);
  });
});
