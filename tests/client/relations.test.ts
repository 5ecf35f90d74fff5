import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Client, createClient, etagOf, GatewrightError, resource } from '../../client/index.ts';
import { createApplication } from '../../src/app/application.ts';
import { clientFile } from '../../src/cli/client-file.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import type { customer, order, orderLine, product, tag } from '../contract/relations/market.ts';
import { resources as market, migrations } from '../contract/relations/market.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';
import { createProject } from './typescript.ts';

const resources = {
  customers: resource<typeof customer>('customer'),
  orders: resource<typeof order>('order'),
  order_lines: resource<typeof orderLine>('order_line'),
  products: resource<typeof product>('product'),
  tags: resource<typeof tag>('tag'),
};

type Market = Client<typeof resources>;

/** Checked by the compiler; never called. */
const typed = async (client: Market) => {
  const { items } = await client.orders.list({
    include: ['customer', 'lines.product'],
    fields: ['id', 'number'],
    filter: {
      'customer.country': 'DE',
      'lines.product_id': { in: [1, 2] },
      'parent.parent.user.username': 'ann',
    },
    sort: ['-customer.name', 'number'],
    page: 1,
  });
  const one = await client.orders.get(1, {
    include: { customer: ['country'], lines: true, 'lines.product.tags': ['name'], user: true },
  });
  const made = await client.orders.create(
    { number: 'A', lines: [{ product_id: 1, quantity: 2 }] },
    { include: ['lines'] },
  );
  const changed = await client.orders.update(
    1,
    { lines: [{ quantity: 1 }, { id: 3, quantity: 4 }, { id: 4, _delete: true }] },
    { include: ['parent'] },
  );
  for await (const { customer: each } of client.orders.each({ include: ['customer'] }))
    expectTypeOf(each).toEqualTypeOf<{ id: number; name: string } | null>();
  for await (const page of client.orders.pages({ include: ['lines'], fields: ['id'] }))
    expectTypeOf<keyof (typeof page)[number]>().toEqualTypeOf<'id' | 'lines'>();
  const { items: groups } = await client.orders.aggregate({
    group: ['customer_id'],
    count: true,
    filter: { 'customer.country': 'DE' },
  });
  await client.orders.batch({ create: [{ number: 'B', lines: [{ quantity: 1 }] }] });
  // @ts-expect-error: no such relation
  client.orders.list({ include: ['custmer'], page: 1 });
  // @ts-expect-error: no such relation behind it
  client.orders.get(1, { include: ['lines.tags'] });
  // @ts-expect-error: four relations
  client.orders.get(1, { include: ['lines.product.tags.products'] });
  // @ts-expect-error: no such relation
  client.orders.get(1, { include: { customer: true, line: true } });
  // @ts-expect-error: the detail view does not show it
  client.orders.get(1, { include: { customer: ['note'] } });
  // @ts-expect-error: not included
  items[0]?.user;
  // @ts-expect-error: not chosen
  one.customer?.name;
  // @ts-expect-error: the list does not show it
  made.lines[0]?.secret;
  // @ts-expect-error: no such field
  client.orders.list({ filter: { 'customer.nam': 'x' } });
  // @ts-expect-error: the detail view does not show it
  client.orders.list({ filter: { 'customer.note': 'x' } });
  // @ts-expect-error: no such operator of a number
  client.orders.list({ filter: { 'lines.quantity': { like: '1' } } });
  // @ts-expect-error: of many there is no order
  client.orders.list({ sort: 'lines.quantity' });
  // @ts-expect-error: a line needs its quantity
  client.orders.create({ number: 'A', lines: [{ product_id: 1 }] });
  // @ts-expect-error: a new order has no lines that are there
  client.orders.create({ number: 'A', lines: [{ id: 3, quantity: 1 }] });
  // @ts-expect-error: which line?
  client.orders.update(1, { lines: [{ quantity: 3, _delete: true }] });
  // @ts-expect-error: not written within a product
  client.products.update(1, { lines: [] });
  return { items, one, made, changed, groups };
};

