import { beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { playScenarios, type Scenario } from '../support/scenario.ts';
import { type Key, type TestUser, useService } from '../support/service.ts';

const fields = { title: field.string({ required: true }) };
const report = defineResource('Report', { fields, permissions: 'writes' });
const memo = defineResource('Memo', { fields });
const ledger = defineResource('Ledger', { fields, permissions: 'all' });

const application = {
  resources: [report, memo, ledger],
  migrations: {
    '0001_models': {
      up: async (db, dialect) => {
        for (const { table } of [report, memo, ledger]) await createTable(db, dialect, table, { fields });
      },
    } satisfies Migration,
  },
};

const grant = '/admin/permissions/viewer/Report/create';

const scenarios: readonly Scenario[] = [
  {
    name: 'a role that exists',
    request: 'POST /admin/roles',
    as: 'root',
    body: { role: { name: 'admin' } },
    status: 422,
    message: '名称已被使用',
  },
  {
    name: 'a role without a name',
    request: 'POST /admin/roles',
    as: 'root',
    body: { role: {} },
    status: 422,
  },
  {
    name: 'a role in capitals',
    request: 'POST /admin/roles',
    as: 'root',
    body: { role: { name: 'Editor' } },
    status: 422,
  },
  {
    name: 'a role with a blank',
    request: 'POST /admin/roles',
    as: 'root',
    body: { role: { name: 'a b' } },
    status: 422,
  },
  {
    name: 'a role with a line feed at its end',
    request: 'POST /admin/roles',
    as: 'root',
    body: { role: { name: 'editor\n' } },
    status: 422,
  },
  {
    name: 'a role of 64 letters',
    request: 'POST /admin/roles',
    as: 'root',
    body: { role: { name: 'a'.repeat(64) } },
    status: 422,
  },
  {
    name: 'a role of 63 letters',
    request: 'POST /admin/roles',
    as: 'root',
    body: { role: { name: 'a'.repeat(63) } },
    status: 201,
  },
  {
    name: 'an admin adds roles too',
    request: 'POST /admin/roles',
    as: 'admin',
    body: { role: { name: 'editor' } },
    status: 201,
    contains: ['"built_in":false', '"users":0'],
  },
  {
    name: 'a role by form',
    request: 'POST /admin/roles',
    as: 'admin',
    body: 'role[name]=by_form',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 201,
  },
  {
    name: 'a viewer adds none',
    request: 'POST /admin/roles',
    as: 'viewer',
    body: { role: { name: 'mine' } },
    status: 403,
  },
  {
    name: 'a built-in role stays',
    request: 'DELETE /admin/roles/viewer',
    as: 'root',
    status: 409,
    code: 40903,
  },
  {
    name: 'super_admin stays',
    request: 'DELETE /admin/roles/super_admin',
    as: 'root',
    status: 409,
    code: 40903,
  },
  {
    name: 'a role that is not there',
    request: 'DELETE /admin/roles/missing',
    as: 'root',
    status: 404,
    code: 40400,
  },
  {
    name: 'a permission of an unknown role',
    request: 'PUT /admin/permissions/missing/Report/create',
    as: 'root',
    status: 404,
  },
  {
    name: 'a permission on an unknown model',
    request: 'PUT /admin/permissions/viewer/Nothing/create',
    as: 'root',
    status: 404,
  },
  {
    name: 'a permission on a model in another spelling',
    request: 'PUT /admin/permissions/viewer/report/create',
    as: 'root',
    status: 404,
  },
  {
    name: 'a permission to do the unknown',
    request: 'PUT /admin/permissions/viewer/Report/approve',
    as: 'root',
    status: 404,
  },
  {
    name: 'a permission to read where reads are not checked',
    request: 'PUT /admin/permissions/viewer/Report/read',
    as: 'root',
    status: 404,
  },
  {
    name: 'a permission to read where they are',
    request: 'PUT /admin/permissions/viewer/Ledger/read',
    as: 'root',
    status: 200,
  },
  {
    name: 'a permission of the prototype',
    request: 'PUT /admin/permissions/viewer/__proto__/constructor',
    as: 'root',
    status: 404,
  },
  { name: 'a viewer grants none', request: `PUT ${grant}`, as: 'viewer', status: 403 },
  { name: 'a viewer revokes none', request: `DELETE ${grant}`, as: 'viewer', status: 403 },
  { name: 'a viewer sees no audit log', request: 'GET /admin/audit', as: 'viewer', status: 403 },
  { name: 'a viewer sees no applications', request: 'GET /admin/applications', as: 'viewer', status: 403 },
  { name: 'a viewer sees no payments', request: 'GET /admin/payments', as: 'viewer', status: 403 },
  { name: 'a viewer sees no keys', request: 'GET /admin/api_keys', as: 'viewer', status: 403 },
  {
    name: 'a key for no user',
    request: 'POST /admin/api_keys',
    as: 'root',
    body: { api_key: { name: 'x', user_id: 999_999 } },
    status: 422,
    message: '用户不存在',
  },
  {
    name: 'a key without an owner',
    request: 'POST /admin/api_keys',
    as: 'root',
    body: { api_key: { name: 'x' } },
    status: 422,
    message: '用户不能为空',
  },
  {
    name: 'a key for a text',
    request: 'POST /admin/api_keys',
    as: 'root',
    body: { api_key: { name: 'x', user_id: '1' } },
    status: 422,
  },
  {
    name: 'a key with nothing',
    request: 'POST /admin/api_keys',
    as: 'root',
    body: { api_key: {} },
    status: 422,
    contains: ['"field":"name"', '"field":"user_id"'],
  },
  { name: 'a key that is not there', request: 'DELETE /admin/api_keys/999999', as: 'root', status: 404 },
  { name: 'the audit log is not written to', request: 'DELETE /admin/audit', as: 'root', status: 405 },
  { name: 'payments are not written to', request: 'POST /admin/payments', as: 'root', body: {}, status: 405 },
];

const form = { 'content-type': 'application/x-www-form-urlencoded' };

interface AuditEntry {
  readonly id: number;
  readonly action: string;
  readonly actor_name: string | null;
  readonly actor_kind: string;
  readonly target_kind: string;
  readonly target_id: string | null;
  readonly target_name: string | null;
  readonly detail: Record<string, unknown>;
  readonly address: string | null;
}

describeEachDatabase('the administration area', (databases) => {
  const service = useService(databases, {
    apps: ['shop'],
    application,
  });
  const people: Record<string, TestUser> = {};
  const one = (name: string): TestUser => {
    const user = people[name];
    if (user === undefined) throw new Error(`no ${name}`);
    return user;
  };
  beforeAll(async () => {
    people['root'] = await service.admin();
    people['admin'] = await service.createUser(['admin']);
    people['viewer'] = await service.createUser();
  });
  const list = <Row = Record<string, unknown>>(path: string) =>
    service.ok<Row[]>('GET', path, { token: one('admin') });
  /** The lines of the audit log that the steps wrote, by action. */
  const audited = async (steps: () => Promise<unknown>): Promise<AuditEntry[]> => {
    const before = await list<AuditEntry>('/admin/audit?sort=-id&per_page=1');
    await steps();
    return list<AuditEntry>(`/admin/audit?filter[id][gt]=${before[0]?.id ?? 0}`);
  };

  playScenarios(service, scenarios, () => people);

  describe('keys of all users', () => {
    it('201: for any user, shown once; the list shows whose it is', async () => {
      const { status, data, json } = await service.post<Key>('/admin/api_keys', {
        token: one('admin'),
        body: { api_key: { name: 'for a viewer', user_id: one('viewer').id, expires_at: '2099-01-01' } },
      });
      expect([status, json.message]).toEqual([201, '创建成功，请立即保存密钥，之后无法再次查看']);
      expect(data).toEqual({
        id: expect.any(Number),
        name: 'for a viewer',
        key: expect.stringMatching(/^[0-9a-f]{64}$/),
        expires_at: '2099-01-01T00:00:00.000Z',
        created_at: expect.any(String),
      });
      const { data: seen } = await service.get<{ id: number }[]>('/api/v1/users', { key: data.key });
      expect(seen.map(({ id }) => id)).toEqual([one('viewer').id]);
      const answer = await service.get<{ id: number }[]>(
        `/admin/api_keys?filter[user]=${one('viewer').username}`,
        { token: one('admin') },
      );
      expect(answer.text).not.toContain(data.key);
      const { id, username } = one('viewer');
      expect(answer.data).toContainEqual({
        id: data.id,
        name: 'for a viewer',
        key: `${data.key.slice(0, 8)}****`,
        status: 'active',
        expires_at: data.expires_at,
        created_at: data.created_at,
        last_used_at: null,
        neglected: false,
        rotated_at: null,
        secrets: [{ key: expect.stringMatching(/^[0-9a-f]{8}\*{4}$/), last_used_at: null, ends_at: null }],
        scopes: null,
        networks: null,
        limit: null,
        quota: null,
        user: { id, username, name: expect.any(String) },
        created_by: expect.any(Number),
      });
    });

    it('a key that is made by form is 201', async () => {
      const body = `api_key[name]=by+form%20%C3%A9&api_key[user_id]=${one('viewer').id}&api_key[expires_at]=&ignored=1`;
      const { status, data } = await service.post<Key>('/admin/api_keys', {
        token: one('root'),
        body,
        headers: form,
      });
      expect([status, data.name, data.expires_at]).toEqual([201, 'by form é', null]);
      const encoded = `api_key%5Bname%5D=x&api_key%5Buser_id%5D=${one('viewer').id}`;
      expect(
        (await service.post('/admin/api_keys', { token: one('root'), body: encoded, headers: form })).status,
      ).toBe(201);
    });

    it('201: by form, with the fields by their own names, as the contract writes them', async () => {
      const user_id = one('viewer').id;
      const sent = `name=by+form&user_id=${user_id}&expires_at=2999-01-01T00:00:00Z&ignored=1`;
      const { status, data } = await service.post<Key>('/admin/api_keys', {
        token: one('root'),
        body: sent,
        headers: form,
      });
      expect([status, data.name, data.expires_at]).toEqual([201, 'by form', '2999-01-01T00:00:00.000Z']);
      const role = await service.post('/admin/roles', {
        token: one('root'),
        body: 'name=formed',
        headers: form,
      });
      expect(role.status).toBe(201);
      const user = await service.post<{ roles: readonly string[] }>('/admin/users', {
        token: one('root'),
        body: 'username=formed&email=formed@example.com&invite=true&roles[]=formed&roles[]=viewer',
        headers: form,
      });
      expect([user.status, user.data.roles]).toEqual([201, ['formed', 'viewer']]);
    });

    it('400 and 422: forms that are none', async () => {
      const send = async (body: string | Uint8Array) =>
        (await service.post('/admin/api_keys', { token: one('root'), body, headers: form })).status;
      expect(await send('nothing=x&other=1')).toBe(400);
      expect(await send('other[name]=x&other[user_id]=1')).toBe(400);
      expect(await send('name=&user_id=1')).toBe(422);
      expect(await send('api_key[name]=%ff&api_key[user_id]=1')).toBe(400);
      expect(await send('api_key[name]=%00&api_key[user_id]=1')).toBe(400);
      expect(await send('api_key[name]=%zz')).toBe(400);
      expect(await send(Buffer.from([0x61, 0xff]))).toBe(400);
      expect(await send(`${'a=1&'.repeat(300)}api_key[name]=x`)).toBe(400);
      expect(await send('api_key[__proto__][name]=x&api_key[name]=')).toBe(422);
      expect(await send('api_key[name]=x&api_key[user_id]=1e3')).toBe(422);
      expect(await send('api_key[name][]=x&api_key[user_id]=1')).toBe(422);
    });

    it('200: any key is deleted, and dead at once', async () => {
      const { id, key } = await service.createKey(one('viewer'));
      await service.ok('DELETE', `/admin/api_keys/${id}`, { token: one('admin') });
      expect((await service.get('/api/v1/users', { key })).status).toBe(401);
    });

    it('201 and 200: an admin makes, lists and deletes keys of a super_admin too', async () => {
      const { id: owner, username } = one('root');
      const made = await service.post<Key>('/admin/api_keys', {
        token: one('admin'),
        body: { api_key: { name: 'for root', user_id: owner } },
      });
      expect(made.status).toBe(201);
      const { id, key } = made.data;
      const found = () => list(`/admin/api_keys?filter[id]=${id}`);
      const uses = async () => (await service.get('/api/v1/users', { key })).status;
      expect(await found()).toMatchObject([{ user: { id: owner, username } }]);
      expect(await uses()).toBe(200);
      expect((await service.delete(`/admin/api_keys/${id}`, { token: one('admin') })).status).toBe(200);
      expect([await found(), await uses()]).toEqual([[], 401]);
    });

    it('200: an expired key is deleted as an active one is, and gone for its owner too', async () => {
      const { id } = await service.createKey(one('viewer'), '2020-01-01');
      const query = `api_keys?filter[id]=${id}&fields=status`;
      const listed = async () => [
        await list(`/admin/${query}`),
        await service.ok('GET', `/api/v1/${query}`, { token: one('viewer') }),
      ];
      expect(await listed()).toEqual([[{ status: 'expired' }], [{ status: 'expired' }]]);
      const remove = () => service.delete(`/admin/api_keys/${id}`, { token: one('admin') });
      expect((await remove()).text).toBe('{"code":0,"message":"操作成功"}');
      expect(await listed()).toEqual([[], []]);
      expect((await remove()).json.code).toBe(40400);
    });
  });

  describe('roles', () => {
    it('409: one that is held stays; 200 once no user holds it', async () => {
      await service.ok('POST', '/admin/roles', { token: one('root'), body: { role: { name: 'held' } } });
      const { id } = await service.createUser(['held', 'viewer']);
      const refused = await service.delete('/admin/roles/held', { token: one('root') });
      expect([refused.status, refused.json]).toEqual([
        409,
        { code: 40904, message: '角色仍被用户持有，无法删除' },
      ]);
      expect(await list('/admin/roles?filter[name]=held')).toMatchObject([
        { name: 'held', built_in: false, users: 1 },
      ]);
      await service.ok('PATCH', `/admin/users/${id}`, {
        token: one('root'),
        body: { user: { roles: ['viewer'] } },
      });
      await service.ok('DELETE', '/admin/roles/held', { token: one('root') });
    });

    it('a role of the same name inherits nothing', async () => {
      const body = { role: { name: 'phoenix' } };
      const entry = '/admin/permissions?filter[role]=phoenix&filter[model]=Report&filter[action]=create';
      await service.ok('POST', '/admin/roles', { token: one('root'), body });
      await service.ok('PUT', '/admin/permissions/phoenix/Report/create', { token: one('root') });
      expect(await list(entry)).toMatchObject([{ allowed: true }]);
      await service.ok('DELETE', '/admin/roles/phoenix', { token: one('root') });
      await service.ok('POST', '/admin/roles', { token: one('root'), body });
      expect(await list(entry)).toMatchObject([{ allowed: false }]);
    });
  });

  describe('permissions', () => {
    it('permissions are 200 with every role and every entry, registered without anybody’s doing', async () => {
      const rows = await list('/admin/permissions?filter[role]=viewer');
      expect(rows.filter(({ model }) => model === 'Report')).toEqual(
        ['create', 'update', 'destroy']
          .map((action) => ({ role: 'viewer', model: 'Report', action, allowed: false, checked: true }))
          .sort((a, b) => (a.action < b.action ? -1 : 1)),
      );
      expect(rows.filter(({ model }) => model === 'Memo')).toHaveLength(3);
      for (const row of rows) if (row['model'] === 'Memo') expect(row['checked']).toBe(false);
      expect(rows.filter(({ model }) => model === 'Ledger').map(({ action }) => action)).toContain('read');
      for (const row of await list('/admin/permissions?filter[role]=super_admin'))
        expect(row['allowed']).toBe(true);
      for (const row of await list('/admin/permissions?filter[role]=admin'))
        expect(row['allowed']).toBe(false);
    });

    it('200: PUT and DELETE as often as one likes; one change, one line in the audit log', async () => {
      const allowed = async () =>
        (
          await list(`/admin/permissions?filter[role]=viewer&filter[model]=Report&filter[action]=create`)
        )[0]?.['allowed'];
      const entries = await audited(async () => {
        for (const _ of [1, 2])
          expect((await service.request('PUT', grant, { token: one('root') })).text).toBe(
            '{"code":0,"message":"操作成功"}',
          );
        expect(await allowed()).toBe(true);
        for (const _ of [1, 2])
          expect((await service.delete(grant, { token: one('root') })).status).toBe(200);
        expect(await allowed()).toBe(false);
      });
      expect(entries.map(({ action, target_name: name }) => [action, name])).toEqual([
        ['permission.grant', 'viewer Report create'],
        ['permission.revoke', 'viewer Report create'],
      ]);
    });
  });

  describe('applications', () => {
    it('200: what the command line registered, without a secret, also while the service runs', async () => {
      const [shop] = await list('/admin/applications');
      const times = { rotated_at: expect.stringMatching(/Z$/), last_used_at: null };
      expect(shop).toEqual({ app_id: 'shop', public_key: null, ...times });
      const secret = await service.createApp('kiosk');
      const { text, data } = await service.get<unknown[]>('/admin/applications?sort=-app_id', {
        token: one('admin'),
      });
      expect(data).toHaveLength(2);
      expect(text).not.toContain(secret.slice(0, 16));
      const body = '{"order_no":"k1"}';
      expect(
        (await service.post('/api/v1/payment', { body, headers: service.sign('kiosk', body) })).status,
      ).toBe(201);
      const used = async () => (await list('/admin/applications?filter[app_id]=kiosk'))[0]?.['last_used_at'];
      await expect.poll(used, { timeout: 12_000, interval: 300 }).toMatch(/Z$/);
    });
  });

  describe('payments', () => {
    it('payments are 200 as they came, newest by id', async () => {
      const body = '{"order_no":"A-1","amount":1250,"currency":"CNY","note":{"deep":[1,"二"]}}';
      await service.post('/api/v1/payment', { body, headers: service.sign('shop', body) });
      const [row] = await list('/admin/payments?sort=-id&per_page=1&filter[app_id]=shop');
      expect(row).toEqual({
        id: expect.any(Number),
        app_id: 'shop',
        order_no: 'A-1',
        amount: 1250,
        currency: 'CNY',
        status: 'received',
        body: JSON.parse(body),
        created_at: expect.any(String),
      });
    });
  });

  describe('lists', () => {
    const paths = [
      '/api/v1/users',
      '/api/v1/api_keys',
      '/admin/api_keys',
      '/admin/users',
      '/admin/roles',
      '/admin/permissions',
      '/admin/applications',
      '/admin/payments',
      '/admin/sessions',
      '/admin/audit',
    ];
    it.each(paths)('%s takes the list parameters', async (path) => {
      await service.createKey(one('admin'));
      await service.signIn(one('admin'));
      const get = (query: string) => service.get<unknown[]>(`${path}?${query}`, { token: one('admin') });
      const page = await get('page=1&per_page=1');
      expect([page.status, page.data.length]).toEqual([200, 1]);
      const total = Number(page.headers['x-total-count']);
      expect((await service.ok<unknown[]>('GET', path, { token: one('admin') })).length).toBe(total);
      expect(page.headers['link']).toMatch(/rel="first"/);
      expect((await get(`page=${total + 1}&per_page=1`)).data).toEqual([]);
      expect((await get('per_page=1000')).data).toHaveLength(total);
      for (const bad of [
        'page=0',
        'page=x',
        'page=1&page=2',
        'per_page=0',
        'per_page=1001',
        'sort=nothing',
        'filter[nothing]=1',
        'fields=nothing',
        'after=zzz&per_page=1',
        'filter[created_at][nothing]=1',
        'sort=id;drop',
        'filter[id]=%ff',
        'nothing%00=1&page=%00',
      ])
        expect([bad, (await get(bad)).status]).toEqual([bad, 400]);
    });

    it('a cursor leads through all of them', async () => {
      const seen: unknown[] = [];
      let query = '/admin/audit?per_page=3';
      for (let count = 0; count < 100 && query !== ''; count += 1) {
        const { data, headers } = await service.get<{ id: number }[]>(query, { token: one('admin') });
        seen.push(...data.map(({ id }) => id));
        const next = /<([^>]*)>; rel="next"/.exec(headers['link']?.toString() ?? '')?.[1];
        query = next === undefined ? '' : next.slice(service.origin.length);
      }
      expect(seen).toEqual((await list('/admin/audit')).map(({ id }) => id));
    });
  });

  describe('the audit log', () => {
    it('the audit log has a line for every change of users, roles, keys, permissions and sessions, and no secret in any', async () => {
      const password = 'a secret of the audit 9';
      let key = '';
      const entries = await audited(async () => {
        const token = one('admin');
        const { id } = await service.ok<{ id: number }>('POST', '/admin/users', {
          token,
          body: { user: { username: 'audited', email: 'audited@example.com', password } },
        });
        await service.ok('PATCH', `/admin/users/${id}`, {
          token,
          body: { user: { roles: ['viewer', 'admin'], name: 'A' } },
        });
        const made = await service.ok<Key>('POST', '/admin/api_keys', {
          token,
          body: { api_key: { name: 'theirs', user_id: id } },
        });
        key = made.key;
        const cookie = await service.signIn({ username: 'audited', password });
        await service.ok('DELETE', '/admin/session', { cookie, headers: { origin: service.origin } });
        await service.ok('PUT', '/api/v1/auth/password', {
          token: await service.tokenOf(id),
          body: { current_password: password, password: `${password}!` },
        });
        await service.ok('DELETE', '/admin/sessions', { token: await service.tokenOf(id) });
        await service.ok('DELETE', `/admin/api_keys/${made.id}`, { token });
        await service.ok('POST', '/admin/roles', { token, body: { role: { name: 'audited' } } });
        await service.ok('DELETE', '/admin/roles/audited', { token });
        await service.ok('DELETE', `/admin/users/${id}`, { token });
      });
      expect(
        entries.map(({ action, actor_name: who, target_name: what }) => `${who} ${action} ${what}`),
      ).toEqual(
        [
          'ADMIN user.create audited',
          'ADMIN user.update audited',
          'ADMIN key.create theirs',
          'audited session.create audited',
          'audited session.delete audited',
          'audited user.password audited',
          'audited session.delete_all audited',
          'ADMIN key.delete theirs',
          'ADMIN role.create audited',
          'ADMIN role.delete audited',
          'ADMIN user.delete audited',
        ].map((line) => line.replace('ADMIN', one('admin').username)),
      );
      for (const entry of entries) expect(entry.address).toBe('127.0.0.1');
      const text = JSON.stringify(entries);
      for (const secret of [password, key, key.slice(0, 16), '$argon2']) expect(text).not.toContain(secret);
      expect(entries[1]?.detail).toMatchObject({ roles: ['viewer', 'admin'] });
    });

    it('the audit log has no line for a change that was refused; a failed sign-in is an event of its own', async () => {
      const entries = await audited(async () => {
        await service.delete('/admin/users/1', { token: one('root') });
        await service.post('/admin/users', { token: one('admin'), body: { user: {} } });
        await service.delete('/admin/roles/viewer', { token: one('admin') });
        await service.delete('/admin/api_keys/999999', { token: one('admin') });
        await service.login('root', 'not the password');
      });
      expect(entries.map(({ action }) => action)).toEqual(['sign_in.failed']);
    });
  });

  it('401: takes no key and no signature', async () => {
    const { key } = await service.createKey(one('root'));
    for (const path of ['/admin/users', '/admin/api_keys', '/admin/roles', '/admin/audit']) {
      expect((await service.get(path, { key })).status).toBe(401);
      expect((await service.get(path, { headers: service.sign('shop', '') })).status).toBe(401);
    }
  });
});
