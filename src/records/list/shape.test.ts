import { describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import {
  createThings,
  emptyThing,
  insertThings,
  rowsOf,
  thingFields,
  thingSource,
} from '../../../tests/support/things.ts';
import { dialectOf } from '../../database/dialects.ts';
import { systemGrant } from '../../policy/system-grant.ts';
import { sourceView } from '../view.ts';
import { createList } from './list.ts';
import { parseListParameters } from './parameters.ts';
import { ListPlanner } from './plan.ts';
import { encodeCursor, parseSort } from './sort.ts';

const view = sourceView(thingSource, thingFields);

const behindFirst = `sort=id&after=${encodeCursor(parseSort(view, 'id'), [1])}`;

const planOf = (query: string, rows: readonly string[] = []) =>
  new ListPlanner(dialectOf('sqlite')).prepare(
    view,
    { terms: rows, key: rows.join() },
    parseListParameters(view, query, 1000),
  ).plan;

describe('what an index bounds', () => {
  it.each<[string, readonly string[], boolean]>([
    ['page=1', [], true],
    ['page=1&sort=-id', [], true],
    ['page=1&sort=n', [], true],
    ['page=1&sort=-n', [], false],
    ['page=1&sort=-n,-id', [], true],
    ['page=1&sort=n,-id', [], false],
    ['page=1&sort=n,at', [], false],
    ['page=1&sort=title', [], false],
    ['page=1&q=a', [], false],
    ['page=1&filter[id]=1&q=a&sort=title', [], true],
    ['page=1&filter[id][in]=1,2&filter[title]=a', [], true],
    ['page=1&sort=title', ['id'], true],
    ['page=1&filter[id][gt]=1&q=a', [], false],
    ['page=1&filter[id][ne]=1&sort=title', [], false],
    ['page=1&filter[n]=1', [], true],
    ['page=1&filter[n]=1&sort=at', [], false],
    ['page=1&filter[n][gt]=1', [], false],
    ['page=1', ['user_id'], true],
    ['page=1&filter[n]=1', ['user_id'], false],
  ])('an index bounds the rows of %s in the scope of %s: %s', (query, rows, bounded) => {
    expect(planOf(query, rows).boundedRows).toBe(bounded);
  });

  it.each([
    ['filter[id][gt]=1&q=a', false],
    ['filter[id][ne]=1&sort=title', false],
    ['filter[id]=1&page=1&sort=title', true],
  ])('an index bounds everything that %s looks at: %s', (query, bounded) => {
    expect(planOf(query).bounded).toBe(bounded);
  });
});

describe('how deep a page lies', () => {
  const within = (
    query: string,
    rows: readonly string[] = [],
    dialect: 'postgres' | 'sqlite' = 'postgres',
  ) => {
    const planner = new ListPlanner(dialectOf(dialect));
    const reach = { terms: rows, key: rows.join() };
    const { paging } = planner.prepare(view, reach, parseListParameters(view, query, 1000)).plan.shape;
    return paging.kind === 'all' ? paging.kind : paging.within;
  };

  it.each([
    ['page=1&per_page=1', 64],
    ['page=64&per_page=1', 64],
    ['page=65&per_page=1', 256],
    ['page=1&per_page=1000&sort=title', 1024],
    ['page=65&per_page=1000', 65_536],
    ['page=66&per_page=1000', undefined],
    ['page=9007199254&per_page=1000', undefined],
    ['per_page=20', 64],
    ['', 'all'],
    ['page=1&filter[n]=1', undefined],
    ['page=1&q=a', undefined],
    [behindFirst, 64],
    ['after=&per_page=65', 256],
    [`${behindFirst}&filter[n]=1`, undefined],
  ])('the depth of a page is stated for %s: %s', (query, depth) => {
    expect(within(query)).toBe(depth);
  });

  it('the depth of a page is not stated where a rule narrows the rows, and where a plan does not guess', () => {
    expect(within('page=1', ['user_id'])).toBeUndefined();
    expect(within('page=1', [], 'sqlite')).toBeUndefined();
  });
});

describeEachDatabase('a search', (databases) => {
  it('looks into texts, not into what else a value is written with', async () => {
    const database = await databases.open();
    await createThings(database);
    await insertThings(database, [
      { ...emptyThing, id: 1, n: 77, price: 7700, day: '1977-07-07', state: 'draft' },
      { ...emptyThing, id: 2, title: 'B 77' },
      { ...emptyThing, id: 3, body: '77' },
    ]);
    const list = createList(database, thingSource);
    const ids = async (query: string) =>
      (await rowsOf(await list(systemGrant(thingFields), { query, path: '/things' }))).map(({ id }) => id);
    expect(await ids('q=77')).toEqual([2, 3]);
  });
});
