import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

describeEachDatabase('sessions', (databases) => {
  const service = useService(databases);
  let admin: TestUser;
  let viewer: TestUser;
  const credentials = (user: TestUser) => ({ account: user.username, password: user.password });
  const own = () => ({ origin: service.origin });
  const whoami = (cookie: string) => service.get('/admin/session', { cookie });
  beforeAll(async () => {
    admin = await service.createUser(['admin']);
    viewer = await service.createUser();
  });

  describe('POST /admin/session', () => {
    it('200: a cookie that scripts, other sites and other paths do not get', async () => {
      const { status, data, headers } = await service.post('/admin/session', { body: credentials(admin) });
      expect([status, data]).toEqual([
        200,
        {
          id: admin.id,
          username: admin.username,
          email: admin.email,
          name: expect.any(String),
          roles: ['admin'],
          second_factor: { enrolled: false, due: false },
        },
      ]);
      expect(headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^gatewright_session=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Strict$/,
        ),
      ]);
    });

    it('200: an id that the caller brought is not taken: fixation', async () => {
      const planted = `gatewright_session=${'A'.repeat(43)}`;
      const { status, headers } = await service.post('/admin/session', {
        body: credentials(admin),
        cookie: planted,
        headers: own(),
      });
      const [set = ''] = headers['set-cookie'] ?? [];
      expect([status, set.startsWith(planted)]).toEqual([200, false]);
      expect((await whoami(planted)).status).toBe(401);
      const cookie = set.split(';')[0] ?? '';
      const again = await service.post('/admin/session', {
        body: credentials(admin),
        cookie,
        headers: own(),
      });
      expect(again.headers['set-cookie']?.[0]?.startsWith(`${cookie};`)).toBe(false);
    });

    it('403: who is no administrator, and gets no cookie', async () => {
      const { status, json, headers } = await service.post('/admin/session', { body: credentials(viewer) });
      expect([status, json, headers['set-cookie']]).toEqual([
        403,
        { code: 40300, message: '无权限' },
        undefined,
      ]);
    });

    it('POST /admin/session is 401 and 422 as the login', async () => {
      const wrong = await service.post('/admin/session', {
        body: { account: admin.username, password: 'wrong one' },
      });
      expect([wrong.status, wrong.json.code, wrong.headers['set-cookie']]).toEqual([401, 40105, undefined]);
      expect((await service.post('/admin/session', { body: {} })).status).toBe(422);
    });

    it('403: from a page of another site', async () => {
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: `${service.origin}.evil.example` },
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        { origin: service.origin.replace('http:', 'ftp:') },
      ]) {
        const { status, json } = await service.post('/admin/session', { body: credentials(admin), headers });
        expect([headers, status, json.code]).toEqual([headers, 403, 40301]);
      }
      // A cookie without a word of where the page is from: a browser that old is not believed.
      expect((await service.post('/admin/session', { body: credentials(admin), cookie: 'x=1' })).status).toBe(
        403,
      );
    });

    it('415: a form, which any page could send without asking', async () => {
      const body = new URLSearchParams(credentials(admin)).toString();
      const headers = { ...own(), 'content-type': 'application/x-www-form-urlencoded' };
      expect((await service.post('/admin/session', { body, headers })).status).toBe(415);
    });
  });

  describe('writes by cookie', () => {
    const write = (cookie: string, headers: Record<string, string>) =>
      service.post('/admin/roles', {
        cookie,
        headers,
        body: { role: { name: `r${Math.random().toString(36).slice(2)}` } },
      });

    it('201: from a page of this service', async () => {
      const cookie = await service.signIn(admin);
      const host = new URL(service.origin).host;
      for (const headers of [
        own(),
        { 'sec-fetch-site': 'same-origin' },
        { host: 'admin.example:8443', origin: 'https://admin.example:8443' },
        { host, origin: `http://${host}` },
      ])
        expect([headers, (await write(cookie, headers)).status]).toEqual([headers, 201]);
    });

    it('a write by cookie from anywhere else is 403', async () => {
      const cookie = await service.signIn(admin);
      for (const headers of [
        {},
        { origin: 'null' },
        { origin: '' },
        { origin: 'http://127.0.0.1' },
        { origin: 'https://evil.example' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { 'sec-fetch-site': 'cross-site' },
        { referer: service.origin },
        { origin: service.origin.toUpperCase() },
        { origin: `${service.origin}/` },
        { host: 'a!evil.example', origin: 'http://a!evil.example' },
      ] as Record<string, string>[]) {
        const { status, json } = await write(cookie, headers);
        expect([headers, status, json]).toEqual([headers, 403, { code: 40301, message: '拒绝跨站请求' }]);
      }
    });

    it('a write by cookie from elsewhere is 403, whatever its method', async () => {
      const cookie = await service.signIn(admin);
      for (const [method, path] of [
        ['DELETE', `/admin/users/${viewer.id}`],
        ['PATCH', `/admin/users/${viewer.id}`],
        ['PUT', `/admin/users/${viewer.id}`],
        ['DELETE', '/admin/session'],
        ['DELETE', '/admin/sessions'],
      ] as const)
        expect(
          (
            await service.request(method, path, {
              cookie,
              headers: { origin: 'https://evil.example' },
              body: { user: { disabled: true } },
            })
          ).json.code,
        ).toBe(40301);
      expect((await whoami(cookie)).status).toBe(200);
    });

    it('reads do not ask where the page is from', async () => {
      const cookie = await service.signIn(admin);
      expect(
        (await service.get('/admin/users', { cookie, headers: { 'sec-fetch-site': 'none' } })).status,
      ).toBe(200);
    });

    it('201: a token needs no Origin: no browser sends it by itself', async () => {
      const body = { role: { name: 'by_token' } };
      expect(
        (
          await service.post('/admin/roles', {
            token: admin,
            body,
            headers: { origin: 'https://evil.example' },
          })
        ).status,
      ).toBe(201);
    });
  });

  describe('the end', () => {
    it('a sign-out ends the session, on this device only', async () => {
      const [cookie, other] = [await service.signIn(admin), await service.signIn(admin)];
      const { status, headers } = await service.delete('/admin/session', { cookie, headers: own() });
      expect([status, headers['set-cookie']]).toEqual([
        200,
        [expect.stringMatching(/^gatewright_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/)],
      ]);
      // The cache only: "cookies" and "storage" would take what is not ours.
      expect(headers['clear-site-data']).toBe('"cache"');
      expect((await whoami(cookie)).json.code).toBe(40106);
      expect((await whoami(other)).status).toBe(200);
    });

    it('a sign-out that is refused clears nothing', async () => {
      const cookie = await service.signIn(admin);
      const refused = await service.delete('/admin/session', {
        cookie,
        headers: { origin: 'https://x.example' },
      });
      expect([refused.status, refused.headers['clear-site-data']]).toEqual([403, undefined]);
    });

    it('a user ends all of their own sessions, none of others', async () => {
      const neighbour = await service.createUser(['admin']);
      const [cookie, other, theirs] = [
        await service.signIn(admin),
        await service.signIn(admin),
        await service.signIn(neighbour),
      ];
      const list = await service.ok<Record<string, unknown>[]>('GET', '/admin/sessions', { cookie: theirs });
      expect(list).toEqual([
        {
          id: expect.any(Number),
          current: true,
          address: '127.0.0.1',
          user_agent: expect.any(String),
          created_at: expect.any(String),
          last_used_at: expect.any(String),
          remembered: false,
        },
      ]);
      const ended = await service.delete('/admin/sessions', { cookie, headers: own() });
      expect([ended.status, ended.headers['clear-site-data']]).toEqual([200, '"cache"']);
      expect([
        (await whoami(cookie)).status,
        (await whoami(other)).status,
        (await whoami(theirs)).status,
      ]).toEqual([401, 401, 200]);
    });

    it('200: all others of one’s own; this one stays, and tokens end', async () => {
      const [person, root] = [await service.createUser(['admin']), await service.admin()];
      const [cookie, other] = [await service.signIn(person), await service.signIn(person)];
      const { data } = await service.login(person.username, person.password);
      const end = (query: string) => service.delete(`/admin/sessions?${query}`, { cookie, headers: own() });
      expect((await end('others=maybe')).status).toBe(400);
      const ended = await end('others=true');
      expect([ended.status, ended.headers['set-cookie']]).toEqual([200, undefined]);
      expect([(await whoami(cookie)).status, (await whoami(other)).status]).toEqual([200, 401]);
      expect((await service.get('/api/v1/auth/me', { token: data.token })).json.code).toBe(40_101);
      const [entry] = await service.ok<{ detail: object }[]>(
        'GET',
        '/admin/audit?filter[action]=session.delete_all&sort=-id&per_page=1',
        { token: root },
      );
      expect(entry?.detail).toEqual({ sessions: 1, kept_session: expect.any(Number) });
    });

    it('GET /admin/users/:id/sessions: where a user is signed in, as far as the service knows', async () => {
      const [person, root] = [await service.createUser(['admin']), await service.admin()];
      const path = `/admin/users/${person.id}/sessions`;
      const look = () =>
        service.ok<{
          sessions: { id: number; address: string; last_used_at: string }[];
          tokens: { latest_expiry: string | null; revoked_up_to: string | null; revoked: string[] };
        }>('GET', path, { token: root });
      await service.signIn(person);
      const { token } = (await service.login(person.username, person.password)).data;
      const during = await look();
      expect(during.sessions).toMatchObject([
        { address: '127.0.0.1', last_used_at: expect.stringMatching(/Z$/) },
      ]);
      expect(during.tokens.latest_expiry).toMatch(/\.000Z$/);
      await service.ok('POST', '/api/v1/auth/logout', { token });
      expect((await look()).tokens.revoked).toEqual([during.tokens.latest_expiry]);
      await service.ok('POST', `/admin/users/${person.id}/logout`, { token: root });
      const after = await look();
      expect([after.sessions, after.tokens.latest_expiry]).toEqual([[], null]);
      expect(after.tokens.revoked_up_to).not.toBeNull();
      expect((await service.get(path, { token: viewer })).status).toBe(403);
      expect((await service.get('/admin/users/999999/sessions', { token: root })).status).toBe(404);
    });

    it('a user ends one of their own sessions, by its id, on whichever device; none of others', async () => {
      const person = await service.createUser(['admin']);
      const neighbour = await service.createUser(['admin']);
      const [cookie, other, theirs] = [
        await service.signIn(person),
        await service.signIn(person),
        await service.signIn(neighbour),
      ];
      type Listed = readonly { readonly id: number; readonly current: boolean }[];
      const listed = (by: object) => service.ok<Listed>('GET', '/admin/sessions', by);
      const mine = await listed({ cookie });
      expect(mine.map(({ current }) => current)).toEqual([true, false]);
      // Another session of the same person sees itself; what was remembered of the first is not its answer.
      expect((await listed({ cookie: other })).map(({ current }) => current)).toEqual([false, true]);
      expect((await listed({ token: person })).map(({ current }) => current)).toEqual([false, false]);
      const marked = await service.ok<Listed>('GET', '/admin/sessions?filter[current]=true&page=1', {
        cookie: other,
      });
      expect(marked.map(({ id }) => id)).toEqual([mine[1]?.id]);

      const [foreign] = await listed({ cookie: theirs });
      const end = (id: number | undefined, headers: Record<string, string> = own()) =>
        service.delete(`/admin/sessions/${id}`, { cookie, headers });
      expect((await end(foreign?.id)).status).toBe(404);
      expect((await end(999_999)).status).toBe(404);
      expect((await end(mine[1]?.id, { origin: 'https://evil.example' })).json.code).toBe(40301);
      expect((await whoami(other)).status).toBe(200);

      const ended = await end(mine[1]?.id);
      expect([ended.status, ended.headers['set-cookie']]).toEqual([200, undefined]);
      expect([
        (await whoami(cookie)).status,
        (await whoami(other)).status,
        (await whoami(theirs)).status,
      ]).toEqual([200, 401, 200]);
      const [entry] = await service.ok<{ detail: object; actor_id: string }[]>(
        'GET',
        '/admin/audit?filter[action]=session.delete&sort=-id&per_page=1',
        { token: person },
      );
      expect(entry).toMatchObject({
        actor_id: String(person.id),
        detail: { session_id: mine[1]?.id, address: '127.0.0.1' },
      });

      // The current one: signed out.
      const last = await end(mine[0]?.id);
      expect([last.status, last.headers['clear-site-data']]).toEqual([200, '"cache"']);
      expect((await whoami(cookie)).status).toBe(401);
    });

    it('a session ends after two hours without a request', async () => {
      const cookie = await service.signIn(admin);
      try {
        service.clock.advance(2 * 3600 - 5);
        expect((await whoami(cookie)).status).toBe(200);
        service.clock.advance(10);
        // Used five seconds before the two hours were over.
        await expect
          .poll(async () => (await whoami(cookie)).status, { timeout: 12_000, interval: 500 })
          .toBe(200);
        service.clock.advance(2 * 3600 + 20);
        const { status, json } = await whoami(cookie);
        expect([status, json]).toEqual([401, { code: 40106, message: '会话无效或已过期' }]);
      } finally {
        service.clock.reset();
      }
    });

    it('a session ends after 24 hours, however busy', async () => {
      const cookie = await service.signIn(admin);
      const touch = async (): Promise<void> => {
        const sql = `update sessions set last_used_at = '${new Date(service.clock.now()).toISOString()}'`;
        await service.server.services.database.execute({ sql, parameters: [] });
      };
      try {
        service.clock.advance(24 * 3600 - 5);
        await touch();
        expect((await whoami(cookie)).status).toBe(200);
        service.clock.advance(6);
        await touch();
        expect((await whoami(cookie)).status).toBe(401);
      } finally {
        service.clock.reset();
      }
    });

    it('a session ends with the account: enabled again, nothing of before comes back', async () => {
      const user = await service.createUser(['admin']);
      const before = await service.signIn(user);
      const root = await service.admin();
      const set = (disabled: boolean) =>
        service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: { disabled } } });
      await set(true);
      // An instance of an older version stores a sign-in whose password it looked at before the user was disabled.
      const { database, cookies } = service.server.services;
      const late = cookies.create();
      const now = new Date(service.clock.now()).toISOString();
      await database.execute({
        sql: `insert into sessions (user_id, session_hash, address, user_agent, created_at, last_used_at)
          values (${user.id}, '${late.hash}', '127.0.0.1', '', '${now}', '${now}')`,
        parameters: [],
      });
      const stored = `${cookies.name}=${late.id}`;
      expect([(await whoami(before)).status, (await whoami(stored)).status]).toEqual([401, 401]);
      await set(false);
      expect([(await whoami(before)).status, (await whoami(stored)).status]).toEqual([401, 401]);
      // To say once more that an enabled user is enabled ends nothing.
      const after = await service.signIn(user);
      await set(false);
      expect((await whoami(after)).status).toBe(200);
    });

    it('a session ends with the role: a user who is no administrator any more is out', async () => {
      const fading = await service.createUser(['admin']);
      const cookie = await service.signIn(fading);
      await service.ok('PATCH', `/admin/users/${fading.id}`, {
        token: await service.admin(),
        body: { user: { roles: ['viewer'] } },
      });
      expect((await whoami(cookie)).status).toBe(403);
    });
  });

  describe('401', () => {
    it('every other cookie is 401; two of the name are refused', async () => {
      const good = await service.signIn(admin);
      const [name = '', id = ''] = good.split('=');
      for (const cookie of [
        `${name}=`,
        `${name}=${id}x`,
        `${name}=${id.slice(1)}`,
        `${name}="${id}"`,
        `${name}=%41${id.slice(1)}`,
        `${name}=${'A'.repeat(43)}`,
        `${good}; ${name}=${'A'.repeat(43)}`,
        `${good}; ${good}`,
        `__Host-${good}`,
        `${name.toUpperCase()}=${id}`,
        `x${good}`,
      ]) {
        const { status, json } = await service.get('/admin/session', { cookie });
        expect([cookie, status, [40100, 40106].includes(json.code)]).toEqual([cookie, 401, true]);
      }
      expect((await whoami(`a=b; ${good}; c=d`)).status).toBe(200);
    });

    it('a cookie opens nothing of the API', async () => {
      const cookie = await service.signIn(admin);
      for (const path of ['/api/v1/users', '/api/v1/auth/me', '/api/v1/api_keys'])
        expect((await service.get(path, { cookie })).status).toBe(401);
    });
  });

  describe('PUT /admin/password', () => {
    const put = (cookie: string, body: object, headers: Record<string, string> = own()) =>
      service.request('PUT', '/admin/password', { cookie, headers, body });

    it('200: one’s own, by cookie; all one’s other sessions end', async () => {
      const user = await service.createUser(['admin']);
      const [cookie, other] = [await service.signIn(user), await service.signIn(user)];
      const body = { current_password: user.password, password: 'lamp under the stair' };
      expect((await put(cookie, body)).text).toBe('{"code":0,"message":"操作成功"}');
      expect([(await whoami(cookie)).status, (await whoami(other)).status]).toEqual([200, 401]);
      expect((await service.login(user.username, user.password)).status).toBe(401);
      expect((await service.login(user.username, body.password)).status).toBe(200);
      const [entry] = await service.ok<object[]>(
        'GET',
        `/admin/audit?filter[action]=user.password&filter[target_id]=${user.id}`,
        { token: await service.admin() },
      );
      expect(entry).toMatchObject({ actor_name: user.username, target_name: user.username });
    });

    it('PUT /admin/password is 422 by field, in its own words', async () => {
      const user = await service.createUser(['admin']);
      const cookie = await service.signIn(user);
      for (const [body, field, rule] of [
        [{ password: 'lamp under the stair' }, 'current_password', 'required'],
        [{ current_password: user.password }, 'password', 'required'],
        [
          { current_password: 'wrong one', password: 'lamp under the stair' },
          'current_password',
          'wrong_password',
        ],
        [{ current_password: user.password, password: user.password }, 'password', 'same_password'],
        [
          { current_password: user.password, password: `${user.username}-${user.username}` },
          'password',
          'own_name',
        ],
        [{ current_password: user.password, password: 'password1' }, 'password', 'common_password'],
      ] as const) {
        const { status, json } = await put(cookie, body);
        expect([body, status, json.data]).toEqual([
          body,
          422,
          { errors: [{ field, rule, message: expect.any(String) }] },
        ]);
      }
      expect((await whoami(cookie)).status).toBe(200);
    });

    it('429: wrong ones count as failed logins', async () => {
      const user = await service.createUser(['admin']);
      const cookie = await service.signIn(user);
      const body = { current_password: 'wrong one', password: 'lamp under the stair' };
      for (let count = 0; count < 10; count += 1) expect((await put(cookie, body)).status).toBe(422);
      expect((await put(cookie, { ...body, current_password: user.password })).status).toBe(429);
    });

    it('403: from another page, and for who is no administrator', async () => {
      const cookie = await service.signIn(admin);
      const body = { current_password: admin.password, password: 'lamp under the stair' };
      expect((await put(cookie, body, { origin: 'https://evil.example' })).json.code).toBe(40301);
      expect((await service.request('PUT', '/admin/password', { token: viewer, body })).json.code).toBe(
        40300,
      );
      expect((await service.request('PUT', '/admin/password', { body })).status).toBe(401);
    });
  });

  it('the database holds no session id', async () => {
    const cookie = await service.signIn(admin);
    const rows = await service.server.services.database.all<object>({
      sql: 'select * from sessions',
      parameters: [],
    });
    expect(JSON.stringify(rows)).not.toContain(cookie.split('=')[1]);
  });
});

describeEachDatabase('sessions where the base URL is https', (databases) => {
  const service = useService(databases, { env: { BASE_URL: 'https://api.example.com/gate' } });

  it('the cookie is Secure and bound to this host', async () => {
    const admin = await service.admin();
    const body = { account: admin.username, password: admin.password };
    const { headers } = await service.post('/gate/admin/session', { body });
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect(cookie).toMatch(
      /^__Host-gatewright_session=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const [pair = ''] = cookie.split(';');
    const write = (origin: string, host: string) =>
      service.delete('/gate/admin/sessions', { cookie: pair, headers: { origin, host } });
    expect((await write('http://api.example.com', 'api.example.com')).status).toBe(403);
    expect((await service.get('/gate/admin/session', { cookie: pair.replace('__Host-', '') })).status).toBe(
      401,
    );
    expect((await write('https://api.example.com', '127.0.0.1')).status).toBe(200);
  });
});
