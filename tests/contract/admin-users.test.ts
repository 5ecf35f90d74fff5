import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { playScenarios, type Scenario } from '../support/scenario.ts';
import { commonPassword, startService, type TestUser, useService } from '../support/service.ts';

const create = 'POST /admin/users';
const fresh = { username: 'fresh', email: 'fresh@example.com', password: commonPassword };
const asking = (fields: object) => ({ user: { ...fresh, ...fields } });

const scenarios: readonly Scenario[] = [
  {
    name: 'everything at once, joined',
    request: create,
    as: 'root',
    body: { user: {} },
    status: 422,
    message: '用户名不能为空, 邮箱不能为空, 密码不能为空',
  },
  {
    name: 'every rule at once',
    request: create,
    as: 'root',
    body: { user: { username: 'a@b', email: 'x', password: 'short', roles: ['nobody'], disabled: 'no' } },
    status: 422,
    contains: [
      '"field":"username"',
      '"field":"email"',
      '"field":"password"',
      '"field":"roles"',
      '"field":"disabled"',
    ],
  },
  {
    name: 'a common password',
    request: create,
    as: 'root',
    body: asking({ password: 'password1' }),
    status: 422,
  },
  {
    name: 'a password that is the username',
    request: create,
    as: 'root',
    body: asking({ username: 'marta.lund', password: 'Marta-Lund-26' }),
    status: 422,
    contains: ['"rule":"own_name"'],
  },
  {
    name: 'a password that is the person’s name',
    request: create,
    as: 'root',
    body: asking({ name: 'Ｍａｒｔａ Lund', password: 'martalund' }),
    status: 422,
    contains: ['"rule":"own_name"'],
  },
  {
    name: 'a name that is refused forbids nothing: one message for one fault',
    request: create,
    as: 'root',
    body: asking({ username: 'marta@lund', password: 'Marta-Lund-26' }),
    status: 422,
    message: '用户名格式不正确',
  },
  { name: 'roles as a text', request: create, as: 'root', body: asking({ roles: 'admin' }), status: 422 },
  {
    name: 'roles as an object',
    request: create,
    as: 'root',
    body: asking({ roles: { 0: 'admin' } }),
    status: 422,
  },
  {
    name: 'a role that does not exist',
    request: create,
    as: 'root',
    body: asking({ roles: ['viewer', 'owner'] }),
    status: 422,
    message: '角色不存在',
  },
  {
    name: 'a role of the prototype',
    request: create,
    as: 'root',
    body: asking({ roles: ['__proto__', 'constructor'] }),
    status: 422,
  },
  {
    name: 'an id of the caller’s choice is ignored',
    request: create,
    as: 'root',
    body: asking({
      username: 'chosen',
      email: 'chosen@example.com',
      id: 9_007_199_254_740_991,
      created_at: '2000-01-01',
      password_hash: 'x',
    }),
    status: 201,
    excludes: ['9007199254740991', '2000-01-01'],
  },
  {
    name: 'an admin gives no super_admin',
    request: create,
    as: 'admin',
    body: asking({ roles: ['super_admin'] }),
    status: 403,
    code: 40300,
  },
  {
    name: 'an admin gives admin',
    request: create,
    as: 'admin',
    body: asking({ username: 'second', email: 'second@example.com', roles: ['admin'] }),
    status: 201,
    contains: ['"roles":["admin"]'],
  },
  {
    name: 'an empty list of roles makes a viewer: every user has a role',
    request: create,
    as: 'root',
    body: asking({ username: 'roleless', email: 'roleless@example.com', roles: [] }),
    status: 201,
    contains: ['"roles":["viewer"]'],
  },
  {
    name: 'a viewer creates none',
    request: create,
    as: 'viewer',
    body: asking({}),
    status: 403,
    message: '无权限',
  },
  { name: 'a viewer lists none', request: 'GET /admin/users', as: 'viewer', status: 403 },
  {
    name: 'an admin changes no super_admin',
    request: 'PATCH /admin/users/1',
    as: 'admin',
    body: { user: { name: 'x' } },
    status: 403,
  },
  {
    name: 'not even the password',
    request: 'PATCH /admin/users/1',
    as: 'admin',
    body: { user: { password: commonPassword } },
    status: 403,
  },
  {
    name: 'an admin disables no super_admin',
    request: 'PATCH /admin/users/1',
    as: 'admin',
    body: { user: { disabled: true } },
    status: 403,
  },
  { name: 'an admin deletes no super_admin', request: 'DELETE /admin/users/1', as: 'admin', status: 403 },
  {
    name: 'the last super_admin is not deleted',
    request: 'DELETE /admin/users/1',
    as: 'root',
    status: 409,
    code: 40905,
    message: '至少须保留一名可用的 super_admin',
  },
  {
    name: 'the last super_admin is not disabled',
    request: 'PATCH /admin/users/1',
    as: 'root',
    body: { user: { disabled: true } },
    status: 409,
    code: 40905,
  },
  {
    name: 'the last super_admin keeps the role',
    request: 'PATCH /admin/users/1',
    as: 'root',
    body: { user: { roles: ['admin'] } },
    status: 409,
    code: 40905,
  },
  {
    name: 'no role at all',
    request: 'PATCH /admin/users/1',
    as: 'root',
    body: { user: { roles: [] } },
    status: 422,
  },
  {
    name: 'a user who is not there',
    request: 'GET /admin/users/999999',
    as: 'root',
    status: 404,
    code: 40400,
  },
  {
    name: 'a change of who is not there',
    request: 'PATCH /admin/users/999999',
    as: 'root',
    body: { user: { name: 'x' } },
    status: 404,
  },
  { name: 'a deletion of who is not there', request: 'DELETE /admin/users/999999', as: 'root', status: 404 },
  {
    name: 'a change without the key',
    request: 'PATCH /admin/users/1',
    as: 'root',
    body: { name: 'x' },
    status: 400,
    code: 40005,
  },
];

