import { beforeAll, describe, expect, it } from 'vitest';
import { describeDatabase } from '../../../tests/support/databases.ts';
import {
  createThings,
  emptyThing,
  insertThings,
  thingFields,
  thingSource,
} from '../../../tests/support/things.ts';
import type { Database, Query } from '../../database/database.ts';
import { dialectOf } from '../../database/dialects.ts';
import { systemGrant } from '../../policy/system-grant.ts';
import { sourceView } from '../view.ts';
import { createList } from './list.ts';
import { parseListParameters } from './parameters.ts';
import { ListPlanner } from './plan.ts';
import { encodeCursor, parseSort } from './sort.ts';
import type { PageRow } from './statements.ts';

const view = sourceView(thingSource, thingFields);

const prepare = (query: string, rows: readonly string[] = []) => {
  const parameters = parseListParameters(view, query, 1000);
  return new ListPlanner(dialectOf('sqlite')).prepare(view, { terms: rows, key: rows.join() }, parameters);
};

const behind = (sort: string, ...values: unknown[]) =>
  `sort=${sort}&after=${encodeCursor(parseSort(view, sort), values)}`;

describeDatabase('sqlite', 'plans', (databases) => {
  let database: Database;
  const planOf = async (query: string, rows: readonly string[] = [], values: readonly number[] = []) => {
    const list = prepare(query, rows);
    const { sql, parameters } = list.plan.page({ ...list.values, rows: values, now: null, monthAgo: null });
    const steps = await database.all<{ detail: string }>({ sql: `explain query plan ${sql}`, parameters });
    return steps.map(({ detail }) => detail).join('\n');
  };

  beforeAll(async () => {
    database = await databases.open();
    await createThings(database);
    await insertThings(
      database,
      Array.from({ length: 500 }, (_, index) => ({ ...emptyThing, n: index % 50, user_id: index % 9 })),
    );
    await database.execute({ sql: 'analyze', parameters: [] });
  });

  it.each([
    ['', /SCAN t/],
    ['per_page=20', /SCAN t/],
    [behind('id', 100), /SEARCH t USING INTEGER PRIMARY KEY \(rowid>\?\)/],
    [behind('-id', 100), /SEARCH t USING INTEGER PRIMARY KEY \(rowid<\?\)/],
    ['sort=n&page=1', /SCAN t USING INDEX things_0/],
    [
      behind('n', 30, 100),
      /SEARCH t USING INDEX things_0 \(\(n,rowid\)>\(\?,\?\)\)|SEARCH t USING INDEX things_0 \(n>\?\)/,
    ],
    [behind('-at,-id', '2024-01-01T00:00:00.000Z', 100), /SEARCH t USING INDEX things_1/],
    ['filter[n]=4&page=1', /SEARCH t USING INDEX things_0 \(n=\?\)/],
    ['filter[id][in]=1,2,3', /SEARCH t USING INTEGER PRIMARY KEY \(rowid=\?\)/],
  ])('plans read along an index and sort nothing for %s', async (query, step) => {
    const plan = await planOf(query);
    expect(plan).toMatch(step);
    expect(plan).not.toContain('TEMP B-TREE');
  });

  it('plans find the rows of one user by the index, in the order of the key', async () => {
    const plan = await planOf(behind('id', 100), ['user_id'], [3]);
    expect(plan).toMatch(/SEARCH t USING INDEX things_2 \(user_id=\? AND rowid>\?\)/);
    expect(plan).not.toContain('TEMP B-TREE');
  });

  it('plans seek on a descending index whose ties ascend, sorting the ties only', async () => {
    const plan = await planOf(behind('-at', '2024-01-01T00:00:00.000Z', 100));
    expect(plan).toMatch(/SEARCH t USING INDEX things_1 \(at<\?\)/);
    expect(plan).toContain('USE TEMP B-TREE FOR LAST TERM OF ORDER BY');
  });
});

