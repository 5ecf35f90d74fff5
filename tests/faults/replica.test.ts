import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import type { Replica } from '../../src/database/database.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { openDatabase } from '../../src/database/open.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { member } from '../../src/model/row-rule.ts';
import { type Databases, describeDatabase } from '../support/databases.ts';
import { createPostgresDatabase } from '../support/postgres.ts';
import { queryOn, type Replicated, startReplicated } from '../support/replica.ts';
import { type RequestOptions, type Service, startService, type TestUser } from '../support/service.ts';

const noteFields = { text: field.string({ required: true, max: 40 }) };
const teamFields = { name: field.string({ required: true, max: 20 }) };
const seatFields = { team: field.reference('Team', { required: true }), user_id: field.owner() };
const sheetFields = {
  title: field.string({ required: true, max: 20 }),
  team: field.reference('Team', { required: true }),
};

const application = {
  resources: [
    defineResource('Note', { fields: noteFields, auth: ['jwt', 'api_key'], permissions: 'all' }),
    defineResource('Team', { fields: teamFields }),
    defineResource('Seat', { fields: seatFields }),
    defineResource('Sheet', {
      fields: sheetFields,
      auth: ['jwt', 'api_key'],
      isolation: member('team_id', { of: 'Seat' }),
    }),
  ],
  migrations: {
    '0001_notes': {
      up: async (db, dialect) => {
        await createTable(db, dialect, 'notes', { fields: noteFields });
        await createTable(db, dialect, 'teams', { fields: teamFields });
        await createTable(db, dialect, 'seats', {
          fields: seatFields,
          references: { team: 'teams' },
          indexes: [['user_id', 'team_id']],
        });
        await createTable(db, dialect, 'sheets', { fields: sheetFields, references: { team: 'teams' } });
      },
    },
  } satisfies Migrations,
};

/** The same database on another server. */
const on = (server: string, url: string): string => {
  const target = new URL(server);
  target.pathname = new URL(url).pathname;
  return target.href;
};

const replicaOf = (service: Service): Replica => {
  const { replica } = service.server.services.database;
  if (replica === undefined) throw new Error('there is no replica');
  return replica;
};

/** Waits until the replica is known to have everything that was committed before the call. */
const caughtUp = (service: Service) => {
  const since = performance.now();
  const freshUntil = () => performance.now() - (replicaOf(service).state().age ?? Number.POSITIVE_INFINITY);
  return vi.waitFor(() => expect(freshUntil()).toBeGreaterThan(since), { timeout: 15_000, interval: 10 });
};

const warned = (service: Service): readonly string[] =>
  service.lines.map((line) => String(JSON.parse(line).msg)).filter((line) => line.includes('the replica is'));

