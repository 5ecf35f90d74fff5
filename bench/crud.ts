/**
 * The mixtures of HttpArena's `crud` profile, with tokens of 32 users: reads by id, pages of a category, creates and
 * updates of a table of 100,000 rows. Other than in the profile, 64 connections stay open (4,096 there), each
 * request has a user, no records are cached, and each commit waits for the disk.
 */
import { join } from 'node:path';
import { callers, spread } from './callers.ts';
import { root, token } from './data.ts';
import { type Pair, startPair } from './pair.ts';
import { moreReaders, numbers } from './place.ts';
import { numbered, request } from './request.ts';

const application = join(root, 'bench/items');
const rowCount = 100_000;
/** Reads and updates ask for the first half of the rows. */
const askedRows = 50_000;
/** Requests of a mixture before they repeat. */
const length = 16_000;

const categories = 'auto books clothing electronics garden home office sports tools toys'.split(' ');
const tags = 'compact eco fast heavy-duty limited new popular premium sale wireless'.split(' ');

/** SQL of a text of a list, by a number. */
const pick = (number: string, texts: readonly string[]): string =>
  `case ${number} % ${texts.length} ${texts.map((text, index) => `when ${index} then '${text}'`).join(' ')} end`;

/** SQL of an index that the profile's table does not have. */
const index = 'create index items_category on items (category, id)';

const rows = (now: string): readonly string[] => {
  const list = `'["' || ${pick('i', tags)} || case when i % 3 = 0 then '' else '","' || ${pick('(i / 7 + 1)', tags)} end || '"]'`;
  return [
    ...moreReaders(now),
    `insert into items
       (name, category, price, quantity, active, tags, rating_score, rating_count, created_at, updated_at)
     ${numbers(rowCount)} select 'Widget ' || i, ${pick('(i * 7919 % 10007)', categories)}, 1 + i * 31 % 500,
       1 + i * 17 % 1000, i % 2 = 0, ${now === 'now()' ? `(${list})::jsonb` : list}, 1 + i % 50, 1 + i * 13 % 500,
       ${now}, ${now} from n`,
  ];
};

/** Kinds of requests, each in percent of all. */
interface Mixture {
  readonly read: number;
  readonly page: number;
  readonly create: number;
  readonly update: number;
}

/** The query that a page has besides its category, its number, and its size of 10. */
const queries = { counted: '', uncounted: '&total=none' } as const;

/** A step of a twentieth: the kinds follow one another evenly. */
const step = 5;

const textOf = (kind: keyof Mixture, number: number, query: string, pages: number): string => {
  const headers = [`Authorization: Bearer ${token(2 + ((number + Math.floor(number / callers)) % callers))}`];
  const path = '/api/v1/items';
  const id = 1 + ((number * 7919) % askedRows);
  if (kind === 'read') return request('GET', `${path}/${id}`, headers);
  const values = { price: 200, quantity: 25 };
  if (kind === 'update') {
    const body = JSON.stringify({ item: { name: 'Updated Product {n}', ...values } });
    return numbered('PATCH', `${path}/${id}`, headers, body);
  }
  if (kind === 'create') {
    const body = JSON.stringify({ item: { name: 'New Product {n}', category: 'test', ...values } });
    return numbered('POST', path, headers, body);
  }
  const category = categories[number % categories.length] ?? '';
  const page = 1 + ((number * 31) % pages);
  const all = `filter[category]=${category}&sort=id&page=${page}&per_page=10${query}`;
  return request('GET', `${path}?${all}`, headers);
};

/** The texts of a mixture's requests. @param pages as many pages of each category are asked for */
const mixed = (mixture: Mixture, total: keyof typeof queries, pages: number): readonly string[] => {
  const kinds = (Object.keys(mixture) as (keyof Mixture)[]).flatMap((kind) =>
    Array.from({ length: mixture[kind] / step }, () => kind),
  );
  const order = spread(kinds.length, kinds.length);
  return Array.from({ length }, (_, number) => {
    const kind = kinds[(order[number % order.length] ?? 1) - 1] ?? 'read';
    return textOf(kind, number, queries[total], pages);
  });
};

/** The profile as it was first published, on 2026-04-17: each page with the count of its category. */
export const firstMixture = (): readonly string[] =>
  mixed({ page: 40, read: 30, create: 15, update: 15 }, 'counted', 100);

/** The profile since 2026-04-18: mostly reads, and pages without a count. */
export const laterMixture = (): readonly string[] =>
  mixed({ read: 75, update: 15, page: 5, create: 5 }, 'uncounted', 10);

/**
 * The service and the handwritten server, each with a database of its own.
 * @param indexed with an index of the category
 */
export const startItems = (database: string, indexed = false): Promise<Pair> =>
  startPair(database, {
    application,
    rows: (now) => (indexed ? [...rows(now), index] : rows(now)),
    bare: 'bench/bare-items.ts',
    copies: true,
  });
