import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import type { MigrationDatabase } from '../../src/database/migrations/migration.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Service, startService, type TestUser, useService } from '../support/service.ts';

interface Entry {
  readonly action: string;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly target_kind: string;
  readonly target_id: string | null;
  readonly target_name: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly address: string | null;
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

describeEachDatabase('security events', (databases) => {
  const service = useService(databases, { env: { TRUST_PROXY: 'loopback' } });

  const list = async (filter: string, asked: Service = service): Promise<readonly Entry[]> =>
    asked.ok<Entry[]>('GET', `/admin/audit?per_page=1000&sort=id&${filter}`, { token: await asked.admin() });
  const at = (address: string): Promise<readonly Entry[]> => list(`filter[address]=${address}`);
  const logged = (address: string): Record<string, unknown>[] =>
    service.lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line['msg'] === 'security event' && line['address'] === address);
  const by = ({ id, username }: TestUser) => ({
    actor_kind: 'user',
    actor_id: String(id),
    actor_name: username,
  });
  const stranger = { actor_kind: 'nobody', actor_id: null, actor_name: null };
  const aimedAt = ({ id, username }: TestUser) => ({
    target_kind: 'user',
    target_id: String(id),
    target_name: username,
  });

  describe('sign-ins', () => {
    it('good, bad and locked out: with address and account, in the list and in the log', async () => {
      const user = await service.createUser();
      const address = '10.30.0.1';
      expect((await service.login(user.email, user.password, from(address))).status).toBe(200);
      for (let count = 0; count < 10; count += 1)
        expect((await service.login(user.email, 'wrong password', from(address))).status).toBe(401);
      expect((await service.login(user.email, user.password, from(address))).status).toBe(429);
      const [good, ...others] = await at(address);
      expect(good).toMatchObject({ action: 'sign_in', ...by(user), ...aimedAt(user), address });
      expect(others.map(({ action }) => action)).toEqual([
        ...Array<string>(10).fill('sign_in.failed'),
        'sign_in.locked',
      ]);
      for (const entry of others) expect(entry).toMatchObject({ ...stranger, ...aimedAt(user), address });
      expect(logged(address).map(({ level, event, user: name }) => [level, event, name])).toEqual([
        [30, 'sign_in', user.username],
        ...Array<unknown>(10).fill([40, 'sign_in.failed', user.username]),
        [40, 'sign_in.locked', user.username],
      ]);
    });

    it('the input for a missing account stands nowhere', async () => {
      const address = '10.30.0.2';
      await service.login('my-password-in-the-wrong-field', 'x', from(address));
      const entries = await at(address);
      expect(entries).toMatchObject([
        {
          action: 'sign_in.failed',
          ...stranger,
          target_id: null,
          target_name: null,
          detail: { account: 'unknown' },
        },
      ]);
      expect(JSON.stringify([entries, service.lines])).not.toContain('wrong-field');
    });

    it('sign-ins of the administration area are one entry each, with a refusal for a user who is no administrator', async () => {
      const address = '10.30.0.3';
      const [admin, viewer] = [await service.createUser(['admin']), await service.createUser()];
      for (const { username, password } of [admin, viewer])
        await service.post('/admin/session', { body: { account: username, password }, ...from(address) });
      expect((await at(address)).map(({ action, actor_name: name }) => [action, name])).toEqual([
        ['session.create', admin.username],
        ['admin.refused', viewer.username],
      ]);
      expect(logged(address).map(({ event, username }) => [event, username])).toEqual([
        ['sign_in', admin.username],
        ['admin.refused', viewer.username],
      ]);
    });

    it('60 a minute for one network, the others as a number when the minute is over', async () => {
      const address = '10.30.1.1';
      const { securityEvents } = service.server.services;
      const failed = { action: 'sign_in.failed', address } as const;
      for (let count = 0; count < 200; count += 1) securityEvents.record(failed);
      // Other events of the same minute are recorded all the same.
      securityEvents.record({ ...failed, address: '10.30.1.2' });
      const user = await service.createUser();
      await service.login(user.username, user.password, from(address));
      const entries = await at(address);
      expect(entries).toHaveLength(61);
      expect(entries.at(-1)).toMatchObject({ action: 'sign_in', actor_name: user.username });
      expect(await at('10.30.1.2')).toHaveLength(1);
      try {
        service.clock.advance(60);
        expect((await at(address)).slice(61)).toMatchObject([
          { action: 'events.counted', ...stranger, detail: { more: { 'sign_in.failed': 140 } } },
        ]);
        expect(logged(address)).toHaveLength(62);
      } finally {
        service.clock.reset();
      }
    });

    it('sign-ins are forgotten after 90 days; what people changed is not', async () => {
      const address = '10.30.2.1';
      const user = await service.createUser();
      await service.login(user.username, user.password, from(address));
      await service.ok('POST', '/admin/roles', {
        token: await service.admin(),
        body: { role: { name: 'kept' } },
        ...from(address),
      });
      const { securityEvents } = service.server.services;
      const actions = async () => (await at(address)).map(({ action }) => action).sort();
      await securityEvents.sweep();
      expect(await actions()).toEqual(['role.create', 'sign_in']);
      try {
        service.clock.advance(91 * 24 * 3600);
        await securityEvents.sweep();
      } finally {
        service.clock.reset();
      }
      expect(await actions()).toEqual(['role.create']);
    });
  });

  it('a refused administration is an event with who, from where, what', async () => {
    const address = '10.31.0.1';
    const viewer = await service.createUser();
    expect((await service.get('/admin/users', { token: viewer, ...from(address) })).status).toBe(403);
    expect((await service.delete('/admin/roles/admin', { token: viewer, ...from(address) })).status).toBe(
      403,
    );
    // A permission that is missing outside of the area is no attempt on it.
    await service.get('/api/v1/users', { token: viewer, ...from(address) });
    expect(await at(address)).toMatchObject([
      { action: 'admin.refused', ...by(viewer), detail: { method: 'GET', path: '/admin/users' } },
      { action: 'admin.refused', ...by(viewer), detail: { method: 'DELETE', path: '/admin/roles/:name' } },
    ]);
  });

  it('a key from a new network: once, on every instance and after a restart', async () => {
    const user = await service.createUser();
    const { key, id, name } = await service.createKey(user);
    const second = await service.secondInstance();
    const use = async (asked: Service, address: string) =>
      expect((await asked.get('/api/v1/users', { key, ...from(address) })).status).toBe(200);
    const events = () => list(`filter[action]=key.new_network&filter[target_id]=${id}`);
    await use(service, '10.32.0.1');
    await use(service, '10.32.0.1');
    expect(await events()).toMatchObject([
      { ...by(user), target_kind: 'api_key', target_id: String(id), target_name: name, address: '10.32.0.1' },
    ]);
    await use(second, '10.32.0.1');
    await use(second, '2001:db8:32::1');
    await list('filter[id]=1', second);
    await use(service, '2001:db8:32::2');
    expect((await events()).map(({ address }) => address)).toEqual(['10.32.0.1', '2001:db8:32::1']);
  });
});

