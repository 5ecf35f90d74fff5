import { expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

const products = { stock: field.integer({ required: true, min: 0 }) };
const lines = { product: field.reference('Product', { required: true }) };

/** Its versions are kept, so an update within a transaction locks the record before it writes. */
const product = defineResource('Product', { fields: products, history: true });

/** Takes a piece of the product, which the transaction has written a reference to already. */
const line = defineResource('Line', {
  fields: lines,
  hooks: {
    beforeCommit: async ({ action, after, records }) => {
      if (action !== 'create' || typeof after?.product_id !== 'number') return;
      const { stock } = await records(product).get(after.product_id);
      await records(product).update(after.product_id, { stock: stock - 1 });
    },
  },
});

/** The same by code of an endpoint, which locks the product behind the line. */
const order = defineResource('Order', { fields: lines });

const checkout = defineEndpoint({
  method: 'POST',
  path: '/checkout',
  auth: ['jwt'],
  input: { product: field.integer({ required: true }) },
  handle: ({ values, transaction }) =>
    transaction(async ({ records }) => {
      const made = await records(order).create({ product_id: values.product });
      const { stock } = await records(product).get(values.product, { lock: true });
      await records(product).update(values.product, { stock: stock - 1 });
      return made;
    }),
});

const migrations = {
  '0001_shop': {
    up: async (db: Parameters<typeof createTable>[0], dialect: 'sqlite' | 'postgres') => {
      await createTable(db, dialect, product.table, { fields: products });
      for (const { table } of [line, order])
        await createTable(db, dialect, table, { fields: lines, references: { product: product.table } });
    },
  },
};

const callers = 40;

describeEachDatabase('transactions that write a reference to a record and then change it', (databases) => {
  const service = useService(databases, {
    application: { resources: [product, line, order], endpoints: [checkout], migrations },
  });

  /** Sends one write for each caller, all at once; returns the statuses and the stock that is left of the product. */
  const all = async (path: string, bodyOf: (id: number) => object): Promise<readonly unknown[]> => {
    const token = await service.admin();
    const stock = callers + 2;
    const made = await service.post('/api/v1/products', { token, body: { product: { stock } } });
    const id = Number(made.data['id']);
    const sent = Array.from({ length: callers }, () => service.post(path, { token, body: bodyOf(id) }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    const left = await service.request('GET', `/api/v1/products/${id}`, { token });
    return [...new Set(statuses), left.data['stock']];
  };

  it('all complete where they lock it', async () => {
    expect(await all('/api/v1/checkout', (id) => ({ product: id }))).toEqual([200, 2]);
  });

  it('all complete where a hook updates it', async () => {
    expect(await all('/api/v1/lines', (id) => ({ line: { product_id: id } }))).toEqual([201, 2]);
  });
});

const tags = { code: field.string({ required: true, max: 10, unique: true }), n: field.integer() };
const tag = defineResource('Tag', { fields: tags, history: true });

describeEachDatabase('batches of the same records, each in an order of its own', (databases) => {
  const service = useService(databases, {
    application: {
      resources: [tag],
      migrations: {
        '0001_tags': {
          up: (db, dialect) => createTable(db, dialect, tag.table, { fields: tags }),
        },
      },
    },
  });

  /** Deadlocks that the server has ended so far; a session reports its own when it is idle. */
  const deadlocks = async (): Promise<number> => {
    if (databases.dialect === 'sqlite') return 0;
    const database = await databases.open(service.env['DATABASE_URL']);
    const sql = 'select deadlocks from pg_stat_database where datname = current_database()';
    const row = await database.get<{ deadlocks: number }>({ sql, parameters: [] });
    await database.close();
    return Number(row?.deadlocks);
  };

  const made = async (token: string, count: number): Promise<number[]> => {
    const create = Array.from({ length: count }, (_, n) => ({ code: `c${n}` }));
    const answer = await service.ok<{ created: { id: number }[] }>('POST', '/api/v1/tags/batch', {
      token,
      body: { create },
    });
    return answer.created.map(({ id }) => id);
  };

  /** The same ids, each time turned and reversed in another way. */
  const orders = (ids: readonly number[], count: number): number[][] =>
    Array.from({ length: count }, (_, n) => {
      const at = (n * 7) % ids.length;
      const turned = [...ids.slice(at), ...ids.slice(0, at)];
      return n % 2 === 0 ? turned : turned.reverse();
    });

  it('all complete, and none waits for another in a circle', async () => {
    const { token } = await service.admin();
    const ids = await made(token, 24);
    const answers = await Promise.all(
      orders(ids, 16).map((order, n) =>
        service.post('/api/v1/tags/batch', { token, body: { update: order.map((id) => ({ id, n })) } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
    const { data } = await service.get('/api/v1/tags?per_page=100', { token });
    expect(new Set((data as unknown as { n: number }[]).map(({ n }) => n)).size).toBe(1);

    const [first = [], second = []] = orders(ids, 2);
    const half = (order: number[]) => ({
      update: order.slice(0, 12).map((id) => ({ id, n: 99 })),
      delete: order.slice(12),
    });
    const mixed = await Promise.all(
      [first, second].map((order) => service.post('/api/v1/tags/batch', { token, body: half(order) })),
    );
    // The second finds that records are gone.
    expect(mixed.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(await deadlocks()).toBe(0);
  });
});
