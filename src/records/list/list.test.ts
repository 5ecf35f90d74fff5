import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
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
import type { UserPrincipal } from '../../auth/principal.ts';
import type { Database } from '../../database/database.ts';
import type { ColumnValue } from '../../fields/field.ts';
import { Problem } from '../../kernel/problem.ts';
import { decide } from '../../policy/decide.ts';
import type { Grant } from '../../policy/grant.ts';
import { systemGrant } from '../../policy/system-grant.ts';
import { sourceView } from '../view.ts';
import { createList, type List, type ListAnswer } from './list.ts';
import { encodeCursor, parseSort } from './sort.ts';

const path = '/api/v1/things';
const everything = systemGrant(thingFields);

const user = (id: number): UserPrincipal => ({
  kind: 'user',
  id,
  username: 'u',
  email: 'u@example.com',
  name: 'U',
  roles: ['viewer'],
  mustChangePassword: false,
  secondFactor: 'none' as const,
  granted: [],
  method: 'jwt',
});

const ownGrant = (id: number): Grant => {
  const decision = decide({ kind: 'isolated', own: 'user_id', readable: thingFields }, user(id));
  if (!decision.allowed) throw new Error('refused');
  return decision.grant;
};

const refusal = async (answer: Promise<ListAnswer>): Promise<string> => {
  try {
    await answer;
  } catch (error) {
    if (error instanceof Problem) return `${error.problem} ${String(error.params['name'])}`;
    throw error;
  }
  return 'taken';
};

const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const compareValues = (a: ColumnValue, b: ColumnValue): number => {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  return typeof a === 'string' ? compareTexts(a, String(b)) : Number(a) - Number(b);
};

/**
 * The order that the service promises, written independently: nulls least, texts by code point, ties by ascending id.
 */
const sorted = <Row extends Readonly<Record<string, unknown>>>(rows: readonly Row[], sort: string): Row[] =>
  rows.toSorted((a, b) => {
    for (const term of [...sort.split(','), 'id']) {
      const name = term.replace(/^-/, '');
      const order = compareValues(a[name] as ColumnValue, b[name] as ColumnValue);
      if (order !== 0) return term.startsWith('-') ? -order : order;
    }
    return 0;
  });

const texts = ['', 'a', 'A', 'b%', 'b_c', '\\', 'B%', 'é', 'É', 'z', '\uffff', '😀', 'a,b', "o'k", 'a"b'];

const varied = (count: number): Thing[] =>
  Array.from({ length: count }, (_, index) => ({
    ...emptyThing,
    id: index + 1,
    title: index % 5 === 0 ? null : (texts[(index * 7) % texts.length] ?? null),
    body: index % 3 === 0 ? null : `Body ${texts[index % texts.length]}`,
    n: index % 4 === 0 ? null : ((index * 13) % 11) - 5,
    price: index % 6 === 0 ? null : ((index * 31) % 500) - 250,
    ratio: index % 7 === 0 ? null : ((index * 17) % 9) / 7,
    flag: index % 3 === 0 ? null : index % 2 === 0,
    day: index % 8 === 0 ? null : `2024-01-${String((index % 28) + 1).padStart(2, '0')}`,
    at: new Date(1_700_000_000_000 + ((index * 7) % 40) * 1001).toISOString(),
    state: index % 2 === 0 ? 'draft' : 'live',
    user_id: index % 3,
    secret: texts[index % texts.length] ?? null,
  }));

