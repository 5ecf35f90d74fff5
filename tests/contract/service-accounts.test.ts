import { describe, expect, it } from 'vitest';
import { notifyOfExpiry } from '../../src/accounts/api-keys/expiry-notices.ts';
import { createTokens } from '../../src/auth/jwt.ts';
import { hashLinkToken, newLinkToken } from '../../src/auth/link-token.ts';
import { ServiceClock } from '../../src/kernel/clock.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Service, startService, type TestUser, useService } from '../support/service.ts';

interface Account {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly kind: string;
  readonly owner_id: number | null;
  readonly owner: { readonly id: number; readonly username: string } | null;
  readonly invited: boolean;
  readonly roles: readonly string[];
}

interface MadeKey {
  readonly id: number;
  readonly key: string;
}

let accounts = 0;

const createAccount = async (service: Service, owner: TestUser, more: object = {}): Promise<Account> => {
  accounts += 1;
  const body = {
    user: { username: `robot${accounts}`, kind: 'service', owner_id: owner.id, roles: ['viewer'], ...more },
  };
  return service.ok<Account>('POST', '/admin/users', { token: await service.admin(), body });
};

const keyOf = (service: Service, token: TestUser | string, userId: number, more: object = {}) =>
  service.ok<MadeKey>('POST', '/api/v1/api_keys', {
    token,
    body: { api_key: { name: 'robot', service_account_id: userId, ...more } },
  });

const sql = <Row>(service: Service, text: string) =>
  service.server.services.database.all<Row>({ sql: text, parameters: [] });

const day = 86_400_000;