describeDatabase('postgres', 'a replica', (shared) => {
  let servers: Replicated;
  let url: string;
  let service: Service;
  let second: Service;
  let root: TestUser;

  const own: Databases = {
    dialect: 'postgres',
    create: async () => url,
    createForStart: async () => url,
    open: (of = url, options) => openDatabase(of, options),
  };
  const start = (env: Readonly<Record<string, string>> = {}, of = url) =>
    startService(own, {
      application,
      url: of,
      env: { DATABASE_READ_URL: on(servers.replica.url, url), LOG_LEVEL: 'warn', ...env },
    });
  const onReplica = (sql: string) =>
    servers.replica.query<Record<string, unknown>>(sql, new URL(url).pathname.slice(1));
  const state = (of = service) => replicaOf(of).state();
  /** Replay is paused during the work, which begins before any instance notices. */
  const paused = async (work: () => Promise<void>): Promise<void> => {
    await caughtUp(second);
    await caughtUp(service);
    await onReplica('select pg_wal_replay_pause()');
    try {
      await work();
    } finally {
      await onReplica('select pg_wal_replay_resume()');
    }
  };
  const create = (of: Service, text: string, options: RequestOptions = {}) =>
    of.request<{ id: number }>('POST', '/api/v1/notes', {
      token: root,
      ...options,
      body: { note: { text } },
    });
  const latest = async (of: Service, options: RequestOptions = { token: root }) =>
    (await of.get<{ text: string }[]>('/api/v1/notes?sort=-id&per_page=1', options)).data[0]?.text;
  const positionOf = (headers: Readonly<Record<string, unknown>>) => String(headers['x-commit-position']);

  beforeAll(async () => {
    servers = await startReplicated(2);
    url = await createPostgresDatabase(servers.primary.url);
    service = await start({ METRICS_PORT: '0' });
    second = await service.secondInstance();
    root = await service.admin();
  }, 60_000);
  afterAll(async () => {
    await service.close();
    await servers.close();
  }, 60_000);

  it('answers lists, reports and details, and nothing else', async () => {
    const { data } = await create(service, 'there');
    await caughtUp(service);
    const before = state();
    for (const path of ['', '/aggregate?count', `/${data.id}`])
      expect((await service.get(`/api/v1/notes${path}`, { token: root })).status).toBe(200);
    expect(state()).toMatchObject({ used: before.used + 3, failed: before.failed, passed: before.passed });
    for (const path of [
      '/api/v1/users',
      '/admin/users',
      '/admin/stats',
      '/api/v1/users/me',
      '/healthz?ready',
    ])
      await service.get(path, { token: root });
    await service.ok('PATCH', `/api/v1/notes/${data.id}`, { token: root, body: { note: { text: 'then' } } });
    expect(state()).toMatchObject({ used: before.used + 3, passed: before.passed });
    const metrics = await fetch(`http://127.0.0.1:${service.server.metricsPort}/metrics`);
    const text = await metrics.text();
    expect(text).toContain(`gatewright_replica_requests_total{server="replica"} ${before.used + 3}\n`);
    expect(text).toMatch(/\ngatewright_replica_age_seconds 0\.\d+\n/);
    expect(text).toContain('\ngatewright_replica_used 1\n');
  });

  it('shows its caller what they wrote: by header, by cookie, and by the memory of the instance', async () => {
    const others = await service.createUser(['super_admin']);
    const stale: string[] = [];
    let old = 0;
    let pairs = 0;
    for (let cycle = 0; pairs < 240 && cycle < 30; cycle += 1) {
      const first = `cycle ${cycle}`;
      await create(second, first);
      await paused(async () => {
        const until = performance.now() + 500;
        for (let round = 0; performance.now() < until; round += 1) {
          const text = `note ${cycle} ${round}`;
          const { data, headers } = await create(service, text);
          const [cookie = ''] = (headers['set-cookie'] ?? []).map((each) => each.split(';')[0]);
          const seen = async (how: string, of: Service, options: RequestOptions) => {
            const one = await of.get<{ text: string }>(`/api/v1/notes/${data.id}`, options);
            const found = [await latest(of, options), one.data.text];
            pairs += 2;
            if (found.some((each) => each !== text)) stale.push(`${how}: ${found} for ${text}`);
          };
          await seen('memory', service, { token: root });
          const position = positionOf(headers);
          await seen('header', second, { token: root, headers: { 'x-commit-position': position } });
          await seen('cookie', second, { token: root, cookie });
          // Another caller sees the former value: the replica serves this read.
          if ((await latest(service, { token: others })) === first) old += 1;
        }
      });
    }
    expect(stale).toEqual([]);
    expect(pairs).toBeGreaterThanOrEqual(240);
    expect(old).toBeGreaterThan(20);
  }, 60_000);

  it('answers no 304 for what its caller has changed', async () => {
    const { data } = await create(service, 'tagged');
    const path = `/api/v1/notes/${data.id}`;
    await paused(async () => {
      const { headers } = await service.get(path, { token: root });
      await service.ok('PATCH', path, { token: root, body: { note: { text: 'changed' } } });
      const options = { token: root, headers: { 'if-none-match': String(headers['etag']) } };
      expect((await service.get(path, options)).status).toBe(200);
    });
  });

  it('a replica is asked for what the first server has, where it has nothing', async () => {
    const other = await service.createUser(['super_admin']);
    await paused(async () => {
      const { data } = await create(second, 'made elsewhere');
      const before = state();
      expect((await service.get(`/api/v1/notes/${data.id}`, { token: other })).status).toBe(200);
      expect((await service.get('/api/v1/notes/999999', { token: other })).status).toBe(404);
      expect(state()).toMatchObject({ used: before.used + 2, failed: before.failed });
    });
  });

  it('a replica is not asked where a request brings any position', async () => {
    const other = await service.createUser(['super_admin']);
    await caughtUp(service);
    const before = state();
    const texts = ['recent', 'x', '1-ff', 'unknown', '9'.repeat(4_000)];
    for (const text of texts)
      for (const options of [
        { token: other, headers: { 'x-commit-position': text } },
        { token: other, cookie: `gatewright_position=${text}` },
      ])
        expect((await service.get('/api/v1/notes?per_page=1', options)).status).toBe(200);
    expect(state()).toMatchObject({ used: before.used, passed: before.passed + 2 * texts.length });
    await service.get('/api/v1/notes?per_page=1', { token: other, cookie: 'another=1' });
    expect(state().used).toBe(before.used + 1);
  });

  it('a replica is not asked by any caller of writes that share a commit, until it has them', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => service.createUser(['super_admin'])));
    const notes = await Promise.all(users.map(() => create(service, 'shared')));
    await paused(async () => {
      const written = await Promise.all(
        users.map((token, index) =>
          service.request('PATCH', `/api/v1/notes/${notes[index]?.data.id}`, {
            token,
            body: { note: { text: 'changed' } },
          }),
        ),
      );
      expect(written.map(({ headers }) => positionOf(headers))).toEqual(users.map(() => 'recent'));
      const before = state();
      await Promise.all(users.map((token) => service.get('/api/v1/notes', { token })));
      expect(state()).toMatchObject({ used: before.used, passed: before.passed + users.length });
    });
    await caughtUp(service);
    const before = state();
    for (const token of users) await service.get('/api/v1/notes', { token });
    expect(state()).toMatchObject({ used: before.used + users.length, passed: before.passed });
  });

  it('a replica has no part in who somebody is and what they may', async () => {
    const user = await service.createUser(['viewer']);
    await service.ok('PUT', '/admin/permissions/viewer/Note/read', { token: root });
    const { id, key } = await service.createKey(user);
    const status = async (options: RequestOptions) => (await second.get('/api/v1/notes', options)).status;
    await paused(async () => {
      expect([await status({ key }), await status({ token: user })]).toEqual([200, 200]);
      await service.ok('DELETE', `/api/v1/api_keys/${id}`, { token: user });
      expect([await status({ key }), await status({ token: user })]).toEqual([401, 200]);
      await service.ok('DELETE', '/admin/permissions/viewer/Note/read', { token: root });
      expect(await status({ token: user })).toBe(403);
    });
  });

  it('shows a membership that was withdrawn for a second at most, and not at all where it was', async () => {
    const user = await service.createUser(['viewer']);
    const team = await service.ok<{ id: number }>('POST', '/admin/records/teams', {
      token: root,
      body: { team: { name: 'one' } },
    });
    const seat = await service.ok<{ id: number }>('POST', '/admin/records/seats', {
      token: root,
      body: { seat: { team_id: team.id, user_id: user.id } },
    });
    await service.ok('POST', '/admin/records/sheets', {
      token: root,
      body: { sheet: { title: 'a', team_id: team.id } },
    });
    const seen = async (of: Service) =>
      (await of.get<unknown[]>('/api/v1/sheets', { token: user })).data.length;
    await paused(async () => {
      expect([await seen(service), await seen(second)]).toEqual([1, 1]);
      await service.ok('DELETE', `/admin/records/seats/${seat.id}`, { token: root });
      const withdrawn = performance.now();
      expect(await seen(service)).toBe(0);
      expect(await seen(second)).toBe(1);
      await vi.waitFor(async () => expect(await seen(second)).toBe(0), { timeout: 2_000, interval: 20 });
      expect(performance.now() - withdrawn).toBeLessThan(1_300);
      expect(await seen(service)).toBe(0);
    });
  });

  it('takes away what is read there without a request that fails', async () => {
    await caughtUp(service);
    const { database } = service.server.services;
    const reader = await replicaOf(service).readerFor({ caller: () => 'net:x', hasWritten: false });
    const before = state();
    const sql = 'select pg_is_in_recovery() as follows, (select count(*) from notes) as n, pg_sleep($1)';
    const reading = reader.scan<{ follows: boolean }>({ sql, parameters: [1] });
    const isReading = `select 1 as one from pg_stat_activity where query like '%pg_sleep(%' and pid <> pg_backend_pid()`;
    await expect.poll(() => onReplica(isReading), { interval: 10 }).toEqual([{ one: 1 }]);
    await database.execute({ sql: 'alter table notes add column extra bigint', parameters: [] });
    expect(await reading).toEqual([expect.objectContaining({ follows: false })]);
    expect(state().failed).toBe(before.failed + 1);
    await database.execute({ sql: 'alter table notes drop column extra', parameters: [] });
  });

  it('a replica is not used by a caller whose write has an unknown outcome', async () => {
    const { database } = service.server.services;
    const run = (sql: string) => database.execute({ sql, parameters: [] });
    await run(
      'create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(3); return null; end $$',
    );
    await run(
      'create constraint trigger slow after insert on teams deferrable initially deferred for each row execute function slow()',
    );
    const note = { caller: 'user:0', hasCommitted: false };
    const replica = replicaOf(service);
    const insert = `insert into teams (name, created_at, updated_at) values ('slow', now(), now())`;
    const written = replica.noting(note, () =>
      database.write((transaction) => transaction.run({ sql: insert, parameters: [] })),
    );
    const lost = expect(written).rejects.toMatchObject({ problem: 'outcome_unknown' });
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where query = 'commit' and state = 'active'`;
    await vi.waitFor(
      async () => expect(await queryOn(url, end, new URL(url).pathname.slice(1))).toHaveLength(1),
      {
        timeout: 2_000,
        interval: 20,
      },
    );
    await lost;
    await run('drop function slow cascade');
    expect(note.hasCommitted).toBe(true);
    await caughtUp(service);
    const before = state();
    await replica.readerFor({ caller: () => 'user:0', hasWritten: false });
    await replica.readerFor({ caller: () => 'user:1', hasWritten: true });
    expect(state()).toMatchObject({ used: before.used, passed: before.passed + 2 });
  });

  it('stands still or dies without a request that fails, and the log says so once', async () => {
    const failures: string[] = [];
    let longest = 0;
    let over = false;
    const asking = async (): Promise<void> => {
      while (!over) {
        const begun = performance.now();
        const { status } = await service.get('/api/v1/notes?per_page=5', { token: root });
        longest = Math.max(longest, performance.now() - begun);
        if (status !== 200) failures.push(String(status));
      }
    };
    await caughtUp(service);
    service.lines.length = 0;
    const askers = [asking(), asking(), asking(), asking()];
    try {
      await expect.poll(() => longest).toBeGreaterThan(0);
      await servers.replica.freeze();
      await vi.waitFor(() => expect(warned(service)).toHaveLength(1), { timeout: 8_000 });
      await servers.replica.thaw();
      await vi.waitFor(() => expect(warned(service)).toHaveLength(2), { timeout: 10_000 });
      await servers.replica.kill();
      await vi.waitFor(() => expect(warned(service)).toHaveLength(3), { timeout: 8_000 });
      await using late = await start();
      expect(late.lines.join('')).toContain('the replica is not used');
      expect((await late.get('/api/v1/notes', { token: root })).status).toBe(200);
      await servers.replica.start();
      await caughtUp(late);
      await vi.waitFor(() => expect(warned(service)).toHaveLength(4), { timeout: 10_000 });
    } finally {
      over = true;
      await Promise.all(askers);
    }
    expect(failures).toEqual([]);
    expect(longest).toBeLessThan(4_000);
    expect(warned(service).map((line) => line.includes('used again'))).toEqual([false, true, false, true]);
  }, 60_000);

  it('a replica that is none is refused: of another cluster, of another database; one that takes writes is left alone', async () => {
    const foreign = await shared.create();
    await expect(start({ DATABASE_READ_URL: foreign })).rejects.toThrow('another cluster');
    const another = await createPostgresDatabase(servers.primary.url);
    const copy = on(servers.replica.url, another);
    await vi.waitFor(() => queryOn(copy, 'select 1', new URL(another).pathname.slice(1)), { timeout: 5_000 });
    await expect(start({ DATABASE_READ_URL: copy })).rejects.toThrow('another database');
    await using alone = await start({ DATABASE_READ_URL: url });
    expect(alone.lines.join('')).toContain('it takes writes itself');
    await create(alone, 'alone');
    expect(await latest(alone)).toBe('alone');
    expect(state(alone)).toMatchObject({ age: undefined, used: 0 });
  });

  it('a replica is named for PostgreSQL only', () => {
    const read = (DATABASE_URL: string, DATABASE_READ_URL: string) => () =>
      readConfig({ JWT_SECRET: 'x'.repeat(32), DATABASE_URL, DATABASE_READ_URL });
    expect(read('sqlite:x.db', url)).toThrow(
      'DATABASE_READ_URL: expected nothing: only a DATABASE_URL of the form postgres://… has replicas',
    );
    expect(read(url, 'sqlite:x.db')).toThrow('DATABASE_READ_URL: expected postgres://…');
  });

  it('a service with a replica has pages of other origins send and read positions', async () => {
    await using open = await start({ CORS_ORIGINS: 'https://app.example.com' });
    const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'GET' };
    const asked = await open.request('OPTIONS', '/api/v1/notes', { headers });
    expect(asked.headers['access-control-allow-headers']).toContain(', X-Commit-Position');
    const answered = await create(open, 'from afar', { headers: { origin: 'https://app.example.com' } });
    expect(answered.headers['access-control-expose-headers']).toContain(', X-Commit-Position');
  });

  it('a service without a replica knows nothing of positions', async () => {
    await using plain = await start({ DATABASE_READ_URL: '' });
    const { headers } = await create(plain, 'plain');
    expect([headers['x-commit-position'], headers['set-cookie']]).toEqual([undefined, undefined]);
    const { text } = await plain.get('/api-docs/openapi.json?area=all');
    expect(text).not.toContain('X-Commit-Position');
    expect(plain.server.services.database.replica).toBeUndefined();
  });

  it('a replica is not asked once it was promoted, nor one that stayed with the history of before', async () => {
    const [promoted, left] = servers.replicas;
    if (promoted === undefined || left === undefined) throw new Error('there are two');
    await caughtUp(service);
    await promoted.query('select pg_promote()');
    await create(service, 'of the first');
    await vi.waitFor(() => expect(state().age).toBeUndefined(), { timeout: 2_000, interval: 5 });
    expect(await latest(service)).toBe('of the first');
    // The other still follows the old one, which is ahead of the new.
    const moved = await start(
      { DATABASE_READ_URL: on(left.url, url), JWT_SECRET: service.env['JWT_SECRET'] ?? '' },
      on(promoted.url, url),
    );
    try {
      for (let round = 0; round < 20; round += 1) await create(service, `old ${round}`);
      await create(moved, 'of the new');
      const until = performance.now() + 1_500;
      while (performance.now() < until) expect(await latest(moved)).toBe('of the new');
      expect(state(moved)).toMatchObject({ age: undefined, used: 0 });
      const old = { token: root, headers: { 'x-commit-position': '1-1' } };
      expect(await latest(moved, old)).toBe('of the new');
    } finally {
      await moved.close();
    }
  }, 30_000);
});
