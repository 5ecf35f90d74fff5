import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type RequestOptions, type TestUser, useService } from '../support/service.ts';

const fields = { title: field.string({ required: true }) };
const report = defineResource('Report', { fields });

const application = {
  resources: [report],
  migrations: {
    '0001_reports': {
      up: async (db, dialect) => {
        await createTable(db, dialect, report.table, { fields });
      },
    } satisfies Migration,
  },
};

interface Route {
  readonly method: string;
  readonly path: string;
}

/** Signing in, out and asking who is signed in are for everybody, as links are; each has tests of its own. */
const forEverybody = new Set([
  ...['/admin/session', '/admin/session/second-factor'],
  ...['/admin/invitation', '/admin/invitation/lookup'],
]);

describeEachDatabase('every route of the administration area', (databases) => {
  const service = useService(databases, { application, apps: ['shop'] });
  let routes: readonly Route[];

  beforeAll(async () => {
    const description = await service.get('/api-docs/openapi.json?area=all');
    const { paths } = JSON.parse(description.text) as { paths: Record<string, Record<string, unknown>> };
    routes = Object.entries(paths)
      .filter(([path]) => path.startsWith('/admin/') && !forEverybody.has(path))
      .flatMap(([path, item]) =>
        Object.keys(item).map((method) => ({
          method: method.toUpperCase(),
          path: path.replaceAll(/\{(\w+)\}/g, (_whole, name) => (name === 'id' ? '1' : 'Report')),
        })),
      );
  });

  const statuses = async (options: RequestOptions): Promise<Record<string, readonly string[]>> => {
    const found: Record<string, string[]> = {};
    for (const { method, path } of routes)
      for (const body of method === 'GET' ? [undefined] : [undefined, {}, '{"']) {
        const { status } = await service.request(method, path, { ...options, body });
        found[status] = [...(found[status] ?? []), `${method} ${path}`];
      }
    return found;
  };

  it('every route of the administration area is there to be asked', () => {
    const paths = new Set(routes.map(({ path }) => path));
    for (const path of [
      ...['api_keys', 'users', 'roles', 'permissions', 'applications', 'payments', 'sessions'],
      ...['explain', 'audit', 'meta', 'meta/Report', 'records/reports', 'records/reports/1', 'stats'],
    ])
      expect(paths).toContain(`/admin/${path}`);
    expect(routes.length).toBeGreaterThan(25);
  });

  it('401: a stranger, a key, a signature, a made-up cookie', async () => {
    const key = await service.createKey(await service.admin());
    for (const options of [
      {},
      { key: key.key },
      { headers: service.sign('shop', '') },
      { cookie: `gatewright_session=${'a'.repeat(43)}`, headers: { 'sec-fetch-site': 'same-origin' } },
      { cookie: `gatewright_session=${key.key}`, headers: { 'sec-fetch-site': 'same-origin' } },
    ])
      expect(Object.keys(await statuses(options))).toEqual(['401']);
  });

  it('403: a viewer, and a user who holds every role but the two', async () => {
    const token = await service.admin();
    await service.ok('POST', '/admin/roles', { token, body: { role: { name: 'root' } } });
    for (const action of ['create', 'update', 'destroy'])
      await service.ok('PUT', `/admin/permissions/root/Report/${action}`, { token });
    for (const roles of [['viewer'], ['viewer', 'root']])
      expect(Object.keys(await statuses({ token: await service.createUser(roles) }))).toEqual(['403']);
  });

  it('403: the cookie of a former administrator, who is a viewer now; 401 once disabled', async () => {
    const token = await service.admin();
    const former: TestUser = await service.createUser(['admin']);
    const session = {
      cookie: await service.signIn(former),
      headers: { 'sec-fetch-site': 'same-origin' },
    };
    expect((await service.get('/admin/users', session)).status).toBe(200);
    const change = (user: object) =>
      service.ok('PATCH', `/admin/users/${former.id}`, { token, body: { user } });
    await change({ roles: ['viewer'] });
    expect(Object.keys(await statuses(session))).toEqual(['403']);
    expect(Object.keys(await statuses({ token: former }))).toEqual(['403']);
    await change({ roles: ['admin'], disabled: true });
    expect(Object.keys(await statuses(session))).toEqual(['401']);
    expect(Object.keys(await statuses({ token: former }))).toEqual(['401']);
  });
});
