import { beforeAll, expect, it } from 'vitest';
import { createApplication } from '../../src/app/application.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { equals, own } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

interface Point {
  readonly at: string;
  readonly authentication: Readonly<Record<string, number>>;
  readonly status: Readonly<Record<string, number>>;
  readonly failed_sign_ins: number;
}

interface Statistics {
  readonly service: {
    readonly problem: number | null;
    readonly database_bytes: number | null;
    readonly disk: { readonly bytes: number; readonly free_bytes: number } | null;
    readonly backed_up_at: string | null;
    readonly application_version: string | null;
  };
  readonly last_24_hours: readonly Point[];
  readonly last_30_days: readonly Point[];
  readonly attention: {
    readonly expiring_keys: { readonly count: number; readonly keys: readonly { readonly name: string }[] };
    readonly neglected_keys: { readonly count: number; readonly keys: readonly { readonly name: string }[] };
    readonly open_resources: readonly { readonly model: string }[];
    readonly ungranted_models: readonly { readonly model: string }[];
    readonly failed_sign_ins: {
      readonly count: number;
      readonly sign_ins: readonly { readonly user: { readonly id: number } | null }[];
    };
    readonly failed_jobs: { readonly count: number; readonly jobs: readonly object[] };
    readonly backlog: { readonly jobs: number; readonly deliveries: number };
  };
  readonly first_steps: Readonly<Record<string, boolean>>;
}

const fields = { title: field.string() };
const owned = { ...fields, user_id: field.owner() };
const day = 86_400;

