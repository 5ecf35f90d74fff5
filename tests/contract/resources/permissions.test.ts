import { describe, expect, it } from 'vitest';
import { createTable, dropTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type Service, startService, type TestUser } from '../../support/service.ts';

const fields = { title: field.string({ required: true }) };
const open = defineResource('Leaflet', { fields });
const writes = defineResource('Booklet', { fields, permissions: 'writes' });
const all = defineResource('Volume', { fields, permissions: 'all' });

const tables = (...models: readonly { table: string }[]): Migrations =>
  Object.fromEntries(
    models.map(({ table }, index) => [
      `000${index + 1}_${table}`,
      { up: async (db, dialect) => createTable(db, dialect, table, { fields }) },
    ]),
  );

const old = { resources: [open, writes], migrations: tables(open, writes) };
const newer = { resources: [open, writes, all], migrations: tables(open, writes, all) };

interface Entry {
  readonly role: string;
  readonly model: string;
  readonly action: string;
  readonly allowed: boolean;
  readonly checked: boolean;
}

const entriesOf = async (service: Service, role: string): Promise<Entry[]> =>
  (await service.ok<Entry[]>('GET', '/admin/permissions', { token: await service.admin() })).filter(
    (entry) => entry.role === role,
  );

const allowedOf = async (service: Service, role: string): Promise<string[]> =>
  (await entriesOf(service, role))
    .filter(({ allowed }) => allowed)
    .map(({ model, action }) => `${model} ${action}`);

const grant = async (service: Service, role: string, model: string, action: string): Promise<number> =>
  (
    await service.request('PUT', `/admin/permissions/${role}/${model}/${action}`, {
      token: await service.admin(),
    })
  ).status;

const createRole = async (service: Service, name: string): Promise<void> => {
  await service.ok('POST', '/admin/roles', { token: await service.admin(), body: { role: { name } } });
};

const post = async (service: Service, token: TestUser, path: string): Promise<number> => {
  const body = { booklet: { title: 'x' }, volume: { title: 'x' }, leaflet: { title: 'x' } };
  return (await service.post(`/api/v1/${path}`, { token, body })).status;
};

