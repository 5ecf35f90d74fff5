import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ConfigError, readConfig } from '../../src/app/config.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { defineJob } from '../../src/delivery/jobs/define-job.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { openStream } from '../support/event-stream.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Scrape, scrape } from '../support/scrape.ts';
import { enrol } from '../support/second-factor.ts';
import { Service, type TestUser, useService } from '../support/service.ts';
import { root as folder } from '../tour/service.ts';

const noteFields = { text: field.string({ required: true, max: 20 }) };
const note = defineResource('Note', { fields: noteFields, permissions: 'all', events: true });
const migrations: Migrations = {
  '0001_notes': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'notes', { fields: noteFields });
    },
  },
};
let slow = Promise.withResolvers<void>();
const application = {
  resources: [note],
  migrations,
  jobs: {
    slow: defineJob({ handle: () => slow.promise }),
    broken: defineJob({
      attempts: 1,
      handle: () => {
        throw new Error('out of order');
      },
    }),
  },
};
const databaseName = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
const requests = 'gatewright_http_requests_total';
const times = 'gatewright_http_request_duration_seconds';

describeEachDatabase('METRICS_PORT', (databases) => {
  const service = useService(databases, {
    application,
    env: { METRICS_PORT: '0', WEBHOOK_PRIVATE: '1', LOG_LEVEL: 'warn' },
    times: { jobTimes: { poll: 100 }, webhookTimes: { poll: 100, timeout: 1_000 } },
  });
  let root: TestUser;
  beforeAll(async () => {
    slow = Promise.withResolvers<void>();
    root = await service.admin();
  });
  const look = (): Promise<Scrape> => scrape(service.server.metricsPort);
  /** Waits for a scrape that has it: texts are cached for a moment, and figures of the database for some seconds. */
  const tells = (name: string, labels: Readonly<Record<string, string>>, value: number): Promise<void> =>
    expect.poll(async () => (await look()).value(name, labels), { timeout: 10_000 }).toBe(value);

  it('counts and measures what was asked, by route, method and status', async () => {
    const route = '/api/v1/notes';
    const before = (await look()).value(requests, { route: `${route}/:id` }) ?? 0;
    expect(before).toBe(0);
    const body = { note: { text: 'one' } };
    const { id } = await service.ok<{ id: number }>('POST', route, { token: root, body });
    for (let count = 0; count < 3; count += 1) await service.get(`${route}/${id}`, { token: root });
    await service.request('HEAD', `${route}/${id}`, { token: root });
    await service.get(`${route}/999`, { token: root });
    await service.get(`${route}/${id}`);
    await service.request('PUT', `${route}/${id}`, { token: root, body });
    await service.get('/api/v1/made/up?by=callers');
    await service.request('DELETE', '/api/v1/auth/login');
    await tells(requests, { route: 'unmatched', method: 'DELETE', status: '405' }, 1);
    const after = await look();
    const counted = (labels: Readonly<Record<string, string>>) => after.value(requests, labels);
    expect(counted({ route, method: 'POST', status: '201' })).toBe(1);
    expect(counted({ route: `${route}/:id`, method: 'GET', status: '200' })).toBe(4);
    expect(counted({ route: `${route}/:id`, method: 'GET', status: '404' })).toBe(1);
    expect(counted({ route: `${route}/:id`, method: 'GET', status: '401' })).toBe(1);
    expect(counted({ route: `${route}/:id`, method: 'PATCH', status: '200' })).toBe(1);
    expect(counted({ route: 'unmatched', method: 'GET', status: '404' })).toBe(1);
    expect(after.text).not.toContain('made');
    const measured = { route: `${route}/:id`, method: 'GET' };
    expect(after.value(`${times}_count`, measured)).toBe(6);
    expect(after.value(`${times}_bucket`, { ...measured, le: '+Inf' })).toBe(6);
    expect(after.value(`${times}_bucket`, { ...measured, le: '30' })).toBe(6);
    expect(after.value(`${times}_sum`, measured)).toBeGreaterThan(0);
    expect(after.value(`${times}_sum`, measured)).toBeLessThan(30);
    const refused = (code: number) => after.value('gatewright_http_refusals_total', { code: String(code) });
    expect([refused(40400), refused(40100), refused(40401), refused(40500)]).toEqual([1, 1, 1, 1]);
    const database = after.value('gatewright_http_database_seconds_total', measured) ?? 0;
    expect(database).toBeGreaterThan(0);
    expect(database).toBeLessThan(after.value(`${times}_sum`, measured) ?? 0);
  });

  it('tells of the process and of its database', async () => {
    const { text, value } = await look();
    const database = service.dialect;
    expect(value('gatewright_build_info', { version: '0.1.0', node: process.version, database })).toBe(1);
    expect([value('gatewright_database_up'), value('gatewright_ready')]).toEqual([1, 1]);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    const own = [...text.matchAll(/^# TYPE gatewright_database_(\w+)/gm)].map(([, name]) => name);
    expect(own).toContain({ sqlite: 'wal_bytes', postgres: 'pool_waiting' }[database]);
    expect(own).not.toContain({ sqlite: 'pool_waiting', postgres: 'wal_bytes' }[database]);
    const busy = { sqlite: 'database_writes_total', postgres: 'database_pool_connections' }[database];
    expect(value(`gatewright_${busy}`)).toBeGreaterThan(0);
  });

  it('a stream of events is counted when it begins, and shown while it lasts', async () => {
    const { token } = root;
    const stream = await openStream(`${service.origin}/api/v1/changes?models=Note`, {
      authorization: `Bearer ${token}`,
    });
    await tells('gatewright_event_streams', {}, 1);
    const open = await look();
    expect(open.value(requests, { route: '/api/v1/changes', status: '200' })).toBe(1);
    expect(open.value('gatewright_http_requests_in_flight')).toBe(1);
    expect(open.value('gatewright_http_connections')).toBeGreaterThan(0);
    stream.close();
    await tells('gatewright_event_streams', {}, 0);
  });

  it('tells of jobs, webhooks, events and refused sign-ins', async () => {
    const receiver = await startReceiver();
    const scope = service.server.services.systemScope('a test');
    const subscribe = (disabled: boolean) =>
      service.ok<{ id: number }>('POST', '/admin/webhooks', {
        token: root,
        body: { webhook: { url: receiver.url, models: ['Note'], user_id: root.id, disabled } },
      });
    const { id } = await subscribe(false);
    const { id: unused } = await subscribe(false);
    await service.ok('PATCH', `/admin/webhooks/${unused}`, {
      token: root,
      body: { webhook: { disabled: true } },
    });
    await scope.jobs.add('broken');
    await scope.jobs.add('slow');
    await scope.jobs.add('slow', {}, { at: '2099-01-01T00:00:00.000Z' });
    await service.ok('POST', '/api/v1/notes', { token: root, body: { note: { text: 'streamed' } } });
    for (let count = 0; count < 11; count += 1) await service.login(root.username, 'wrong');
    await expect.poll(() => receiver.received.length).toBe(1);
    await tells('gatewright_jobs', { state: 'failed' }, 1);
    await tells('gatewright_webhook_lag_events', { webhook: String(id) }, 0);
    const { value } = await look();
    expect(value('gatewright_jobs', { state: 'running' })).toBe(1);
    expect(value('gatewright_jobs', { state: 'scheduled' })).toBe(1);
    expect(value('gatewright_webhooks_disabled')).toBe(1);
    expect(value('gatewright_webhook_disabled_seconds', { webhook: String(unused) })).toBeLessThan(60);
    expect(value('gatewright_webhook_disabled_seconds', { webhook: String(id) })).toBeUndefined();
    expect(value('gatewright_webhook_attempts_total', { outcome: 'delivered' })).toBe(1);
    expect(value('gatewright_event_last_number')).toBeGreaterThan(1);
    expect(value('gatewright_security_events_total', { action: 'sign_in.failed' })).toBe(10);
    expect(value('gatewright_security_events_total', { action: 'sign_in.locked' })).toBe(1);
    slow.resolve();
    await receiver.close();
  });

  it('gives what the reference page lists, and nothing else', async () => {
    const { text } = await look();
    const page = await readFile(join(folder, 'docs/reference/metrics.md'), 'utf8');
    const listed = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \| ([\w ,]+) \| (.*) \|$/gm)]
      .filter(
        ([, , , , of = '']) =>
          !of.startsWith('primary') && !(of.includes(',') && !of.includes(databaseName[service.dialect])),
      )
      .map(([, name, type, labels = '', , meaning]) => ({
        name,
        type,
        labels: labels.replaceAll('`', ''),
        meaning,
      }));
    const shared = ' Covers the whole database, equal on every instance: aggregate by max, not by sum.';
    // A metric without an event has no samples.
    const labelsOf = (name: string, first: string) =>
      first === ''
        ? listed.find((row) => row.name === name)?.labels
        : [...first.matchAll(/(\w+)="/g)]
            .map(([, label]) => label)
            .filter((label) => label !== 'le')
            .join(', ');
    const given = [...text.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)\n(.*)/gm)].map(
      ([, name = '', help = '', type, first = '']) => ({
        ...{ name, type, meaning: help.replace(shared, '') },
        labels: labelsOf(name, first),
      }),
    );
    // Those of prom-client are named, and described by the scrape only.
    const isOfNode = (name: string): boolean => /^(?:process|nodejs)_/.test(name);
    const ofNode = [...page.matchAll(/`((?:process|nodejs)_\w+)`/g)].map(([, name = '']) => name);
    expect(listed.length).toBeGreaterThan(30);
    const sorted = (rows: readonly { readonly name?: string | undefined }[]) =>
      rows.toSorted((a, b) => (a.name ?? '').localeCompare(b.name ?? ''));
    expect(sorted(given.filter(({ name }) => !isOfNode(name)))).toEqual(sorted(listed));
    expect(given.flatMap(({ name }) => (isOfNode(name) ? [name] : [])).toSorted()).toEqual(ofNode.toSorted());
  });

  it('answers nothing but GET /metrics, and not under PORT', async () => {
    const at = `http://127.0.0.1:${service.server.metricsPort}`;
    const statusOf = async (path: string, method = 'GET') => (await fetch(at + path, { method })).status;
    expect(await statusOf('/api/v1/health')).toBe(404);
    expect(await statusOf('/')).toBe(404);
    expect(await statusOf('/metrics', 'POST')).toBe(405);
    expect(await statusOf('/metrics?x=1')).toBe(200);
    expect((await service.get('/metrics')).status).toBe(404);
  });

  it('counts what is refused of tokens, second factors, keys and limits by its code', async () => {
    const refused = async (code: number) =>
      (await look()).value('gatewright_http_refusals_total', { code: String(code) }) ?? 0;
    const codes = [40101, 40107, 40305, 42900];
    const before = await Promise.all(codes.map(refused));
    const keyWith = async (restrictions: object): Promise<string> =>
      (
        await service.ok<{ key: string }>('POST', '/api/v1/api_keys', {
          token: root,
          body: { api_key: { name: 'job', ...restrictions } },
        })
      ).key;
    const leaver = await service.createUser();
    await service.ok('POST', '/api/v1/auth/logout', { token: leaver });
    expect((await service.get('/api/v1/auth/me', { token: leaver })).json.code).toBe(40101);
    const { user } = await enrol(service);
    expect((await service.login(user.username, user.password)).json.code).toBe(40107);
    const scoped = await keyWith({ scopes: ['notes:read'] });
    expect((await service.get('/api/v1/users', { key: scoped })).json.code).toBe(40305);
    const limited = await keyWith({ limit: { max: 1, window: '1h' } });
    await service.get('/api/v1/users', { key: limited });
    expect((await service.get('/api/v1/users', { key: limited })).json.code).toBe(42900);
    for (const [index, code] of codes.entries())
      await tells('gatewright_http_refusals_total', { code: String(code) }, (before[index] ?? 0) + 1);
  });
});