describeEachDatabase('list', (databases) => {
  const things = varied(200);
  let database: Database;
  let list: List;

  beforeAll(async () => {
    database = await databases.open();
    await createThings(database);
    await insertThings(database, things);
    list = createList(database, thingSource);
  });

  const ask = (query: string, grant = everything) => list(grant, { query, path });
  const ids = async (query: string, grant = everything) =>
    (await rowsOf(await ask(query, grant))).map((row) => row['id']);
  const idsWhere = (test: (thing: Thing) => boolean) => things.filter(test).map(({ id }) => id);
  const filter = (field: string, operator: string, value: string) =>
    ids(`filter[${field}][${operator}]=${encodeURIComponent(value)}`);

  it('answers all rows by key, every value as its type renders it', async () => {
    const answer = await ask('');
    expect(answer.headers).toEqual({});
    const rows = await rowsOf(answer);
    expect(rows.map(({ id }) => id)).toEqual(things.map(({ id }) => id));
    expect(Object.keys(rows[0] ?? {})).toEqual(thingFields);
    expect(rows[1]).toMatchObject({ price: '-2.19', flag: false, at: things[1]?.['at'], data: null });
  });

  it.each<[string, string, string, (thing: Thing) => boolean]>([
    ['n', 'eq', '3', ({ n }) => n === 3],
    ['n', 'ne', '3', ({ n }) => n !== 3],
    ['n', 'gt', '-1', ({ n }) => n !== null && Number(n) > -1],
    ['n', 'gte', '-1', ({ n }) => n !== null && Number(n) >= -1],
    ['n', 'lt', '0', ({ n }) => n !== null && Number(n) < 0],
    ['n', 'lte', '0', ({ n }) => n !== null && Number(n) <= 0],
    ['n', 'in', '1,2,3', ({ n }) => n === 1 || n === 2 || n === 3],
    ['n', 'null', 'true', ({ n }) => n === null],
    ['n', 'null', 'false', ({ n }) => n !== null],
    ['price', 'lt', '-1.5', ({ price }) => price !== null && Number(price) < -150],
    ['ratio', 'eq', String(1 / 7), ({ ratio }) => ratio === 1 / 7],
    ['ratio', 'gt', '0.5', ({ ratio }) => ratio !== null && Number(ratio) > 0.5],
    ['flag', 'eq', 'true', ({ flag }) => flag === true],
    ['flag', 'ne', 'true', ({ flag }) => flag !== true],
    ['day', 'gte', '2024-01-20', ({ day }) => day !== null && String(day) >= '2024-01-20'],
    ['at', 'gt', '2023-11-14T23:13:40.020+01:00', ({ at }) => String(at) > '2023-11-14T22:13:40.020Z'],
    ['state', 'in', 'live', ({ state }) => state === 'live'],
    ['title', 'eq', '', ({ title }) => title === ''],
    ['title', 'eq', "o'k", ({ title }) => title === "o'k"],
    ['title', 'in', 'a\\,b,\\\\', ({ title }) => title === 'a,b' || title === '\\'],
    ['title', 'lt', 'b', ({ title }) => title !== null && compareTexts(String(title), 'b') < 0],
    ['title', 'gt', 'z', ({ title }) => title !== null && compareTexts(String(title), 'z') > 0],
    ['title', 'like', '', ({ title }) => title !== null],
    ['title', 'like', 'b%', ({ title }) => title === 'b%' || title === 'B%'],
    ['title', 'like', '_', ({ title }) => title === 'b_c'],
    ['title', 'like', '\\', ({ title }) => title === '\\'],
    ['title', 'like', 'É', ({ title }) => title === 'É'],
    ['body', 'like', 'Y A', ({ body }) => /y a/i.test(String(body))],
    ['title', 'starts_with', 'b', ({ title }) => String(title).startsWith('b')],
    ['title', 'starts_with', 'B', ({ title }) => String(title).startsWith('B')],
    ['title', 'starts_with', 'b%', ({ title }) => title === 'b%'],
    ['title', 'starts_with', '', ({ title }) => title !== null],
    ['title', 'starts_with', '\u{10ffff}', () => false],
    ['title', 'starts_with', '\uffff', ({ title }) => title === '\uffff'],
    ['title', 'eq', "' or 1=1 --", () => false],
  ])('filters %s by %s %s', async (field, operator, value, test) => {
    expect(await filter(field, operator, value)).toEqual(idsWhere(test));
  });

  it('joins filters by AND and searches the readable texts', async () => {
    expect(await ids('filter[n][gt]=0&filter[n][lt]=3&filter[state]=live')).toEqual(
      idsWhere(({ n, state }) => n !== null && Number(n) > 0 && Number(n) < 3 && state === 'live'),
    );
    const holds = (value: ColumnValue | undefined) => value != null && /b%/i.test(String(value));
    expect(await ids(`q=${encodeURIComponent('B%')}`)).toEqual(
      idsWhere(({ title, body }) => holds(title) || holds(body)),
    );
    expect(await ids('q=body')).toEqual(idsWhere(({ body }) => body !== null));
    expect(await ids('q=a', systemGrant(['id', 'n']))).toEqual([]);
  });

  it('sorts as promised, whatever is combined', async () => {
    const names = ['id', 'title', 'body', 'n', 'price', 'ratio', 'flag', 'day', 'at', 'state'];
    const sort = fc
      .uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 4 })
      .chain((chosen) =>
        fc.tuple(...chosen.map((name) => fc.boolean().map((down) => (down ? `-${name}` : name)))),
      )
      .map((terms) => terms.join(','));
    await fc.assert(
      fc.asyncProperty(sort, async (terms) => {
        expect(await ids(`sort=${terms}`)).toEqual(sorted(things, terms).map(({ id }) => id));
      }),
      { numRuns: 40 },
    );
  });

  it('answers a subset of fields, sorted and filtered by others', async () => {
    expect(await textOf(await ask('fields=title,id&sort=-n&filter[id][in]=2,3'))).toBe(
      '[{"id":3,"title":"a\\"b"},{"id":2,"title":"é"}]',
    );
  });

  it('pages by number, with the total and links', async () => {
    const answer = await ask('filter[state]=live&page=2&sort=-n&per_page=30');
    expect((await rowsOf(answer)).map(({ id }) => id)).toEqual(
      sorted(
        things.filter(({ state }) => state === 'live'),
        '-n',
      )
        .slice(30, 60)
        .map(({ id }) => id),
    );
    expect(answer.headers['X-Total-Count']).toBe('100');
    const shared = 'filter[state]=live&sort=-n';
    expect(linkOf(answer, 'first')).toBe(`${shared}&page=1&per_page=30`);
    expect(linkOf(answer, 'prev')).toBe(`${shared}&page=1&per_page=30`);
    expect(linkOf(answer, 'next')).toBe(`${shared}&page=3&per_page=30`);
    expect(linkOf(answer, 'last')).toBe(`${shared}&page=4&per_page=30`);
  });

  it('answers a page past the end with an empty list that leads back', async () => {
    const answer = await ask('page=99');
    expect(await textOf(answer)).toBe('[]');
    expect(answer.headers['X-Total-Count']).toBe('200');
    expect(linkOf(answer, 'prev')).toBe('page=10&per_page=20');
    expect(linkOf(answer, 'next')).toBeUndefined();
    expect(await textOf(await ask('page=999999999999&per_page=1000'))).toBe('[]');
  });

  it('escapes in links what would end them', async () => {
    const { headers } = await ask('q=<x>;"%3E&per_page=1');
    expect(headers.Link).toContain(`<${path}?q=%3Cx%3E;%22%3E&`);
    expect(headers.Link).not.toMatch(/q=<|x>/);
  });

  const walk = async (query: string, grant = everything, between = async () => {}) => {
    const pages: unknown[][] = [];
    let next: string | undefined = query;
    while (next !== undefined) {
      const answer: ListAnswer = await ask(next, grant);
      pages.push((await rowsOf(answer)).map(({ id }) => id));
      next = linkOf(answer, 'next');
      await between();
    }
    return pages;
  };

  it('walks by cursor through every row once, in order, and ends with the last page', async () => {
    const term = fc.constantFrom('id', 'title', 'n', 'price', 'ratio', 'flag', 'day', 'at', 'state');
    const terms = fc
      .uniqueArray(term, { maxLength: 3 })
      .chain((chosen) =>
        fc.tuple(...chosen.map((name) => fc.boolean().map((down) => (down ? `-${name}` : name)))),
      );
    await fc.assert(
      fc.asyncProperty(terms, fc.constantFrom(7, 25, 40, 199, 200), async (chosen, perPage) => {
        const sort = chosen.join(',');
        const pages = await walk(`per_page=${perPage}${sort === '' ? '' : `&sort=${sort}`}`);
        expect(pages.flat()).toEqual(sorted(things, sort === '' ? 'id' : sort).map(({ id }) => id));
        expect(pages.length).toBe(Math.ceil(200 / perPage));
      }),
      { numRuns: 30 },
    );
  });

  it('counts on the first page of a walk and not behind a cursor', async () => {
    const first = await ask('per_page=150');
    expect(first.headers['X-Total-Count']).toBe('200');
    expect(linkOf(first, 'last')).toBe('page=2&per_page=150');
    const second = await ask(linkOf(first, 'next') ?? '');
    expect(Object.keys(second.headers)).toEqual(['Link']);
    expect(linkOf(second, 'first')).toBe('per_page=150');
    expect(linkOf(second, 'next')).toBeUndefined();
  });

  it('begins a walk without a total where `after` has no value', async () => {
    const first = await ask('per_page=150&after=');
    expect(Object.keys(first.headers)).toEqual(['Link']);
    expect((await rowsOf(first)).map(({ id }) => id)).toEqual(
      sorted(things, 'id')
        .slice(0, 150)
        .map(({ id }) => id),
    );
    expect(linkOf(first, 'first')).toBe('per_page=150');
    expect(linkOf(first, 'prev')).toBeUndefined();
    expect((await walk('per_page=60&after=')).map(({ length }) => length)).toEqual([60, 60, 60, 20]);
    expect(linkOf(await ask('per_page=200&after='), 'next')).toBeUndefined();
    expect(await rowsOf(await ask('after='))).toHaveLength(20);
  });

  /** From the last page of a walk back to the first; each page in the order of the list. */
  const walkBack = async (query: string): Promise<unknown[][]> => {
    let last = query;
    for (let next: string | undefined = query; next !== undefined; ) {
      last = next;
      next = linkOf(await ask(next), 'next');
    }
    const pages: unknown[][] = [];
    for (let prev: string | undefined = last; prev !== undefined; ) {
      const answer = await ask(prev);
      pages.unshift((await rowsOf(answer)).map(({ id }) => id));
      prev = linkOf(answer, 'prev');
    }
    return pages;
  };

  it('walks back through every row once, in the same order, by whatever sort', async () => {
    const term = fc.constantFrom('id', 'title', 'n', 'price', 'flag', 'day', 'at', 'state');
    const terms = fc
      .uniqueArray(term, { maxLength: 3 })
      .chain((chosen) =>
        fc.tuple(...chosen.map((name) => fc.boolean().map((down) => (down ? `-${name}` : name)))),
      );
    await fc.assert(
      fc.asyncProperty(terms, fc.constantFrom(25, 40, 67, 100), async (chosen, perPage) => {
        const sort = chosen.join(',');
        const back = await walkBack(`per_page=${perPage}&after=${sort === '' ? '' : `&sort=${sort}`}`);
        expect(back.flat()).toEqual(sorted(things, sort === '' ? 'id' : sort).map(({ id }) => id));
      }),
      { numRuns: 20 },
    );
  });

  it('names first, prev and next behind a cursor, and leads back from behind the end', async () => {
    const ordered = sorted(things, '-n').map(({ id }) => id);
    const second = await ask(linkOf(await ask('per_page=70&sort=-n&after='), 'next') ?? '');
    expect(linkOf(second, 'first')).toBe('sort=-n&per_page=70');
    const third = await ask(linkOf(second, 'next') ?? '');
    expect(linkOf(third, 'next')).toBeUndefined();
    const back = await ask(linkOf(third, 'prev') ?? '');
    expect(await rowsOf(back)).toEqual(await rowsOf(second));
    expect(await rowsOf(await ask(linkOf(back, 'next') ?? ''))).toEqual(await rowsOf(third));
    const lastRow = (await rowsOf(third)).at(-1);
    const end = encodeCursor(parseSort(sourceView(thingSource, [...thingSource.columns.keys()]), '-n'), [
      lastRow?.['n'],
      lastRow?.['id'],
    ]);
    const beyond = await ask(`per_page=70&sort=-n&after=${end}`);
    expect(await rowsOf(beyond)).toEqual([]);
    const fromEnd = await ask(linkOf(beyond, 'prev') ?? '');
    expect((await rowsOf(fromEnd)).map(({ id }) => id)).toEqual(ordered.slice(-70));
    const start = await ask(linkOf(await ask(linkOf(second, 'prev') ?? ''), 'next') ?? '');
    expect(await rowsOf(start)).toEqual(await rowsOf(second));
  });

  it('refuses a cursor of another order', async () => {
    const next = linkOf(await ask('per_page=5&sort=n'), 'next') ?? '';
    expect(await refusal(ask(next))).toBe('taken');
    expect(await refusal(ask(next.replace('sort=n', 'sort=-n')))).toBe('invalid_parameter after');
  });

  it('keeps every caller within their rows, on every page and in every count', async () => {
    for (const owner of [0, 1, 2]) {
      const own = idsWhere(({ user_id }) => user_id === owner);
      expect(await ids('', ownGrant(owner))).toEqual(own);
      expect((await walk('per_page=9', ownGrant(owner))).flat()).toEqual(own);
      const page = await ask('page=1&q=b', ownGrant(owner));
      const holds = (value: ColumnValue | undefined) => value != null && /b/i.test(String(value));
      expect(Number(page.headers['X-Total-Count'])).toBe(
        idsWhere((thing) => thing['user_id'] === owner && (holds(thing['title']) || holds(thing['body'])))
          .length,
      );
    }
    const stranger = linkOf(await ask('per_page=9', ownGrant(0)), 'next') ?? '';
    expect(await ids(stranger, ownGrant(1))).toEqual(
      idsWhere(({ id, user_id }) => user_id === 1 && Number(id) > 25).slice(0, 9),
    );
  });

  it('adds further conditions, and lets none pass where one is on null', async () => {
    const published = await list(ownGrant(1), { query: '', path }, [{ column: 'flag', value: true }]);
    expect((await rowsOf(published)).map(({ id }) => id)).toEqual(
      idsWhere(({ user_id, flag }) => user_id === 1 && flag === true),
    );
    const none = await list(everything, { query: 'page=1', path }, [{ column: 'user_id', value: null }]);
    expect(await textOf(none)).toBe('[]');
    expect(none.headers['X-Total-Count']).toBe('0');
  });

  it('answers those who may see no row without asking the database, yet refuses what is malformed', async () => {
    const closed = await databases.open();
    await closed.close();
    const offline = createList(closed, thingSource);
    const condition = [{ column: 'user_id', value: null }];
    expect(await textOf(await offline(everything, { query: 'sort=n', path }, condition))).toBe('[]');
    expect(await refusal(offline(everything, { query: 'sort=secret', path }, condition))).toBe(
      'unusable_field secret',
    );
  });

  it('list never mixes up callers whose queries are the same', async () => {
    for (const round of [1, 2]) {
      for (const owner of [0, 1, 2])
        expect((await ids('page=1', ownGrant(owner))).length, `round ${round}`).toBe(20);
      expect(await refusal(ask('sort=title', systemGrant(['id'])))).toBe('unusable_field title');
      expect(await refusal(ask('sort=title'))).toBe('taken');
      expect(await textOf(await ask('page=1&per_page=1', systemGrant(['id'])))).toBe('[{"id":1}]');
    }
  });
});