describeEachDatabase('users of the administration area', (databases) => {
  const service = useService(databases);
  const people: Record<string, TestUser> = {};
  beforeAll(async () => {
    people['root'] = await service.admin();
    people['admin'] = await service.createUser(['admin']);
    people['viewer'] = await service.createUser();
  });
  const token = () => people['root'];

  playScenarios(service, scenarios, () => people);

  it('201: viewer where no role is given; the name is the username; no hash is answered', async () => {
    const { status, data } = await service.post('/admin/users', {
      token: token(),
      body: asking({ username: 'Plain', email: 'Plain@example.com' }),
    });
    expect([status, data]).toEqual([
      201,
      {
        id: expect.any(Number),
        username: 'Plain',
        email: 'Plain@example.com',
        name: 'Plain',
        roles: ['viewer'],
        disabled: false,
        must_change_password: false,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        kind: 'person',
        owner: null,
        owner_id: null,
        invited: false,
        invitation_expires_at: null,
        invited_by: null,
        second_factor: 'none',
      },
    ]);
    expect((await service.login('plain', commonPassword)).status).toBe(200);
  });

  it('200: who holds a role is listed once, whatever else they hold and however the list is sorted', async () => {
    const token = await service.admin();
    const holder = await service.createUser(['admin', 'viewer']);
    for (const sort of ['id', 'username', '-name']) {
      const path = `/admin/roles/admin/users?per_page=10&filter[id]=${holder.id}&sort=${sort}`;
      expect(await service.ok('GET', path, { token })).toMatchObject([{ id: holder.id }]);
      const all = await service.ok<{ id: number }[]>('GET', path.replace(/&filter[^&]*/, ''), { token });
      expect(all.filter(({ id }) => id === holder.id)).toHaveLength(1);
    }
  });

  it('200: PATCH and PUT alike change what is sent and nothing else', async () => {
    const { id, username, email } = await service.createUser();
    for (const [method, name] of [
      ['PATCH', 'One'],
      ['PUT', 'Two'],
    ] as const) {
      const data = await service.ok(method, `/admin/users/${id}`, {
        token: token(),
        body: { user: { name } },
      });
      expect(data).toMatchObject({ id, username, email, name, roles: ['viewer'], disabled: false });
    }
  });

  it('200: a user may keep their own name in another spelling', async () => {
    const { id, username } = await service.createUser();
    const data = await service.ok('PATCH', `/admin/users/${id}`, {
      token: token(),
      body: { user: { username: username.toUpperCase() } },
    });
    expect(data).toMatchObject({ username: username.toUpperCase() });
  });

  it('200: who is deleted is gone with keys and sessions, and the id is not used again', async () => {
    const gone = await service.createUser(['admin']);
    const { key } = await service.createKey(gone);
    const cookie = await service.signIn(gone);
    await service.ok('DELETE', `/admin/users/${gone.id}`, { token: token() });
    for (const sent of [{ token: gone }, { key }])
      expect((await service.get('/api/v1/users', sent)).status).toBe(401);
    expect((await service.get('/admin/session', { cookie })).status).toBe(401);
    const next = await service.createUser(['admin'], { username: gone.username, email: gone.email });
    expect(next.id).toBeGreaterThan(gone.id);
    expect((await service.get('/api/v1/users', { token: gone })).status).toBe(401);
    expect(await service.ok('GET', '/api/v1/api_keys', { token: next })).toEqual([]);
  });

  it('200: a password set by an administrator ends the user’s sessions', async () => {
    const user = await service.createUser(['admin']);
    const cookie = await service.signIn(user);
    await service.ok('PATCH', `/admin/users/${user.id}`, {
      token: token(),
      body: { user: { password: 'another kettle 5' } },
    });
    expect((await service.get('/admin/session', { cookie })).status).toBe(401);
    expect((await service.login(user.username, 'another kettle 5')).status).toBe(200);
  });

  it('422: a password that rests on a name, stored or sent along', async () => {
    const user = await service.createUser(['viewer'], { username: 'olga.petrova', name: 'Olga Petrova' });
    const change = (fields: object) =>
      service.request('PATCH', `/admin/users/${user.id}`, { token: token(), body: { user: fields } });
    for (const fields of [
      { password: 'olga.petrova' },
      { password: 'Petrova-1999' },
      { username: 'walnuttree', password: 'WalnutTree99' },
    ]) {
      const { status, json } = await change(fields);
      expect([fields, status, json.data]).toEqual([
        fields,
        422,
        { errors: [{ field: 'password', rule: 'own_name', message: expect.any(String) }] },
      ]);
    }
    // The name is given up in the same request.
    expect((await change({ name: 'O. P.', username: 'op', password: 'petrova-is-no-name' })).status).toBe(
      200,
    );
  });

  it('200: the list takes the list parameters', async () => {
    const { headers, data } = await service.get(
      '/admin/users?page=1&per_page=2&sort=-id&fields=id,username',
      { token: token() },
    );
    expect([data, Number(headers['x-total-count']) > 2]).toEqual([
      [{ id: expect.any(Number), username: expect.any(String) }, expect.anything()],
      true,
    ]);
    const one = await service.ok<object[]>('GET', '/admin/users?filter[username]=root', { token: token() });
    expect(one).toMatchObject([{ username: 'root', roles: ['super_admin'] }]);
    for (const query of [
      'filter[password_hash][starts_with]=$',
      'sort=password_hash',
      'fields=id,password_hash',
      'filter[roles]=x',
    ])
      expect([query, (await service.get(`/admin/users?${query}`, { token: token() })).status]).toEqual([
        query,
        400,
      ]);
  });

  it('a search finds nothing in hashes', async () => {
    expect(await service.ok('GET', '/admin/users?q=argon2id', { token: token() })).toEqual([]);
  });

  describe('a password of one’s own', () => {
    const patch = (user: TestUser, sent: object, fields: object) =>
      service.request('PATCH', `/admin/users/${user.id}`, { ...sent, body: { user: fields } });
    const refused = (field: string, rule: string) => ({
      errors: [{ field, rule, message: expect.any(String) }],
    });

    it.each([
      ['a token', async (user: TestUser) => ({ token: user })],
      [
        'a session',
        async (user: TestUser) => ({
          cookie: await service.signIn(user),
          headers: { origin: service.origin },
        }),
      ],
    ])('422 without the current one, by %s; nothing changes', async (_, credentials) => {
      const user = await service.createUser(['super_admin']);
      const sent = await credentials(user);
      for (const [fields, field, rule, message] of [
        [{}, 'current_password', 'required', '当前密码不能为空'],
        [{ current_password: null }, 'current_password', 'required', '当前密码不能为空'],
        [{ current_password: '' }, 'current_password', 'required', '当前密码不能为空'],
        [{ current_password: 1 }, 'current_password', 'type', '当前密码类型应为文本'],
        [{ current_password: 'not this one' }, 'current_password', 'wrong_password', '当前密码错误'],
      ] as const) {
        const answer = await patch(user, sent, {
          name: 'Changed',
          password: 'lamp under the stair',
          ...fields,
        });
        expect([fields, answer.status, answer.json]).toEqual([
          fields,
          422,
          { code: 42200, message, data: refused(field, rule) },
        ]);
      }
      const same = await patch(user, sent, { password: user.password, current_password: user.password });
      expect([same.status, same.json.data]).toEqual([422, refused('password', 'same_password')]);
      expect((await service.login(user.username, user.password)).status).toBe(200);
      expect(await service.ok('GET', `/admin/users/${user.id}`, { token: token() })).not.toMatchObject({
        name: 'Changed',
      });
      // Other changes than a password need no current one.
      expect((await patch(user, sent, { name: 'Changed' })).status).toBe(200);
      const changed = { password: 'lamp under the stair', current_password: user.password };
      expect((await patch(user, sent, changed)).status).toBe(200);
      expect((await service.login(user.username, 'lamp under the stair')).status).toBe(200);
    });

    it('200: in the session that changes it one stays, and the others end', async () => {
      const user = await service.createUser(['admin']);
      const statuses = async (...cookies: string[]) =>
        (await Promise.all(cookies.map((cookie) => service.get('/admin/session', { cookie })))).map(
          ({ status }) => status,
        );
      const sent = (cookie: string) => ({ cookie, headers: { origin: service.origin } });
      const [own, other] = [await service.signIn(user), await service.signIn(user)];
      const [first, second] = ['lamp under the stair', 'kettle on the roof'];
      const change = { password: first, current_password: user.password };
      expect((await patch(user, sent(own), change)).status).toBe(200);
      expect(await statuses(own, other)).toEqual([200, 401]);
      // An explicit request ends it all the same.
      const again = { password: second, current_password: first, end_sessions: true };
      expect((await patch(user, sent(own), again)).status).toBe(200);
      expect(await statuses(own)).toEqual([401]);
      // A token is no session: none is kept. Nor is that of a user who changes another's.
      const now = { ...user, password: second };
      const by = await service.signIn(now);
      const once = { password: first, current_password: second };
      expect((await patch(user, { token: await service.tokenOf(user.id) }, once)).status).toBe(200);
      expect(await statuses(by)).toEqual([401]);
      const theirs = await service.signIn({ ...user, password: first });
      const root = await service.signIn(await service.admin());
      expect((await patch(user, sent(root), { password: second })).status).toBe(200);
      expect(await statuses(theirs, root)).toEqual([401, 200]);
    });

    it('200: who disables themselves beside it is out', async () => {
      const user = await service.createUser(['admin']);
      const cookie = await service.signIn(user);
      const fields = { password: 'lamp under the stair', current_password: user.password, disabled: true };
      const headers = { origin: service.origin };
      expect((await patch(user, { cookie, headers }, fields)).status).toBe(200);
      await service.ok('PATCH', `/admin/users/${user.id}`, {
        token: token(),
        body: { user: { disabled: false } },
      });
      expect((await service.get('/admin/session', { cookie })).status).toBe(401);
    });

    it('429: wrong ones count as failed logins', async () => {
      const user = await service.createUser(['admin']);
      const wrong = { password: 'lamp under the stair', current_password: 'not this one' };
      for (let count = 0; count < 10; count += 1)
        expect((await patch(user, { token: user }, wrong)).status).toBe(422);
      const right = { ...wrong, current_password: user.password };
      const { status, headers } = await patch(user, { token: user }, right);
      expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true]);
      expect((await service.login(user.username, user.password)).status).toBe(429);
    });

    it('200: somebody else’s needs none', async () => {
      const user = await service.createUser();
      expect((await patch(user, { token: token() }, { password: 'lamp under the stair' })).status).toBe(200);
    });

    it('a form can send it', async () => {
      const user = await service.createUser(['admin']);
      const form = new URLSearchParams({
        'user[password]': 'lamp under the stair',
        'user[current_password]': user.password,
      });
      const { status } = await service.request('PATCH', `/admin/users/${user.id}`, {
        token: user,
        body: form.toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(status).toBe(200);
    });
  });

  describe('end_sessions', () => {
    const shown = (user: TestUser) => service.ok('GET', `/admin/users/${user.id}`, { token: token() });
    const patch = (user: TestUser, fields: object, as: TestUser | undefined = token()) =>
      service.request('PATCH', `/admin/users/${user.id}`, { token: as, body: { user: fields } });
    const newest = async (count: number) =>
      service.ok<object[]>('GET', `/admin/audit?sort=-created_at,-id&per_page=${count}`, { token: token() });

    it('200: ends all sessions of the user and no others, and writes it to the audit log', async () => {
      const [user, neighbour] = [await service.createUser(['admin']), await service.createUser(['admin'])];
      const [one, two, theirs] = [
        await service.signIn(user),
        await service.signIn(user),
        await service.signIn(neighbour),
      ];
      const before = await shown(user);
      expect((await patch(user, { end_sessions: true })).data).toEqual(before);
      const statuses = await Promise.all(
        [one, two, theirs].map(async (cookie) => (await service.get('/admin/session', { cookie })).status),
      );
      expect(statuses).toEqual([401, 401, 200]);
      const entry = { actor_name: 'root', target_kind: 'user', target_id: String(user.id) };
      expect(await newest(1)).toMatchObject([
        { ...entry, action: 'session.delete_all', target_name: user.username, detail: { sessions: 2 } },
      ]);
      // Its tokens are revoked as well.
      expect((await service.get('/api/v1/users', { token: user })).status).toBe(401);
    });

    it('200: beside a change, in one; false and null end nothing', async () => {
      const user = await service.createUser(['admin']);
      const cookie = await service.signIn(user);
      for (const end_sessions of [false, null]) await patch(user, { name: 'One', end_sessions });
      expect((await service.get('/admin/session', { cookie })).status).toBe(200);
      expect((await patch(user, { name: 'Two', end_sessions: true })).data).toMatchObject({ name: 'Two' });
      expect((await service.get('/admin/session', { cookie })).status).toBe(401);
      expect(await newest(2)).toMatchObject([{ action: 'session.delete_all' }, { action: 'user.update' }]);
    });

    it('403 and 422: an admin ends none of a super_admin; what is no boolean is refused', async () => {
      const cookie = await service.signIn(await service.admin());
      const admin = people['admin'];
      const root = await service.admin();
      expect((await patch(root, { end_sessions: true }, admin)).json.code).toBe(40300);
      expect((await patch(root, { end_sessions: 'yes' })).status).toBe(422);
      expect((await service.get('/admin/session', { cookie })).status).toBe(200);
    });
  });

  describe('gatewright user create', () => {
    const create = (names: readonly string[], password: string, LOCALE = '') =>
      run(['user', 'create', ...names, '--password-stdin'], {
        env: { ...service.env, LOCALE },
        stdin: `${password}\n`,
      });

    it('exit 1: a password that rests on a name, in English like the help, or in the language of LOCALE', async () => {
      const names = ['--username', 'paula', '--email', 'reyes@example.com', '--name', 'Paula Moreau'];
      for (const password of ['Gatewright1', 'paula-paula', 'Reyes-2026', 'moreau_99'])
        expect([password, await create(names, password)]).toEqual([
          password,
          {
            status: 1,
            stdout: '',
            stderr: 'gatewright: Password must not be based on the name of the service or of the account\n',
          },
        ]);
      expect((await create(names, 'moreau_99', 'zh-CN')).stderr).toBe(
        'gatewright: 密码不能以服务名或账号名称为主：去掉这些名称后，余下部分不足以作为密码\n',
      );
      expect((await create(names, 'moreau walks 99 dogs')).status).toBe(0);
    });

    it('exit 0: with --must-change-password the first thing is another password', async () => {
      const names = ['--username', 'by.hand', '--email', 'hand@example.com', '--must-change-password'];
      expect((await create(names, commonPassword)).status).toBe(0);
      const { status, data } = await service.login('by.hand', commonPassword);
      expect(status).toBe(200);
      expect((await service.get('/api/v1/users', { token: data.token })).json.code).toBe(40302);
    });
  });

  describe('names taken at the same moment', () => {
    it('one gets it, the others get 422', async () => {
      const body = asking({ username: 'Race', email: 'race@example.com' });
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => service.post('/admin/users', { token: token(), body })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
      for (const { status, json } of answers) if (status === 422) expect(json.message).toMatch(/已被使用/);
    });
  });
});