describe('the variable METRICS_PORT', () => {
  it('METRICS_PORT is off unless it is set, and is no mistake when it is', () => {
    expect(readConfig({}).metricsPort).toBeUndefined();
    expect(readConfig({ METRICS_PORT: '9464' }).metricsPort).toBe(9464);
  });

  it('METRICS_PORT is another port than PORT', () => {
    const mistakes = (environment: Readonly<Record<string, string>>) => {
      try {
        readConfig(environment);
        return [];
      } catch (error) {
        return (error as ConfigError).mistakes;
      }
    };
    expect(mistakes({ PORT: '3000', METRICS_PORT: '3000', LOCALE: 'no such' })).toEqual([
      expect.stringMatching(/^METRICS_PORT: expected another port than PORT$/),
      expect.stringMatching(/^LOCALE: /),
    ]);
    expect(mistakes({ PORT: '0', METRICS_PORT: '0' })).toEqual([]);
    expect(mistakes({ METRICS_PORT: 'x' })).toEqual([expect.stringMatching(/^METRICS_PORT: /)]);
  });
});

describeEachDatabase('a METRICS_PORT that is taken', (databases) => {
  it('refuses the start before anything is written', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const service = new Service(databases, { env: { METRICS_PORT: String(port) } });
    await expect(service.start()).rejects.toThrow(/^METRICS_PORT: .*EADDRINUSE/);
    expect(await readdir(service.env['DATA_DIR'] ?? '')).toEqual([]);
    await service.close();
    other.close();
  });
});
