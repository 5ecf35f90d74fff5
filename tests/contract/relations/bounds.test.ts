import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Query } from '../../../src/database/database.ts';
import { SqliteConnection } from '../../../src/database/sqlite/connection.ts';
import { describeDatabase, describeEachDatabase } from '../../support/databases.ts';
import { type Service, type TestUser, useService } from '../../support/service.ts';
import { migrations, resources } from './market.ts';

/** Rows 1 to `count`. */
const numbers = (count: number): string =>
  `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})`;

const at = `'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`;

const fill = async ({ server }: Service, statements: readonly string[]): Promise<void> => {
  for (const sql of statements) await server.services.database.execute({ sql, parameters: [] });
};

/** One order that has a line too many, each of which leads back to all; few tags, each of many products. */
const crowded = (owner: number): readonly string[] => [
  `insert into orders (number, user_id, created_at, updated_at) values ${['full', 'over', 'few'].map((each) => `('${each}', ${owner}, ${at})`)}`,
  `insert into order_lines (order_id, quantity, created_at, updated_at) ${numbers(2001)}
    select case when i <= 1000 then 1 else 2 end, i, ${at} from n`,
  `insert into products (name, price, public, user_id, created_at, updated_at) ${numbers(6000)}
    select 'P' || i, i, i > 0, ${owner}, ${at} from n`,
  `insert into tags (name, created_at, updated_at) ${numbers(5)} select 'T' || i, ${at} from n`,
  `insert into product_tags (product_id, tag_id, created_at, updated_at) ${numbers(6000)}
    select i, 1 + i % 5, ${at} from n`,
  'analyze',
];

const applied = { application: { resources, migrations } };

describeEachDatabase('bounds of related records', (databases) => {
  const service = useService(databases, applied);
  let ann: TestUser;

  beforeAll(async () => {
    ann = await service.createUser();
    await fill(service, crowded(ann.id));
  });

  const get = (path: string) => service.request('GET', `/api/v1/${path}`, { token: ann });

  /** Milliseconds of the fastest of three: the others may have waited for other processes of the machine. */
  const fastest = async (path: string, status: number): Promise<number> => {
    let least = Number.POSITIVE_INFINITY;
    for (let nth = 0; nth < 3; nth += 1) {
      const started = performance.now();
      expect((await get(path)).status).toBe(status);
      least = Math.min(least, performance.now() - started);
    }
    return least;
  };

  it('bounds of related records end the work as soon as there is one too many, however deep it is found', async () => {
    const full = await fastest('orders/1?include=lines', 200);
    // A million records, if each of a thousand and one lines were joined with those of its order.
    for (const path of [
      'orders/2?include=lines.order.lines',
      'order_lines?per_page=50&sort=-id&include=order.lines.order',
    ])
      expect(await fastest(path, 400)).toBeLessThan(60 * Math.max(full, 2));
  });

  it('bounds of related records refuse an answer of too many bytes, and not the next one of few to the same question', async () => {
    const status = async (id: number) => (await get(`orders/${id}?include=lines.order.lines`)).status;
    for (let time = 0; time < 2; time += 1) expect([await status(1), await status(3)]).toEqual([400, 200]);
  });
});

/** A caller of the main thread waits for every statement that runs there. */
describeDatabase('sqlite', 'the main thread', (databases) => {
  const service = useService(databases, applied);
  const statements: string[] = [];
  let givenUp = 0;
  let ann: TestUser;

  beforeAll(async () => {
    ann = await service.createUser();
    await fill(service, crowded(ann.id));
  });

  beforeEach(() => {
    for (const method of ['all', 'get'] as const) {
      const original = SqliteConnection.prototype[method];
      vi.spyOn(SqliteConnection.prototype, method).mockImplementation(function (
        this: SqliteConnection,
        query: Query,
      ) {
        statements.push(query.sql);
        try {
          return original.call(this, query) as never;
        } catch (error) {
          givenUp += 1;
          throw error;
        }
      });
    }
    return () => vi.restoreAllMocks();
  });

  const onMainThread = async (path: string, status = 200): Promise<boolean> => {
    statements.length = 0;
    givenUp = 0;
    const answer = await service.request('GET', `/api/v1/${path}`, { token: ann });
    expect([path, answer.status]).toEqual([path, status]);
    return statements.some((sql) => sql.includes('_related'));
  };

  it('reads few related records at once', async () => {
    expect(await onMainThread('orders/1?include=customer,lines.product')).toBe(true);
    expect(await onMainThread('orders?per_page=5&filter[number]=full&include=customer,lines')).toBe(true);
  });

  it('looks there at few rows that the caller does not read, and gives more of them to a thread', async () => {
    const { id: ben } = await service.createUser();
    /** A tag of ten products that everybody reads, among many of Ben's that only he reads. */
    const tagWith = async (hidden: number): Promise<string> => {
      const name = `among ${hidden}`;
      await fill(service, [
        `insert into tags (name, created_at, updated_at) values ('${name}', ${at})`,
        `insert into products (name, price, public, user_id, created_at, updated_at) ${numbers(hidden + 10)}
          select '${name}', i, i <= 10, ${ben}, ${at} from n`,
        `insert into product_tags (product_id, tag_id, created_at, updated_at)
          select p.id, t.id, ${at} from products p, tags t where p.name = '${name}' and t.name = '${name}'`,
      ]);
      const path = `/api/v1/tags?filter[name]=${encodeURIComponent(name)}`;
      const [tag] = await service.ok<{ id: number }[]>('GET', path, { token: ann });
      return `tags/${tag?.id}?include=products`;
    };
    for (const [hidden, tries] of [
      [30, 0],
      [3000, 1],
    ] as const) {
      const path = await tagWith(hidden);
      expect(await onMainThread(path)).toBe(true);
      expect([hidden, givenUp]).toEqual([hidden, tries]);
      const { products } = await service.ok<{ products: object[] }>('GET', `/api/v1/${path}`, { token: ann });
      expect(products).toHaveLength(10);
      const page = `tags?per_page=5&sort=-id&include=products&fields[products]=id`;
      expect((await service.request('GET', `/api/v1/${page}`, { token: ann })).status).toBe(400);
    }
  });

  it('the main thread does not look through a large table for a small one', async () => {
    const operators = ['gt', 'gte', 'lt', 'lte', 'ne'];
    const many = operators.map((each) => `filter[products.price][${each}]=9.00`).join('&');
    for (const path of [
      'tags?filter[products.name]=P77',
      'tags?per_page=5&filter[products.name]=P77',
      'tags?page=1&filter[products.name][ne]=P77',
      'tags?filter[id]=1&filter[products.name][like]=P7',
      `tags?page=1&${many}`,
      'orders?filter[lines.quantity]=7',
      'tags/aggregate?count&filter[products.name]=P77',
    ])
      expect([path, await onMainThread(path)]).toEqual([path, false]);
  });

  it('the main thread does not join many with many', async () => {
    for (const path of [
      'orders/1?include=lines.order.lines',
      'tags/1?include=products.tags',
      'tags?page=1&include=products.tags.products',
    ])
      expect([path, await onMainThread(path, 400)]).toEqual([path, false]);
  });
});