describeEachDatabase('permission entries', (databases) => {
  it('register themselves at start: writes always, reads where they are checked', async () => {
    await using service = await startService(databases, { application: newer });
    const entries = (await entriesOf(service, 'viewer')).map(
      ({ model, action, checked, allowed }) => `${model} ${action} ${checked} ${allowed}`,
    );
    expect(entries.sort()).toEqual([
      ...['create', 'destroy', 'update'].map((action) => `Booklet ${action} true false`),
      ...['create', 'destroy', 'update'].map((action) => `Leaflet ${action} false false`),
      ...['create', 'destroy', 'read', 'update'].map((action) => `Volume ${action} true false`),
    ]);
    const stored = await service.server.services.database.all({
      sql: 'select model, action from permission_entries order by model, action',
      parameters: [],
    });
    expect(stored).toHaveLength(10);
  });

  it('a grant holds from the next request on, a revocation likewise, on every instance', async () => {
    await using service = await startService(databases, { application: newer });
    const second = await service.secondInstance();
    await createRole(service, 'editor');
    const user = await service.createUser(['viewer', 'editor']);
    for (const action of ['create', 'read']) {
      const before =
        action === 'create'
          ? await post(second, user, 'volumes')
          : (await second.get('/api/v1/volumes', { token: user })).status;
      expect(before).toBe(403);
      expect(await grant(service, 'editor', 'Volume', action)).toBe(200);
    }
    expect(await post(second, user, 'volumes')).toBe(201);
    expect((await second.get('/api/v1/volumes', { token: user })).status).toBe(200);
    const revoke = { token: await service.admin() };
    for (let round = 0; round < 2; round += 1)
      expect((await service.delete('/admin/permissions/editor/Volume/create', revoke)).status).toBe(200);
    expect(await post(second, user, 'volumes')).toBe(403);
    expect(await post(service, user, 'volumes')).toBe(403);
  });

  it('two instances of different versions side by side lose no grant, whichever starts last', async () => {
    await using first = await startService(databases, { application: old });
    await createRole(first, 'editor');
    const user = await first.createUser(['editor']);
    await grant(first, 'editor', 'Booklet', 'create');
    const second = await first.secondInstance({ application: newer });
    await grant(second, 'editor', 'Volume', 'create');
    const restarted = await first.secondInstance({
      application: { resources: old.resources, migrations: newer.migrations },
    });
    expect(await allowedOf(restarted, 'editor')).toEqual(['Booklet create']);
    expect(await allowedOf(second, 'editor')).toEqual(['Booklet create', 'Volume create']);
    for (const service of [first, second, restarted]) expect(await post(service, user, 'booklets')).toBe(201);
    expect(await post(second, user, 'volumes')).toBe(201);
    // The old version knows no such model: the grant can neither be used nor be made there.
    expect(await post(restarted, user, 'volumes')).toBe(404);
    expect(await grant(restarted, 'editor', 'Volume', 'update')).toBe(404);
  });

  it('many instances that start at once register each entry once', async () => {
    await using first = await startService(databases, { application: newer });
    await Promise.all([1, 2, 3, 4].map(() => first.secondInstance()));
    const rows = await first.server.services.database.all({
      sql: 'select model from permission_entries',
      parameters: [],
    });
    expect(rows).toHaveLength(10);
  });

  it('deleting a role deletes its grants: a namesake inherits nothing', async () => {
    await using service = await startService(databases, { application: newer });
    await createRole(service, 'editor');
    const token = await service.admin();
    await grant(service, 'editor', 'Booklet', 'create');
    const holder = await service.createUser(['editor']);
    expect((await service.delete('/admin/roles/editor', { token })).json.code).toBe(40904);
    expect(await post(service, holder, 'booklets')).toBe(201);
    await service.ok('PATCH', `/admin/users/${holder.id}`, { token, body: { user: { roles: ['viewer'] } } });
    await service.ok('DELETE', '/admin/roles/editor', { token });
    await createRole(service, 'editor');
    expect(await allowedOf(service, 'editor')).toEqual([]);
    const namesake = await service.createUser(['editor']);
    expect(await post(service, namesake, 'booklets')).toBe(403);
  });

  it('admin has no bypass, super_admin has one, and it cannot be taken', async () => {
    await using service = await startService(databases, { application: newer });
    const [admin, root] = [await service.createUser(['admin']), await service.admin()];
    expect(await post(service, admin, 'booklets')).toBe(403);
    expect(await post(service, root, 'booklets')).toBe(201);
    await service.ok('DELETE', '/admin/permissions/super_admin/Booklet/create', { token: root });
    expect(await post(service, root, 'booklets')).toBe(201);
    expect(await allowedOf(service, 'super_admin')).toHaveLength(10);
  });

  it('dropping the table of a model drops its grants: they have no effect, and a namesake inherits nothing', async () => {
    await using first = await startService(databases, { application: newer });
    await createRole(first, 'editor');
    const user = await first.createUser(['editor']);
    await grant(first, 'editor', 'Volume', 'create');
    await grant(first, 'editor', 'Booklet', 'create');
    const without: Migrations = {
      ...newer.migrations,
      '0004_drop': { up: async (db, dialect) => dropTable(db, dialect, all.table) },
    };
    const gone = await first.secondInstance({
      application: { resources: [open, writes], migrations: without },
    });
    expect(await post(gone, user, 'volumes')).toBe(404);
    expect(await allowedOf(gone, 'editor')).toEqual(['Booklet create']);
    const again: Migrations = {
      ...without,
      '0005_again': { up: async (db, dialect) => createTable(db, dialect, all.table, { fields }) },
    };
    const back = await first.secondInstance({
      application: { resources: newer.resources, migrations: again },
    });
    expect(await post(back, user, 'volumes')).toBe(403);
    expect(await post(back, user, 'booklets')).toBe(201);
    expect(await allowedOf(back, 'editor')).toEqual(['Booklet create']);
  });

  describe('many at once', () => {
    const ask = async (service: Service, permissions: unknown) =>
      service.request<{ changed: Entry[]; errors: { field: string; rule: string }[] }>(
        'PUT',
        '/admin/permissions',
        { token: await service.admin(), body: { permissions } },
      );
    const entry = (role: string, model: string, action: string, allowed: boolean) => ({
      ...{ role, model, action, allowed },
    });

    it('one request, one transaction; it answers what was not so before, and each is in the audit log', async () => {
      await using service = await startService(databases, { application: newer });
      await createRole(service, 'editor');
      await grant(service, 'editor', 'Booklet', 'create');
      await grant(service, 'viewer', 'Volume', 'read');
      const answer = await ask(service, [
        entry('editor', 'Booklet', 'create', true),
        entry('editor', 'Booklet', 'update', true),
        entry('editor', 'Volume', 'read', false),
        entry('viewer', 'Volume', 'read', false),
        entry('editor', 'Volume', 'update', true),
        entry('editor', 'Volume', 'update', false),
      ]);
      expect(answer.status).toBe(200);
      expect(answer.data.changed).toEqual([
        entry('editor', 'Booklet', 'update', true),
        entry('viewer', 'Volume', 'read', false),
      ]);
      expect(await allowedOf(service, 'editor')).toEqual(['Booklet create', 'Booklet update']);
      expect(await allowedOf(service, 'viewer')).toEqual([]);
      const audit = await service.ok<{ action: string; target_name: string; actor_name: string }[]>(
        'GET',
        '/admin/audit?filter[target_kind]=permission&sort=-id&per_page=2',
        { token: await service.admin() },
      );
      expect(audit.map((line) => [line.action, line.target_name, line.actor_name])).toEqual([
        ['permission.revoke', 'viewer Volume read', 'root'],
        ['permission.grant', 'editor Booklet update', 'root'],
      ]);
    });

    it('all or nothing: entries that are none are named, and nothing is changed', async () => {
      await using service = await startService(databases, { application: newer });
      const answer = await ask(service, [
        entry('viewer', 'Booklet', 'create', true),
        entry('nobody', 'Booklet', 'create', true),
        entry('viewer', 'Leaflet', 'read', true),
        { role: 'viewer', model: 'Booklet', action: 'update', allowed: 'yes' },
        'viewer Booklet create',
      ]);
      expect(answer.status).toBe(422);
      expect(answer.json.data?.errors.map(({ field: name, rule }) => [name, rule])).toEqual([
        ['permissions.1.role', 'reference'],
        ['permissions.2.action', 'reference'],
        ['permissions.3.allowed', 'type'],
        ['permissions.4', 'type'],
      ]);
      expect(await allowedOf(service, 'viewer')).toEqual([]);
      for (const none of [undefined, null, {}, 'all']) expect((await ask(service, none)).status).toBe(422);
      const many = Array.from({ length: 2_501 }, () => entry('viewer', 'Booklet', 'create', true));
      expect((await ask(service, many)).json.code).toBe(41302);
      expect((await ask(service, many.slice(1))).data.changed).toHaveLength(1);
    });

    it('two that name the same entries crosswise both end', async () => {
      await using service = await startService(databases, { application: newer });
      const second = await service.secondInstance();
      const entries = ['create', 'update', 'destroy'].flatMap((action) => [
        entry('viewer', 'Booklet', action, true),
        entry('admin', 'Volume', action, true),
      ]);
      for (let round = 0; round < 5; round += 1) {
        const turned = entries.map((each) => ({ ...each, allowed: round % 2 === 0 }));
        const answers = await Promise.all([ask(service, turned), ask(second, turned.toReversed())]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        // Each change belongs to one of the two requests.
        expect(answers.flatMap(({ data }) => data.changed)).toHaveLength(6);
      }
    });
  });

  it('a role is shown with its holders, page by page', async () => {
    await using service = await startService(databases, { application: newer });
    const token = await service.admin();
    await createRole(service, 'editor');
    const users: TestUser[] = [];
    for (let count = 0; count < 3; count += 1) users.push(await service.createUser(['viewer', 'editor']));
    await service.createUser(['viewer']);
    expect(await service.ok('GET', '/admin/roles/editor', { token })).toMatchObject({
      ...{ name: 'editor', built_in: false, users: 3 },
    });
    const page = await service.get<{ id: number; roles: string[] }[]>(
      '/admin/roles/editor/users?page=2&per_page=2&sort=id',
      { token },
    );
    expect(page.headers['x-total-count']).toBe('3');
    expect(page.data.map(({ id, roles }) => [id, roles])).toEqual([[users[2]?.id, ['editor', 'viewer']]]);
    for (const path of ['/admin/roles/missing', '/admin/roles/missing/users'])
      expect((await service.get(path, { token })).status).toBe(404);
  });
});
