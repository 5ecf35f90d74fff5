import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';
import { migrations, resources } from './market.ts';

type Row = { readonly id: number } & Readonly<Record<string, unknown>>;

describeEachDatabase('include', (databases) => {
  const service = useService(databases, { application: { resources, migrations } });

  const make = (token: TestUser, path: string, singular: string, body: object) =>
    service.ok<Row>('POST', `/api/v1/${path}`, { token, body: { [singular]: body } });
  const get = (token: TestUser, path: string) => service.request<Row>('GET', `/api/v1/${path}`, { token });

  /** Ann's order of two lines: her own hidden product, and a public one of Ben's; Ben has a hidden one too. */
  const stage = async () => {
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    const admin = await service.admin();
    const customer = await make(ann, 'customers', 'customer', { name: 'Zoe', country: 'DE', note: 'slow' });
    const own = await make(ann, 'products', 'product', { name: 'own', price: '1.50', public: false });
    const open = await make(ben, 'products', 'product', { name: 'open', price: '2.00', public: true });
    const hidden = await make(ben, 'products', 'product', { name: 'hidden', price: '3.00', public: false });
    const order = await make(ann, 'orders', 'order', { number: 'A1', customer_id: customer.id });
    const line = (product: Row | undefined, quantity: number, by = ann) =>
      make(by, 'order_lines', 'order_line', {
        order_id: order.id,
        product_id: product?.id ?? null,
        quantity,
      });
    const lines = [await line(own, 1), await line(open, 2), await line(undefined, 3)];
    const far = await service.ok<Row>('POST', '/admin/records/order_lines', {
      token: admin,
      body: { order_line: { order_id: order.id, product_id: hidden.id, quantity: 4 } },
    });
    return { ann, ben, admin, customer, own, open, hidden, order, lines: [...lines, far] };
  };

  it('answers an order with its customer, its lines and their products', async () => {
    const { ann, customer, own, open, order, lines } = await stage();
    const { status, data } = await get(ann, `orders/${order.id}?include=customer,lines.product`);
    expect(status).toBe(200);
    const { customer: shown, lines: found, ...rest } = data;
    expect(rest).toEqual((await get(ann, `orders/${order.id}`)).data);
    expect(shown).toEqual({ id: customer.id, name: 'Zoe' });
    expect(Object.keys(data).slice(-2)).toEqual(['customer', 'lines']);
    const product = (row: Row, name: string, price: string, user: unknown) => ({
      ...{ id: row.id, name, price, public: name === 'open', user_id: user },
    });
    expect((found as Row[]).map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
    expect((found as Row[]).map(({ product: each }) => each)).toEqual([
      product(own, 'own', '1.50', ann.id),
      product(open, 'open', '2.00', open['user_id']),
      null,
      // Out of reach, as her own request for it would be answered.
      null,
    ]);
    expect((await get(ann, `products/${String((found as Row[])[3]?.['product_id'])}`)).status).toBe(404);
  });

  it('answers a page the same way, byte for byte as the single records', async () => {
    const { ann, order } = await stage();
    await make(ann, 'orders', 'order', { number: 'A2' });
    const query = 'include=customer,lines.product,user';
    const page = await service.request<Row[]>('GET', `/api/v1/orders?page=1&sort=-id&${query}`, {
      token: ann,
    });
    expect(page.data.map(({ number }) => number)).toEqual(['A2', 'A1']);
    expect(page.data[0]).toMatchObject({ customer: null, lines: [], user: { username: ann.username } });
    const alone = await get(ann, `orders/${order.id}?${query}`);
    expect(page.text).toContain(JSON.stringify(alone.data));
  });

  it('lets choose fields of the detail view, and no others', async () => {
    const { ann, order } = await stage();
    const path = `orders/${order.id}?include=customer,lines`;
    const { data } = await get(ann, `${path}&fields[customer]=country&fields[lines]=quantity,id`);
    expect(data['customer']).toEqual({ country: 'DE' });
    expect((data['lines'] as Row[])[0]).toEqual({ id: expect.any(Number), quantity: 1 });
    for (const wrong of ['fields[customer]=note', 'fields[lines]=secret', 'fields[lines]=nothing'])
      expect(await get(ann, `${path}&${wrong}`)).toMatchObject({ status: 400, json: { code: 40007 } });
    for (const wrong of ['fields[parent]=id', 'fields[lines]=', 'fields[lines]=id,id', 'include=user'])
      expect(await get(ann, `${path}&${wrong}`)).toMatchObject({ status: 400, json: { code: 40006 } });
    // Administrators see all in their area.
    const { admin } = await stage();
    const all = await service.ok<Row>('GET', `/admin/records/orders/${order.id}?include=customer`, {
      token: admin,
    });
    expect(all['customer']).toMatchObject({ country: 'DE', note: 'slow' });
  });

  it('refuses relations that are none, too deep or too many, and a list without paging', async () => {
    const { ann, order } = await stage();
    const refused = async (include: string, code: number, path = `orders/${order.id}`) =>
      expect(await get(ann, `${path}?include=${include}`)).toMatchObject({ status: 400, json: { code } });
    await refused('nothing', 40007);
    await refused('lines.nothing', 40007);
    await refused('number', 40007);
    await refused('', 40006);
    await refused('lines,', 40006);
    await refused('lines,lines', 40006);
    await refused('parent.parent.parent.parent', 40006);
    await refused('lines', 40006, 'orders');
    const many = ['customer', 'lines.product', 'lines.order', 'parent.customer', 'parent.lines', 'user'];
    await refused([...many, 'parent.user', 'parent.parent', 'lines.product.user'].join(','), 40006);
    expect((await get(ann, `orders/${order.id}?include=${many.join(',')}`)).status).toBe(200);
  });

  it('include is forbidden where none of the other records may be read', async () => {
    const { ann, customer, order } = await stage();
    const path = `customers/${customer.id}?include=vaults`;
    expect(await get(ann, path)).toMatchObject({ status: 403, json: { code: 40300 } });
    expect((await get(ann, `orders/${order.id}?include=customer.vaults`)).status).toBe(403);
    // 403 comes before 400, whichever is named first; what cannot be read as an include is 400 before both.
    for (const include of ['nothing,vaults', 'vaults,nothing', 'orders.nothing,vaults'])
      expect((await get(ann, `customers/${customer.id}?include=${include}`)).status).toBe(403);
    expect((await get(ann, `customers?per_page=1&include=nothing,vaults`)).status).toBe(403);
    expect((await get(ann, `customers/${customer.id}?include=nothing`)).status).toBe(400);
    expect((await get(ann, `customers/${customer.id}?include=vaults,,orders`)).status).toBe(400);
    expect((await get(await service.admin(), path)).data['vaults']).toEqual([]);
    const token = await service.admin();
    await service.ok('POST', '/admin/roles', { token, body: { role: { name: 'keeper' } } });
    await service.ok('PUT', '/admin/permissions/keeper/Vault/read', { token });
    const keeper = await service.createUser(['keeper']);
    expect((await get(keeper, path)).data['vaults']).toEqual([]);
    // A key reads no tag, neither alone nor within a product.
    const { key } = await service.createKey(ann);
    const byKey = (include: string) =>
      service.request('GET', `/api/v1/orders/${order.id}?include=${include}`, { key });
    expect((await byKey('lines.product')).status).toBe(200);
    expect((await byKey('lines.product.tags')).status).toBe(403);
    expect((await get(ann, `orders/${order.id}?include=lines.product.tags`)).status).toBe(200);
  });

  it('shows each caller what that one reads, whatever others asked before', async () => {
    const { ann, admin, customer, order, hidden, lines } = await stage();
    const query = `${order.id}?include=customer,lines.product`;
    const products = async (token: TestUser, path: string) => {
      const { customer: shown, lines: found } = await service.ok<Row>('GET', path, { token });
      return [shown, ...(found as Row[]).map(({ product }) => (product as Row | null)?.id ?? null)];
    };
    const ids = lines.map((line) => line['product_id'] ?? null);
    const brief = { id: customer.id, name: 'Zoe' };
    const hers = [brief, ...ids.map((id) => (id === hidden.id ? null : id))];
    const whole = expect.objectContaining({ ...brief, note: 'slow' });
    for (let round = 0; round < 2; round += 1) {
      expect(await products(ann, `/api/v1/orders/${query}`)).toEqual(hers);
      expect(await products(admin, `/api/v1/orders/${query}`)).toEqual([brief, ...ids]);
      expect(await products(ann, `/api/v1/orders/${query}`)).toEqual(hers);
      expect(await products(admin, `/admin/records/orders/${query}`)).toEqual([whole, ...ids]);
    }
    // Zed is one of several owners of such an order, with her own values.
    const zed = await stage();
    const theirs = await products(zed.ann, `/api/v1/orders/${zed.order.id}?include=customer,lines.product`);
    expect(theirs.slice(1)).toEqual([zed.own.id, zed.open.id, null, null]);
    // The same text about records of another model.
    const path = `/api/v1/products/${zed.own.id}?include=customer,lines.product`;
    expect(await service.request('GET', path, { token: zed.ann })).toMatchObject({ status: 400 });
    const vaults = `/api/v1/customers/${customer.id}?include=vaults`;
    for (const [token, status] of [[admin, 200] as const, [ann, 403] as const, [admin, 200] as const])
      expect((await service.request('GET', vaults, { token })).status).toBe(status);
  });

  it('follows records in between, once each and in order', async () => {
    const { ann, own, open } = await stage();
    const tags = [];
    for (const name of ['red', 'blue']) tags.push(await make(ann, 'tags', 'tag', { name }));
    for (const product of [open, own])
      for (const tag of [...tags].reverse())
        for (let twice = 0; twice < 2; twice += 1)
          await make(ann, 'product_tags', 'product_tag', { product_id: product.id, tag_id: tag.id });
    const { data } = await get(ann, `products/${open.id}?include=tags.products&fields[tags.products]=id`);
    const products = [{ id: own.id }, { id: open.id }];
    expect(data['tags']).toEqual(tags.map((tag) => ({ ...tag, products })));
  });

  it('answers what a write leaves, or undoes it', async () => {
    const { ann, customer } = await stage();
    const body = { order: { number: 'B1', customer_id: customer.id } };
    const made = await service.request<Row>('POST', '/api/v1/orders?include=customer,lines', {
      token: ann,
      body,
    });
    expect(made.status).toBe(201);
    expect(made.data).toMatchObject({ customer: { id: customer.id, name: 'Zoe' }, lines: [] });
    const changed = await service.request<Row>('PATCH', `/api/v1/orders/${made.data.id}?include=customer`, {
      token: ann,
      headers: { 'if-match': String(made.headers['etag']) },
      body: { order: { customer_id: null } },
    });
    expect(changed).toMatchObject({ status: 200, data: { customer_id: null, customer: null } });
    const refused = await service.request('POST', '/api/v1/orders?include=nothing', { token: ann, body });
    expect(refused.status).toBe(400);
    const orders = await service.ok<Row[]>('GET', '/api/v1/orders?filter[number]=B1', { token: ann });
    expect(orders).toHaveLength(1);
  });

  it('tags an answer by all that is in it', async () => {
    const { ann, own, order } = await stage();
    const path = `/api/v1/orders/${order.id}?include=lines.product`;
    const tagOf = async (headers = {}) => {
      const answer = await service.request('GET', path, { token: ann, headers });
      return { status: answer.status, etag: String(answer.headers['etag']) };
    };
    const first = await tagOf();
    expect(await tagOf({ 'if-none-match': first.etag })).toEqual({ status: 304, etag: first.etag });
    const body = { product: { name: 'renamed' } };
    await service.ok('PATCH', `/api/v1/products/${own.id}`, { token: ann, body });
    const second = await tagOf({ 'if-none-match': first.etag });
    expect(second.status).toBe(200);
    expect(second.etag).not.toBe(first.etag);
    const plain = await service.request('GET', `/api/v1/orders/${order.id}`, { token: ann });
    expect(plain.headers['etag']).not.toBe(second.etag);
  });

  it('repeats the answer of a key only to the same question', async () => {
    const { ann } = await stage();
    const body = { order: { number: 'K1' } };
    const post = (query: string) =>
      service.request<Row>('POST', `/api/v1/orders${query}`, {
        token: ann,
        body,
        headers: { 'idempotency-key': `once ${ann.id}`.replace(' ', '-') },
      });
    const first = await post('?include=lines');
    expect((await post('?include=lines')).text).toBe(first.text);
    expect((await post('')).status).toBe(409);
  });

  it('gives more than a thousand records, or four mebibytes, up', async () => {
    const { ann, admin, order } = await stage();
    const create = Array.from({ length: 996 }, () => ({ order_id: order.id, quantity: 9 }));
    const batch = (lines: object[]) =>
      service.ok('POST', '/admin/records/order_lines/batch', { token: admin, body: { create: lines } });
    await batch(create);
    const path = `orders/${order.id}?include=lines`;
    expect((await get(ann, path)).data['lines']).toHaveLength(1000);
    await batch(create.slice(0, 1));
    const refused = { status: 400, json: { code: 40008 } };
    expect(await get(ann, path)).toMatchObject(refused);
    expect(await get(ann, `orders?per_page=5&include=lines`)).toMatchObject(refused);
    // A thousand lines, each with its order and the thousand lines of that.
    await service.ok('POST', '/admin/records/order_lines/batch', {
      token: admin,
      body: {
        delete: [((await get(ann, `order_lines?per_page=1&sort=-id`)).data as unknown as Row[])[0]?.id],
      },
    });
    expect(await get(ann, `${path}.order.lines`)).toMatchObject(refused);
    expect(await get(ann, `orders?per_page=1&include=lines.order.lines`)).toMatchObject(refused);
    // The service goes on, and so does a write that was not answered because of it.
    const body = { order: { number: 'Z' } };
    const write = await service.request('PATCH', `/api/v1/${path}.order.lines`, { token: ann, body });
    expect(write).toMatchObject(refused);
    expect((await get(ann, `orders/${order.id}`)).data['number']).toBe('A1');
  });
});
