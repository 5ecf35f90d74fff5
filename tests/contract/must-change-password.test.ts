import { beforeAll, describe, expect, it } from 'vitest';
import type { AuthMethodName } from '../../src/auth/registry.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { commonPassword, type TestUser, useService } from '../support/service.ts';

const fields = { title: field.string({ required: true }), live: field.boolean(), user_id: field.owner() };

const application = {
  resources: [
    defineResource('Leaf', {
      fields,
      auth: ['jwt', 'api_key', 'signature'],
      permissions: 'writes',
      isolation: true,
      ownership: true,
    }),
    defineResource('Poster', { fields, publicRead: { where: { live: true } } }),
  ],
  endpoints: [
    defineEndpoint({
      method: 'GET',
      path: '/mixed',
      auth: ['jwt', 'api_key', 'signature'],
      handle: ({ principal }) => principal.kind,
    }),
    defineEndpoint({ method: 'POST', path: '/by-role', roles: ['admin'], handle: () => 'in' }),
    defineEndpoint({ method: 'GET', path: '/open', auth: [], handle: () => 'open' }),
  ],
  migrations: {
    '0001_leaves': {
      up: async (db: Parameters<typeof createTable>[0], dialect: Parameters<typeof createTable>[1]) => {
        await createTable(db, dialect, 'leaves', { fields });
        await createTable(db, dialect, 'posters', { fields });
      },
    },
  },
};

/** Operations of a user who must change the password first. */
const spared = new Set([
  'GET /api/v1/auth/me',
  'POST /api/v1/auth/logout',
  'PUT /api/v1/auth/password',
  'GET /admin/session',
  'DELETE /admin/session',
  'PUT /admin/password',
]);

const required = { code: 40302, message: '须先修改密码' };

