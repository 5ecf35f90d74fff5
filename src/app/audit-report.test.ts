import { describe, expect, it } from 'vitest';
import { field } from '../fields/define.ts';
import { defineResource } from '../model/define-resource.ts';
import type { ResourceModel } from '../model/resource.ts';
import { allOf, anyOf, equals, own } from '../model/row-rule.ts';
import { defineEndpoint } from '../resources/application/define-endpoint.ts';
import { createApplication } from './application.ts';
import { auditReport, type RecommendedRule, ruleWarnings } from './audit-report.ts';
import { readConfig } from './config.ts';
import { endpointsOf } from './describe.ts';

const fields = { title: field.string(), secret: field.text(), user_id: field.owner() };

const always: readonly RecommendedRule[] = ['missing_is_404', 'delete_envelope'];

const switches: readonly (readonly [ResourceModel, RecommendedRule[], boolean])[] = [
  [defineResource('Plain', { fields }), [], true],
  [defineResource('Thin', { fields, views: { list: ['id', 'title'] } }), ['field_filtering'], true],
  [defineResource('Checked', { fields, permissions: 'writes' }), ['permission_check'], false],
  [defineResource('Walled', { fields, isolation: true }), ['isolation'], false],
  [defineResource('Tied', { fields, restricted: ['secret'] }), ['write_filtering'], true],
  [defineResource('Owned', { fields, ownership: true }), ['ownership'], true],
  [defineResource('Shown', { fields, publicRead: { where: { title: 'x' } } }), ['public_read'], true],
  [defineResource('Shared', { fields, isolation: { read: 'everyone', write: own() } }), ['isolation'], false],
  [
    defineResource('Loose', {
      fields,
      isolation: { read: 'everyone', write: anyOf(own(), equals('title', 'wiki')) },
    }),
    ['isolation'],
    true,
  ],
  [
    defineResource('Near', { fields, isolation: { read: own(), write: equals('title', 'wiki') } }),
    ['isolation'],
    false,
  ],
  [
    defineResource('Both', { fields, isolation: allOf(own(), equals('title', 'wiki')) }),
    ['isolation'],
    false,
  ],
  [
    defineResource('Ruled', { fields, permissions: 'all', isolation: equals('title', 'wiki') }),
    ['isolation', 'permission_check'],
    false,
  ],
  [defineResource('Terse', { fields, views: { saved: ['id'] } }), ['smaller_saved_answer'], true],
  [
    defineResource('Halved', {
      fields: { ...fields, user_id: field.owner({ shows: ['name'] }) },
      views: {
        detail: ['id', 'title', 'user_id', 'created_at', 'updated_at'],
        when: [[own(), ['secret']]],
      },
      restricted: [{ fields: ['title'], unless: equals('title', 'wiki') }],
      trash: true,
      manage: own(),
    }),
    ['field_filtering', 'write_filtering'],
    true,
  ],
];

const application = createApplication({
  resources: switches.map(([model]) => model),
  endpoints: [
    defineEndpoint({
      method: 'GET',
      path: '/reports/:id',
      auth: ['api_key'],
      roles: ['auditor'],
      handle: () => null,
    }),
    defineEndpoint({ method: 'POST', path: '/ping', auth: [], handle: () => null }),
  ],
});

const report = async () =>
  auditReport(await endpointsOf(application, readConfig({})), application.models, undefined, []);