describeEachDatabase('a service account', (databases) => {
  const service = useService(databases);

  it('a service account has an owner and no password, and needs no address', async () => {
    const owner = await service.createUser();
    const account = await createAccount(service, owner);
    expect(account).toMatchObject({
      kind: 'service',
      owner_id: owner.id,
      owner: { id: owner.id, username: owner.username },
      email: `${account.username}@service.invalid`,
      invited: false,
      roles: ['viewer'],
    });
    const person = await service.ok<Account>('GET', `/admin/users/${owner.id}`, {
      token: await service.admin(),
    });
    expect(person).toMatchObject({ kind: 'person', owner_id: null, owner: null });
    const [entry] = await service.ok<{ detail: object }[]>(
      'GET',
      `/admin/audit?filter[action]=user.create&filter[target_id]=${account.id}`,
      { token: await service.admin() },
    );
    expect(entry?.detail).toMatchObject({ kind: 'service', owner_id: owner.id });
  });

  it.each([
    [{ owner_id: undefined }, 'owner_id', 'required'],
    [{ owner_id: null }, 'owner_id', 'required'],
    [{ owner_id: 4_711_000 }, 'owner_id', 'reference'],
    [{ owner_id: 'root' }, 'owner_id', 'type'],
    [{ password: 'tulip-anvil-47 kettle' }, 'password', 'service_account'],
    [{ invite: true }, 'invite', 'service_account'],
    [{ must_change_password: true }, 'must_change_password', 'service_account'],
    [{ kind: 'robot' }, 'kind', 'enum'],
    [
      { kind: 'person', password: 'tulip-anvil-47 kettle', email: 'p@example.com' },
      'owner_id',
      'only_service_accounts',
    ],
  ])('a service account is refused with %o', async (more, field, rule) => {
    const owner = await service.admin();
    const body = { user: { username: 'refused', kind: 'service', owner_id: owner.id, ...more } };
    const answer = await service.post('/admin/users', { token: owner, body });
    expect(answer.json).toMatchObject({ code: 42_200 });
    expect(answer.json).toMatchObject({
      data: { errors: expect.arrayContaining([expect.objectContaining({ field, rule })]) },
    });
  });

  it('belongs to an enabled person: to no other service account and no disabled user', async () => {
    const root = await service.admin();
    const owner = await service.createUser();
    const account = await createAccount(service, owner);
    const disabled = await service.createUser();
    await service.ok('PATCH', `/admin/users/${disabled.id}`, {
      token: root,
      body: { user: { disabled: true } },
    });
    for (const id of [account.id, disabled.id]) {
      const body = { user: { username: 'x', kind: 'service', owner_id: id } };
      expect((await service.post('/admin/users', { token: root, body })).status).toBe(422);
      const change = { user: { owner_id: id } };
      const path = `/admin/users/${account.id}`;
      expect((await service.request('PATCH', path, { token: root, body: change })).status).toBe(422);
    }
    const other = await service.createUser();
    const moved = await service.ok<Account>('PATCH', `/admin/users/${account.id}`, {
      token: root,
      body: { user: { owner_id: other.id } },
    });
    expect(moved.owner_id).toBe(other.id);
    expect(
      (
        await service.request('PATCH', `/admin/users/${other.id}`, {
          token: root,
          body: { user: { owner_id: owner.id } },
        })
      ).status,
    ).toBe(422);
  });

  it('signs in nowhere, whatever is tried', async () => {
    const root = await service.admin();
    const owner = await service.createUser();
    const account = await createAccount(service, owner, { roles: ['admin'] });
    for (const password of ['', 'tulip-anvil-47 kettle'])
      for (const name of [account.username, account.email]) {
        const login = await service.login(name, password);
        expect([401, 422]).toContain(login.status);
        const body = { account: name, password };
        expect([401, 422]).toContain((await service.post('/admin/session', { body })).status);
      }
    const path = `/admin/users/${account.id}`;
    const change = (user: object) => service.request('PATCH', path, { token: root, body: { user } });
    expect((await change({ password: 'tulip-anvil-47 kettle' })).status).toBe(422);
    expect((await change({ must_change_password: true })).status).toBe(422);
    const invitation = await service.post(`${path}/invitation`, { token: root });
    expect([invitation.status, invitation.json.code]).toEqual([409, 40_915]);

    // A link that was made in the database itself opens nothing.
    const { token, hash } = newLinkToken();
    expect(hashLinkToken(token)).toBe(hash);
    const soon = new Date(service.clock.now() + day).toISOString();
    await service.server.services.database.execute({
      sql: `insert into gatewright_invitations (user_id, made_by, token_hash, created_at, expires_at)
        values (${account.id}, ${root.id}, '${hash}', '${soon}', '${soon}')`,
      parameters: [],
    });
    const used = await service.post('/admin/invitation', {
      body: { token, password: 'tulip-anvil-47 kettle' },
    });
    expect(used.status).toBeGreaterThanOrEqual(400);
    // The database takes no password either, from any client.
    const write = service.server.services.database.execute({
      sql: `update users set password_hash = 'x' where id = ${account.id}`,
      parameters: [],
    });
    await expect(write).rejects.toThrow();

    // A token with a good signature, and a session that somebody wrote into the table.
    const secret = service.env['JWT_SECRET'] ?? '';
    const signed = createTokens(secret, service.clock.now).issue(account.id);
    expect((await service.get('/api/v1/auth/me', { token: signed })).json.code).toBe(40_101);
    const { cookies, sessions } = service.server.services;
    const session = cookies.create();
    const stored = await sql<{ stamp: number }>(
      service,
      `select security_stamp as stamp from users where id = ${account.id}`,
    );
    await sessions.create(
      { id: account.id, securityStamp: stored[0]?.stamp ?? 0 },
      { hash: session.hash, address: '127.0.0.1', userAgent: '' },
      { principal: 'command line', address: null },
    );
    const cookie = cookies.set(session.id).split(';')[0] ?? '';
    expect((await service.get('/admin/session', { headers: { cookie } })).status).toBe(401);
  });

  it('calls with keys that its owner creates, rotates and revokes, and no other user', async () => {
    const [owner, other] = [await service.createUser(), await service.createUser()];
    const account = await createAccount(service, owner);
    const { id, key } = await keyOf(service, owner, account.id);
    const me = await service.get<{ id: number }[]>('/api/v1/users', { key });
    expect(me.data).toMatchObject([{ id: account.id }]);
    const list = async (user: TestUser) =>
      (await service.ok<{ id: number; user: { id: number } }[]>('GET', '/api/v1/api_keys', { token: user }))
        .filter((each) => each.id === id)
        .map(({ user: of }) => of.id);
    expect([await list(owner), await list(other)]).toEqual([[account.id], []]);
    const count = await service.get('/api/v1/api_keys?page=1', { token: owner });
    expect(count.headers['x-total-count']).toBe('1');

    const body = { api_key: { name: 'stolen', service_account_id: account.id } };
    const foreign = await service.post('/api/v1/api_keys', { token: other, body });
    expect(foreign.json).toMatchObject({
      code: 42_200,
      data: { errors: [{ field: 'service_account_id', rule: 'reference' }] },
    });
    // A person is no service account, even if somebody has made one own the other.
    const person = { api_key: { name: 'stolen', service_account_id: other.id } };
    expect((await service.post('/api/v1/api_keys', { token: owner, body: person })).status).toBe(422);
    expect((await service.post('/api/v1/api_keys', { key, body })).status).toBe(401);
    const path = `/api/v1/api_keys/${id}`;
    expect((await service.post(`${path}/rotate`, { token: other, body: {} })).status).toBe(404);
    expect((await service.delete(path, { token: other })).status).toBe(404);

    const rotated = await service.ok<MadeKey>('POST', `${path}/rotate`, {
      token: owner,
      body: { overlap: 0 },
    });
    expect((await service.get('/api/v1/users', { key })).status).toBe(401);
    expect((await service.get('/api/v1/users', { key: rotated.key })).status).toBe(200);

    // The former owner loses the keys to another one.
    await service.ok('PATCH', `/admin/users/${account.id}`, {
      token: await service.admin(),
      body: { user: { owner_id: other.id } },
    });
    expect((await service.post(`${path}/rotate`, { token: owner, body: {} })).status).toBe(404);
    expect((await service.post('/api/v1/api_keys', { token: owner, body })).status).toBe(422);
    expect([await list(owner), await list(other)]).toEqual([[], [account.id]]);
    await service.ok('DELETE', path, { token: other });
    expect((await service.get('/api/v1/users', { key: rotated.key })).status).toBe(401);
  });

  it('goes on without its owner, and is a matter on the start page', async () => {
    const root = await service.admin();
    const owner = await service.createUser();
    const account = await createAccount(service, owner);
    const { key } = await keyOf(service, owner, account.id);
    interface Ownerless {
      readonly count: number;
      readonly accounts: readonly { readonly id: number; readonly owner: object | null }[];
    }
    const ownerless = async () => {
      const { attention } = await service.ok<{ attention: { ownerless_accounts: Ownerless } }>(
        'GET',
        '/admin/stats',
        { token: root },
      );
      return attention.ownerless_accounts.accounts.filter(({ id }) => id === account.id);
    };
    expect(await ownerless()).toEqual([]);
    await service.ok('PATCH', `/admin/users/${owner.id}`, {
      token: root,
      body: { user: { disabled: true } },
    });
    expect(await ownerless()).toMatchObject([{ owner: { id: owner.id, username: owner.username } }]);
    expect((await service.get('/api/v1/users', { key })).status).toBe(200);
    const references = await service.ok<{ references: { field: string; on_delete: string }[] }>(
      'GET',
      `/admin/users/${owner.id}/references`,
      { token: root },
    );
    expect(references.references).toContainEqual(
      expect.objectContaining({ field: 'owner_id', on_delete: 'null', count: 1 }),
    );
    await service.ok('DELETE', `/admin/users/${owner.id}`, { token: root });
    expect(await ownerless()).toMatchObject([{ owner: null }]);
    expect(await service.ok('GET', `/admin/users/${account.id}`, { token: root })).toMatchObject({
      owner_id: null,
      owner: null,
    });
    expect((await service.get('/api/v1/users', { key })).status).toBe(200);
    await service.ok('PATCH', `/admin/users/${account.id}`, {
      token: root,
      body: { user: { disabled: true } },
    });
    expect(await ownerless()).toEqual([]);
    expect((await service.get('/api/v1/users', { key })).status).toBe(401);
  });

  it('a service account is explained by its keys, and never by a token', async () => {
    const root = await service.admin();
    const account = await createAccount(service, root);
    const { id } = await keyOf(service, root, account.id);
    const explain = (caller: string) =>
      service.ok<object>('GET', `/admin/explain?${caller}&method=GET&path=/api/v1/users`, { token: root });
    expect(await explain(`user_id=${account.id}`)).toMatchObject({
      status: 401,
      decided_by: 'authentication',
      steps: expect.arrayContaining([
        expect.objectContaining({ because: expect.stringContaining('是服务账号') }),
      ]),
    });
    expect(await explain(`api_key_id=${id}`)).toMatchObject({ status: 200, code: 0 });
  });

  it('a service account does not count as the last super_admin', async () => {
    const root = await service.admin();
    await createAccount(service, root, { roles: ['super_admin'] });
    const body = { user: { disabled: true } };
    const answer = await service.request('PATCH', `/admin/users/${root.id}`, { token: root, body });
    expect([answer.status, answer.json.code]).toEqual([409, 40_905]);
  });

  it('a service account of a super_admin is not in the hands of an admin', async () => {
    const root = await service.admin();
    const admin = await service.createUser(['admin']);
    const account = await createAccount(service, root, { roles: ['super_admin'] });
    const change = { user: { owner_id: admin.id } };
    const path = `/admin/users/${account.id}`;
    expect((await service.request('PATCH', path, { token: admin, body: change })).status).toBe(403);
    const body = { user: { username: 'y', kind: 'service', owner_id: admin.id, roles: ['super_admin'] } };
    expect((await service.post('/admin/users', { token: admin, body })).status).toBe(403);
  });
});