describeEachDatabase('must_change_password', (databases) => {
  const service = useService(databases, { application, apps: ['shop'] });
  let root: TestUser;
  beforeAll(async () => {
    root = await service.admin();
  });

  const ask = (user: TestUser, fields: object = {}) =>
    service.ok('PATCH', `/admin/users/${user.id}`, {
      token: root,
      body: { user: { must_change_password: true, ...fields } },
    });
  const origin = () => ({ origin: service.origin });

  /** The sent credentials of each kind that a request can act as a user by. */
  const credentialsOf = async (user: TestUser) => {
    const { key } = await service.createKey(user);
    const cookie = await service.signIn(user);
    const sent: Partial<Record<AuthMethodName, object>> = {
      jwt: { token: user },
      bearer: { token: user },
      api_key: { key },
      session: { cookie, headers: origin() },
    };
    return sent;
  };

  const isSpared = ({ method, path }: Endpoint) => spared.has(`${method} ${path}`);

  it('403 40302: every route that acts as the user, by token, key and session, before anything else', async () => {
    const user = await service.createUser(['super_admin']);
    const sent = await credentialsOf(user);
    await ask(user);
    const asked: string[] = [];
    for (const endpoint of service.server.endpoints) {
      if (isSpared(endpoint)) continue;
      const path = endpoint.path.replaceAll(/:\w+/g, String(user.id));
      for (const name of endpoint.auth) {
        const credentials = sent[name];
        if (credentials === undefined) continue;
        const { status, json } = await service.request(endpoint.method, path, { ...credentials, body: '{' });
        expect([endpoint.operation, name, status, json]).toEqual([endpoint.operation, name, 403, required]);
        asked.push(endpoint.operation);
      }
    }
    expect(asked).toEqual(
      expect.arrayContaining([
        'listUsers',
        'listLeaves',
        'createLeaf',
        'get_mixed',
        'post_by_role',
        'explain',
      ]),
    );
    expect(new Set(asked).size).toBeGreaterThan(45);
    // Nothing was done meanwhile, to the user itself least of all.
    expect((await service.get('/api/v1/auth/me', { token: user })).status).toBe(200);
  });

  it('200: signing in, and what is left: who one is, the change, the way out', async () => {
    const user = await service.createUser(['admin']);
    await ask(user);
    const login = await service.login(user.username, user.password);
    expect([login.status, login.data.user.id]).toEqual([200, user.id]);
    const { token } = login.data;
    expect(await service.ok('GET', '/api/v1/auth/me', { token })).toEqual({
      id: user.id,
      username: user.username,
      email: user.email,
      name: expect.any(String),
      roles: ['admin'],
    });
    const signIn = await service.post('/admin/session', {
      body: { account: user.username, password: user.password },
    });
    expect(signIn.data).toMatchObject({ id: user.id, must_change_password: true });
    const cookie = await service.signIn(user);
    expect(await service.ok('GET', '/admin/session', { cookie })).toMatchObject({
      must_change_password: true,
    });
    expect((await service.delete('/admin/session', { cookie, headers: origin() })).status).toBe(200);
  });

  it('a viewer’s session is no administrator’s: the exemption gives no rights', async () => {
    const user = await service.createUser();
    await ask(user);
    for (const [method, path] of [
      ['GET', '/admin/session'],
      ['PUT', '/admin/password'],
    ] as const)
      expect((await service.request(method, path, { token: user, body: {} })).json.code).toBe(40300);
  });

  it.each([
    ['PUT /api/v1/auth/password', 'viewer'],
    ['PUT /admin/password', 'admin'],
  ])('%s takes it away, with another password only', async (request, role) => {
    const [method = '', path = ''] = request.split(' ');
    const user = await service.createUser([role]);
    const { key } = await service.createKey(user);
    await ask(user);
    const change = (password: string) =>
      service.request(method, path, { token: user, body: { current_password: user.password, password } });
    const same = await change(user.password);
    expect([same.status, same.json]).toEqual([
      422,
      {
        code: 42200,
        message: '密码不能与当前密码相同',
        data: {
          errors: [{ field: 'password', rule: 'same_password', message: '密码不能与当前密码相同' }],
        },
      },
    ]);
    expect((await service.get('/api/v1/users', { token: user })).json).toEqual(required);
    expect((await change('lamp under the stair')).status).toBe(200);
    const { data } = await service.login(user.username, 'lamp under the stair');
    for (const sent of [{ token: data.token }, { key }])
      expect((await service.get('/api/v1/users', sent)).status).toBe(200);
    const shown = await service.ok('GET', `/admin/users/${user.id}`, { token: root });
    expect(shown).toMatchObject({ must_change_password: false });
  });

  it('401 and 403: a disabled user, a foreign key, and no credentials are refused as ever', async () => {
    const user = await service.createUser();
    await ask(user, { disabled: true });
    expect((await service.get('/api/v1/users', { token: user })).status).toBe(401);
    expect((await service.get('/api/v1/users', { key: 'f'.repeat(64) })).json.code).toBe(40102);
    expect((await service.get('/api/v1/users')).json.code).toBe(40100);
  });

  it('public routes and signatures do not know of it', async () => {
    const user = await service.createUser();
    await ask(user);
    for (const path of ['/api/v1/open', '/api/v1/posters', '/api/v1/health', '/api-docs/openapi.json'])
      expect([path, (await service.get(path, { token: user })).status]).toEqual([path, 200]);
    const signed = { headers: service.sign('shop', '') };
    expect((await service.get('/api/v1/mixed', signed)).data).toBe('application');
  });

  it('must_change_password is off unless asked for, and stands in every answer of the administration area', async () => {
    const body = { username: 'fresh.leaf', email: 'leaf@example.com', password: commonPassword };
    const made = await service.ok<{ id: number }>('POST', '/admin/users', {
      token: root,
      body: { user: { ...body, must_change_password: true } },
    });
    expect(made).toMatchObject({ disabled: false, must_change_password: true });
    expect((await service.get('/api/v1/users', { token: await service.tokenOf(made.id) })).json).toEqual(
      required,
    );
    const listed = (wanted: boolean) =>
      service.ok<{ id: number }[]>('GET', `/admin/users?filter[must_change_password]=${wanted}`, {
        token: root,
      });
    expect((await listed(true)).some(({ id }) => id === made.id)).toBe(true);
    expect((await listed(false)).some(({ id }) => id === root.id)).toBe(true);
    // A new password by an administrator leaves it as it is; the administrator can take it back.
    for (const [fields, expected] of [
      [{ password: 'lamp under the stair' }, true],
      [{ must_change_password: null }, true],
      [{ must_change_password: false }, false],
    ] as const)
      expect(
        await service.ok('PATCH', `/admin/users/${made.id}`, { token: root, body: { user: fields } }),
      ).toMatchObject({ must_change_password: expected });
    const { data } = await service.login(body.username, 'lamp under the stair');
    expect((await service.get('/api/v1/users', { token: data.token })).status).toBe(200);
    const bad = await service.request('PATCH', `/admin/users/${made.id}`, {
      token: root,
      body: { user: { must_change_password: 'yes' } },
    });
    expect([bad.status, bad.json.message]).toEqual([422, '须修改密码类型应为布尔值']);
  });

  it('holds on every instance from the next request on', async () => {
    const second = await service.secondInstance();
    const user = await service.createUser();
    expect((await second.get('/api/v1/users', { token: user })).status).toBe(200);
    await ask(user);
    expect((await second.get('/api/v1/users', { token: user })).json).toEqual(required);
  });

  it('the audit log says who asked it of whom', async () => {
    const user = await service.createUser();
    await ask(user);
    const [entry] = await service.ok<object[]>(
      'GET',
      '/admin/audit?filter[action]=user.update&sort=-id&per_page=1',
      { token: root },
    );
    expect(entry).toMatchObject({
      action: 'user.update',
      actor_name: root.username,
      target_id: String(user.id),
      detail: { fields: ['must_change_password'], must_change_password: true },
    });
  });

  describe('GET /admin/explain', () => {
    const explain = (parameters: Record<string, string>) =>
      service.ok<{
        status: number;
        code: number;
        decided_by: string;
        steps: { rule: string; outcome: string }[];
      }>('GET', `/admin/explain?${new URLSearchParams(parameters)}`, { token: root });

    it('names it as the step that decides, and lets through what is left', async () => {
      const user = await service.createUser();
      const { id: key } = await service.createKey(user);
      await ask(user);
      for (const caller of [{ user_id: String(user.id) }, { api_key_id: String(key) }])
        expect(await explain({ ...caller, method: 'GET', path: '/api/v1/mixed' })).toMatchObject({
          status: 403,
          code: 40302,
          decided_by: 'password_change',
          steps: [
            { rule: 'route' },
            { rule: 'authentication', outcome: 'passed' },
            {
              rule: 'password_change',
              outcome: 'refused',
              because: `${user.username} 须先修改密码`,
            },
          ],
        });
      const left = await explain({ user_id: String(user.id), method: 'GET', path: '/api/v1/auth/me' });
      expect([left.status, left.code, left.decided_by]).toEqual([200, 0, 'user']);
      expect(left.steps).toContainEqual(
        expect.objectContaining({ rule: 'password_change', outcome: 'passed' }),
      );
    });

    it('an explanation does not mention must_change_password for anybody else', async () => {
      const user = await service.createUser();
      const { steps } = await explain({ user_id: String(user.id), method: 'GET', path: '/api/v1/mixed' });
      expect(steps.map(({ rule }) => rule)).not.toContain('password_change');
    });
  });

  it('the API description has 40302 on every operation that acts as a user, and on no other', async () => {
    const { text } = await service.get('/api-docs/openapi.json?area=all');
    const { paths, components } = JSON.parse(text);
    const found = new Set<string>();
    for (const [path, operations] of Object.entries<Record<string, never>>(paths))
      for (const [method, { responses }] of Object.entries<{ responses: Record<string, { $ref?: string }> }>(
        operations,
      )) {
        const reference = responses['403']?.$ref?.split('/').at(-1) ?? '';
        if (JSON.stringify(components.responses[reference] ?? {}).includes('40302'))
          found.add(`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
      }
    const expected = service.server.endpoints
      .filter((endpoint) => endpoint.docs.hidden !== true && !isSpared(endpoint))
      .filter(({ auth }) => auth.some((name) => name !== 'signature'))
      .map(({ method, path }) => `${method} ${path}`);
    expect([...found].sort()).toEqual(expected.sort());
  });
});
