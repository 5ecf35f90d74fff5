/** `total=estimate` and `total=none`: the same rows and links as with an exact total, and no work for a count. */

import fc from 'fast-check';
import { beforeAll, expect, it, vi } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import {
  createThings,
  emptyThing,
  insertThings,
  linkOf,
  type Thing,
  textOf,
  thingFields,
  thingSource,
} from '../../../tests/support/things.ts';
import type { Database, Query } from '../../database/database.ts';
import { Problem } from '../../kernel/problem.ts';
import type { RowCondition } from '../../policy/grant.ts';
import { systemGrant } from '../../policy/system-grant.ts';
import { createList, type List } from './list.ts';

const path = '/api/v1/things';
/** A table, whose keys tell where a look behind a page begins. */
const source = { ...thingSource, table: 'things' };
const grant = systemGrant(thingFields);

const things: readonly Thing[] = Array.from({ length: 157 }, (_, index) => ({
  ...emptyThing,
  id: index + 1,
  title: index % 5 === 0 ? null : `t${index % 7}`,
  n: index % 4 === 0 ? null : (index * 13) % 11,
  flag: index % 3 === 0 ? null : index % 2 === 0,
  at: new Date(1_700_000_000_000 + (index % 40) * 1001).toISOString(),
  user_id: index % 3,
}));

const filters = fc.constantFrom(
  '',
  '&filter[n]=5',
  '&filter[n][gt]=3',
  '&filter[flag]=true',
  '&q=t1',
  '&filter[id][in]=3,4,99',
);
const sorts = fc.constantFrom(
  '',
  '&sort=-id',
  '&sort=n',
  '&sort=-n',
  '&sort=title,-n',
  '&sort=at',
  '&sort=-flag',
);
const pages = fc.oneof(
  fc.record({ page: fc.integer({ min: 1, max: 40 }), size: fc.constantFrom(1, 10, 52, 157, 200) }),
  fc.record({ page: fc.constant(undefined), size: fc.constantFrom(1, 10, 157) }),
);
const owners: fc.Arbitrary<readonly RowCondition[]> = fc.constantFrom(
  [],
  [{ column: 'user_id', value: 1 }],
  [{ column: 'user_id', value: null }],
);

