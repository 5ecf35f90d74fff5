import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { commonPassword, type Service, startService, type TestUser, useService } from '../support/service.ts';

/** A change on one instance holds from the next request on, on every other one. */
describeEachDatabase('two instances on one database', (databases) => {
  const first = useService(databases);
  let second: Service;
  let root: TestUser;
  beforeAll(async () => {
    second = await first.secondInstance();
    root = await first.admin();
  });
  const statusOf = async (
    sent: { token?: TestUser; key?: string; cookie?: string },
    path = '/api/v1/users',
  ) => (await second.get(path, sent)).status;
  const update = (user: TestUser, fields: object) =>
    first.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: fields } });

  it('a key that is deleted', async () => {
    const user = await first.createUser();
    const { id, key } = await first.createKey(user);
    expect(await statusOf({ key })).toBe(200);
    await first.ok('DELETE', `/api/v1/api_keys/${id}`, { token: user });
    expect(await statusOf({ key })).toBe(401);
  });

  it('a key that expires is refused on the other instance too', async () => {
    const user = await first.createUser();
    const { key } = await first.createKey(user, new Date(first.clock.now() + 30_000).toISOString());
    expect(await statusOf({ key })).toBe(200);
    try {
      first.clock.advance(30);
      expect(await statusOf({ key })).toBe(401);
    } finally {
      first.clock.reset();
    }
  });

  for (const [name, end] of [
    ['disabled', (user: TestUser) => update(user, { disabled: true })],
    ['deleted', (user: TestUser) => first.ok('DELETE', `/admin/users/${user.id}`, { token: root })],
  ] as const)
    it(`a user who is ${name}: token, key, session and login`, async () => {
      const user = await first.createUser(['admin']);
      const { key } = await first.createKey(user);
      const cookie = await first.signIn(user);
      const each = async () => [
        await statusOf({ token: user }),
        await statusOf({ key }),
        await statusOf({ cookie }, '/admin/session'),
      ];
      expect(await each()).toEqual([200, 200, 200]);
      await end(user);
      expect(await each()).toEqual([401, 401, 401]);
      expect((await second.login(user.username, user.password)).status).toBe(401);
    });

  it('a user who is let in again', async () => {
    const user = await first.createUser();
    await update(user, { disabled: true });
    expect(await statusOf({ token: user })).toBe(401);
    await update(user, { disabled: false });
    // The tokens from before stay revoked.
    expect(await statusOf({ token: user })).toBe(401);
    const { data } = await first.login(user.username, user.password);
    expect((await second.get('/api/v1/users', { token: data.token })).status).toBe(200);
  });

  it('roles that are taken away and given', async () => {
    const user = await first.createUser(['admin']);
    expect(await statusOf({ token: user }, '/admin/users')).toBe(200);
    await update(user, { roles: ['viewer'] });
    expect(await statusOf({ token: user }, '/admin/users')).toBe(403);
    expect((await second.get<unknown[]>('/api/v1/users', { token: user })).data).toHaveLength(1);
    await update(user, { roles: ['viewer', 'admin'] });
    expect(await statusOf({ token: user }, '/admin/users')).toBe(200);
  });

  it('a password that is changed: sessions end, and the old one is refused', async () => {
    const user = await first.createUser(['admin']);
    const cookie = await first.signIn(user);
    expect(await statusOf({ cookie }, '/admin/session')).toBe(200);
    await first.ok('PUT', '/api/v1/auth/password', {
      token: user,
      body: { current_password: commonPassword, password: 'a fresh kettle 9' },
    });
    expect(await statusOf({ cookie }, '/admin/session')).toBe(401);
    expect((await second.login(user.username, commonPassword)).status).toBe(401);
    expect((await second.login(user.username, 'a fresh kettle 9')).status).toBe(200);
  });

  it('a sign-out on one instance ends the session on the other', async () => {
    const user = await first.createUser(['admin']);
    const cookie = await first.signIn(user);
    expect(await statusOf({ cookie }, '/admin/session')).toBe(200);
    await first.ok('DELETE', '/admin/session', { cookie, headers: { origin: first.origin } });
    expect(await statusOf({ cookie }, '/admin/session')).toBe(401);
  });

  it('a name that is given up is free', async () => {
    const user = await first.createUser();
    await first.ok('DELETE', `/admin/users/${user.id}`, { token: root });
    await second.ok('POST', '/admin/users', {
      token: root,
      body: { user: { username: user.username, email: user.email, password: commonPassword } },
    });
    expect(await statusOf({ token: user })).toBe(401);
  });

  it('no request after the answer to a revocation passes on two instances under load', async () => {
    const user = await first.createUser();
    const { id, key } = await first.createKey(user);
    let revoked = false;
    const late: number[] = [];
    let over = false;
    const callers = Array.from({ length: 8 }, async () => {
      while (!over) {
        const after = revoked;
        const { status } = await second.get('/api/v1/users', { key });
        if (after) late.push(status);
      }
    });
    await first.ok('DELETE', `/api/v1/api_keys/${id}`, { token: user });
    revoked = true;
    await expect.poll(() => late.length).toBeGreaterThan(20);
    over = true;
    await Promise.all(callers);
    expect(new Set(late)).toEqual(new Set([401]));
  });
});

describeEachDatabase('four instances at once on an empty database', (databases) => {
  it('all come up, and there is one administrator', async () => {
    const url = await databases.create();
    const env = { JWT_SECRET: 'a secret that all four of them share' };
    const services = await Promise.all([1, 2, 3, 4].map(() => startService(databases, { url, env })));
    try {
      for (const service of services) {
        expect((await service.get('/api/v1/health?ready')).status).toBe(200);
        const users = await service.ok<unknown[]>('GET', '/api/v1/users', { token: await service.admin() });
        expect(users).toHaveLength(1);
      }
      expect(services.filter(({ server }) => server.firstAdmin !== undefined)).toHaveLength(1);
    } finally {
      for (const service of services) await service.close();
    }
  });
});
