import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type RequestOptions, useService } from '../../support/service.ts';
import { migrations, resources } from './market.ts';

interface Explanation {
  readonly allowed: boolean;
  readonly status: number;
  readonly decided_by: string;
  readonly steps: readonly { readonly rule: string; readonly outcome: string; readonly because: string }[];
}

const posterFields = {
  text: field.string({ max: 20 }),
  shown: field.boolean({ default: true }),
  customer: field.reference('Customer', { anyone: true }),
};
/** Everybody reads it, but not everybody what it leads to. */
const poster = defineResource('Poster', { fields: posterFields, publicRead: { where: { shown: true } } });
const tables: Migrations = {
  ...migrations,
  '0002_posters': {
    up: async (db, dialect) => {
      const indexes = [['shown']];
      await createTable(db, dialect, 'posters', {
        fields: posterFields,
        references: { customer: 'customers' },
        indexes,
      });
    },
  },
};

describeEachDatabase('explanations of requests across relations', (databases) => {
  const service = useService(databases, {
    application: { resources: [...resources, poster], migrations: tables },
  });

  it('foresee what the request is answered, and name the relation that is refused', async () => {
    const admin = await service.admin();
    const ann = await service.createUser();
    const made = (path: string, body: object) =>
      service.ok<{ readonly id: number }>('POST', `/api/v1/${path}`, { token: ann, body });
    const customer = await made('customers', { customer: { name: 'Zoe' } });
    const order = await made('orders', { order: { number: 'A1', customer_id: customer.id } });
    await service.ok('POST', '/admin/roles', { token: admin, body: { role: { name: 'keeper' } } });
    await service.ok('PUT', '/admin/permissions/keeper/Vault/read', { token: admin });
    const keeper = await service.createUser(['keeper']);
    const { key, id: keyId } = await service.createKey(ann);
    const callers: readonly (readonly [string, RequestOptions])[] = [
      [`user_id=${ann.id}`, { token: ann }],
      [`user_id=${keeper.id}`, { token: keeper }],
      [`user_id=${admin.id}`, { token: admin }],
      [`api_key_id=${keyId}`, { key }],
      ['', {}],
    ];
    const paths = [
      `/api/v1/customers/${customer.id}?include=vaults`,
      `/api/v1/customers/${customer.id}?include=orders.lines`,
      `/api/v1/customers?per_page=1&include=orders,vaults`,
      '/api/v1/customers?filter[vaults.name]=x',
      '/api/v1/customers?filter%5Borders.customer.vaults.name%5D=x',
      '/api/v1/customers/aggregate?count&filter[vaults.name][null]=true',
      '/api/v1/products?per_page=1&include=tags',
      '/api/v1/posters?per_page=1&include=customer',
      '/api/v1/posters?per_page=1&include=customer.vaults',
      `/admin/records/customers/${customer.id}?include=vaults`,
    ];
    for (const [who, credentials] of callers)
      for (const path of paths) {
        // A key does not sign in to the administration area.
        if (path.startsWith('/admin') && 'key' in credentials) continue;
        const { status } = await service.request('GET', path, credentials);
        const query = `${who}&method=GET&path=${encodeURIComponent(path)}`;
        const said = await service.ok<Explanation>('GET', `/admin/explain?${query}`, { token: admin });
        expect([who, path, said.status], JSON.stringify(said.steps)).toEqual([who, path, status]);
      }
    const path = encodeURIComponent(`/api/v1/orders/${order.id}?include=lines,customer.vaults`);
    const refused = await service.ok<Explanation>(
      'GET',
      `/admin/explain?user_id=${ann.id}&method=GET&path=${path}`,
      { token: admin },
    );
    expect(refused).toMatchObject({ allowed: false, status: 403, decided_by: 'related' });
    expect(refused.steps.at(-1)).toEqual({
      rule: 'related',
      label: '关联记录',
      outcome: 'refused',
      because: 'customer.vaults：该调用者不能读取 Vault 的任何记录',
      reason: { name: 'related_unreadable', params: { path: 'customer.vaults', model: 'Vault' } },
    });
  });
});
