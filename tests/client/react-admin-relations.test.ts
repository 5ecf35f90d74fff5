import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DataProvider, RaRecord } from 'ra-core';
import { beforeAll, expect, it } from 'vitest';
import { createDataProvider, routesOf } from '../../client/react-admin/index.ts';
import { createTransport } from '../../client/transport.ts';
import { createApplication } from '../../src/app/application.ts';
import { clientFile } from '../../src/cli/client-file.ts';
import { migrations, resources } from '../contract/relations/market.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

type Row = RaRecord & Readonly<Record<string, unknown>>;

/** The output of `generate client`, as an application imports it. */
const writtenResources = async (): Promise<Parameters<typeof routesOf>[0]> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-written-'));
  const file = join(directory, 'resources.ts');
  await writeFile(file, clientFile(createApplication({ resources })));
  const { resources: written } = await import(pathToFileURL(file).href);
  await rm(directory, { recursive: true });
  return written;
};

describeDatabase('sqlite', 'gatewright/react-admin with relations', (databases) => {
  const service = useService(databases, { application: { resources, migrations }, env: { LOCALE: 'en' } });
  const asked: { readonly method: string; readonly path: string; readonly body: unknown }[] = [];
  let ann: TestUser;
  let provider: DataProvider;
  const made: Record<'zoe' | 'yan' | 'tea' | 'cup', Row> = {} as never;

  const create = async (resource: string, data: object): Promise<Row> =>
    (await provider.create<Row>(resource, { data })).data;
  const list = (resource: string, params: object = {}) =>
    provider.getList<Row>(resource, { pagination: { page: 1, perPage: 10 }, ...params });
  const order = (id: unknown, embed: readonly string[] = ['lines']) =>
    provider.getOne<Row>('orders', { id: id as number, meta: { embed } });
  const last = () => asked.at(-1);
  /** The order of the body that was sent last. */
  const sent = () =>
    (last()?.body as { readonly order?: Readonly<Record<string, unknown>> } | undefined)?.order ?? {};

  beforeAll(async () => {
    ann = await service.createUser();
    const transport = createTransport({ baseUrl: service.origin, auth: { token: ann.token } });
    provider = createDataProvider({
      routeOf: routesOf(await writtenResources()),
      send: (method, path, options) => {
        asked.push({ method, path: decodeURIComponent(path), body: options?.body });
        return transport.send(method, path, options);
      },
    });
    made.zoe = await create('customers', { name: 'Zoe', country: 'DE' });
    made.yan = await create('customers', { name: 'Yan', country: 'FR' });
    made.tea = await create('products', { name: 'tea', price: '1.00' });
    made.cup = await create('products', { name: 'cup', price: '2.00' });
  });

  /** An order of Zoe's with two lines. */
  const stage = async (number: string): Promise<Row> =>
    create('orders', {
      number,
      customer_id: made.zoe.id,
      lines: [
        { product_id: made.tea.id, quantity: 1 },
        { product_id: made.cup.id, quantity: 2 },
      ],
    });

  it('embeds what meta.embed, or meta.include, names', async () => {
    const { id } = await stage('E');
    const { data } = await order(id, ['customer', 'lines.product']);
    expect(data).toMatchObject({
      customer: { name: 'Zoe' },
      lines: [
        { quantity: 1, product: { name: 'tea' } },
        { quantity: 2, product: { name: 'cup' } },
      ],
    });
    const listed = await list('orders', { filter: { number: 'E' }, meta: { embed: ['customer'] } });
    expect(listed.data).toMatchObject([{ number: 'E', customer: { name: 'Zoe' } }]);
    expect(last()?.path).toContain('include=customer');
    const many = await provider.getMany<Row>('orders', { ids: [id], meta: { embed: 'user' } });
    expect(many.data).toMatchObject([{ user: { username: ann.username } }]);
    // A row that came without its id would be a new one when the form is saved.
    const chosen = await provider.getOne<Row>('orders', { id, meta: { include: { lines: ['quantity'] } } });
    expect(chosen.data['lines']).toEqual([
      { id: expect.any(Number), quantity: 1 },
      { id: expect.any(Number), quantity: 2 },
    ]);
    const wrong = provider.getOne('orders', { id, meta: { embed: ['nothing'] } });
    await expect(wrong).rejects.toMatchObject({ status: 400, body: { code: 40007 } });
    await expect(provider.getOne('orders', { id, meta: { embed: [5] } })).rejects.toThrow('meta.embed');
  });

  it('gives what meta.prefetch names to react-admin, by its resource and once', async () => {
    await stage('P1');
    await stage('P2');
    const params = {
      filter: { number: ['P1', 'P2'] },
      meta: { prefetch: ['customer', 'lines'], embed: ['user'] },
    };
    const { data, meta } = await list('orders', params);
    expect(data).toMatchObject([{ user: { username: ann.username } }, { number: 'P2' }]);
    for (const record of data) expect(record).not.toHaveProperty('customer');
    expect(meta?.prefetched.customers).toEqual([{ id: made.zoe.id, name: 'Zoe' }]);
    expect(meta?.prefetched.order_lines).toHaveLength(4);
    const one = await provider.getOne<Row>('orders', {
      id: Number(data[0]?.id),
      meta: { prefetch: ['customer'] },
    });
    expect(one.meta?.prefetched).toEqual({ customers: [{ id: made.zoe.id, name: 'Zoe' }] });
    expect(one.data).not.toHaveProperty('customer');
    const deep = provider.getList('orders', { meta: { prefetch: ['lines.product'] } });
    await expect(deep).rejects.toThrow('not a relation of the record itself');
  });

  it('answers the records of another by its reference, or by a relation', async () => {
    const { id } = await stage('R');
    const reference = (resource: string, target: string, of: unknown, more: object = {}) =>
      provider.getManyReference<Row>(resource, {
        target,
        id: of as number,
        pagination: { page: 1, perPage: 10 },
        sort: { field: 'id', order: 'ASC' },
        filter: {},
        ...more,
      });
    const lines = await reference('order_lines', 'order_id', id, { meta: { embed: ['product'] } });
    expect(lines).toMatchObject({
      total: 2,
      data: [{ product: { name: 'tea' } }, { product: { name: 'cup' } }],
    });
    const tag = await create('tags', { name: 'red' });
    await create('product_tags', { product_id: made.cup.id, tag_id: tag.id });
    expect((await reference('products', 'tags', tag.id)).data).toMatchObject([{ name: 'cup' }]);
    expect((await reference('tags', 'products', made.tea.id)).total).toBe(0);
    expect((await reference('order_lines', 'order.number', 'R')).total).toBe(2);
  });

  it('filters and sorts across relations, as inputs of a form say it', async () => {
    await create('orders', { number: 'F', customer_id: made.yan.id });
    const numbers = async (params: object) => (await list('orders', params)).data.map(({ number }) => number);
    expect(await numbers({ filter: { customer: { country: 'FR' } } })).toEqual(['F']);
    expect(await numbers({ filter: { 'customer.country': 'FR', number: '' } })).toEqual(['F']);
    const filter = { customer: { 'name@starts_with': 'Y' }, lines: { product: { name: undefined } } };
    expect(await numbers({ filter })).toEqual(['F']);
    const [first] = await numbers({ sort: { field: 'customer.name', order: 'ASC' } });
    expect(first).toBe('F');
  });

  it('sends the rows of a list as they have changed, and deletes those that are gone', async () => {
    const { id } = await stage('W');
    const { data: before } = await order(id, ['lines.product', 'customer']);
    const [tea, cup] = before['lines'] as Row[];
    const lines = [
      { product_id: made.cup.id, quantity: 7 },
      { ...cup, quantity: 3 },
    ];
    const { data: after } = await provider.update<Row>('orders', {
      id,
      previousData: before,
      data: { ...before, customer: { ...(before['customer'] as Row), name: 'x' }, lines },
    });
    expect(last()).toMatchObject({
      method: 'PATCH',
      path: `/api/v1/orders/${id}?include=lines`,
      body: {
        order: {
          lines: [
            { product_id: made.cup.id, quantity: 7 },
            { id: cup?.id, quantity: 3 },
            { id: tea?.id, _delete: true },
          ],
        },
      },
    });
    // The field is not a relation that is written within the record.
    expect(sent()).not.toHaveProperty('customer');
    expect((after['lines'] as Row[]).map(({ quantity }) => quantity)).toEqual([3, 7]);

    // Nothing has changed but the number; nothing is said of lines.
    const { data: now } = await order(id);
    await provider.update('orders', { id, previousData: now, data: { ...now, number: 'W2' } });
    expect(last()?.body).toEqual({ order: { number: 'W2' } });
    // Another order of the same rows is no change.
    const { data: again } = await order(id);
    const turned = [...(again['lines'] as Row[])].reverse();
    await provider.update('orders', { id, previousData: again, data: { ...again, lines: turned } });
    expect(last()?.body).toEqual({ order: {} });
    expect((await order(id)).data['lines']).toHaveLength(2);
  });

  it('takes nothing away from a list that it was not shown', async () => {
    const { id } = await stage('N');
    const { data: before } = await order(id, []);
    const data = { ...before, lines: [{ product_id: made.tea.id, quantity: 9 }] };
    const { data: saved } = await provider.update<Row>('orders', { id, previousData: before, data });
    expect(saved).not.toHaveProperty('lines');
    expect(((await order(id)).data['lines'] as Row[]).map(({ quantity }) => quantity)).toEqual([1, 2, 9]);
    // All rows taken out of a list that was shown: all are deleted.
    const { data: shown } = await order(id);
    await provider.update('orders', { id, previousData: shown, data: { ...shown, lines: [] } });
    expect((await order(id)).data['lines']).toEqual([]);
  });

  it('makes a copy of a record with rows of its own', async () => {
    const { id } = await stage('C');
    const { data } = await order(id, ['lines.product']);
    const { id: _id, ...copied } = data;
    const { data: copy } = await provider.create<Row>('orders', { data: { ...copied, number: 'C2' } });
    expect(copy).not.toHaveProperty('lines');
    const rows = async (of: unknown) => (await order(of)).data['lines'] as Row[];
    expect((await rows(copy.id)).map(({ quantity }) => quantity)).toEqual([1, 2]);
    expect((await rows(id)).map((row) => row.id)).toEqual((data['lines'] as Row[]).map((row) => row.id));
  });

  it('names a refused field where the form has it', async () => {
    const { id } = await stage('X');
    const { data: before } = await order(id);
    const [tea, cup] = before['lines'] as Row[];
    const lines = [tea, { ...cup, quantity: 0 }, { quantity: 0 }];
    const refused = provider.update('orders', { id, previousData: before, data: { ...before, lines } });
    await expect(refused).rejects.toMatchObject({
      status: 422,
      body: {
        code: 42200,
        errors: { 'lines.1.quantity': expect.any(String), 'lines.2.quantity': expect.any(String) },
      },
    });
    expect(sent()['lines']).toEqual([{ id: cup?.id, quantity: 0 }, { quantity: 0 }]);
    // Refused because the row is gone: there is no input that could say so, but the list is there.
    await service.request('DELETE', `/api/v1/order_lines/${tea?.id}`, { token: ann });
    const gone = provider.update('orders', { id, previousData: before, data: { ...before, lines: [cup] } });
    await expect(gone).rejects.toMatchObject({
      status: 422,
      body: { errors: { lines: expect.any(String) } },
    });
  });
});
