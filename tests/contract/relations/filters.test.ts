import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../support/databases.ts';
import { type Answer, type TestUser, useService } from '../../support/service.ts';
import { migrations, resources } from './market.ts';

type Row = { readonly id: number } & Readonly<Record<string, unknown>>;

describeEachDatabase('filters and sorts across relations', (databases) => {
  const service = useService(databases, { application: { resources, migrations } });
  let ann: TestUser;
  let ben: TestUser;
  const products: Row[] = [];

  const make = (token: TestUser, path: string, singular: string, body: object) =>
    service.ok<Row>('POST', `/api/v1/${path}`, { token, body: { [singular]: body } });

  /** Numbers of Ann's orders that a query finds. */
  const numbers = async (query: string, path = '/api/v1/orders', token = ann): Promise<unknown[]> => {
    const sort = query.includes('sort=') ? '' : '&sort=number';
    const rows = await service.ok<Row[]>('GET', `${path}?${query}${sort}`, { token });
    return rows.map(({ number }) => number);
  };
  const refused = async (query: string, path = 'orders', token = ann) => {
    const { status, json } = await service.request('GET', `/api/v1/${path}?${query}`, { token });
    return [status, json['code']];
  };

  /**
   * A: Zoe of DE, lines of the open and of Ann's product. B: Yan of FR, a line of Ben's hidden product. C: no customer, a line
   * of no product. D: Xi without a country, no lines.
   */
  beforeAll(async () => {
    [ann, ben] = [await service.createUser(), await service.createUser()];
    const customers: Row[] = [];
    for (const [name, country] of [
      ['Zoe', 'DE'],
      ['Yan', 'FR'],
      ['Xi', null],
    ])
      customers.push(await make(ann, 'customers', 'customer', { name, country, note: `of ${name}` }));
    products.push(await make(ben, 'products', 'product', { name: 'open', price: '2.00' }));
    products.push(await make(ben, 'products', 'product', { name: 'hidden', price: '3.00', public: false }));
    products.push(await make(ann, 'products', 'product', { name: 'own', price: '1.50', public: false }));
    const token = await service.admin();
    const line = (order: Row, product: number | undefined, quantity: number) =>
      service.ok('POST', '/admin/records/order_lines', {
        token,
        body: {
          order_line: {
            order_id: order.id,
            product_id: product === undefined ? null : products[product]?.id,
            quantity,
            secret: 'x',
          },
        },
      });
    const order = (number: string, customer?: number) =>
      make(ann, 'orders', 'order', {
        number,
        customer_id: customer === undefined ? null : customers[customer]?.id,
      });
    const a = await order('A', 0);
    await line(a, 0, 1);
    await line(a, 2, 5);
    const b = await order('B', 1);
    await line(b, 1, 2);
    const c = await order('C');
    await line(c, undefined, 5);
    await order('D', 2);
    await make(ben, 'orders', 'order', { number: 'E', customer_id: customers[0]?.id });
  });

  it('filters and sorts across relations find by a field of the record that a reference names', async () => {
    expect(await numbers('filter[customer.country]=DE')).toEqual(['A']);
    expect(await numbers('filter[customer.country][in]=DE,FR')).toEqual(['A', 'B']);
    expect(await numbers('filter[customer.name][like]=x')).toEqual(['D']);
    expect(await numbers('filter[customer.name][gt]=Y')).toEqual(['A', 'B']);
    expect(await numbers('filter[customer.id][null]=false')).toEqual(['A', 'B', 'D']);
  });

  it('filters and sorts across relations count no record as one whose fields have no value', async () => {
    expect(await numbers('filter[customer.country][null]=true')).toEqual(['C', 'D']);
    expect(await numbers('filter[customer.country][ne]=DE')).toEqual(['B', 'C', 'D']);
    expect(await numbers('filter[lines.product_id][null]=true')).toEqual(['C', 'D']);
    expect(await numbers('filter[lines.id][null]=true')).toEqual(['D']);
  });

  it('filters and sorts across relations find where there is one of many', async () => {
    expect(await numbers(`filter[lines.product_id]=${products[0]?.id}`)).toEqual(['A']);
    expect(await numbers('filter[lines.quantity][gte]=2')).toEqual(['A', 'B', 'C']);
    expect(await numbers('filter[lines.quantity][ne]=5')).toEqual(['A', 'B', 'D']);
    // Each filter by itself: no line has both.
    expect(await numbers(`filter[lines.product_id]=${products[0]?.id}&filter[lines.quantity]=5`)).toEqual([
      'A',
    ]);
  });

  it('filters and sorts across relations count a record out of reach as none', async () => {
    expect(await numbers('filter[lines.product.name]=hidden')).toEqual([]);
    expect(await numbers('filter[lines.product.name]=own')).toEqual(['A']);
    expect(await numbers('filter[lines.product.name][null]=true')).toEqual(['B', 'C', 'D']);
    expect(await numbers('filter[lines.product.name][ne]=own')).toEqual(['A', 'B', 'C', 'D']);
    const token = await service.admin();
    const all = (query: string) => numbers(query, '/admin/records/orders', token);
    expect(await all('filter[lines.product.name]=hidden')).toEqual(['B']);
    expect(await all('filter[lines.secret]=x')).toEqual(['A', 'B', 'C']);
    expect(await all(`filter[user.username]=${ben.username}`)).toEqual(['E']);
  });

  it('filters and sorts across relations sort by the record that a reference names, with pages that lead on', async () => {
    expect(await numbers('sort=customer.name,number')).toEqual(['C', 'D', 'B', 'A']);
    expect(await numbers('sort=-customer.country,-number')).toEqual(['B', 'A', 'D', 'C']);
    const walked: unknown[] = [];
    let next: string | undefined = 'after=&per_page=1&sort=-customer.name&include=customer';
    for (let pages = 0; next !== undefined && pages < 9; pages += 1) {
      const answer: Answer<Row[]> = await service.request<Row[]>('GET', `/api/v1/orders?${next}`, {
        token: ann,
      });
      walked.push(...(answer.data ?? []).map(({ number }) => number));
      next = /<[^>]*\?([^>]*)>; rel="next"/.exec(String(answer.headers['link']))?.[1];
    }
    expect(walked).toEqual(['A', 'B', 'D', 'C']);
  });

  it('filters and sorts across relations are aggregated and counted alike', async () => {
    const count = async (query: string) => {
      const path = `/api/v1/orders/aggregate?count&${query}`;
      return (await service.ok<{ count: number }[]>('GET', path, { token: ann }))[0]?.count;
    };
    expect(await count('filter[customer.country]=DE')).toBe(1);
    expect(await count('filter[lines.product.name][null]=true')).toBe(3);
    const page = await service.request('GET', '/api/v1/orders?page=1&filter[customer.country]=DE', {
      token: ann,
    });
    expect(page.headers['x-total-count']).toBe('1');
    const others = await service.request('GET', '/api/v1/orders?page=1&filter[customer.country]=DE', {
      token: ben,
    });
    expect(others.json['data']).toMatchObject([{ number: 'E' }]);
  });

  it('filters and sorts across relations refuse fields that are not read, paths that are none, and models that may not be read', async () => {
    expect(await refused('filter[customer.note]=x')).toEqual([400, 40007]);
    expect(await refused('filter[lines.secret]=x')).toEqual([400, 40007]);
    expect(await refused('filter[missing.name]=x')).toEqual([400, 40007]);
    expect(await refused('filter[customer]=x')).toEqual([400, 40007]);
    expect(await refused('filter[customer.orders.lines.product.name]=x')).toEqual([400, 40007]);
    expect(await refused('filter[lines.product.name][nope]=x')).toEqual([400, 40006]);
    expect(await refused('filter[customer.vaults.name]=x')).toEqual([403, 40300]);
    expect(await refused('filter[lines.quantity]=x')).toEqual([400, 40006]);
    expect(await refused('sort=lines.quantity')).toEqual([400, 40007]);
    expect(await refused('sort=customer.note')).toEqual([400, 40007]);
    expect(await refused('filter[customer%2Ecountry]=DE')).toEqual([200, 0]);
  });
});
