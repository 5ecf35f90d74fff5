import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConstraintError } from '../../src/database/database.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { defineProblem } from '../../src/model/define-problem.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import type { HookPrincipal } from '../../src/model/resource.ts';
import type { Scope } from '../../src/model/scope.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { versionOf } from '../../src/resources/operations/scope-records.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Service, useService } from '../support/service.ts';

const products = {
  name: field.string({ required: true, max: 40, unique: true }),
  stock: field.integer({ required: true, min: 0 }),
  cost: field.integer(),
};
const orders = {
  note: field.string({ max: 40 }),
  status: field.enum(['open', 'paid', 'cancelled'], { default: 'open' }),
  rating: field.integer(),
  user_id: field.owner(),
};
const lines = {
  order: field.reference('Order', { required: true }),
  product: field.reference('Product', { required: true }),
  quantity: field.integer({ required: true, min: 1 }),
};

interface Heard {
  readonly hook: string;
  readonly action: string;
  readonly before?: JsonObject | undefined;
  readonly after?: JsonObject | undefined;
  readonly principal: HookPrincipal;
}

/** The calls of hooks, and their behaviour in a test. */
let heard: Heard[] = [];
let inCommit: (scope: Scope, context: { id: number; action: string }) => Promise<void> | void = () => {};

const soldOut = defineProblem({
  status: 409,
  number: 50,
  message: { 'zh-CN': '库存仅剩 {left}', en: 'Only {left} left' },
});
const notToday = defineProblem({ status: 422, number: 51, message: 'Not today' });

const product = defineResource('Product', {
  fields: products,
  views: { detail: ['id', 'name', 'stock'], list: ['id', 'name'] },
  permissions: 'writes',
});
const order = defineResource('Order', {
  fields: orders,
  isolation: true,
  ownership: true,
  restricted: ['rating'],
  problems: [notToday],
  hooks: {
    beforeSave: ({ action, before, principal, addError, values }) => {
      heard.push({ hook: 'beforeSave', action, before: before as JsonObject | undefined, principal });
      if (values.note === 'bad as a whole') addError(undefined, 'The order is bad');
      if (values.note === 'not today') throw notToday();
    },
    beforeCommit: async (context) => {
      const { action, before, after, principal, addError } = context;
      const values = { before: before as JsonObject | undefined, after: after as JsonObject | undefined };
      heard.push({ hook: 'beforeCommit', action, ...values, principal });
      if (after?.note === 'refuse') addError('note', 'Note: refused in the transaction');
      if (after?.note === 'throw') throw new Error('secret detail');
      if (action === 'update' && before?.status !== 'open' && before?.status !== after?.status)
        addError('status', `Status: an order that is ${before?.status} stays so`);
      await inCommit(context, context);
    },
    afterCommit: ({ action, record, principal }) => {
      heard.push({ hook: 'afterCommit', action, after: record as JsonObject, principal });
    },
  },
});
const line = defineResource('Line', { fields: lines });

const checkout = defineEndpoint({
  method: 'POST',
  path: '/checkout',
  auth: ['jwt', 'api_key'],
  input: { product: field.integer({ required: true }), quantity: field.integer({ required: true, min: 1 }) },
  problems: [soldOut],
  handle: ({ transaction, values }) =>
    transaction(async ({ records, asSystem }) => {
      const stock = asSystem('a checkout takes from the stock').records(product);
      const found = await stock.get(values.product, { lock: true });
      if (found.stock < values.quantity) throw soldOut({ left: found.stock });
      await stock.update(found.id, { stock: found.stock - values.quantity });
      const made = await records(order).create({});
      await asSystem('a checkout writes its lines').records(line).create({
        order_id: made.id,
        product_id: found.id,
        quantity: values.quantity,
      });
      return made;
    }),
});

/** The code that a test runs with the caller's scope. */
let work: (scope: Scope) => unknown = () => null;

const application = {
  resources: [product, order, line],
  migrations: {
    '0001_shop': {
      up: async (db: Parameters<typeof createTable>[0], dialect: 'sqlite' | 'postgres') => {
        await createTable(db, dialect, product.table, { fields: products });
        await createTable(db, dialect, order.table, { fields: orders });
        await createTable(db, dialect, line.table, {
          fields: lines,
          references: { order: order.table, product: product.table },
        });
      },
    },
  },
  endpoints: [
    checkout,
    ...(['/work', '/open'] as const).map((path) =>
      defineEndpoint({
        method: 'POST',
        path,
        auth: path === '/open' ? [] : ['jwt'],
        problems: [notToday],
        handle: async (scope) => (await work(scope)) as JsonObject,
      }),
    ),
  ],
};

