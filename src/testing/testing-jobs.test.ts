import { expect, it } from 'vitest';
import { createApplication } from '../app/application.ts';
import { defineJob } from '../delivery/jobs/define-job.ts';
import { field } from '../fields/define.ts';
import { testApplication } from './testing.ts';

it('runs the jobs of an application when the test says so, and tells what waits', async () => {
  const sent: unknown[] = [];
  const mail = defineJob({
    input: { to: field.email({ required: true }), subject: field.string({ default: 'Hello' }) },
    handle: async ({ values, id, attempt, principal, jobs }) => {
      sent.push([values.to, values.subject, attempt, principal]);
      if (values.to === 'first@example.com') await jobs.add('log', { id });
    },
  });
  const broken = defineJob({
    attempts: 2,
    handle: () => {
      throw new Error('no network');
    },
  });
  const log = defineJob({ input: { id: field.integer({ required: true }) }, handle: () => {} });
  await using app = await testApplication({
    application: createApplication({ jobs: { mail, broken, log } }),
  });
  const { jobs } = app.server.services.systemScope('a test');
  await jobs.add(mail, { to: 'first@example.com' });
  await jobs.add(
    mail,
    { to: 'later@example.com', subject: 'Later' },
    { at: '2099-01-01T00:00:00+02:00', key: 'k' },
  );
  const failing = await jobs.add(broken);
  expect((await app.jobs.enqueued()).map(({ name, values, key }) => [name, values, key])).toEqual([
    ['mail', { to: 'first@example.com', subject: 'Hello' }, null],
    ['broken', {}, null],
    ['mail', { to: 'later@example.com', subject: 'Later' }, 'k'],
  ]);
  expect((await app.jobs.enqueued())[2]?.at).toBe('2098-12-31T22:00:00.000Z');
  const { ran, failed } = await app.jobs.run();
  expect(ran.map(({ name }) => name)).toEqual(['mail', 'log']);
  expect(failed).toEqual([
    { id: failing, name: 'broken', values: {}, attempt: 1, error: new Error('no network'), final: false },
  ]);
  expect(await app.jobs.run()).toEqual({ ran: [], failed: [] });
  const later = await app.jobs.run({ all: true });
  expect(later.ran.map(({ values }) => values['to'])).toEqual(['later@example.com']);
  expect(later.failed).toMatchObject([{ id: failing, attempt: 2, final: true }]);
  expect(await app.jobs.enqueued()).toEqual([]);
  const system = { kind: 'system', reason: 'job mail' };
  expect(sent).toEqual([
    ['first@example.com', 'Hello', 1, system],
    ['later@example.com', 'Later', 1, system],
  ]);
});

it('refuses values that break the rules of the input, all at once, and stores nothing', async () => {
  const mail = defineJob({
    input: { to: field.email({ required: true }), count: field.integer({ required: true, max: 3 }) },
    handle: () => {},
  });
  await using app = await testApplication({
    application: createApplication({ jobs: { mail } }),
    env: { LOCALE: 'en' },
  });
  const { jobs } = app.server.services.systemScope('a test');
  await expect(jobs.add(mail, { to: 'nobody', count: 7 })).rejects.toMatchObject({
    problem: 'invalid_record',
    errors: [{ field: 'to' }, { field: 'count', message: 'Count must be at most 3' }],
  });
  await expect(jobs.add('mial', {})).rejects.toThrow('There is no job mial: the nearest is "mail"');
  await expect(jobs.add(defineJob({ handle: () => {} }))).rejects.toThrow(
    'The job is not exported by a file of jobs/',
  );
  await expect(jobs.add(mail, { to: 'a@b.co', count: 1 }, { at: 'tomorrow' })).rejects.toThrow(TypeError);
  await expect(jobs.add(mail, { to: 'a@b.co', count: 1 }, { key: '' })).rejects.toThrow(TypeError);
  expect(await app.jobs.enqueued()).toEqual([]);
});

it('runs neither onStart nor onStop, which are for the commands that serve', async () => {
  const refuse = (): never => {
    throw new Error('not in a test');
  };
  const application = createApplication({ config: { onStart: refuse, onStop: refuse } });
  const app = await testApplication({ application });
  await app.close();
  expect(application.config.onStart).toBe(refuse);
});

it('moves the clock of the service: jobs come due, times are stored by it, and users stay signed in', async () => {
  const ran: string[] = [];
  const mail = defineJob({ handle: ({ id }) => void ran.push(`mail ${id}`) });
  await using app = await testApplication({ application: createApplication({ jobs: { mail } }) });
  app.clock.set('2099-02-28T23:30:00+01:00');
  const { jobs, now } = app.scope();
  const id = await jobs.add(mail, {}, { at: '2099-03-01T00:00:00Z' });
  app.clock.advance('1h');
  expect(now().toISOString()).toMatch(/^2099-02-28T23:30:0/);
  expect((await app.jobs.run()).ran).toEqual([]);
  app.clock.advance('30m');
  expect((await app.jobs.run()).ran).toMatchObject([{ id }]);
  expect(ran).toEqual([`mail ${id}`]);

  const viewer = app.as('viewer');
  const { token } = await app.user();
  const me = async (): Promise<number> => (await viewer.get('/api/v1/auth/me')).status;
  expect(await me()).toBe(200);
  app.clock.advance('1d');
  expect(await me()).toBe(200);
  const past = await app.anonymous.get('/api/v1/auth/me', { authorization: `Bearer ${token}` });
  expect(past.status).toBe(401);
  const { data } = await app.as('super_admin').post('/admin/users', {
    user: { username: 'new', email: 'new@example.com', password: 'correct horse staple', roles: ['viewer'] },
  });
  expect(data.created_at).toMatch(/^2099-03-02T00:00:/);
  app.clock.set(new Date('2100-01-01T00:00:00Z'));
  expect(app.clock.now().getUTCFullYear()).toBe(2100);
  expect(() => app.clock.set('2099-12-31T00:00:00Z')).toThrow(RangeError);

  for (const wrong of ['1 hour', '-1h', '']) expect(() => app.clock.advance(wrong)).toThrow(TypeError);
  for (const wrong of ['tomorrow', '2026-02-30T00:00:00Z', new Date(Number.NaN)])
    expect(() => app.clock.set(wrong)).toThrow(TypeError);
});

it('makes recurring jobs tick when a test moves the clock, once for all ticks that have passed', async () => {
  const ran: string[] = [];
  const nightly = defineJob({ every: '0 3 * * *', handle: ({ now }) => void ran.push(now().toISOString()) });
  const every = defineJob({ every: '*/5 * * * *', handle: () => {} });
  await using app = await testApplication({ application: createApplication({ jobs: { nightly, every } }) });
  app.clock.set('2099-01-01T00:00:30Z');
  // Ticks of the time before.
  await app.jobs.run();
  ran.length = 0;
  expect(await app.jobs.run()).toEqual({ ran: [], failed: [] });
  app.clock.advance('2h');
  expect((await app.jobs.enqueued()).map(({ name }) => name)).toEqual(['every']);
  expect((await app.jobs.run()).ran.map(({ name }) => name)).toEqual(['every']);
  app.clock.advance('1h');
  expect((await app.jobs.run()).ran.map(({ name }) => name).sort()).toEqual(['every', 'nightly']);
  expect(ran).toEqual([expect.stringMatching(/^2099-01-01T03:00:/)]);
  app.clock.advance('3d');
  expect((await app.jobs.run()).ran.map(({ name }) => name).sort()).toEqual(['every', 'nightly']);
  expect(await app.jobs.run()).toEqual({ ran: [], failed: [] });
});