describeDatabase('postgres', 'plans', (databases) => {
  let database: Database;
  const planner = new ListPlanner(dialectOf('postgres'));

  beforeAll(async () => {
    database = await databases.open();
    await createThings(database);
    const things = Array.from({ length: 5000 }, (_, index) => ({
      ...emptyThing,
      id: index + 1,
      n: index % 10 === 0 ? null : index,
      at: new Date(1_700_000_000_000 + index).toISOString(),
      user_id: index % 500,
    }));
    await insertThings(database, things);
    await database.execute({ sql: 'analyze "things"', parameters: [] });
  });

  it.each([
    [behind('id', 100), 'things_pkey'],
    [behind('n', 30, 100), 'things_0'],
    [behind('at', '2023-11-14T22:13:21.000Z', 100), 'things_1'],
    [behind('-at,-id', '2023-11-14T22:13:21.000Z', 100), 'things_1'],
    ['sort=n&page=1', 'things_0'],
  ])('plans walk along an index and sort nothing for %s', async (query, index) => {
    const list = planner.prepare(view, undefined, parseListParameters(view, query, 1000));
    const { sql, parameters: values } = list.plan.page({
      ...list.values,
      rows: [],
      now: null,
      monthAgo: null,
    });
    const rows = await database.all<{ 'QUERY PLAN': string }>({ sql: `explain ${sql}`, parameters: values });
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(new RegExp(`Index Scan (Backward )?using ${index}`));
    expect(plan).not.toMatch(/\bSort\b/);
  });

  it('plans are made once for all pages up to a depth, where nothing but the order is asked for', async () => {
    const pages = [1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8];
    await database.write(async (transaction) => {
      for (const page of pages) {
        const parameters = parseListParameters(view, `page=${page}&per_page=10&fields=id`, 1000);
        const list = planner.prepare(view, undefined, parameters);
        const values = { ...list.values, rows: [], now: null, monthAgo: null };
        const row = await transaction.get<PageRow>(list.plan.pageUncounted(values));
        expect(JSON.parse(String(row?.json))).toEqual(
          Array.from({ length: 10 }, (_, index) => ({ id: (page - 1) * 10 + index + 1 })),
        );
        expect(row?.total).toBeUndefined();
      }
      const plans = await transaction.all<{ generic: number; custom: number }>({
        sql: `select generic_plans as generic, custom_plans as custom from pg_prepared_statements
          where statement ~ '^select .* from "things" .* limit (64|256)\\)' order by 1 desc`,
        parameters: [],
      });
      // The server compares the first five plans with one for all.
      expect(plans).toEqual([
        { generic: 5, custom: 5 },
        { generic: 0, custom: 2 },
      ]);
    });
  });

  it('plans are made once for all pages of a walk by cursor', async () => {
    await database.write(async (transaction) => {
      for (let start = 0; start < 120; start += 10) {
        const query = `${behind('id', start)}&per_page=10&fields=id`;
        const list = planner.prepare(view, undefined, parseListParameters(view, query, 1000));
        const values = { ...list.values, rows: [], now: null, monthAgo: null };
        const row = await transaction.get<PageRow>(list.plan.page(values));
        expect(JSON.parse(String(row?.json))).toEqual(
          Array.from({ length: 10 }, (_, index) => ({ id: start + index + 1 })),
        );
      }
      const plans = await transaction.all<{ generic: number; custom: number }>({
        sql: `select generic_plans as generic, custom_plans as custom from pg_prepared_statements
          where statement ~ '^select .*as more from .*"things" .* limit 64\\)'`,
        parameters: [],
      });
      expect(plans).toEqual([{ generic: 7, custom: 5 }]);
    });
  });
});

describe('bounded', () => {
  it.each<[string, readonly string[], boolean]>([
    ['', [], true],
    [behind('id', 1), [], true],
    [behind('-id', 1), [], true],
    [behind('n', 1, 1), [], true],
    [behind('n', null, 1), [], false],
    [behind('-n', 1, 1), [], false],
    [behind('-n,-id', 1, 1), [], false],
    [behind('-at,-id', '2024-01-01', 1), [], true],
    [behind('n,at', 1, '2024-01-01', 1), [], false],
    [behind('title', 'a', 1), [], false],
    ['', ['user_id'], true],
    ['', ['flag'], false],
    ['', ['user_id', 'flag'], false],
    [behind('n', 1, 1), ['user_id'], false],
    ['filter[id]=1&q=a&page=1', ['user_id'], true],
    ['filter[id][in]=1,2', [], true],
    ['filter[n]=1', [], true],
    ['filter[n]=1', ['user_id'], false],
    ['filter[n][in]=1,2', [], false],
    ['filter[n][gt]=1', [], false],
    ['filter[title]=a', [], false],
    ['q=a', [], false],
    ['page=1', [], false],
    ['per_page=1', [], false],
  ])('%s in the scope of %s: %s', (query, rows, bounded) => {
    expect(prepare(query, rows).plan.bounded).toBe(bounded);
  });
});

/** Passes on to a database and notes which way each statement goes. */
const watched = (database: Database) => {
  const ways: string[] = [];
  const note = (way: string) => ways.push(way);
  const facade: Database = {
    dialect: database.dialect,
    all: (query) => database.all(query),
    get: <Row>(query: Query) => {
      note(query.sql.includes('as counted') ? 'count' : 'get');
      return database.get<Row>(query);
    },
    scan: <Row>(query: Query) => {
      note('scan');
      return database.scan<Row>(query);
    },
    stream: (query) => {
      note('stream');
      return database.stream(query);
    },
    execute: (query) => database.execute(query),
    write: (unit) => database.write(unit),
    ping: () => database.ping(),
    interrupt: () => database.interrupt(),
    close: () => database.close(),
  };
  const taken = () => ways.splice(0).join(' ');
  return { facade, taken };
};

describeDatabase('sqlite', 'ways', (databases) => {
  it('reads go directly for what an index bounds or a small table, to a reader thread or a stream for the rest', async () => {
    const database = await databases.open();
    await createThings(database);
    let now = 0;
    const { facade, taken } = watched(database);
    const list = createList(facade, thingSource, { clock: () => now });
    const grant = systemGrant(['id', 'title', 'n']);
    const ask = async (query: string, extra: { column: string; value: number }[] = []) => {
      const answer = await list(grant, { query, path: '/things' }, extra);
      if ('chunks' in answer) await answer.chunks.return?.();
      return taken();
    };
    expect(await ask('page=1')).toBe('count get');
    expect(await ask('page=1&q=a')).toBe('get');
    expect(await ask('')).toBe('get');
    await insertThings(
      database,
      Array.from({ length: 6000 }, () => ({ ...emptyThing, user_id: 1 })),
    );
    // The known size holds for a second; the limit of rows does not depend on it.
    expect(await ask('')).toBe('get stream');
    now = 999;
    expect(await ask('page=1')).toBe('get');
    now = 1000;
    expect(await ask('page=1')).toBe('count scan');
    expect(await ask('')).toBe('stream');
    expect(await ask(behind('id', 50))).toBe('get');
    expect(await ask('filter[id]=5')).toBe('get');
    expect(await ask('q=a')).toBe('scan');
    expect(await ask('', [{ column: 'user_id', value: 2 }])).toBe('get');
    expect(await ask('', [{ column: 'user_id', value: 1 }])).toBe('get stream');
  });
});