describeEachDatabase('a scope', (databases) => {
  const service = useService(databases, { application, env: { LOCALE: 'en', TRANSACTION_TIMEOUT: '1' } });

  /** Runs code in an endpoint that this user calls; returns the endpoint's answer. */
  const as = async (token: string | undefined, does: (scope: Scope) => unknown, path = '/work') => {
    work = does;
    return service.post(`/api/v1${path}`, { ...(token === undefined ? {} : { token }), body: {} });
  };
  const result = async (token: string, does: (scope: Scope) => unknown) => {
    const answer = await as(token, does);
    expect(answer.json).toMatchObject({ code: 0 });
    return answer.json.data;
  };
  const addProduct = async (name: string, stock: number): Promise<number> => {
    const body = { product: { name, stock, cost: 3 } };
    const answer = await service.post('/api/v1/products', { token: await service.admin(), body });
    expect(answer.status).toBe(201);
    return (answer.json.data as { id: number }).id;
  };
  const audit = async (): Promise<JsonObject[]> =>
    service.ok('GET', '/admin/audit?sort=-id&per_page=5', { token: await service.admin() });
  const hooksOf = (hook: string) => heard.filter((each) => each.hook === hook);
  const viewer = (): ReturnType<Service['createUser']> => service.createUser(['viewer']);

  beforeEach(() => {
    [heard, inCommit] = [[], () => {}];
  });

  describe('acts for its caller', () => {
    it('a scope acts within the rows, fields and rights of its caller, and answers records in the detail view', async () => {
      const [ann, bob] = [await viewer(), await viewer()];
      const id = await addProduct('tea', 5);
      const made = (await result(ann.token, ({ records }) =>
        records(order).create({ note: 'mine', rating: 5 }),
      )) as { id: number };
      expect(made).toMatchObject({ note: 'mine', status: 'open', rating: null, user_id: ann.id });
      expect(await result(bob.token, ({ records }) => records(order).list())).toEqual([]);
      expect(
        await result(bob.token, async ({ records }) => (await records(order).find(made.id)) ?? 'none'),
      ).toBe('none');
      const missing = await as(bob.token, ({ records }) => records(order).update(made.id, { note: 'x' }));
      expect([missing.status, missing.json.code]).toEqual([404, 40400]);
      const refused = await as(ann.token, ({ records }) => records(product).update(id, { stock: 99 }));
      expect([refused.status, refused.json.code]).toEqual([403, 40300]);
      const listed = await result(ann.token, ({ records }) =>
        records(product).list({ filter: { stock: 5 } }),
      );
      expect(listed).toContainEqual({ id, name: 'tea', stock: 5 });
      const hidden = await as(ann.token, ({ records }) => records('Product').list({ filter: { cost: 3 } }));
      expect([hidden.status, hidden.json.code]).toEqual([400, 40007]);
    });

    it('a scope does nothing that the caller could not do by the resource’s own endpoint', async () => {
      const stranger = await as(undefined, ({ records }) => records(order).list(), '/open');
      expect([stranger.status, stranger.json.code]).toEqual([403, 40300]);
      const made = await as(undefined, ({ records }) => records(line).create({} as never), '/open');
      expect(made.status).toBe(403);
    });

    it('a scope acts with the rights that were granted, read with the very request', async () => {
      await service.server.services.roles.create('keeper', { principal: 'command line', address: null });
      const user = await service.createUser(['keeper']);
      const id = await addProduct('salt', 1);
      const change = () => as(user.token, ({ records }) => records(product).update(id, { stock: 2 }));
      expect((await change()).status).toBe(403);
      await service.server.services.roles.grant(
        { role: 'keeper', model: 'Product', action: 'update' },
        { principal: 'command line', address: null },
      );
      expect((await change()).json.data).toMatchObject({ stock: 2 });
    });

    it('pages, counts, sorts and searches as a list does', async () => {
      const { token } = await viewer();
      for (const note of ['a', 'b', 'c'])
        await result(token, ({ records }) => records(order).create({ note }));
      const walk = await result(token, async ({ records }) => {
        const first = await records(order).page({ sort: '-note', perPage: 2 });
        const second = await records(order).page({ sort: '-note', perPage: 2, after: first.next ?? '' });
        const third = await records(order).page({ page: 1, perPage: 2, total: 'none' });
        const fourth = await records(order).page({ page: 2, perPage: 2, total: 'estimate' });
        const totals = [third, fourth].map(({ total, atLeast, more }) => ({ total, atLeast, more }));
        return {
          totals,
          first,
          second,
          count: await records(order).count({ filter: { note: { in: ['a', 'b'] } } }),
        };
      });
      expect(walk).toMatchObject({
        first: { records: [{ note: 'c' }, { note: 'b' }], total: 3, more: true, next: expect.any(String) },
        second: { records: [{ note: 'a' }], atLeast: false, more: false },
        totals: [
          { atLeast: false, more: true },
          { total: 3, atLeast: false, more: false },
        ],
        count: 2,
      });
      for (const slip of [{ per_page: 2 }, { page: 1, total: 'some' }])
        expect((await as(token, ({ records }) => records(order).list(slip as never))).status).toBe(500);
      const open = await as(token, ({ records }) =>
        records(order).list({ filter: { note: undefined } as never }),
      );
      expect(open.status).toBe(500);
    });

    it('counts and sums up by group what a list would answer', async () => {
      const [ann, bob] = [await viewer(), await viewer()];
      for (const [index, { token }] of [ann, bob, ann, ann].entries())
        await result(token, ({ records }) => records(order).create({ note: `n${index}` }));
      const groups = (token: string) =>
        result(token, ({ records }) =>
          records(order).aggregate({
            group: ['status', 'created_at:year'],
            count: true,
            max: ['note'],
            filter: { note: { ne: 'n0' } },
            sort: '-count',
            offset: '+08:00',
            perPage: 5,
          }),
        );
      const created_at_year = new Date(service.clock.now() + 8 * 3_600_000).toISOString().slice(0, 4);
      const group = { status: 'open', created_at_year };
      expect(await groups(ann.token)).toEqual([{ ...group, count: 2, max_note: 'n3' }]);
      expect(await groups(bob.token)).toEqual([{ ...group, count: 1, max_note: 'n1' }]);
      const zoned = await result(bob.token, ({ records }) =>
        records(order).aggregate({ group: ['created_at:year'], zone: 'Asia/Shanghai' }),
      );
      expect(zoned).toEqual([{ created_at_year }]);
      // The writes of the transaction count.
      const within = await result(bob.token, ({ transaction }) =>
        transaction(async ({ records }) => {
          await records(order).create({ note: 'n4' });
          return records('Order').aggregate({ count: true, min: ['id'], filter: { status: 'open' } });
        }),
      );
      expect(within).toEqual([{ count: 2, min_id: expect.any(Number) }]);
      const refused = await as(bob.token, ({ records }) => records('Order').aggregate({ sum: ['cost'] }));
      expect([refused.status, refused.json.code]).toEqual([400, 40007]);
      const slip = await as(bob.token, ({ records }) => records(order).aggregate({ groups: [] } as never));
      expect(slip.status).toBe(500);
    });

    it('refuses a version that is not the record’s any more', async () => {
      const { token } = await viewer();
      const answer = await as(token, async ({ records }) => {
        const made = await records(order).create({ note: 'v' });
        const version = versionOf(made);
        await records(order).update(made.id, { note: 'w' }, { version });
        return records(order).remove(made.id, { version });
      });
      expect([answer.status, answer.json.code]).toEqual([412, 41200]);
    });
  });

  describe('asSystem', () => {
    it('goes past the policy and leaves its reason and its caller in the audit log', async () => {
      const ann = await viewer();
      const id = await addProduct('rice', 7);
      const made = await result(ann.token, ({ asSystem }) => {
        const { records } = asSystem('a test of stock');
        return records(product).update(id, { stock: 6 });
      });
      expect(made).toMatchObject({ id, stock: 6, cost: 3 });
      expect((await audit())[0]).toMatchObject({
        action: 'record.update',
        actor_kind: 'user',
        actor_id: String(ann.id),
        target_kind: 'Product',
        target_id: String(id),
        detail: { reason: 'a test of stock', fields: ['stock'] },
      });
    });

    it('sets owners and restricted fields, and keeps validation, uniqueness, references and hooks', async () => {
      const [ann, bob] = [await viewer(), await viewer()];
      const made = await result(ann.token, ({ asSystem }) =>
        asSystem('for somebody else').records(order).create({ user_id: bob.id, rating: 4 }),
      );
      expect(made).toMatchObject({ user_id: bob.id, rating: 4 });
      expect(hooksOf('beforeCommit')[0]?.principal).toEqual({ kind: 'system', reason: 'for somebody else' });
      const bad = await as(ann.token, ({ asSystem }) =>
        asSystem('x').records(line).create({ order_id: 999_999, product_id: 999_999, quantity: 0 }),
      );
      expect([bad.status, bad.json.code]).toEqual([422, 42200]);
      await addProduct('taken', 1);
      const taken = await as(ann.token, ({ asSystem }) =>
        asSystem('x').records(product).create({ name: 'taken', stock: 1 }),
      );
      expect(taken.json.data).toMatchObject({ errors: [{ field: 'name', rule: 'unique' }] });
      const silent = await as(ann.token, ({ asSystem }) => asSystem(' '));
      expect(silent.status).toBe(500);
    });
  });

  describe('a transaction', () => {
    it('a transaction is written whole, or not at all, its hooks included', async () => {
      const { token } = await viewer();
      const failed = await as(token, ({ transaction }) =>
        transaction(async ({ records }) => {
          await records(order).create({ note: 'one' });
          expect(await records(order).count()).toBe(1);
          expect(await records(order).list()).toMatchObject([{ note: 'one' }]);
          throw notToday();
        }),
      );
      expect([failed.status, failed.json.code, failed.json.message]).toEqual([422, 42251, 'Not today']);
      expect(await result(token, ({ records }) => records(order).count())).toBe(0);
      expect(hooksOf('afterCommit')).toEqual([]);
      await result(token, ({ transaction }) =>
        transaction(({ records, transaction: nested }) =>
          nested(async (inner) => [
            await records(order).create({ note: 'two' }),
            await inner.records(order).create({ note: 'three' }),
          ]),
        ),
      );
      await expect.poll(() => hooksOf('afterCommit').length).toBe(2);
      expect(await result(token, ({ records }) => records(order).count())).toBe(2);
    });

    it('runs again after a conflict, so that no change is lost', async () => {
      const { token } = await viewer();
      const id = await addProduct('counter', 0);
      work = ({ transaction }) =>
        transaction(async ({ asSystem }) => {
          const counted = asSystem('count').records(product);
          const { stock } = await counted.get(id);
          await turn();
          return counted.update(id, { stock: stock + 1 });
        });
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => service.post('/api/v1/work', { token, body: {} })),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(await result(token, ({ records }) => records(product).get(id))).toMatchObject({ stock: 12 });
    });

    it('a transaction that takes too long is rolled back with 503, and others go on meanwhile', async () => {
      const { token } = await viewer();
      let isOpen = false;
      const slow = as(token, ({ transaction }) =>
        transaction(async ({ records }) => {
          await records(order).create({ note: 'never' });
          isOpen = true;
          await new Promise(() => {});
        }),
      );
      await expect.poll(() => isOpen, { interval: 5 }).toBe(true);
      const before = performance.now();
      const other = await service.post('/api/v1/orders', { token, body: { order: { note: 'beside' } } });
      expect(other.status).toBe(201);
      expect(performance.now() - before).toBeLessThan(2_000);
      const answer = await slow;
      expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 50305, '5']);
      expect(await result(token, ({ records }) => records(order).list())).toMatchObject([{ note: 'beside' }]);
    });

    it('a transaction is not gone past by a scope from outside it', async () => {
      const { token } = await viewer();
      for (const past of [
        (outer: Scope) => outer.records(order).create({ note: 'past' }),
        (outer: Scope) => outer.records(order).list(),
        (outer: Scope) => outer.sql.all(sql`select 1`),
        (outer: Scope) => outer.transaction(async () => 1),
      ]) {
        const answer = await as(token, (outer) => outer.transaction(() => past(outer) as Promise<unknown>));
        expect(answer.status).toBe(500);
      }
      expect(service.lines.some((text) => text.includes('use the scope that its callback receives'))).toBe(
        true,
      );
      expect(await result(token, ({ records }) => records(order).count())).toBe(0);
    });

    it('locks a record, and only there', async () => {
      const { token } = await viewer();
      const id = await addProduct('locked', 1);
      expect((await as(token, ({ records }) => records(product).get(id, { lock: true }))).status).toBe(500);
      const found = await result(token, ({ transaction }) =>
        transaction(({ records }) => records(product).get(id, { lock: true })),
      );
      expect(found).toMatchObject({ id });
    });

    it('lets forty buy twenty-five, and writes whole orders only', async () => {
      const { token } = await viewer();
      const id = await addProduct('scarce', 25);
      const answers = await Promise.all(
        Array.from({ length: 40 }, () =>
          service.post('/api/v1/checkout', { token, body: { product: id, quantity: 1 } }),
        ),
      );
      const count = (status: number): number => answers.filter((answer) => answer.status === status).length;
      expect([count(200), count(409)]).toEqual([25, 15]);
      expect(answers.find(({ status }) => status === 409)?.json).toEqual({
        code: 40950,
        message: 'Only 0 left',
      });
      const figures = await result(token, async ({ records, sql: ask }) => ({
        stock: (await records(product).get(id)).stock,
        orders: await records(order).count(),
        lines: await ask.get(sql`select count(*) as n from lines where product_id = ${id}`),
      }));
      expect(figures).toEqual({ stock: 0, orders: 25, lines: { n: 25 } });
    });
  });

  describe('beforeCommit', () => {
    it('sees the record before and after, in create, update and destroy', async () => {
      const { token } = await viewer();
      await result(token, async ({ records }) => {
        const { id } = await records(order).create({ note: 'a' });
        await records(order).update(id, { note: 'b' });
        await records(order).remove(id);
        return null;
      });
      expect(hooksOf('beforeCommit')).toMatchObject([
        { action: 'create', before: undefined, after: { note: 'a', rating: null } },
        { action: 'update', before: { note: 'a' }, after: { note: 'b' } },
        { action: 'destroy', before: { note: 'b' }, after: undefined },
      ]);
      expect(hooksOf('beforeSave')).toMatchObject([{ before: undefined }, { before: { note: 'a' } }]);
      await expect
        .poll(() => hooksOf('afterCommit').at(-1))
        .toMatchObject({ action: 'destroy', after: { note: 'b' } });
    });

    it('refuses with its message, a problem, or a 500 that says nothing; nothing is written', async () => {
      const { token } = await viewer();
      const post = (note: string) => service.post('/api/v1/orders', { token, body: { order: { note } } });
      expect((await post('refuse')).json).toMatchObject({
        code: 42200,
        data: { errors: [{ field: 'note', rule: 'custom', message: 'Note: refused in the transaction' }] },
      });
      const thrown = await post('throw');
      expect([thrown.status, JSON.stringify(thrown.json).includes('secret')]).toEqual([500, false]);
      expect((await post('not today')).json.code).toBe(42251);
      expect((await post('bad as a whole')).json).toMatchObject({
        data: { errors: [{ field: '', rule: 'custom', message: 'The order is bad' }] },
      });
      inCommit = () => {
        throw new ConstraintError('unique', ['name'], undefined);
      };
      expect((await post('constraint')).json.code).toBe(40900);
      expect(await result(token, ({ records }) => records(order).count())).toBe(0);
    });

    it('rolls back also where the code around it catches the refusal', async () => {
      const { token } = await viewer();
      const answer = await as(token, ({ transaction }) =>
        transaction(async ({ records }) => {
          await records(order).create({ note: 'kept?' });
          await records(order)
            .create({ note: 'refuse' })
            .catch(() => {});
          return 'caught';
        }),
      );
      expect(answer.json.code).toBe(42200);
      expect(await result(token, ({ records }) => records(order).count())).toBe(0);
    });

    it('lets one of two states win, and shows what it changed itself in the answer', async () => {
      const { token } = await viewer();
      const made = (await result(token, ({ records }) => records(order).create({}))) as { id: number };
      const patch = (status: string) =>
        service.request('PATCH', `/api/v1/orders/${made.id}`, { token, body: { order: { status } } });
      const answers = await Promise.all([patch('paid'), patch('cancelled')]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
      inCommit = async ({ asSystem }, { id, action }) => {
        if (action === 'create') await asSystem('first rating').records(order).update(id, { rating: 1 });
      };
      const shown = await service.post('/api/v1/orders', { token, body: { order: { note: 'rated' } } });
      expect(shown.json.data).toMatchObject({ note: 'rated', rating: 1 });
      expect(shown.headers['etag']).toBe('"2-saved"');
    });

    it('a beforeCommit that never ends costs its own request only', async () => {
      const { token } = await viewer();
      inCommit = (_, { action }) => (action === 'create' ? new Promise(() => {}) : undefined);
      const never = service.post('/api/v1/orders', { token, body: { order: { note: 'never' } } });
      const started = performance.now();
      await addProduct('meanwhile', 1);
      expect(performance.now() - started).toBeLessThan(2_000);
      expect((await never).status).toBe(503);
    });

    it('ends where hooks lead to one another for ever', async () => {
      const { token } = await viewer();
      inCommit = async ({ records }) => {
        await records(order).create({ note: 'and again' });
      };
      const answer = await service.post('/api/v1/orders', { token, body: { order: { note: 'first' } } });
      expect(answer.status).toBe(500);
      inCommit = () => {};
      expect(await result(token, ({ records }) => records(order).count())).toBe(0);
    });
  });

  describe('sql', () => {
    it('sql of a scope has one form for both databases, inside and outside of a transaction', async () => {
      const { token } = await viewer();
      const id = await addProduct('by hand', 1);
      const figures = await result(token, async ({ sql: ask, transaction }) => ({
        changed: await ask.run(sql`update products set stock = stock + ${2} where id = ${id}`),
        row: await ask.get<{ stock: number }>(
          sql`select stock from ${sql.table('products')} where id = ${id}`,
        ),
        inside: await transaction(async (scope) => {
          await scope.sql.run(sql`update products set stock = stock + ${3} where id = ${id}`);
          return scope.sql.all(sql`select stock from products where id = ${id}`);
        }),
        summed: await ask.get(
          sql`select count(*) as n, cast(sum(stock) as bigint) as stock from products where id = ${id}`,
        ),
        returned: await ask.get(sql`update products set stock = 0 where id = ${id} returning stock`),
        none: (await ask.get(sql`select 1 from products where id = ${-1}`)) ?? 'none',
      }));
      expect(figures).toEqual({
        changed: 1,
        row: { stock: 3 },
        inside: [{ stock: 6 }],
        summed: { n: 1, stock: 6 },
        returned: { stock: 0 },
        none: 'none',
      });
    });

    it('names the database to handlers and hooks, and inside a transaction', async () => {
      const { token } = await viewer();
      const named: string[] = [];
      inCommit = ({ dialect }) => {
        named.push(dialect);
      };
      const rows = await result(token, async ({ records, dialect, sql: ask, transaction }) => {
        named.push(dialect);
        await records(order).create({});
        await transaction((scope) => {
          named.push(scope.dialect);
          return Promise.resolve();
        });
        const length = { sqlite: sql`length(cast('ü' as blob))`, postgres: sql`octet_length('ü')` };
        return ask.all(sql`select ${length[dialect]} as n`);
      });
      inCommit = () => {};
      expect(rows).toEqual([{ n: 2 }]);
      expect(named).toEqual([databases.dialect, databases.dialect, databases.dialect]);
    });

    it('answers an uncaught violation of a constraint as a conflict, and lets code catch it', async () => {
      const { token } = await viewer();
      await addProduct('once', 1);
      const again = (scope: Scope) =>
        scope.sql.run(
          sql`insert into products (name, stock, created_at, updated_at) values ('once', 1, ${'2026-01-01T00:00:00.000Z'}, ${'2026-01-01T00:00:00.000Z'})`,
        );
      const uncaught = await as(token, again);
      expect([uncaught.status, uncaught.json.code]).toEqual([409, 40900]);
      const caught = await result(token, (scope) =>
        again(scope).catch((error: unknown) => (error instanceof ConstraintError ? error.kind : 'other')),
      );
      expect(caught).toBe('unique');
    });
  });

  it('knows its models by name, and names the nearest', async () => {
    const { token } = await viewer();
    const answer = await as(token, ({ records }) => records('Ordre').list());
    expect(answer.status).toBe(500);
    expect(service.lines.some((text) => text.includes('the nearest is \\"Order\\"'))).toBe(true);
  });

  it('lets a problem be caught, and be recognised', async () => {
    const { token } = await viewer();
    const caught = await result(token, ({ records }) =>
      records(order)
        .get(999_999)
        .catch((error: unknown) => (error instanceof Problem ? [error.problem, error.status] : 'other')),
    );
    expect(caught).toEqual(['record_not_found', 404]);
  });
});