/** The client knows the records of models that it is not given, and no more. */
const alone = async (client: Client<Pick<typeof resources, 'orders'>>) => {
  await client.orders.list({ filter: { 'customer.whatever': 1 }, sort: '-customer.name', page: 1 });
  // @ts-expect-error: no such relation
  await client.orders.get(1, { include: ['custmer'] });
  return client.orders.get(1, { include: ['customer.orders', 'lines', 'user'] });
};

describe('types of relations in the client', () => {
  it('types of relations in the client follow from what is included', () => {
    type Used = Awaited<ReturnType<typeof typed>>;
    expectTypeOf<keyof Used['items'][number]>().toEqualTypeOf<'id' | 'number' | 'customer' | 'lines'>();
    expectTypeOf<Used['items'][number]['customer']>().toEqualTypeOf<{ id: number; name: string } | null>();
    expectTypeOf<
      NonNullable<Used['items'][number]['lines'][number]['product']>['price']
    >().toEqualTypeOf<string>();
    expectTypeOf<Used['one']['customer']>().toEqualTypeOf<{ country: string | null } | null>();
    expectTypeOf<NonNullable<Used['one']['lines'][number]['product']>['tags']>().toEqualTypeOf<
      { name: string }[]
    >();
    expectTypeOf<NonNullable<Used['one']['user']>['roles']>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Used['made']['lines'][number]['quantity']>().toEqualTypeOf<number>();
    expectTypeOf<NonNullable<Used['changed']['parent']>['number']>().toEqualTypeOf<string>();
    expectTypeOf<Used['groups'][number]>().toEqualTypeOf<{ customer_id: number | null; count: number }>();
    expectTypeOf(typed).toBeFunction();
  });

  it('types of relations are records of JSON where a model is known by its name only', () => {
    type Used = Awaited<ReturnType<typeof alone>>;
    type Unknown = JsonObject & { readonly id: number };
    expectTypeOf<Used['customer']>().toEqualTypeOf<Unknown | null>();
    expectTypeOf<Used['lines']>().toEqualTypeOf<Unknown[]>();
    expectTypeOf<NonNullable<Used['user']>['username']>().toEqualTypeOf<string>();
    expectTypeOf(alone).toBeFunction();
  });

  it('types of relations are in the written file', async () => {
    const project = await createProject();
    await project.write('resources.ts', clientFile(createApplication({ resources: market })));
    await project.write(
      'use.ts',
      `import { createClient } from 'gatewright/client';
      import { resources } from './resources.ts';
      const client = createClient({ baseUrl: '', resources });
      const { items } = await client.orders.list({
        include: ['customer', 'lines.product.tags', 'user'],
        filter: { 'lines.product.price': { gt: 5 }, 'customer.country': 'DE' },
        sort: '-parent.customer.name',
        page: 1,
      });
      export const names: (string | undefined)[] = items.map(({ customer }) => customer?.name);
      export const tags: (string[] | undefined)[] = items.map(({ lines }) =>
        lines[0]?.product?.tags.map((tag) => tag.name));
      export const users: (string | undefined)[] = items.map(({ user }) => user?.username);
      const one = await client.orders.get(1, { include: { lines: ['quantity'], parent: true } });
      export const quantity: number | undefined = one.lines[0]?.quantity;
      await client.orders.create({ number: 'A', lines: [{ quantity: 1, product_id: 2 }] }, { include: ['lines'] });
      await client.orders.update(1, { lines: [{ id: 1, _delete: true }, { id: 2, quantity: 3 }, { quantity: 1 }] });
      // @ts-expect-error: no such relation
      client.orders.list({ include: ['custmer'] });
      // @ts-expect-error: not included
      one.customer;
      // @ts-expect-error: not chosen
      one.lines[0]?.id;
      // @ts-expect-error: the detail view does not show it
      client.orders.list({ filter: { 'customer.note': 'x' } });
      // @ts-expect-error: of many there is no order
      client.orders.list({ sort: 'lines.quantity' });
      // @ts-expect-error: set by the order
      client.orders.create({ number: 'A', lines: [{ quantity: 1, order_id: 2 }] });
      // @ts-expect-error: a line needs its quantity
      client.orders.update(1, { lines: [{ product_id: 1 }] });`,
    );
    expect(await project.compile()).toBe('');
  });
});