describe('audit report', () => {
  it.each(switches)('$name: its rule and no other is on', async ({ name }, on, open) => {
    const resource = (await report()).resources.find(({ model }) => model === name);
    const off = new Set(resource?.off);
    expect(always.some((rule) => off.has(rule))).toBe(false);
    expect([...off].filter((rule) => on.includes(rule))).toEqual([]);
    expect(off.size).toBe(7 - on.length);
    expect(resource?.open).toBe(open);
  });

  it('says in words which rows a resource leaves open, and which its rule leaves', async () => {
    const { resources, endpoints } = await report();
    const of = (name: string) => resources.find(({ model }) => model === name);
    expect(of('Plain')).toMatchObject({ open_records: 'Every record', isolation: undefined });
    expect(of('Loose')).toMatchObject({
      open_records: 'Records where `title` is `wiki`',
      isolation: {
        read: 'Every record',
        write: 'Records where `user_id` is the caller, or `title` is `wiki`',
      },
    });
    const own = 'Records where `user_id` is the caller';
    expect(of('Walled')).toMatchObject({ open_records: undefined, isolation: { read: own, write: own } });
    const create = endpoints.find(({ method, path }) => method === 'POST' && path === '/api/v1/shareds');
    expect(create).toMatchObject({ isolation: { write: own } });
  });

  it('says in words who writes and sees which fields, and manages what is deleted', async () => {
    const { resources } = await report();
    const own = 'Records where `user_id` is the caller';
    expect(resources.find(({ model }) => model === 'Halved')).toMatchObject({
      manage: own,
      restricted_unless: [{ fields: ['title'], unless: 'Records where `title` is `wiki`' }],
      viewed_when: [{ fields: ['secret'], when: own }],
      shows: { user: ['id', 'name'] },
    });
    const plain = resources.find(({ model }) => model === 'Plain');
    expect(JSON.stringify(plain)).not.toMatch(/manage|restricted|viewed|shows/);
  });

  it('warns about isolation without ownership', async () => {
    const { resources } = await report();
    expect(resources.filter(({ warnings }) => warnings.length > 0).map(({ model }) => model)).toEqual([
      'Walled',
    ]);
  });

  it('warns about numbers by a reference that becomes null', () => {
    const warnings = (options: object): readonly string[] =>
      ruleWarnings(
        defineResource('Bill', {
          fields: { shop: field.reference('Shop', options), number: field.sequence({ per: 'shop' }) },
        }),
      );
    expect(warnings({})).toEqual([expect.stringMatching(/^Bill\.number: shop_id becomes null .* onDelete/)]);
    for (const options of [{ onDelete: 'restrict' }, { onDelete: 'cascade' }, { required: true }])
      expect(warnings(options)).toEqual([]);
  });

  it('warns about references between models of one tenant that lack same', async () => {
    const clinic = field.reference('Clinic', { required: true });
    const name = field.string();
    const doctor = (same?: 'clinic') => ({ doctor: field.reference('Doctor', same && { same }) });
    const models = createApplication({
      resources: [
        defineResource('Clinic', { fields: { name, chief: field.reference('Doctor') } }),
        defineResource('Doctor', { fields: { clinic, chief: field.reference('Doctor') } }),
        defineResource('Visit', { fields: { clinic, ...doctor() } }),
        defineResource('Bound', { fields: { clinic, ...doctor('clinic') } }),
        defineResource('Apart', { fields: { name, ...doctor() } }),
        defineResource('Free', { fields: { clinic: field.reference('Clinic'), ...doctor() } }),
      ],
    }).models;
    const { resources } = auditReport([], models, undefined, []);
    expect(resources.flatMap(({ warnings }) => warnings)).toEqual([
      "Doctor.chief_id: it may name a Doctor of another clinic_id; same: 'clinic_id' keeps both within one",
      "Visit.doctor_id: it may name a Doctor of another clinic_id; same: 'clinic_id' keeps both within one",
    ]);
  });

  it('the audit report has every endpoint, with who can call it', async () => {
    const { endpoints } = await report();
    const of = (method: string, path: string) =>
      endpoints.find((endpoint) => endpoint['method'] === method && endpoint['path'] === path);
    expect(of('POST', '/api/v1/payment')).toMatchObject({ methods: ['signature'], access: 'authenticated' });
    expect(of('GET', '/api/v1/health')).toMatchObject({ methods: [], access: 'public' });
    expect(of('GET', '/api/v1/users')).toMatchObject({ access: 'user', isolation: true });
    expect(of('GET', '/api/v1/meta/Plain')).toMatchObject({ methods: ['jwt', 'api_key'], access: 'user' });
    expect(of('GET', '/admin/api_keys')).toMatchObject({ access: 'administrator' });
    expect(of('POST', '/api/v1/checkeds')).toMatchObject({ permission: 'create', methods: ['jwt'] });
    expect(of('DELETE', '/api/v1/walleds/:id')).toMatchObject({ isolation: true });
    expect(of('GET', '/api/v1/showns')).toMatchObject({ methods: [], published: { title: 'x' } });
    expect(of('GET', '/api/v1/reports/:id')).toMatchObject({ methods: ['api_key'], roles: ['auditor'] });
    expect(of('POST', '/api/v1/ping')).toMatchObject({ access: 'public' });
    const keys = endpoints.map(({ method, path }) => `${String(method)} ${String(path)}`);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