describeEachDatabase('list while others write', (databases) => {
  it('walks back without losing or repeating a row that stays', async () => {
    const database = await databases.open();
    await createThings(database);
    const things = varied(300);
    await insertThings(database, things);
    const list = createList(database, thingSource);
    for (const sort of ['id', '-n,title', '-at']) {
      const order = parseSort(sourceView(thingSource, [...thingSource.columns.keys()]), sort);
      const gone = new Set<unknown>();
      const met: unknown[] = [];
      let fresh = 0;
      let query: string | undefined =
        `per_page=20&fields=id&sort=${sort}&after=${encodeCursor(order, [], 'before')}`;
      while (query !== undefined) {
        const answer: ListAnswer = await list(everything, { query, path }, []);
        met.unshift(...(await rowsOf(answer)).map(({ id }) => id));
        query = linkOf(answer, 'prev');
        // The very row that the cursor names goes, another one, and one comes.
        for (const id of [met[0], met[10]].filter((each) => Number(each) <= 300)) {
          gone.add(id);
          await database.execute({ sql: `delete from "things" where "id" = ${Number(id)}`, parameters: [] });
        }
        fresh += 1;
        await insertThings(database, [{ ...(things[(fresh * 97) % 300] ?? emptyThing), id: 5000 + fresh }]);
      }
      expect(new Set(met).size, sort).toBe(met.length);
      const stayed = sorted(
        things.filter(({ id }) => !gone.has(id)),
        sort,
      ).map(({ id }) => id);
      const known = met.filter((id) => Number(id) <= 300 && !gone.has(id));
      expect(known, sort).toEqual(stayed);
      await database.execute({ sql: 'delete from "things"', parameters: [] });
      await insertThings(database, things);
    }
  });

  it('walks without losing or repeating a row that stays', async () => {
    const database = await databases.open();
    await createThings(database);
    const things = varied(1000);
    await insertThings(database, things);
    const list = createList(database, thingSource);
    for (const sort of ['id', '-n,title', 'title,-at', '-at']) {
      const gone = new Set<unknown>();
      const met: unknown[] = [];
      let fresh = 0;
      let query: string | undefined = `per_page=50&fields=id&sort=${sort}`;
      while (query !== undefined) {
        const answer: ListAnswer = await list(everything, { query, path }, []);
        met.push(...(await rowsOf(answer)).map(({ id }) => id));
        query = linkOf(answer, 'next');
        // The very row that the cursor names goes, another one, and one comes.
        const victims = [met.at(-1), met[met.length - 20]].filter((id) => Number(id) <= 1000);
        for (const id of victims) {
          gone.add(id);
          await database.execute({
            sql: `delete from "things" where "id" = ${Number(id)}`,
            parameters: [],
          });
        }
        fresh += 1;
        await insertThings(database, [{ ...(things[(fresh * 97) % 1000] ?? emptyThing), id: 5000 + fresh }]);
      }
      expect(new Set(met).size, sort).toBe(met.length);
      const stayed = things.filter(({ id }) => !gone.has(id));
      const order = sorted(stayed, sort).map(({ id }) => id);
      expect(met.filter((id) => Number(id) <= 1000 && !gone.has(id))).toEqual(order);
      await database.execute({ sql: 'delete from "things"', parameters: [] });
      await insertThings(database, things);
    }
  });
});