describeEachDatabase('relations by the client', (databases) => {
  const service = useService(databases, {
    application: { resources: market, migrations },
    env: { LOCALE: 'en' },
  });

  it('relations are written, answered, chosen, filtered and sorted by with the client', async () => {
    const { token } = await service.createUser();
    const client: Market = createClient({ baseUrl: service.origin, auth: { token }, resources });
    const zoe = await client.customers.create({ name: 'Zoe', country: 'DE' });
    const yan = await client.customers.create({ name: 'Yan' });
    const tea = await client.products.create({ name: 'tea', price: '1.50' });
    const made = await client.orders.create(
      { number: 'A', customer_id: zoe.id, lines: [{ product_id: tea.id, quantity: 2 }, { quantity: 1 }] },
      { include: ['customer', 'lines.product'] },
    );
    expect(made).toMatchObject({ number: 'A', customer: { name: 'Zoe' } });
    expect(made.lines.map(({ quantity, product: each }) => [quantity, each?.name])).toEqual([
      [2, 'tea'],
      [1, undefined],
    ]);
    await client.orders.create({ number: 'B', customer_id: yan.id });

    const one = await client.orders.get(made.id, { include: { customer: true, lines: ['quantity'] } });
    expect(one).toMatchObject({ customer: { id: zoe.id, name: 'Zoe' } });
    expect(one.lines).toEqual([{ quantity: 2 }, { quantity: 1 }]);
    const changed = await client.orders.update(
      made.id,
      {
        lines: [
          { id: made.lines[0]?.id ?? 0, quantity: 5 },
          { id: made.lines[1]?.id ?? 0, _delete: true },
        ],
      },
      { include: ['lines'], etag: etagOf(one) },
    );
    expect(changed.lines.map(({ quantity }) => quantity)).toEqual([5]);
    const late = client.orders.update(made.id, { number: 'C' }, { include: ['lines'], etag: etagOf(one) });
    await expect(late).rejects.toMatchObject({ status: 412 });

    const page = await client.orders.list({
      include: ['customer'],
      fields: ['number'],
      sort: 'customer.name',
      page: 1,
    });
    expect(page.items).toEqual([
      { number: 'B', customer: { id: yan.id, name: 'Yan' } },
      { number: 'A', customer: { id: zoe.id, name: 'Zoe' } },
    ]);
    const filter = { 'customer.country': 'DE', 'lines.product_id': { in: [tea.id, 99] } };
    expect((await client.orders.list({ filter, fields: ['number'] })).items).toEqual([{ number: 'A' }]);
    expect((await client.orders.aggregate({ count: true, filter })).items).toEqual([{ count: 1 }]);
    const seen: unknown[] = [];
    for await (const { number, lines } of client.orders.each({ include: ['lines'], per_page: 1 }))
      seen.push([number, lines.length]);
    expect(seen).toEqual([
      ['A', 1],
      ['B', 0],
    ]);
  });

  it('relations of the client are refused with what is wrong', async () => {
    const { token } = await service.createUser();
    const client: Market = createClient({ baseUrl: service.origin, auth: { token }, resources });
    const wrong = client.orders.create({ number: 'A', lines: [{ quantity: 1 }, { quantity: 0 }] });
    const error = await wrong.catch((each: unknown) => each);
    expect(error).toBeInstanceOf(GatewrightError);
    expect((error as GatewrightError).fields).toEqual({ 'lines.1.quantity': [expect.any(String)] });
    const include = ['nothing'] as never;
    await expect(client.orders.list({ include, page: 1 })).rejects.toMatchObject({ code: 40007 });
    await expect(client.orders.list({ include: ['lines'] })).rejects.toMatchObject({ code: 40006 });
    // A choice of nothing chooses nothing: it is not taken for all.
    const none = client.orders.list({ include: { lines: [] }, page: 1 });
    await expect(none).rejects.toMatchObject({ code: 40006 });
    expect((await client.orders.list({ include: [], filter: {} })).items).toEqual([]);
  });
});
