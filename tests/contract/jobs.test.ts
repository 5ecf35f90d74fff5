import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { defineJob } from '../../src/delivery/jobs/define-job.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Service, startService, type TestUser, useService } from '../support/service.ts';

interface JobItem {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly [name: string]: unknown;
}

/** Resolved by the test: what the job `slow` waits for. */
let go = Promise.withResolvers<void>();
let broken = true;
let ran: unknown[] = [];

const application = {
  jobs: {
    mail: defineJob({
      input: { to: field.email({ required: true }) },
      handle: ({ values }) => {
        ran.push(values.to);
      },
    }),
    slow: defineJob({ handle: () => go.promise }),
    retried: defineJob({
      input: { to: field.email() },
      attempts: 2,
      handle: () => {
        throw new Error('“no”\nway', { cause: new Error('the network') });
      },
    }),
    other: defineJob({
      attempts: 1,
      handle: () => {
        if (broken) throw new Error('out of order');
      },
    }),
    fragile: defineJob({
      attempts: 1,
      handle: ({ attempt }) => {
        ran.push(attempt);
        if (broken) throw new Error('out of order');
      },
    }),
  },
  endpoints: [defineEndpoint({ method: 'GET', path: '/hello', auth: [], handle: () => 'hello' })],
};

describeEachDatabase('/admin/jobs', (databases) => {
  const service = useService(databases, { application, env: { LOCALE: 'en' } });
  let root: TestUser;
  beforeAll(async () => {
    root = await service.admin();
    go = Promise.withResolvers<void>();
    broken = true;
    ran = [];
  });
  const add = (name: string, values = {}, options = {}): Promise<number> =>
    service.server.services.systemScope('a test').jobs.add(name, values, options);
  const list = (query = ''): Promise<JobItem[]> =>
    service.ok<JobItem[]>('GET', `/admin/jobs${query}`, { token: root });
  const stateOf = async (id: number): Promise<string | undefined> =>
    (await list()).find((job) => job.id === id)?.state;
  const refused = async (method: string, path: string): Promise<unknown[]> => {
    const { status, json } = await service.request(method, path, { token: root });
    return [status, json.code];
  };

  it('shows what waits, runs and has failed, like every other list', async () => {
    const at = '2099-01-01T00:00:00.000Z';
    const later = await add('mail', { to: 'a@example.com' }, { at, key: 'once' });
    const slow = await add('slow');
    const failing = await add('fragile');
    await expect.poll(() => stateOf(failing)).toBe('failed');
    await expect.poll(() => stateOf(slow)).toBe('running');
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await list('?sort=id')).toEqual([
      {
        ...{ id: later, name: 'mail', defined: true, state: 'waiting', key: 'once', attempts: 0 },
        ...{ values: { to: 'a@example.com' }, next_run_at: at, error: null },
        ...{ created_at: time, started_at: null, failed_at: null },
      },
      {
        ...{ id: slow, name: 'slow', defined: true, state: 'running', key: null, attempts: 1 },
        ...{ values: {}, next_run_at: null, error: null },
        ...{ created_at: time, started_at: time, failed_at: null },
      },
      {
        ...{ id: failing, name: 'fragile', defined: true, state: 'failed', key: null, attempts: 1 },
        ...{ values: {}, next_run_at: null, error: 'Error: out of order' },
        ...{ created_at: time, started_at: time, failed_at: time },
      },
    ]);
    expect((await list('?filter[state]=failed')).map(({ id }) => id)).toEqual([failing]);
    expect((await list('?filter[name][in]=mail,slow&sort=-id')).map(({ id }) => id)).toEqual([slow, later]);
    const page = await service.get('/admin/jobs?per_page=2', { token: root });
    expect(page.headers['x-total-count']).toBe('3');
    expect((await service.get('/admin/jobs?filter[values]=x', { token: root })).status).toBe(400);
  });

  it('/admin/jobs is for administrators', async () => {
    const viewer = await service.createUser();
    const admin = await service.createUser(['admin']);
    for (const [method, path] of [
      ['GET', '/admin/jobs'],
      ['POST', '/admin/jobs/1/repeat'],
      ['DELETE', '/admin/jobs/1'],
      ['GET', '/admin/jobs/1'],
      ['POST', '/admin/jobs/repeat'],
      ['POST', '/admin/jobs/delete'],
    ] as const) {
      expect((await service.request(method, path)).status).toBe(401);
      expect((await service.request(method, path, { token: viewer })).status).toBe(403);
    }
    expect((await service.get('/admin/jobs', { token: admin })).status).toBe(200);
  });

  it('repeats and deletes what does not run', async () => {
    const [later, slow, failing] = (await list('?sort=id')).map(({ id }) => id);
    expect(await refused('POST', `/admin/jobs/${slow}/repeat`)).toEqual([409, 40906]);
    expect(await refused('DELETE', `/admin/jobs/${slow}`)).toEqual([409, 40906]);
    expect(await refused('POST', '/admin/jobs/999999/repeat')).toEqual([404, 40400]);
    expect(await refused('DELETE', '/admin/jobs/x')).toEqual([404, 40400]);
    go.resolve();
    broken = false;
    expect((await service.post(`/admin/jobs/${failing}/repeat`, { token: root })).status).toBe(200);
    // Long before its time.
    expect((await service.post(`/admin/jobs/${later}/repeat`, { token: root })).status).toBe(200);
    await expect.poll(() => list()).toEqual([]);
    expect(ran).toEqual(expect.arrayContaining(['a@example.com', 1]));
    const waiting = await add('mail', { to: 'b@example.com' }, { at: '2099-01-01' });
    expect((await service.delete(`/admin/jobs/${waiting}`, { token: root })).status).toBe(200);
    expect(await list()).toEqual([]);
    const audit = await service.ok<Record<string, unknown>[]>('GET', '/admin/audit?filter[target_kind]=job', {
      token: root,
    });
    expect(
      audit.map(({ action, target_id, target_name, actor_name }) => [
        action,
        target_id,
        target_name,
        actor_name,
      ]),
    ).toEqual([
      ['job.repeat', String(failing), 'fragile', 'root'],
      ['job.repeat', String(later), 'mail', 'root'],
      ['job.delete', String(waiting), 'mail', 'root'],
    ]);
  });

  it('shows one job with its failed runs, and the places from which the last error was thrown', async () => {
    broken = true;
    const failing = await add('retried', { to: 'c@example.com' });
    const read = () => service.ok<JobItem>('GET', `/admin/jobs/${failing}`, { token: root });
    await expect.poll(read).toMatchObject({ state: 'waiting', attempts: 1 });
    expect((await service.post(`/admin/jobs/${failing}/repeat`, { token: root })).status).toBe(200);
    await expect.poll(() => stateOf(failing)).toBe('failed');
    const job = await read();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const error = 'Error: “no”\nway';
    expect(job).toMatchObject({
      ...{ id: failing, name: 'retried', state: 'failed', attempts: 2, error },
      ...{ values: { to: 'c@example.com' }, failed_at: time },
      runs: [
        { attempt: 1, started_at: time, ended_at: time, error },
        { attempt: 2, started_at: time, ended_at: time, error },
      ],
    });
    // Places in files of the application only: those of the service say nothing to its readers.
    expect(job['stack']).toMatch(
      /^at Object\.handle \(tests\/contract\/jobs\.test\.ts:\d+:\d+\)\ncaused by Error: the network\nat Object\.handle \(tests\/contract\/jobs\.test\.ts:\d+:\d+\)$/,
    );
    const found = await service.ok<unknown[]>('GET', '/admin/search?q=retried', { token: root });
    expect(found).toEqual([
      expect.objectContaining({
        model: 'Job',
        resource: 'jobs',
        records: [{ id: failing, name: 'retried', alias: null, match: null }],
      }),
    ]);
    // The stack would make a list long.
    expect(Object.keys((await list(`?filter[id]=${failing}`))[0] ?? {})).not.toContain('stack');
    expect(await refused('GET', '/admin/jobs/999999')).toEqual([404, 40400]);
    expect(await refused('GET', '/admin/jobs/x')).toEqual([404, 40400]);
    await service.delete(`/admin/jobs/${failing}`, { token: root });
  });

  it('runs and deletes several failed jobs at once, and each name has a line of the audit log', async () => {
    broken = true;
    const admin = await service.createUser(['admin']);
    const ids = [await add('fragile'), await add('fragile'), await add('other'), await add('fragile')];
    const [first = 0, second = 0, other = 0, last = 0] = ids;
    for (const id of ids) await expect.poll(() => stateOf(id)).toBe('failed');
    const waiting = await add('mail', { to: 'd@example.com' }, { at: '2099-01-01' });
    const change = (verb: string, body: object) =>
      service.ok<unknown>('POST', `/admin/jobs/${verb}`, { token: admin, body });
    // Those that have not failed stay.
    expect(await change('delete', { ids: [first, other, waiting, 999_999] })).toEqual({
      changed: 2,
      left: 0,
    });
    expect((await list('?sort=id')).map(({ id }) => id)).toEqual([second, last, waiting]);
    broken = false;
    expect(await change('repeat', { name: 'fragile' })).toEqual({ changed: 2, left: 0 });
    await expect.poll(async () => (await list()).map(({ id }) => id)).toEqual([waiting]);
    expect(await change('repeat', { name: 'fragile' })).toEqual({ changed: 0, left: 0 });
    const audit = await service.ok<Record<string, unknown>[]>(
      'GET',
      `/admin/audit?filter[actor_id]=${admin.id}&sort=id`,
      { token: root },
    );
    expect(
      audit.map(({ action, target_name, target_id, detail }) => [action, target_name, target_id, detail]),
    ).toEqual([
      ['job.delete', 'fragile', null, { jobs: [first] }],
      ['job.delete', 'other', null, { jobs: [other] }],
      ['job.repeat', 'fragile', null, { jobs: [second, last] }],
    ]);
    await service.delete(`/admin/jobs/${waiting}`, { token: root });
  });

  it('leaves a job failed under whose key another one waits, or failed later', async () => {
    broken = true;
    const keyed: number[] = [];
    for (let run = 0; run < 2; run += 1) {
      const id = await add('fragile', {}, { key: 'once' });
      await expect.poll(() => stateOf(id)).toBe('failed');
      keyed.push(id);
    }
    const [older, newer] = keyed;
    const later = await add('fragile', {}, { key: 'once', at: '2099-01-01' });
    const repeat = () =>
      service.ok<unknown>('POST', '/admin/jobs/repeat', { token: root, body: { ids: keyed } });
    expect(await repeat()).toEqual({ changed: 0, left: 2 });
    await service.delete(`/admin/jobs/${later}`, { token: root });
    broken = false;
    expect(await repeat()).toEqual({ changed: 1, left: 1 });
    await expect.poll(async () => (await list()).map(({ id }) => id)).toEqual([older]);
    expect(newer).toBeGreaterThan(older ?? 0);
    await service.delete(`/admin/jobs/${older}`, { token: root });
  });

  it.each([
    ['no choice', {}],
    ['an empty one', { ids: [] }],
    ['texts', { ids: ['1'] }],
    ['fractions', { ids: [1.5] }],
    ['more than a thousand', { ids: Array.from({ length: 1_001 }, (_, index) => index + 1) }],
    ['a name that is none', { name: 5 }],
  ])('refuses %s for several jobs', async (_of, body) => {
    for (const verb of ['repeat', 'delete'])
      expect((await service.post(`/admin/jobs/${verb}`, { token: root, body })).status).toBe(422);
  });

  it('shows a job that no file defines: it waits', async () => {
    await service.server.services.database.execute({
      sql: `insert into gatewright_jobs (name, input, state, available_at, created_at)
        values ('gone', '{}', 'waiting', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
      parameters: [],
    });
    expect(await list('?filter[defined]=false')).toMatchObject([
      { name: 'gone', state: 'waiting', attempts: 0 },
    ]);
  });
});

describeEachDatabase('/admin/schedules', (databases) => {
  let runs = 0;
  let beats = 0;
  const every = '* * * * * *';
  const service = useService(databases, {
    application: {
      jobs: {
        tick: defineJob({
          every,
          handle: () => {
            runs += 1;
          },
        }),
        // Its runs show that time goes on.
        beat: defineJob({
          every,
          handle: () => {
            beats += 1;
          },
        }),
      },
    },
  });
  let root: TestUser;
  beforeAll(async () => {
    root = await service.admin();
  });
  interface Schedule {
    readonly name: string;
    readonly pattern: string;
    readonly defined: boolean;
    readonly paused_at: string | null;
    readonly last_tick_at: string;
    readonly next_run_at: string | null;
  }
  const schedule = async (of = service): Promise<Schedule | undefined> =>
    (await of.ok<Schedule[]>('GET', '/admin/schedules', { token: root })).find(({ name }) => name === 'tick');
  const ask = async (act: string, name = 'tick', token: TestUser = root): Promise<number> =>
    (await service.post(`/admin/schedules/${name}/${act}`, { token })).status;
  /** Runs while the other job has three. */
  const runsMeanwhile = async (): Promise<number> => {
    const before = { runs, beats };
    await expect.poll(() => beats, { timeout: 20_000 }).toBeGreaterThanOrEqual(before.beats + 3);
    return runs - before.runs;
  };

  it('pauses a recurring job on every instance until it is resumed, and makes up for no tick', async () => {
    const second = await service.secondInstance();
    await expect.poll(() => runs, { timeout: 20_000 }).toBeGreaterThan(0);
    const running = await schedule();
    expect(running).toMatchObject({ pattern: '* * * * * * UTC', defined: true, paused_at: null });
    // The tick may have come since.
    expect(Date.parse(running?.next_run_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(running?.last_tick_at ?? ''),
    );
    expect(await ask('pause')).toBe(200);
    const paused = await schedule(second);
    expect(paused?.paused_at).toEqual(expect.any(String));
    expect(paused?.next_run_at).toBe(null);
    // A run that was stored before the pause may still end.
    await expect
      .poll(() => service.ok<unknown[]>('GET', '/admin/jobs?filter[name]=tick', { token: root }))
      .toEqual([]);
    expect(await runsMeanwhile()).toBe(0);
    // Again it changes nothing, and leaves no line.
    expect([await ask('pause'), (await schedule())?.paused_at]).toEqual([200, paused?.paused_at]);
    const resumed = runs;
    expect(await ask('resume')).toBe(200);
    expect(Date.parse((await schedule())?.last_tick_at ?? '')).toBeGreaterThan(
      Date.parse(paused?.last_tick_at ?? ''),
    );
    await expect.poll(() => runs, { timeout: 20_000 }).toBeGreaterThan(resumed);
    const audit = await service.ok<Record<string, unknown>[]>(
      'GET',
      '/admin/audit?filter[target_kind]=schedule&sort=id',
      { token: root },
    );
    expect(audit.map(({ action, target_name, actor_name }) => [action, target_name, actor_name])).toEqual([
      ['schedule.pause', 'tick', 'root'],
      ['schedule.resume', 'tick', 'root'],
    ]);
  }, 60_000);

  it('/admin/schedules is for administrators, and knows its jobs', async () => {
    const viewer = await service.createUser();
    expect([
      await ask('pause', 'tick', viewer),
      await ask('pause', 'nowhere'),
      await ask('resume', 'nowhere'),
    ]).toEqual([403, 404, 404]);
    expect((await service.post('/admin/schedules/tick/pause')).status).toBe(401);
    expect((await schedule())?.paused_at).toBe(null);
  });
});

const fields = { title: field.string({ required: true, unique: true }) };
const note = defineResource('Note', { fields });
const principals: unknown[] = [];

describeEachDatabase('jobs and records', (databases) => {
  const announce = defineJob({
    input: { note: field.integer({ required: true }) },
    handle: async ({ values, records, transaction }) => {
      const { title } = await records(note).get(values.note);
      await transaction(async (scope) => {
        await scope.records(note).create({ title: `about ${title}` });
        await scope.jobs.add('after', {}, { key: 'once' });
      });
    },
  });
  const after = defineJob({
    handle: ({ principal }) => {
      principals.push(principal);
    },
  });
  const service = useService(databases, {
    application: {
      resources: [note],
      jobs: { announce, after },
      migrations: {
        '0001_notes': {
          up: (db, dialect) => createTable(db, dialect, note.table, { fields }),
        } satisfies Migration,
      },
      endpoints: [
        defineEndpoint({
          method: 'POST',
          path: '/announce',
          input: { title: field.string({ required: true }), fails: field.boolean() },
          handle: ({ values, transaction }) =>
            transaction(async ({ records, jobs }) => {
              const { id } = await records(note).create({ title: values.title });
              await jobs.add(announce, { note: id });
              if (values.fails === true) throw new Error('after all not');
              return { id };
            }),
        }),
      ],
    },
  });
  const announceIt = async (body: object): Promise<number> =>
    (await service.post('/api/v1/announce', { token: await service.admin(), body })).status;
  const jobsLeft = (): Promise<unknown[]> =>
    service.server.services.database.all({ sql: 'select name from gatewright_jobs', parameters: [] });
  const titles = async (): Promise<unknown[]> =>
    (await service.ok<{ title: string }[]>('GET', '/api/v1/notes', { token: await service.admin() })).map(
      ({ title }) => title,
    );

  it('jobs and records are committed or rolled back as one, and a job works by a scope of the system', async () => {
    principals.length = 0;
    expect(await announceIt({ title: 'no', fails: true })).toBe(500);
    expect(await jobsLeft()).toEqual([]);
    expect(await announceIt({ title: 'one' })).toBe(200);
    await expect.poll(jobsLeft).toEqual([]);
    expect(await titles()).toEqual(['one', 'about one']);
    expect(principals).toEqual([{ kind: 'system', reason: 'job after' }]);
  });
});

describeEachDatabase('JOBS', (databases) => {
  const add = (service: Service): Promise<number> =>
    service.server.services.systemScope('a test').jobs.add('mail', { to: 'a@example.com' });
  const stored = (service: Service) =>
    service.server.services.database.all({ sql: 'select name from gatewright_jobs', parameters: [] });

  it('off runs none here, only answers the health check and nothing else', async () => {
    ran = [];
    await using off = await startService(databases, { application, env: { JOBS: 'off' } });
    await add(off);
    expect(await stored(off)).toEqual([{ name: 'mail' }]);
    const only = await off.secondInstance({ env: { JOBS: 'only' } });
    await expect.poll(() => stored(off)).toEqual([]);
    expect(ran).toEqual(['a@example.com']);
    expect((await only.get('/api/v1/health?ready')).status).toBe(200);
    for (const path of ['/api/v1/hello', '/api/v1/users', '/admin/jobs', '/api-docs']) {
      // The API description is that of the API, which this process does not have.
      const answer = await fetch(only.origin + path);
      const { code } = (await answer.json()) as { code: number };
      expect([path, answer.status, code, answer.headers.get('retry-after')]).toEqual([path, 503, 50306, '5']);
    }
    expect((await fetch(`${only.origin}/nowhere`)).status).toBe(404);
    expect((await off.get('/api/v1/hello')).status).toBe(200);
  });
});