describeEachDatabase('GET /admin/stats', (databases) => {
  const service = useService(databases, {
    apps: ['shop'],
    application: createApplication({
      resources: [
        defineResource('Open', { fields, plural: 'opens' }),
        // The owner, or the record itself: only the first asks who calls.
        defineResource('Owned', { fields: owned, isolation: own() }),
        defineResource('Wiki', { fields, isolation: equals('title', 'wiki') }),
        defineResource('Checked', { fields, plural: 'checked_things', permissions: 'writes' }),
      ],
      migrations: {
        '0001_things': {
          up: async (db, dialect) => {
            await createTable(db, dialect, 'opens', { fields });
            await createTable(db, dialect, 'owneds', { fields: owned });
            await createTable(db, dialect, 'wikis', { fields });
            await createTable(db, dialect, 'checked_things', { fields });
          },
        },
      },
      manifest: { version: '1.4.2' },
    }),
  });
  let root: TestUser;

  const stats = async (): Promise<Statistics> =>
    service.ok<Statistics>('GET', '/admin/stats', { token: await service.tokenOf(root.id) });
  const now = (points: readonly Point[]): Point | undefined => points.at(-1);

  beforeAll(async () => {
    root = await service.admin();
  });

  it('GET /admin/stats is for administrators', async () => {
    const viewer = await service.createUser();
    expect((await service.get('/admin/stats')).status).toBe(401);
    expect((await service.get('/admin/stats', { token: viewer })).status).toBe(403);
  });

  it('tells the state of the service: readiness, size, free disk space, last backup and version', async () => {
    const { service: state } = await stats();
    expect(state).toEqual({
      problem: null,
      database_bytes: expect.any(Number),
      disk: { bytes: expect.any(Number), free_bytes: expect.any(Number) },
      backed_up_at: null,
      application_version: '1.4.2',
    });
    expect(state.database_bytes).toBeGreaterThan(50_000);
    expect(state.disk?.free_bytes).toBeLessThan(state.disk?.bytes ?? 0);

    const { database } = service.server.services;
    const done = '2026-01-02T03:04:05.678Z';
    await database.execute({
      sql: `update gatewright_database set backed_up_at = '${done}'`,
      parameters: [],
    });
    // More records are more bytes.
    const title = 'x'.repeat(250);
    for (let many = 0; many < 40; many += 1)
      await service.ok('POST', '/admin/records/opens', {
        token: root,
        body: { open: { title } },
      });
    const { service: later } = await stats();
    expect(later.backed_up_at).toBe(done);
    expect(later.database_bytes).toBeGreaterThanOrEqual(state.database_bytes ?? Number.NaN);
  });

  it('counts no visit to the documentation page as a request', async () => {
    const sum = async (): Promise<number> =>
      Object.values(now((await stats()).last_24_hours)?.status ?? {}).reduce((all, count) => all + count, 0);
    const before = await sum();
    expect((await service.get('/api-docs/openapi.json')).status).toBe(200);
    expect(await sum()).toBe(before);
    const routes = await service.ok<{ name: string }[]>('GET', '/admin/routes', { token: root });
    expect(routes.filter(({ name }) => name.includes('/api-docs'))).toEqual([]);
  });

  it('counts by authentication and by status, and failed sign-ins of both kinds', async () => {
    const before = await stats();
    const person = await service.createUser();
    const { key } = await service.createKey(person);
    for (let time = 0; time < 3; time += 1) await service.get('/api/v1/users', { key });
    await service.get('/api/v1/users', { token: 'no token' });
    const body = '{"amount":1}';
    await service.post('/api/v1/payment', { body, headers: service.sign('shop', body) });
    await service.login(person.username, 'wrong');
    await service.post('/admin/session', { body: { account: person.username, password: 'wrong' } });
    const after = await stats();
    for (const span of ['last_24_hours', 'last_30_days'] as const) {
      const [was, is] = [now(before[span]), now(after[span])];
      const grown = (of: 'authentication' | 'status', name: string): number =>
        (is?.[of][name] ?? 0) - (was?.[of][name] ?? 0);
      // The key was made by token. Requests of the administration area are no use of the API.
      expect(grown('authentication', 'jwt')).toBe(1);
      expect(grown('authentication', 'api_key')).toBe(3);
      expect(grown('authentication', 'signature')).toBe(1);
      expect(grown('authentication', 'none')).toBe(2);
      expect(grown('status', '2xx')).toBe(5);
      expect(grown('status', '4xx')).toBe(2);
      expect((is?.failed_sign_ins ?? 0) - (was?.failed_sign_ins ?? 0)).toBe(2);
    }
  });

  it('GET /admin/stats has a point for every hour and day, the last one still going on', async () => {
    const { last_24_hours: hours, last_30_days: days } = await stats();
    expect([hours.length, days.length]).toEqual([24, 30]);
    const at = new Date(service.clock.now()).toISOString();
    expect(now(hours)?.at).toBe(`${at.slice(0, 13)}:00:00.000Z`);
    expect(now(days)?.at).toBe(`${at.slice(0, 10)}T00:00:00.000Z`);
    expect(new Set(hours.map((point) => point.at)).size).toBe(24);
  });

  it('what is a day old has left the hours and stays in the days; what is older than all is swept', async () => {
    const count = (points: readonly Point[]): number =>
      points.reduce((sum, point) => sum + (point.authentication['api_key'] ?? 0), 0);
    const before = await stats();
    try {
      service.clock.advance(1.5 * day);
      const later = await stats();
      expect(count(later.last_24_hours)).toBe(0);
      expect(count(later.last_30_days)).toBe(count(before.last_30_days));
      service.clock.advance(40 * day);
      await service.server.services.requestCounts.sweep();
      expect(count((await stats()).last_30_days)).toBe(0);
    } finally {
      service.clock.reset();
    }
    expect(count((await stats()).last_30_days)).toBe(0);
  });

  it('both instances add to the same figures', async () => {
    const second = await service.secondInstance();
    const person = await service.createUser();
    const sum = async (): Promise<number> => now((await stats()).last_24_hours)?.authentication['jwt'] ?? 0;
    const before = await sum();
    await second.get('/api/v1/auth/me', { token: person });
    await second.server.services.requestCounts.flush();
    await service.get('/api/v1/auth/me', { token: person });
    expect(await sum()).toBe(before + 2);
  });

  it('names the keys that end soon or lie unused, and the resources without rules', async () => {
    const person = await service.createUser();
    const at = (days: number): string => new Date(service.clock.now() + days * day * 1000).toISOString();
    const make = (name: string, expires: string | null) =>
      service.ok<{ id: number; key: string }>('POST', '/admin/api_keys', {
        token: root,
        body: { api_key: { name, user_id: person.id, expires_at: expires } },
      });
    const { attention: before } = await stats();
    await make('in a week', at(7));
    await make('tomorrow', at(1));
    await make('next year', at(400));
    await make('over', at(-1));
    const used = await make('used', null);
    const { attention } = await stats();
    expect(attention.expiring_keys.count - before.expiring_keys.count).toBe(2);
    expect(attention.expiring_keys.keys.map(({ name }) => name)).toEqual(['tomorrow', 'in a week']);
    expect(attention.open_resources).toEqual([
      { model: 'Open', path: 'opens' },
      { model: 'Wiki', path: 'wikis' },
    ]);
    // None is neglected that was made just now.
    expect(attention.neglected_keys.count).toBe(before.neglected_keys.count);
    const neglected = async (): Promise<string[]> => {
      const { attention: now } = await stats();
      const listed = await service.ok<{ name: string }[]>('GET', '/admin/api_keys?filter[neglected]=true', {
        token: await service.tokenOf(root.id),
      });
      // One definition: what is counted is what the list shows.
      expect(now.neglected_keys.count).toBe(listed.length);
      return listed.map(({ name }) => name).filter((name) => ['next year', 'over', 'used'].includes(name));
    };
    try {
      service.clock.advance(29 * day);
      await service.get('/api/v1/users', { key: used.key });
      await service.server.services.keyUsage.flush();
      await usageWritten(used.id);
      expect(await neglected()).toEqual([]);
      service.clock.advance(2 * day);
      // An expired key needs no attention, nor does one used two days ago.
      expect(await neglected()).toEqual(['next year']);
      service.clock.advance(29 * day);
      expect(await neglected()).toEqual(['next year', 'used']);
    } finally {
      service.clock.reset();
    }
  });

  /** Last uses are written every few seconds. */
  const usageWritten = (id: number): Promise<void> =>
    expect
      .poll(
        async () =>
          (
            await service.ok<{ last_used_at: string | null }>('GET', `/admin/api_keys/${id}`, {
              token: await service.tokenOf(root.id),
            })
          ).last_used_at,
        { timeout: 12_000, interval: 200 },
      )
      .not.toBe(null);

  it('tells who failed to sign in, from where and how often', async () => {
    const person = await service.createUser();
    const { attention: before } = await stats();
    for (let time = 0; time < 3; time += 1) await service.login(person.username, 'wrong');
    await service.login('nobody.at.all', 'wrong');
    const { attention } = await stats();
    expect(attention.failed_sign_ins.count - before.failed_sign_ins.count).toBe(4);
    const found = attention.failed_sign_ins.sign_ins.find(({ user }) => user?.id === person.id);
    expect(found).toEqual({
      user: { id: person.id, username: person.username, disabled: false },
      address: '127.0.0.1',
      count: 3,
      last_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(attention.failed_sign_ins.sign_ins.some(({ user }) => user === null)).toBe(true);
    // The list to which the number leads.
    const since = new Date(service.clock.now() - day * 1000).toISOString();
    const filter = `filter[action][in]=sign_in.failed,sign_in.locked&filter[created_at][gte]=${since}`;
    const listed = await service.ok<object[]>('GET', `/admin/audit?${filter}`, {
      token: await service.tokenOf(root.id),
    });
    expect(listed).toHaveLength(attention.failed_sign_ins.count);
  });

  it('names models without any grant, and what a new installation has done', async () => {
    const before = await stats();
    expect(before.attention.ungranted_models).toEqual([{ model: 'Checked', path: 'checked_things' }]);
    expect(before.first_steps).toEqual({ user: true, grant: false, key: true, call: true });
    await service.ok('PUT', '/admin/permissions/viewer/Checked/create', {
      token: await service.tokenOf(root.id),
    });
    const after = await stats();
    expect(after.attention.ungranted_models).toEqual([]);
    expect(after.first_steps.grant).toBe(true);
  });

  it('tells of work that has failed or waits, up to what is counted', async () => {
    const { database } = service.server.services;
    const at = (ago: number): string => new Date(service.clock.now() - ago * 1000).toISOString();
    const insert = (state: string, available: string | null, failed: string | null, name = 'gone') =>
      database.execute({
        sql: `insert into gatewright_jobs (name, input, state, attempts, available_at, error, created_at, failed_at)
          values ('${name}', '{}', '${state}', 3, ${available === null ? 'null' : `'${available}'`}, 'no way',
            '${at(600)}', ${failed === null ? 'null' : `'${failed}'`})`,
        parameters: [],
      });
    await insert('failed', null, at(30));
    await insert('waiting', at(120), null);
    await insert('waiting', at(-600), null);
    const { attention } = await stats();
    const alone = { id: expect.any(Number), error: 'no way', failed_at: expect.any(String) };
    const once = { ...alone, name: 'gone', runs: 1, recurring: false, paused: false };
    expect(attention.failed_jobs).toEqual({ count: 1, jobs: [once] });
    expect(attention.backlog).toEqual({ jobs: 1, deliveries: 0 });

    await database.execute({
      sql: `insert into gatewright_schedules (name, pattern, ticked_at) values ('report', '0 3 * * * UTC', '${at(600)}')`,
      parameters: [],
    });
    for (let run = 0; run < 7; run += 1) await insert('failed', null, at(20), 'report');
    await insert('failed', null, at(10));
    // Every other job has values of its own: only the runs of a recurring one are alike.
    const { attention: later } = await stats();
    expect(later.failed_jobs).toEqual({
      count: 3,
      jobs: [once, { ...alone, name: 'report', runs: 7, recurring: true, paused: false }, once],
    });
  });

  it('counts no delivery as overdue whose webhook is being sent to, or has its pause', async () => {
    const { database } = service.server.services;
    const at = (ago: number): string => `'${new Date(service.clock.now() - ago * 1000).toISOString()}'`;
    const run = (sql: string) => database.execute({ sql, parameters: [] });
    await run(`insert into gatewright_webhooks (url, models, actions, secret, cursor, failures, created_at, updated_at)
      values ('https://hooks.example/a', '[]', '[]', '', 0, 46, ${at(600)}, ${at(600)})`);
    await run(`insert into gatewright_deliveries (webhook_id, event, model, record_id, action, version, message_id, state, next_at, created_at)
      select id, 1, 'Open', 1, 'create', 1, 'm', 'waiting', ${at(300)}, ${at(300)} from gatewright_webhooks`);
    const overdue = async (): Promise<number> => (await stats()).attention.backlog.deliveries;
    expect(await overdue()).toBe(1);
    await run(`update gatewright_webhooks set lane_until = ${at(-20)}`);
    expect(await overdue()).toBe(0);
    // The pause has been over for some seconds, as between two attempts.
    await run(`update gatewright_webhooks set lane_until = ${at(10)}`);
    expect(await overdue()).toBe(0);
    // Nothing has sent since.
    await run(`update gatewright_webhooks set lane_until = ${at(120)}`);
    expect(await overdue()).toBe(1);
  });
});
