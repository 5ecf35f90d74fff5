import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { own } from '../../../src/model/row-rule.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { useService } from '../../support/service.ts';

const shopFields = { name: field.string({ max: 20 }) };
const caseFields = {
  name: field.string({ max: 20 }),
  shop: field.reference('Shop'),
  user_id: field.owner(),
};
const partFields = { flag: field.boolean(), case: field.reference('Case') };
const auth = ['jwt', 'signature'] as const;

const application = {
  resources: [
    defineResource('Shop', { fields: shopFields, permissions: 'all', auth: [...auth] }),
    // No application has a record of its own, and no user has one here.
    defineResource('Case', {
      fields: caseFields,
      ownership: true,
      isolation: true,
      search: ['name'],
      relations: { parts: many('Part'), seals: many('Seal') },
      auth: [...auth],
    }),
    defineResource('Chest', {
      fields: caseFields,
      isolation: { read: own(), write: own() },
      auth: [...auth],
    }),
    defineResource('Part', { fields: partFields, permissions: 'all', auth: [...auth] }),
    // The model does not take this method of authentication.
    defineResource('Seal', { fields: partFields, auth: ['api_key'] }),
  ],
  migrations: {
    '0001_cases': {
      up: async (db, dialect) => {
        await createTable(db, dialect, 'shops', { fields: shopFields });
        await createTable(db, dialect, 'cases', {
          fields: caseFields,
          references: { shop: 'shops' },
          search: ['name'],
        });
        for (const table of ['parts', 'seals'])
          await createTable(db, dialect, table, { fields: partFields, references: { case: 'cases' } });
        await createTable(db, dialect, 'chests', { fields: caseFields, references: { shop: 'shops' } });
      },
    },
  } satisfies Migrations,
  endpoints: [
    defineEndpoint({
      method: 'GET',
      path: '/counted',
      auth: [...auth],
      handle: async ({ records }) => ({
        count: await records('Case').count({ filter: { 'parts.flag': { eq: true } } }),
      }),
    }),
  ],
};

/** Each names a model whose records these callers may not read. */
const asked = [
  'cases?filter[parts.flag]=true',
  'cases?filter[seals.flag]=true',
  'cases?page=1&filter[parts.flag]=true',
  'cases?after=&filter[seals.flag]=true',
  'cases?q=a&filter[parts.flag]=true',
  'cases?q=a&per_page=5&filter[parts.flag][null]=true',
  'cases?sort=shop.name',
  'cases?page=1&include=parts',
  'cases?page=1&include=seals',
  'cases?page=1&include=shop',
  'cases/1?include=parts',
  'cases/aggregate?count&filter[parts.flag]=true',
  'cases/aggregate?group=name&count&filter[seals.flag]=true',
  'chests?filter[shop.name]=a',
  'chests?sort=shop.name',
  'chests?page=1&include=shop',
  'chests/aggregate?count&filter[shop.name]=a',
  'counted',
] as const;

describeEachDatabase('relations of a caller who reaches no record', (databases) => {
  const service = useService(databases, { application });

  it('relations of a caller who reaches no record are refused where the related model may not be read, in every form of a list', async () => {
    const token = await service.createUser();
    await service.createApp('shop');
    const callers = [
      ['a user', { token }, {}],
      ['an application', {}, service.sign('shop', '')],
    ] as const;
    for (const path of asked)
      for (const accept of ['application/json', 'text/csv'])
        for (const [name, options, signed] of callers) {
          const headers = { accept, ...signed };
          const { status } = await service.request('GET', `/api/v1/${path}`, { ...options, headers });
          expect([path, accept, name, status]).toEqual([path, accept, name, 403]);
        }
    // The lists themselves are open to them, and empty.
    for (const path of ['cases?filter[name]=a', 'chests?page=1'])
      for (const [, options, headers] of callers) {
        const { status, data } = await service.request('GET', `/api/v1/${path}`, { ...options, headers });
        expect([path, status, data]).toEqual([path, 200, []]);
      }
  });
});