describeEachDatabase('the last super_admin', (databases) => {
  it('stays, also where two are taken away at the same moment by two instances', async () => {
    await using service = await startService(databases);
    const second = await service.secondInstance();
    let root = await service.admin();
    for (let round = 0; round < 5; round += 1) {
      const other = await service.createUser(['super_admin']);
      const off = { user: round % 2 === 0 ? { roles: ['viewer'] } : { disabled: true } };
      const answers = await Promise.all([
        service.request('PATCH', `/admin/users/${other.id}`, { token: root, body: off }),
        second.request('PATCH', `/admin/users/${root.id}`, { token: root, body: off }),
      ]);
      const statuses = answers.map(({ status }) => status);
      // The second may find its caller demoted already, or be refused because no administrator would be left.
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      for (const status of statuses) expect([200, 401, 403, 409]).toContain(status);
      const list = await service.server.services.database.all<{ n: number }>({
        sql: `select count(*) as n from users u join user_roles r on r.user_id = u.id where r.role = 'super_admin' and u.disabled = ${databases.dialect === 'sqlite' ? '0' : 'false'}`,
        parameters: [],
      });
      expect(Number(list[0]?.n)).toBe(1);
      // The one who is left begins the next round: a token of the other one may be revoked.
      if ((await service.get('/admin/session', { token: root })).status !== 200) root = other;
    }
  });
});