describeEachDatabase('a page without an exact total', (databases) => {
  let database: Database;
  let list: List;

  beforeAll(async () => {
    database = await databases.open();
    await createThings(database);
    await insertThings(database, things);
    list = createList(database, source);
  });

  it('a page has the same rows and links whatever it counts', async () => {
    const asked = fc.tuple(filters, sorts, pages, owners);
    await fc.assert(
      fc.asyncProperty(asked, async ([filter, sort, { page, size }, extra]) => {
        const number = page === undefined ? '' : `&page=${page}`;
        const query = `per_page=${size}${number}${filter}${sort}`;
        const read = async (total: string) => list(grant, { query: query + total, path }, extra);
        const exact = await read('');
        const text = await textOf(exact);
        const linked = (relation: string) => linkOf(exact, relation);
        for (const total of ['exact', 'estimate', 'none']) {
          const other = await read(`&total=${total}`);
          expect(await textOf(other), total).toBe(text);
          const link = (relation: string) =>
            linkOf(other, relation)
              ?.split('&')
              .filter((part) => part !== `total=${total}`)
              .join('&');
          const plain = (relation: string) => linked(relation)?.split('&').join('&');
          const sameLinks = ['first', 'next', total === 'none' ? 'first' : 'last'];
          for (const relation of sameLinks) {
            const [got = '', wanted = ''] = [link(relation), plain(relation)];
            expect(got.split('&').sort(), `${total} ${relation}`).toEqual(wanted.split('&').sort());
          }
          if (total === 'none') expect(linkOf(other, 'last')).toBeUndefined();
          expect(other.headers['X-Total-Count']).toBe(
            total === 'none' ? undefined : exact.headers['X-Total-Count'],
          );
          expect(other.headers['X-Total-Count-Relation']).toBe(total === 'estimate' ? 'eq' : undefined);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('a whole list and a page behind a cursor have no total', async () => {
    for (const query of ['', 'per_page=7&after=', 'per_page=7&sort=-n&after='])
      for (const total of ['exact', 'estimate', 'none']) {
        const [plain, other] = [
          await list(grant, { query, path }),
          await list(grant, { query: `${query}&total=${total}`, path }),
        ];
        expect(await textOf(other)).toBe(await textOf(plain));
        expect(other.headers['X-Total-Count']).toBeUndefined();
        expect(other.headers['X-Total-Count-Relation']).toBeUndefined();
        expect(linkOf(other, 'next') === undefined).toBe(linkOf(plain, 'next') === undefined);
      }
  });

  it('other values and a second one are refused, and links keep the parameter', async () => {
    for (const total of ['', 'foo', 'Exact', 'none,exact', '0'])
      for (const query of [`page=1&total=${total}`, `total=${total}`, `after=&total=${total}`]) {
        const refused = await list(grant, { query, path }).catch((error: unknown) => error);
        if (!(refused instanceof Problem)) throw new Error(`${query} was taken`);
        expect([refused.problem, refused.params['name']]).toEqual(['invalid_parameter', 'total']);
      }
    await expect(list(grant, { query: 'page=1&total=none&total=none', path })).rejects.toThrow(Problem);
    const first = await list(grant, { query: 'per_page=5&total=none', path });
    expect(linkOf(first, 'next')).toContain('total=none&per_page=5&after=');
    const walked = await list(grant, { query: linkOf(first, 'next') ?? '', path });
    expect(JSON.parse(await textOf(walked))[0].id).toBe(6);
  });
});

const bound = 10_000;

describeEachDatabase('an estimate of many rows', (databases) => {
  let database: Database;
  const queries: Query[] = [];
  let list: List;

  beforeAll(async () => {
    database = await databases.open();
    await createThings(database);
    const run = (sql: string) => database.execute({ sql, parameters: [] });
    // Two rows are user 7's; user 8 has 10,000 of them, user 9 one more.
    const rest = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${2 * bound + 3})`;
    await run(`insert into things (at, n, user_id) ${rest}
      select '2026-01-01T00:00:00.000Z', i % 2, case when i <= 2 then 7 when i <= ${bound + 2} then 8 else 9 end from n`);
    for (const name of ['get', 'scan'] as const) {
      const real = database[name].bind(database) as (query: Query, by?: never) => Promise<never>;
      vi.spyOn(database, name).mockImplementation(async (query: Query, by?: never) => {
        queries.push(query);
        return real(query, by);
      });
    }
    list = createList(database, source);
  });

  const ask = (query: string, user?: number) =>
    list(grant, { query, path }, user === undefined ? [] : [{ column: 'user_id', value: user }]);
  const estimateOf = async (query: string, user?: number) => {
    const { headers } = await ask(`${query}&total=estimate`, user);
    return [headers['X-Total-Count'], headers['X-Total-Count-Relation']];
  };

  it('an estimate is exact up to its bound, and a lower bound beyond it', async () => {
    expect(await estimateOf('page=1')).toEqual(['10000', 'gte']);
    expect(await estimateOf('page=1', 8)).toEqual(['10000', 'eq']);
    expect(await estimateOf('page=1', 9)).toEqual(['10000', 'gte']);
    expect(await estimateOf('page=1&filter[n]=1')).toEqual(['10000', 'gte']);
    expect(await estimateOf('page=1&filter[n]=1', 8)).toEqual(['5000', 'eq']);
    expect(await estimateOf('page=2')).toEqual(['10000', 'gte']);
  });

  it('an estimate counts only what the caller reads, and is no other caller’s number', async () => {
    const wanted = { 7: '2', 8: '10000', 9: '10000' } as const;
    for (const user of [9, 8, 7, 9, 7, 8] as const)
      expect((await estimateOf('page=1', user))[0]).toBe(wanted[user]);
    expect(await estimateOf('page=1', 7)).toEqual(['2', 'eq']);
    // An exact total and an estimate of the same rows are kept apart.
    for (const _ of [1, 2]) {
      expect((await ask('page=1')).headers['X-Total-Count']).toBe(String(2 * bound + 3));
      expect(await estimateOf('page=1')).toEqual(['10000', 'gte']);
    }
  });

  it('links lead to pages beyond the bound of an estimate, and to no last one', async () => {
    for (const total of ['estimate', 'none']) {
      const deep = await ask(`page=1000&per_page=20&total=${total}`);
      expect(linkOf(deep, 'next')).toContain('page=1001');
      expect(linkOf(deep, 'prev')).toContain('page=999');
      expect(linkOf(deep, 'last')).toBeUndefined();
      const end = await ask(`page=2001&per_page=10&total=${total}`);
      expect(JSON.parse(await textOf(end))).toHaveLength(3);
      expect(linkOf(end, 'next')).toBeUndefined();
      const beyond = await ask(`page=5000&per_page=10&total=${total}`);
      expect([await textOf(beyond), linkOf(beyond, 'prev')]).toEqual([
        '[]',
        `total=${total}&page=4999&per_page=10`,
      ]);
    }
  });

  it('a page without a total is one statement that counts nothing', async () => {
    queries.length = 0;
    const { headers } = await ask('page=3&per_page=5&total=none');
    expect(headers).toEqual({ Link: expect.stringContaining('page=4') });
    const [query] = queries.splice(0);
    expect(query?.sql).not.toContain('as total');
    expect(queries).toEqual([]);
  });

  it('the look behind a page in the order of its keys begins at its last row, and passes no row before it again', async () => {
    const skipping = async (query: string): Promise<number> => {
      queries.length = 0;
      await ask(query);
      // A commit of others makes PostgreSQL read the page twice: each statement is looked at by itself.
      return Math.max(...queries.map(({ sql }) => sql.split(' offset ').length - 1));
    };
    for (const total of ['none', 'estimate']) {
      expect(await skipping(`page=3&per_page=5&total=${total}`)).toBe(1);
      expect(await skipping(`page=3&per_page=5&sort=-id&filter[flag]=true&total=${total}`)).toBe(1);
      expect(await skipping(`page=3&per_page=5&sort=n&total=${total}`)).toBe(2);
    }
  });

  it('the look behind a page goes the way of an index, and sorts nothing where there is none', async () => {
    const orders = async (query: string): Promise<number> => {
      queries.length = 0;
      await ask(query);
      const statement = queries.map(({ sql }) => sql).find((sql) => sql.includes('as more')) ?? '';
      return (
        statement
          .split('as more')[0]
          ?.split(/as (?:total|json|places?)/)
          .at(-1)
          ?.split('order by').length ?? 0
      );
    };
    // Matches may be the newest of all rows: from the other end they would be found last.
    expect(await orders('page=1&per_page=5&sort=-id&filter[flag]=true&total=none')).toBe(2);
    expect(await orders('page=1&per_page=5&sort=-title&filter[n]=1&total=none')).toBe(1);
  });
});