describeEachDatabase('the notice of an expiry', (databases) => {
  interface Entry {
    readonly id: number;
    readonly target_id: string;
    readonly actor_kind: string;
    readonly detail: { readonly expires_at: string; readonly owner_id: number | null };
  }
  const notices = async (service: Service): Promise<readonly Entry[]> =>
    service.ok<Entry[]>('GET', '/admin/audit?filter[action]=key.expiring&sort=id', {
      token: await service.tokenOf((await service.admin()).id),
    });

  it('comes once for a key and its expiry, from several instances at once', async () => {
    await using service = await startService(databases);
    const second = await service.secondInstance();
    const now = Date.now();
    const at = (days: number) => new Date(now + days * day).toISOString();
    const owner = await service.createUser();
    const account = await createAccount(service, owner);
    const keys = [];
    for (const days of [13, 13.9, 15, -1])
      keys.push(await keyOf(service, owner, account.id, { expires_at: at(days) }));
    await keyOf(service, owner, account.id);
    await service.createKey(owner, at(5));
    const [soon, later, far] = keys;
    if (soon === undefined || later === undefined || far === undefined) throw new Error('three keys');
    const both = async (time: number) => {
      const instances = [service, second, service, second];
      const found = await Promise.all(instances.map(({ server }) => notifyOfExpiry(server.services, time)));
      return found.flat().map(({ id }) => id);
    };
    expect((await both(now)).sort()).toEqual([soon.id, later.id].sort());
    expect(await both(now)).toEqual([]);
    expect(await both(now + 2 * day)).toEqual([far.id]);
    const entries = await notices(service);
    expect(entries.map(({ target_id }) => Number(target_id)).sort()).toEqual(
      [soon.id, later.id, far.id].sort(),
    );
    expect(entries[0]).toMatchObject({
      actor_kind: 'service',
      detail: { owner_id: owner.id, owner_name: owner.username, user_id: account.id },
    });
    // Another expiry is another notice; the first one again is none, and a rotation is none.
    const token = await service.admin();
    const change = (expires_at: string) =>
      service.ok('PATCH', `/admin/api_keys/${soon.id}`, { token, body: { api_key: { expires_at } } });
    await change(at(12));
    expect(await both(now)).toEqual([soon.id]);
    await service.ok('POST', `/api/v1/api_keys/${soon.id}/rotate`, { token: owner, body: {} });
    expect(await both(now)).toEqual([]);
  });

  it('waits where the clock has leapt ahead, and is not lost where it was behind', async () => {
    await using service = await startService(databases);
    const now = Date.now();
    const owner = await service.createUser();
    const account = await createAccount(service, owner);
    const { id } = await keyOf(service, owner, account.id, {
      expires_at: new Date(now + 40 * day).toISOString(),
    });
    const wrong = { time: now, elapsed: 0 };
    const clock = new ServiceClock(
      () => wrong.time,
      () => wrong.elapsed,
    );
    const notified = async () =>
      (await notifyOfExpiry(service.server.services, clock.removal())).map((key) => key.id);
    wrong.time += 30 * day;
    clock.check();
    expect(await notified()).toEqual([]);
    wrong.time = now - 300 * day;
    clock.check();
    expect(await notified()).toEqual([]);
    wrong.time = now + 27 * day;
    wrong.elapsed = 27 * day;
    clock.check();
    wrong.time += day + 1;
    wrong.elapsed += day + 1;
    clock.check();
    expect(await notified()).toEqual([id]);
    expect(await notified()).toEqual([]);
  });

  it('shows on the start page, with the owner', async () => {
    await using service = await startService(databases);
    const owner = await service.createUser();
    const account = await createAccount(service, owner);
    const { id } = await keyOf(service, owner, account.id, {
      expires_at: new Date(Date.now() + 10 * day).toISOString(),
    });
    const { attention } = await service.ok<{ attention: { expiring_keys: object } }>('GET', '/admin/stats', {
      token: await service.admin(),
    });
    expect(attention.expiring_keys).toMatchObject({
      count: 1,
      keys: [
        {
          id,
          user: { id: account.id, username: account.username },
          owner: { id: owner.id, username: owner.username },
        },
      ],
    });
  });
});