describeEachDatabase('list of much', (databases) => {
  const make = async (things: readonly Thing[]) => {
    const database = await databases.open();
    await createThings(database);
    await insertThings(database, things);
    return createList(database, thingSource);
  };
  const inOrder = (count: number, of: (index: number) => Thing = () => ({})): Thing[] =>
    Array.from({ length: count }, (_, index) => ({ ...emptyThing, id: index + 1, ...of(index) }));

  it('a long list is streamed beyond 1,000 rows, and in one piece up to there', async () => {
    const many = await make(inOrder(1001));
    const answer = await many(everything, { query: 'fields=id', path });
    expect('chunks' in answer).toBe(true);
    expect((await rowsOf(answer)).map(({ id }) => id)).toEqual(inOrder(1001).map(({ id }) => id));
    const filtered = await many(everything, { query: 'fields=id&filter[id][gt]=1', path });
    expect('json' in filtered).toBe(true);
    expect((await rowsOf(filtered)).length).toBe(1000);
  });

  it('a list is streamed where a page holds too many bytes, and the next page goes on behind it', async () => {
    const things = inOrder(12, (index) => ({
      title: `${index % 2}${'é'.repeat(200)}`,
      body: 'x'.repeat(index < 6 ? 1_000_000 : 10),
    }));
    const many = await make(things);
    const met: unknown[] = [];
    let query: string | undefined = 'per_page=5&sort=-title';
    const kinds: boolean[] = [];
    while (query !== undefined) {
      const answer: ListAnswer = await many(everything, { query, path });
      kinds.push('chunks' in answer);
      met.push(...(await rowsOf(answer)).map(({ id }) => id));
      query = linkOf(answer, 'next');
    }
    expect(met).toEqual(sorted(things, '-title').map(({ id }) => id));
    expect(kinds).toEqual([false, false, false]);
    const page = await many(everything, { query: 'per_page=6', path });
    expect('chunks' in page).toBe(true);
    expect((await rowsOf(page)).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
    const rest = await many(everything, { query: linkOf(page, 'next') ?? '', path });
    expect((await rowsOf(rest)).map(({ id }) => id)).toEqual([7, 8, 9, 10, 11, 12]);
    const back = await many(everything, { query: linkOf(rest, 'prev') ?? '', path });
    expect('chunks' in back).toBe(true);
    expect((await rowsOf(back)).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
    const returned: unknown[] = [];
    let last = 'per_page=5&sort=-title';
    for (let next: string | undefined = last; next !== undefined; ) {
      last = next;
      next = linkOf(await many(everything, { query: next, path }), 'next');
    }
    for (let prev: string | undefined = last; prev !== undefined; ) {
      const answer: ListAnswer = await many(everything, { query: prev, path });
      returned.unshift(...(await rowsOf(answer)).map(({ id }) => id));
      prev = linkOf(answer, 'prev');
    }
    expect(returned).toEqual(met);
  });

  it('takes one long row among short ones in one piece', async () => {
    const many = await make(inOrder(100, (index) => ({ body: index === 50 ? 'y'.repeat(500_000) : 'x' })));
    for (const query of ['', 'page=1&per_page=100', 'per_page=100']) {
      const answer = await many(everything, { query, path });
      expect('json' in answer, query).toBe(true);
      expect((await rowsOf(answer)).length).toBe(100);
    }
  });

  it('tells pages by number where a place in the order may be long, and takes no cursor', async () => {
    const things = inOrder(5, (index) => ({ body: `${index % 2}${'é'.repeat(20_000)}` }));
    const many = await make(things);
    const met: unknown[] = [];
    for (let query: string | undefined = 'per_page=2&sort=body'; query !== undefined; ) {
      const answer: ListAnswer = await many(everything, { query, path });
      expect(answer.headers['X-Total-Count']).toBe('5');
      met.push(...(await rowsOf(answer)).map(({ id }) => id));
      query = linkOf(answer, 'next');
      if (query !== undefined) expect(query).toMatch(/^sort=body&page=\d&per_page=2$/);
    }
    expect(met).toEqual(sorted(things, 'body').map(({ id }) => id));
    for (const query of ['sort=body&after=', `sort=title,-body&after=${encodeCursor([], [])}`])
      expect(await refusal(many(everything, { query, path }))).toBe('invalid_parameter after');
  });

  it('refuses an order whose cursor would be too long for a link, rather than end the walk there', async () => {
    const many = await make(inOrder(3, () => ({ title: '\u0001'.repeat(2000) })));
    expect(await refusal(many(everything, { query: 'sort=title&after=', path }))).toBe(
      'invalid_parameter sort',
    );
    expect(await rowsOf(await many(everything, { query: 'sort=title&page=1', path }))).toHaveLength(3);
  });
});

describeEachDatabase('hidden fields', (databases) => {
  it('hidden fields never change an answer', async () => {
    const things = varied(60);
    const twins = await Promise.all(
      [things, things.map((thing, index) => ({ ...thing, secret: `changed ${index}` }))].map(async (rows) => {
        const database = await databases.open();
        await createThings(database);
        await insertThings(database, rows);
        return createList(database, thingSource);
      }),
    );
    const name = fc.constantFrom(...thingFields, 'secret', 'user_id', 'nothing');
    const operator = fc.constantFrom('', '[eq]', '[ne]', '[like]', '[starts_with]', '[null]', '[gt]', '[in]');
    const value = fc
      .constantFrom(...texts, 'changed', 'changed 1', '1', 'true', 'live')
      .map(encodeURIComponent);
    const parameter = fc.oneof(
      fc.tuple(name, operator, value).map(([field, op, text]) => `filter[${field}]${op}=${text}`),
      fc.tuple(fc.constantFrom('', '-'), name).map(([sign, field]) => `sort=${sign}${field}`),
      value.map((text) => `q=${text}`),
      name.map((field) => `fields=id,${field}`),
      fc.nat(5).map((page) => `page=${page}`),
      fc.nat(30).map((count) => `per_page=${count}`),
    );
    const outcome = async (list: List, query: string) => {
      try {
        const answer = await list(everything, { query, path });
        return [await textOf(answer), answer.headers];
      } catch (error) {
        if (error instanceof Problem) return [error.problem, error.params];
        throw error;
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(parameter, { maxLength: 3 }), async (parameters) => {
        const query = parameters.join('&');
        const [one, other] = await Promise.all(twins.map((list) => outcome(list, query)));
        expect(one).toEqual(other);
      }),
      { numRuns: 150 },
    );
  });
});
