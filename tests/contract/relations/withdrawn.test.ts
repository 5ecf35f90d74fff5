import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { anyOf, equals } from '../../../src/model/row-rule.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type RequestOptions, type Service, type TestUser, useService } from '../../support/service.ts';
import { migrations, resources } from './market.ts';

type Row = { readonly id: number } & Readonly<Record<string, unknown>>;

const doorFields = { open: field.boolean({ required: true }), next: field.reference('Door') };
/** Closed ones are written, and read by no caller. */
const door = defineResource('Door', {
  fields: doorFields,
  isolation: { read: equals('open', true), write: anyOf(equals('open', true), equals('open', false)) },
});

const written = defineEndpoint({
  method: 'POST',
  path: '/written',
  auth: ['jwt'],
  handle: async ({ transaction, records }) => {
    const numbers = (of: typeof records) =>
      of('Order')
        .list({ filter: { 'customer.country': { eq: 'ZZ' } } })
        .then((rows) => rows.map(({ number }) => String(number)));
    const inside = await transaction(async (scope) => {
      const { id: customer_id } = await scope.records('Customer').create({ name: 'Zed', country: 'ZZ' });
      await scope.records('Order').create({ number: 'inside', customer_id });
      return numbers(scope.records);
    });
    return { inside, outside: await numbers(records) };
  },
});

const application = {
  resources: [...resources, door],
  migrations: {
    ...migrations,
    '0002_doors': {
      up: async (db: never, dialect: never) =>
        createTable(db, dialect, 'doors', { fields: doorFields, references: { next: 'doors' } }),
    },
  },
  endpoints: [written],
};

describeEachDatabase('what one caller is answered', (databases) => {
  const service = useService(databases, { application });
  let second: Service;
  let [ann, ben]: TestUser[] = [];
  let admin: TestUser;
  let key = '';

  const make = (token: TestUser | undefined, path: string, singular: string, body: object) =>
    service.ok<Row>('POST', `/api/v1/${path}`, { token, body: { [singular]: body } });

  beforeAll(async () => {
    [ann, ben, admin] = [await service.createUser(), await service.createUser(), await service.admin()];
    ({ key } = await service.createKey(ann));
    second = await service.secondInstance();
    await make(ann, 'customers', 'customer', { name: 'Zoe', country: 'DE' });
    for (const [owner, name] of [
      [ann, 'of Ann'],
      [ann, 'of Ann too'],
      [ben, 'of Ben'],
      [admin, 'of none of them'],
    ] as const) {
      const product = await make(owner, 'products', 'product', { name, price: '1.00', public: false });
      await make(admin, 'orders', 'order', { number: name });
      const line = { order_id: 1, product_id: product.id, quantity: product.id };
      await service.ok('POST', '/admin/records/order_lines', { token: admin, body: { order_line: line } });
    }
  });

  /** Names of the products that a caller is shown by one way. */
  const ways: readonly (readonly [string, (rows: readonly Row[]) => unknown[]])[] = [
    [
      'order_lines?page=1&include=product',
      (rows) => rows.flatMap(({ product }) => (product === null ? [] : [(product as Row)['name']])),
    ],
    [
      'order_lines?page=1&filter[product.name][null]=false&sort=quantity&include=product&fields[product]=name',
      (rows) => rows.map(({ product }) => (product as Row)['name']),
    ],
    [
      'order_lines?per_page=4&sort=-product.name&include=product',
      (rows) => rows.flatMap(({ product }) => (product as Row | null)?.['name'] ?? []).reverse(),
    ],
    [
      'order_lines/1?include=product',
      (rows) => rows.flatMap(({ product }) => (product as Row | null)?.['name'] ?? []),
    ],
  ];

  it('a caller never gets the answer of another one who asks the same', async () => {
    const callers: readonly (readonly [RequestOptions, readonly string[]])[] = [
      [{ token: ann }, ['of Ann', 'of Ann too']],
      [{ token: admin }, ['of Ann', 'of Ann too', 'of Ben', 'of none of them']],
      [{ token: ben }, ['of Ben']],
      [{ key }, ['of Ann', 'of Ann too']],
    ];
    for (const [path, namesOf] of ways)
      for (const instance of [service, second, service])
        for (const [options, wanted] of [...callers, ...callers.toReversed()]) {
          const { data, headers } = await instance.request<Row | Row[]>('GET', `/api/v1/${path}`, options);
          if (path.includes('page=1&filter')) expect(headers['x-total-count']).toBe(String(wanted.length));
          const first = path.startsWith('order_lines/') ? wanted.filter((each) => each === 'of Ann') : wanted;
          expect([path, namesOf(Array.isArray(data) ? data : [data])]).toEqual([path, first]);
        }
  });

  it('ends with the permission, on every instance, and begins with it', async () => {
    await service.ok('POST', '/admin/roles', { token: admin, body: { role: { name: 'keeper' } } });
    const keeper = await service.createUser(['viewer', 'keeper']);
    const paths = [
      'customers/1?include=vaults',
      'customers?page=1&filter[vaults.name][null]=true',
      'vaults?page=1&sort=customer.name',
      'orders?page=1&include=customer.vaults',
    ];
    const statuses = async () => {
      const found = new Set<number>();
      for (const path of paths)
        for (const instance of [service, second])
          found.add((await instance.request('GET', `/api/v1/${path}`, { token: keeper })).status);
      return [...found];
    };
    for (const [method, status] of [
      ['PUT', 200],
      ['DELETE', 403],
      ['PUT', 200],
      ['DELETE', 403],
    ] as const) {
      await service.ok(method, '/admin/permissions/keeper/Vault/read', { token: admin });
      expect(await statuses()).toEqual([status]);
    }
  });

  it('a caller gets what the own transaction has written', async () => {
    const { inside, outside } = await service.ok('POST', '/api/v1/written', { token: ann, body: {} });
    expect([inside, outside]).toEqual([['inside'], ['inside']]);
  });

  it('a caller gets what they have put out of their own reach, and nothing more of it', async () => {
    const { id } = await make(ann, 'doors', 'door', { open: true });
    const patch = (body: object) =>
      service.request<Row>('PATCH', `/api/v1/doors/${id}?include=next`, { token: ann, body: { door: body } });
    expect((await patch({ next_id: id })).data['next']).toMatchObject({ id, open: true });
    const closed = await patch({ open: false });
    expect([closed.status, closed.data['open'], closed.data['next']]).toEqual([200, false, null]);
    expect((await service.get(`/api/v1/doors/${id}`, { token: ann })).status).toBe(404);
  });
});