describe('a service account by the command line', () => {
  describeEachDatabase('is created', (databases) => {
    const service = useService(databases);

    it('a service account is created by the command line with its owner, without a password', async () => {
      const owner = await service.createUser();
      const words = ['--service', '--owner', owner.username, '--role', 'viewer', '--json'];
      const { stdout } = await service.command('user', 'create', '--username', 'nightly', ...words);
      const made = JSON.parse(stdout) as { id: number };
      expect(made).toEqual({ id: expect.any(Number), username: 'nightly' });
      const token = await service.admin();
      expect(await service.ok('GET', `/admin/users/${made.id}`, { token })).toMatchObject({
        kind: 'service',
        owner_id: owner.id,
      });
      const created = await service.command(
        'key',
        'create',
        '--username',
        'nightly',
        '--name',
        'k',
        '--json',
      );
      const { key } = JSON.parse(created.stdout) as { key: string };
      expect((await service.get('/api/v1/users', { key })).status).toBe(200);
    });

    it.each([
      [['--service'], '--owner'],
      [['--owner', 'root', '--email', 'a@example.com'], '--service'],
      [['--service', '--owner', 'ghost'], 'no user ghost'],
      [['--service', '--owner', 'root', '--password-stdin'], 'no password'],
      [['--service', '--owner', 'root', '--must-change-password'], 'no password'],
      [['--service', '--owner', 'root', '--role', 'ghost'], 'does not exist'],
    ])('a service account of the command line is refused with %j', async (words, message) => {
      await service.admin();
      await expect(service.command('user', 'create', '--username', 'bad', ...words)).rejects.toThrow(message);
    });
  });
});
