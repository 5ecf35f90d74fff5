import { describe, expect, it } from 'vitest';
import { createApplication } from './application.ts';
import { auditReport, type RecommendedRule } from './audit-report.ts';
import { readConfig } from './config.ts';
import { endpointsOf } from './describe.ts';
import { defineEndpoint } from './endpoints/define-endpoint.ts';
import { field } from './fields/define.ts';
import { defineResource } from './model/define-resource.ts';
import type { ResourceModel } from './model/resource.ts';

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
  [defineResource('Terse', { fields, views: { saved: ['id'] } }), ['smaller_saved_answer'], true],
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
  auditReport(await endpointsOf(application, readConfig({})), application.models.values());

describe('audit report', () => {
  it.each(switches)('$name: its rule and no other is on', async ({ name }, on, open) => {
    const resource = (await report()).resources.find(({ model }) => model === name);
    const off = new Set(resource?.off);
    expect(always.some((rule) => off.has(rule))).toBe(false);
    expect([...off].filter((rule) => on.includes(rule))).toEqual([]);
    expect(off.size).toBe(7 - on.length);
    expect(resource?.open).toBe(open);
  });

  it('has every endpoint, with who can call it', async () => {
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
