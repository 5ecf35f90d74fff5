import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import {
  createThings,
  emptyThing,
  insertThings,
  linkOf,
  rowsOf,
  thingFields,
  thingSource,
} from '../../../tests/support/things.ts';
import { systemGrant } from '../../policy/system-grant.ts';
import { sourceView } from '../view.ts';
import { createList, type List } from './list.ts';
import { encodeCursor, parseSort } from './sort.ts';

const path = '/things';
const grant = systemGrant(thingFields);

describeEachDatabase('links of pages', (databases) => {
  let list: List;

  beforeAll(async () => {
    const database = await databases.open();
    await createThings(database);
    await insertThings(
      database,
      Array.from({ length: 6 }, (_, index) => ({ ...emptyThing, id: index + 1, n: index })),
    );
    list = createList(database, thingSource);
  });

  const ask = (query: string) => list(grant, { query, path });
  const linksOf = async (query: string) => {
    const answer = await ask(query);
    return Object.fromEntries(
      ['first', 'prev', 'next', 'last'].flatMap((relation) => {
        const link = linkOf(answer, relation);
        return link === undefined ? [] : [[relation, link]];
      }),
    );
  };
  const cursor = (sort: string, values: readonly unknown[], direction: 'after' | 'before' = 'after') =>
    encodeCursor(
      parseSort(sourceView(thingSource, [...thingSource.columns.keys()]), sort),
      values,
      direction,
    );

  it('links of pages lead nowhere before the first and nowhere behind the last', async () => {
    const link = (page: number) => `page=${page}&per_page=2`;
    expect(await linksOf(link(1))).toEqual({ first: link(1), last: link(3), next: link(2) });
    expect(await linksOf(link(2))).toEqual({ first: link(1), last: link(3), next: link(3), prev: link(1) });
    expect(await linksOf(link(3))).toEqual({ first: link(1), last: link(3), prev: link(2) });
    expect(await linksOf('page=1&per_page=6')).toEqual({
      first: 'page=1&per_page=6',
      last: 'page=1&per_page=6',
    });
    const none = `filter[id]=99&${link(1)}`;
    expect(await linksOf(none)).toEqual({ first: none, last: none });
  });

  it.each(['id', '-id', 'n', '-n,-id', 'title'])(
    'links of pages lead back from behind the end and on from before the start, by %s',
    async (sort) => {
      const isDown = sort.startsWith('-');
      const beyond = sort === 'title' ? ['z', 99] : isDown ? [-5, -5] : [99, 99];
      const before = sort === 'title' ? [null, -5] : isDown ? [99, 99] : [-5, -5];
      const of = (values: readonly unknown[]) => values.slice(0, sort === 'id' || sort === '-id' ? 1 : 2);
      const base = `sort=${sort}&per_page=2`;
      const end = await ask(`${base}&after=${cursor(sort, of(beyond))}`);
      expect(await rowsOf(end)).toEqual([]);
      expect(linkOf(end, 'next')).toBeUndefined();
      expect(linkOf(end, 'prev')).toBe(`${base}&after=${cursor(sort, [], 'before')}`);
      const start = await ask(`${base}&after=${cursor(sort, of(before), 'before')}`);
      expect(await rowsOf(start)).toEqual([]);
      expect(linkOf(start, 'prev')).toBeUndefined();
      expect(linkOf(start, 'next')).toBe(`${base}&after=`);
    },
  );

  it('links of a page found backwards lead on to where somebody came from, and back while there are rows', async () => {
    const base = 'per_page=2';
    const page = await ask(`${base}&after=${cursor('id', [6], 'before')}`);
    expect((await rowsOf(page)).map(({ id }) => id)).toEqual([4, 5]);
    expect(linkOf(page, 'next')).toBe(`${base}&after=${cursor('id', [5])}`);
    expect(linkOf(page, 'prev')).toBe(`${base}&after=${cursor('id', [4], 'before')}`);
    const first = await ask(`${base}&after=${cursor('id', [3], 'before')}`);
    expect((await rowsOf(first)).map(({ id }) => id)).toEqual([1, 2]);
    expect(linkOf(first, 'prev')).toBeUndefined();
    expect(linkOf(first, 'next')).toBe(`${base}&after=${cursor('id', [2])}`);
  });

  it('links of pages are absent from a list without pages, however much of it is visible', async () => {
    expect((await ask('')).headers).toEqual({});
    const blind = await list(grant, { query: '', path }, [{ column: 'user_id', value: null }]);
    expect(blind).toMatchObject({ json: '[]', headers: {}, page: { total: undefined, next: undefined } });
  });
});
