/** The client renews long sign-ins by itself: one renewal at a time, in all tabs, until the service ends them. */

import { expect, it } from 'vitest';
import { createClient, type SignInStorage } from '../../client/index.ts';
import { createTokenAccess } from '../../client/react-admin/index.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { commonPassword, useService } from '../support/service.ts';
import { failure, scriptedServer, success } from './scripted-server.ts';

const key = 'gatewright.sign_in';

/** A storage that tabs share, as `localStorage`; `later`: its methods return promises. */
const sharedStorage = (later = false) => {
  const kept = new Map<string, string>();
  const made = <Value>(value: Value) => (later ? Promise.resolve(value) : value);
  const storage: SignInStorage = {
    getItem: (name) => made(kept.get(name) ?? null),
    setItem: (name, value) => made(void kept.set(name, value)),
    removeItem: (name) => made(void kept.delete(name)),
  };
  return { storage, kept };
};

describeEachDatabase('a client with a long sign-in', (databases) => {
  const service = useService(databases, { application: { config: { sessions: { days: 30 } } } });

  const open = (options: { storage?: SignInStorage; auth?: object } = {}) => {
    const sent: string[] = [];
    const client = createClient({
      baseUrl: service.origin,
      ...(options as object),
      fetch: (input, init) => {
        sent.push(String(input).replace(/^.*\/api\/v1\//, ''));
        return fetch(input, init);
      },
    });
    return { client, sent };
  };
  const remember = (username: string) => ({ account: username, password: commonPassword, remember: true });
  const day = 86_400;

  it('renews its token when it is refused, once for all calls', async () => {
    const { username, id } = await service.createUser();
    const { client, sent } = open();
    const session = await client.auth.login(remember(username));
    expect(session.refresh_token).toMatch(/^[\w-]{72}$/);
    for (let round = 0; round < 3; round += 1) {
      service.clock.advance(2 * day);
      sent.length = 0;
      const users = await Promise.all(Array.from({ length: 5 }, () => client.auth.me()));
      expect(users.map((user) => user.id)).toEqual([id, id, id, id, id]);
      expect(sent.filter((path) => path === 'auth/refresh')).toHaveLength(1);
      expect(sent).not.toContain('auth/login');
    }
  });

  it.each([false, true])('shares the sign-in with other tabs and a reload (promises: %s)', async (later) => {
    const { username, id } = await service.createUser();
    const { storage, kept } = sharedStorage(later);
    const [one, other] = [open({ storage }), open({ storage })];
    await one.client.auth.login(remember(username));
    expect((await other.client.auth.me()).id).toBe(id);
    service.clock.advance(2 * day);
    const users = await Promise.all(
      [one, other].flatMap(({ client }) => [client.auth.me(), client.auth.me()]),
    );
    expect(new Set(users.map((user) => user.id))).toEqual(new Set([id]));
    expect([...one.sent, ...other.sent].filter((path) => path === 'auth/refresh')).toHaveLength(1);
    service.clock.advance(2 * day);
    expect((await open({ storage }).client.auth.me()).id).toBe(id);
    await other.client.auth.logout();
    expect(kept.size).toBe(0);
    await expect(one.client.auth.me()).rejects.toMatchObject({ status: 401 });
  });

  it('ends the sign-in of the service by a sign-out, also when its token has expired', async () => {
    const { username } = await service.createUser();
    const { storage, kept } = sharedStorage();
    const { client } = open({ storage });
    await client.auth.login(remember(username));
    const { refresh_token: token } = JSON.parse(kept.get(key) ?? '');
    service.clock.advance(2 * day);
    await client.auth.logout();
    const { database } = service.server.services;
    const sql = `select s.id from sessions s join users u on u.id = s.user_id where u.username = '${username}'`;
    expect(await database.all({ sql, parameters: [] })).toEqual([]);
    const { status } = await service.post('/api/v1/auth/refresh', { body: { refresh_token: token } });
    expect(status).toBe(401);
  });

  it('forgets a sign-in that the service has ended, and signs in again only with a given password', async () => {
    const user = await service.createUser();
    const { storage, kept } = sharedStorage();
    const typed = open({ storage });
    const given = open({ auth: remember(user.username) });
    await typed.client.auth.login(remember(user.username));
    await given.client.auth.me();
    const root = await service.admin();
    await service.ok('POST', `/admin/users/${user.id}/logout`, {
      token: service.server.services.tokens.issue(root.id),
    });
    await expect(typed.client.auth.me()).rejects.toMatchObject({ status: 401 });
    expect(kept.size).toBe(0);
    expect((await given.client.auth.me()).id).toBe(user.id);
  });

  it('react-admin has one with `remember`', async () => {
    const { username, id } = await service.createUser();
    const { storage, kept } = sharedStorage();
    const { authProvider: auth } = createTokenAccess({ baseUrl: service.origin, storage });
    await auth.login({ username, password: commonPassword, remember: true });
    service.clock.advance(2 * day);
    await auth.checkAuth({});
    expect(await auth.getIdentity?.()).toMatchObject({ id });
    await auth.logout({});
    expect(kept.size).toBe(0);
    await expect(auth.checkAuth({})).rejects.toThrow('not signed in');
  });
});

it('a client keeps its sign-in where a renewal gets no answer, and tries again', async () => {
  const { baseUrl, seen } = await scriptedServer(
    success({ token: 'a', refresh_token: 'b', user: { id: 1 } }),
    failure(40_101),
    failure(50_300),
    failure(40_101),
    success({ token: 'c', refresh_token: 'd' }),
    success({ id: 1 }),
  );
  const { storage, kept } = sharedStorage();
  const client = createClient({ baseUrl, storage, retry: { attempts: 1 } });
  await client.auth.login({ account: 'a', password: 'b', remember: true });
  await expect(client.auth.me()).rejects.toMatchObject({ status: 503 });
  expect(kept.size).toBe(1);
  await client.auth.me();
  expect(seen.map(({ url }) => url.slice(8))).toEqual([
    'auth/login',
    'auth/me',
    'auth/refresh',
    'auth/me',
    'auth/refresh',
    'auth/me',
  ]);
  expect(JSON.parse(kept.get(key) ?? '')).toEqual({ token: 'c', refresh_token: 'd' });
});

it('a client takes a damaged storage for an empty one', async () => {
  const { baseUrl, seen } = await scriptedServer(success({ id: 1 }));
  const { storage, kept } = sharedStorage();
  kept.set(key, '{"token":');
  await createClient({ baseUrl, storage }).auth.me();
  expect(seen[0]?.headers.authorization).toBeUndefined();
});
