import { beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json.ts';
import type { Scope } from '../../../src/model/scope.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';
import { customer, migrations, order, orderLine, product, resources } from './market.ts';

type Row = { readonly id: number } & Readonly<Record<string, unknown>>;

/** The code that a test runs with the caller's scope. */
let work: (scope: Scope) => unknown = () => null;

const endpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/work',
    handle: async (scope) => (await work(scope)) as JsonObject,
  }),
  defineEndpoint({
    method: 'GET',
    path: '/shown/:id',
    output: order,
    handle: ({ asSystem, params }) =>
      asSystem('whole')
        .records(order, customer, orderLine)
        .get(Number(params.id), { include: ['customer', 'user', 'lines.product', 'parent.user'] }),
  }),
  defineEndpoint({
    method: 'GET',
    path: '/made-up',
    output: order,
    handle: ({ records }) =>
      records(order)
        .list({ perPage: 1 })
        .then(
          ([found]) =>
            ({ ...found, customer: 7, lines: [5, { quantity: 1, secret: 'x' }], vault: {} }) as never,
        ),
  }),
];

describeEachDatabase('relations in a scope', (databases) => {
  const service = useService(databases, {
    application: { resources, migrations, endpoints },
    env: { LOCALE: 'en' },
  });
  let ann: TestUser;
  let ben: TestUser;
  let zoe: Row;
  let shown: Row;
  let far: Row;

  const as = async (does: (scope: Scope) => unknown, token = ann) => {
    work = does;
    return service.request<JsonObject>('POST', '/api/v1/work', { token, body: {} });
  };
  const result = async (does: (scope: Scope) => unknown, token = ann) => {
    const answer = await as(does, token);
    expect(answer.json).toMatchObject({ code: 0 });
    return answer.data;
  };
  const make = (token: TestUser, path: string, singular: string, body: object) =>
    service.ok<Row>('POST', `/api/v1/${path}`, { token, body: { [singular]: body } });
  const get = (path: string, token = ann) => service.ok<Row>('GET', `/api/v1/${path}`, { token });

  /** Ann's order of two lines, one of a product of hers, one of a hidden product of Ben's; and one of no lines. */
  beforeAll(async () => {
    [ann, ben] = [await service.createUser(), await service.createUser()];
    zoe = await make(ann, 'customers', 'customer', { name: 'Zoe', country: 'DE', note: 'slow' });
    const yan = await make(ann, 'customers', 'customer', { name: 'Yan', country: 'FR' });
    const own = await make(ann, 'products', 'product', { name: 'own', price: '1.50', public: false });
    far = await make(ben, 'products', 'product', { name: 'far', price: '3.00', public: false });
    shown = await make(ann, 'orders', 'order', { number: 'A', customer_id: zoe.id });
    await make(ann, 'orders', 'order', { number: 'B', customer_id: yan.id, parent_id: shown.id });
    const token = await service.admin();
    for (const [index, { id }] of [own, far].entries())
      await service.ok('POST', '/admin/records/order_lines', {
        token,
        body: { order_line: { order_id: shown.id, product_id: id, quantity: index + 1, secret: 'x' } },
      });
  });

  it('relations in a scope are answered as the API answers its caller', async () => {
    const include = ['customer', 'lines.product', 'user'] as const;
    const byApi = await get(`orders/${shown.id}?include=${include.join(',')}`);
    expect((byApi['lines'] as Row[]).map(({ product: each }) => each)).toEqual([
      expect.objectContaining({ name: 'own' }),
      null,
    ]);
    expect(await result(({ records }) => records(order).get(shown.id, { include }))).toEqual(byApi);
    expect(await result(({ records }) => records(order).find(shown.id, { include }))).toEqual(byApi);
    const listed = await result(({ records }) => records(order).list({ include, perPage: 5, sort: 'id' }));
    expect(listed).toHaveLength(2);
    expect((listed as unknown as Row[])[0]).toEqual(byApi);
    const paged = await result(({ records }) => records('Order').page({ include, filter: { number: 'A' } }));
    expect(paged).toMatchObject({ records: [byApi], total: 1 });
    const none = await result(({ records }) => records(order).find(shown.id, { include: [] }));
    expect(none).toEqual(await get(`orders/${shown.id}`));
  });

  it('relations in a scope are chosen with their fields', async () => {
    const found = await result(({ records }) =>
      records(order, customer, orderLine).get(shown.id, {
        include: { customer: ['country'], lines: ['quantity'], 'lines.order': true },
      }),
    );
    expect(found['customer']).toEqual({ country: 'DE' });
    expect((found['lines'] as unknown as Row[])[0]).toMatchObject({ quantity: 1, order: { number: 'A' } });
    expect(Object.keys((found['lines'] as unknown as Row[])[0] ?? {})).toEqual(['quantity', 'order']);
  });

  it('relations in a scope are whole, and all there, for the system', async () => {
    const found = await result(({ asSystem }) =>
      asSystem('why')
        .records(order)
        .get(shown.id, { include: ['customer', 'lines.product', 'user'] }),
    );
    expect(found['customer']).toMatchObject({ name: 'Zoe', note: 'slow' });
    expect(found['user']).toMatchObject({ username: ann.username, disabled: false });
    expect(
      (found['lines'] as unknown as Row[]).map((line) => (line['product'] as Row | null)?.['name']),
    ).toEqual(['own', 'far']);
    expect((found['lines'] as unknown as Row[])[0]).toMatchObject({ secret: 'x' });
  });

  it('relations in a scope are filtered and sorted by', async () => {
    const numbers = (does: (scope: Scope) => Promise<readonly { readonly number: string }[]>) =>
      result(async (scope) => (await does(scope)).map(({ number }) => number));
    expect(
      await numbers(({ records }) => records(order).list({ filter: { 'customer.country': 'DE' } })),
    ).toEqual(['A']);
    const filter = { 'lines.product_id': { in: [far.id, 999] }, 'lines.quantity': { gte: 2 } };
    expect(await numbers(({ records }) => records(order, orderLine).list({ filter }))).toEqual(['A']);
    // She cannot tell anything of records that she does not reach.
    const hidden = { 'lines.product.name': 'far' };
    expect(await numbers(({ records }) => records(order).list({ filter: hidden }))).toEqual([]);
    expect(await numbers(({ asSystem }) => asSystem('why').records(order).list({ filter: hidden }))).toEqual([
      'A',
    ]);
    expect(
      await numbers(({ records }) => records(order, customer).list({ sort: ['customer.name', 'id'] })),
    ).toEqual(['B', 'A']);
    expect(
      await numbers(({ records }) => records(order, customer).list({ sort: '-parent.customer.name' })),
    ).toEqual(['B', 'A']);
    expect(await result(({ records }) => records(order).count({ filter: { 'parent.number': 'A' } }))).toBe(1);
    expect(
      await result(({ records }) =>
        records(order, customer).aggregate({ count: true, filter: { 'customer.country': 'DE' } }),
      ),
    ).toEqual([{ count: 1 }]);
  });

  it('relations in the scope of a transaction are as it left them, and what it writes is answered with them', async () => {
    const found = await result(({ transaction }) =>
      transaction(async ({ records, asSystem }) => {
        const made = await records(order).create(
          { number: 'T', customer_id: zoe.id },
          { include: ['customer'] },
        );
        const line = { order_id: made.id, product_id: far.id, quantity: 4 };
        await asSystem('a line').records(orderLine).create(line);
        await records(customer).update(zoe.id, { name: 'Zoé' });
        const locked = await records(order).get(made.id, { include: ['customer', 'lines'], lock: true });
        const listed = await records(order).list({
          filter: { 'lines.quantity': 4, 'customer.name': 'Zoé' },
          include: { customer: true, lines: ['quantity'] },
          perPage: 5,
        });
        const changed = await records(order).update(
          made.id,
          { customer_id: null },
          { include: ['customer'] },
        );
        await records(customer).update(zoe.id, { name: 'Zoe' });
        return { made, locked, listed, changed };
      }),
    );
    expect(found).toMatchObject({
      made: { number: 'T', customer: { name: 'Zoe' } },
      locked: { customer: { name: 'Zoé' }, lines: [{ quantity: 4 }] },
      listed: [{ customer: { name: 'Zoé' }, lines: [{ quantity: 4 }] }],
      changed: { customer_id: null, customer: null },
    });
  });

  it('relations in a scope are refused as by the API, and a slip is an error of the code', async () => {
    const refused = async (does: (scope: Scope) => unknown) => {
      const { status, json } = await as(does);
      return [status, json['code']];
    };
    const include = ['nothing'] as never;
    expect(await refused(({ records }) => records(order).get(shown.id, { include }))).toEqual([400, 40007]);
    expect(await refused(({ records }) => records(order).list({ include: ['lines'] }))).toEqual([400, 40006]);
    const none = { lines: [] };
    expect(await refused(({ records }) => records(order).get(shown.id, { include: none }))).toEqual([
      400, 40006,
    ]);
    const vaults = { include: ['customer.vaults'] } as const;
    expect(await refused(({ records }) => records(order).get(shown.id, vaults))).toEqual([403, 40300]);
    const messageOf = (does: (scope: Scope) => Promise<unknown>) =>
      result((scope) => does(scope).then(String, ({ message }: Error) => message));
    expect(await messageOf(({ records }) => records(order).get(1, { include: 'lines' as never }))).toMatch(
      /^find: include must be an object/,
    );
    expect(
      await messageOf(({ records }) => records(order).get(1, { include: { lines: false as never } })),
    ).toMatch('include.lines must be true, or a list of fields');
    expect(
      await messageOf(async ({ records }) => records(order, { ...product, name: 'Order1' } as never)),
    ).toMatch('there is no model "Order1": the nearest is "Order"');
    // Nothing was written before what is to be answered was found wrong.
    const create = await as(({ records }) => records(order).create({ number: 'Z' }, { include }));
    expect(create.status).toBe(400);
    expect(await result(({ records }) => records(order).count({ filter: { number: 'Z' } }))).toBe(0);
  });

  it('relations in a scope stay in what an endpoint answers, each in the detail view of its model', async () => {
    const found = await get(`shown/${shown.id}`);
    expect(found).toMatchObject({ number: 'A', parent: null, customer: { name: 'Zoe', country: 'DE' } });
    expect(found['customer']).not.toHaveProperty('note');
    expect(Object.keys(found['user'] as Row)).toEqual(['id', 'username', 'email', 'name', 'roles']);
    const [, line] = found['lines'] as Row[];
    expect(line).toMatchObject({ quantity: 2, product: { name: 'far', price: '3.00' } });
    expect(line).not.toHaveProperty('secret');
    expect(line?.['product']).not.toHaveProperty('cost');
    const madeUp = await get('made-up');
    expect(madeUp).toMatchObject({ customer: null, lines: [{ quantity: 1 }] });
    expect(madeUp['lines']).toEqual([{ quantity: 1 }]);
    expect(madeUp).not.toHaveProperty('vault');
  });
});