describeEachDatabase('credentials', (databases) => {
  const list = async (service: Service, filter = ''): Promise<readonly Entry[]> =>
    service.ok<Entry[]>('GET', `/admin/audit?per_page=1000&sort=id&${filter}`, {
      token: await service.admin(),
    });
  const about = (service: Service) => list(service, 'filter[target_kind][in]=application,credentials');
  const fileOf = ({ env }: Service): string => env['CREDENTIALS_FILE'] ?? '';
  const errors = ({ lines }: Service): string => lines.filter((line) => line.includes('"level":50')).join('');
  const seen = (service: Service, action: string) =>
    expect
      .poll(async () => (await about(service)).map((entry) => entry.action), { timeout: 5_000 })
      .toContain(action);

  /** The content as `age` shows it, and a file as `age` makes it: nothing of ours in between. */
  const identityOf = async ({ env }: Service): Promise<string> =>
    /AGE-SECRET-KEY-\S+/.exec(await readFile(env['CREDENTIALS_KEY_FILE'] ?? '', 'utf8'))?.[0] ?? '';
  const opened = async (service: Service): Promise<Record<string, unknown>> => {
    const decrypter = new Decrypter();
    decrypter.addIdentity(await identityOf(service));
    return JSON.parse(await decrypter.decrypt(await readFile(fileOf(service)), 'text')) as Record<
      string,
      unknown
    >;
  };
  const forge = async (service: Service, content: unknown): Promise<void> => {
    const encrypter = new Encrypter();
    encrypter.addRecipient(await identityToRecipient(await identityOf(service)));
    await writeFile(fileOf(service), await encrypter.encrypt(JSON.stringify(content)));
  };

  it('changes of application secrets and what the service made of them are in the list', async () => {
    await using service = await startService(databases);
    const secret = await service.createApp('shop');
    await seen(service, 'credentials.reload');
    await service.command('app', 'rotate', 'shop', '--grace', '1h', '--json');
    await service.command('app', 'remove', 'shop');
    await expect
      .poll(async () => (await about(service)).length, { timeout: 5_000 })
      .toBeGreaterThanOrEqual(5);
    const entries = await about(service);
    const made = entries.filter(({ action }) => action.startsWith('app.'));
    const shop = { actor_kind: 'command line', target_kind: 'application', target_id: 'shop', address: null };
    expect(made).toMatchObject([
      { action: 'app.create', ...shop, detail: { serial: 1 } },
      { action: 'app.rotate', ...shop, detail: { serial: 2, grace_seconds: 3600 } },
      { action: 'app.remove', ...shop, detail: { serial: 3 } },
    ]);
    const [first] = entries.filter(({ action }) => action === 'credentials.reload');
    expect(first).toMatchObject({ actor_kind: 'service', detail: { serial: 1, added: ['shop'] } });
    expect(JSON.stringify([entries, service.lines])).not.toContain(secret);
    expect(service.lines.join()).toContain('"event":"credentials.reload"');
  });

  it('an older file is refused while the service runs and at its start, and both are recorded', async () => {
    await using service = await startService(databases);
    const secret = await service.createApp('shop');
    const file = fileOf(service);
    await copyFile(file, `${file}.stolen`);
    await service.command('app', 'rotate', 'shop');
    const serials = async () =>
      (await about(service))
        .filter(({ action }) => action === 'credentials.reload')
        .map(({ detail }) => detail['serial']);
    await expect.poll(serials, { timeout: 5_000 }).toEqual([1, 2]);
    // Whole at once: the service may read a file that is still being copied.
    await rename(`${file}.stolen`, file);
    await seen(service, 'credentials.refused');
    expect(errors(service)).toContain('has serial 1, and 2 was seen before');
    // The secret that was leaked signs nothing.
    const answer = await service.post('/api/v1/payment', {
      body: '{}',
      headers: service.sign('shop', '{}', { secret }),
    });
    expect(answer.status).toBe(401);
    await expect(service.secondInstance()).rejects.toThrow('has serial 1, and 2 was seen before');
    expect((await about(service)).filter(({ action }) => action === 'credentials.refused')).toHaveLength(2);
    // A start that is refused for it has not migrated anything either.
    const up = (db: MigrationDatabase) => db.schema.createTable('later').addColumn('n', 'integer').execute();
    const later = service.secondInstance({ application: { migrations: { '0001_later': { up } } } });
    await expect(later).rejects.toThrow('2 was seen before');
    const { database } = service.server.services;
    await expect(database.all({ sql: 'select * from later', parameters: [] })).rejects.toThrow('later');
    // Neither does a command make it younger unawares; who edits it as a whole does.
    await expect(service.command('app', 'rotate', 'shop')).rejects.toThrow('2 was seen before');
    await forge(service, { ...(await opened(service)), serial: 3 });
    await using again = await service.secondInstance();
    expect(again.server.services.applications.applications()).toHaveLength(1);
  });

  it('an edit by age is taken, and reported where it keeps the serial', async () => {
    await using service = await startService(databases);
    await service.createApp('shop');
    const content = await opened(service);
    expect(content).toMatchObject({ serial: 1 });
    await forge(service, { ...content, apps: {} });
    await expect
      .poll(() => service.server.services.applications.applications(), { timeout: 5_000 })
      .toEqual([]);
    const reloads = async () =>
      (await about(service))
        .filter(({ action }) => action === 'credentials.reload')
        .map(({ detail }) => detail);
    expect(await reloads()).toEqual([
      { serial: 1, added: ['shop'] },
      { serial: 1, same_serial: true, removed: ['shop'] },
    ]);
    // A file without a serial is older than any that has one.
    await forge(service, { apps: content['apps'] });
    await seen(service, 'credentials.refused');
    expect(service.server.services.applications.applications()).toEqual([]);
  });

  it('a removed file and its old copy are distinguished', async () => {
    await using service = await startService(databases);
    await service.createApp('shop');
    await service.command('app', 'create', 'stall');
    await rm(fileOf(service));
    await expect
      .poll(() => service.server.services.applications.applications(), { timeout: 5_000 })
      .toEqual([]);
    // A new file goes on from the last seen serial, so that it is not taken for an older one.
    await service.command('app', 'create', 'kiosk');
    await expect
      .poll(() => service.server.services.applications.applications(), { timeout: 5_000 })
      .toHaveLength(1);
    expect(await opened(service)).toMatchObject({ serial: 3 });
  });

  it('a database that does not answer keeps no secret from being changed', async () => {
    await using service = await startService(databases);
    const env = { ...service.env, DATABASE_URL: 'postgres://reader@127.0.0.1:1/none' };
    const { status, stdout, stderr } = await run(['app', 'create', 'shop', '--json'], { env });
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { app_id: 'shop' }]);
    expect(stderr).toMatch(/^(?:gatewright: this change is not in the audit log: .*\n)+/);
  });
});
