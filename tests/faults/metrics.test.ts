import { rename } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeDatabase, postgresAt } from '../support/databases.ts';
import { createPostgres, type PostgresServer } from '../support/postgres.ts';
import { ask, command, runService } from '../support/run-service.ts';
import { type Scrape, scrape } from '../support/scrape.ts';
import { Service, startService } from '../support/service.ts';

const env = { METRICS_PORT: '0' };
const health = { route: '/api/v1/health', status: '200' };
const requests = 'gatewright_http_requests_total';

/** A scrape, and the milliseconds that it took. */
const timed = async (port: number | undefined): Promise<readonly [Scrape, number]> => {
  const begun = performance.now();
  const answer = await scrape(port);
  return [answer, performance.now() - begun];
};

/** Asserts a scrape while the database is away. */
const demandPoor = async (service: Service): Promise<void> => {
  for (let count = 0; count < 3; count += 1) {
    const [{ value, text }, milliseconds] = await timed(service.server.metricsPort);
    expect(milliseconds).toBeLessThan(3_000);
    expect([value('gatewright_database_up'), value('gatewright_ready')]).toEqual([0, 0]);
    expect(value('gatewright_jobs')).toBeUndefined();
    expect(text).not.toContain('gatewright_webhooks_disabled');
    expect(value('gatewright_http_connections')).toBeDefined();
  }
};

describe('PostgreSQL goes away under a service that is scraped', () => {
  let server: PostgresServer;
  let service: Service;

  beforeAll(async () => {
    server = await createPostgres();
    await server.start();
    service = await new Service(
      postgresAt(() => server.url),
      { env },
    ).start();
  });
  afterAll(async () => {
    await service?.close();
    await server?.remove();
  });

  it('a scrape is answered at once, without what only the database knows; later with it again', {
    timeout: 60_000,
  }, async () => {
    const port = service.server.metricsPort;
    expect((await scrape(port)).value('gatewright_jobs', { state: 'failed' })).toBe(0);
    await server.stop();
    await expect.poll(async () => (await scrape(port)).value('gatewright_database_up')).toBe(0);
    await demandPoor(service);
    await server.start();
    await expect.poll(async () => (await scrape(port)).value('gatewright_database_up')).toBe(1);
    expect((await scrape(port)).value('gatewright_jobs', { state: 'failed' })).toBe(0);
  });
});

describeDatabase('sqlite', 'the file goes away under a service that is scraped', (databases) => {
  it('a lost file under a service that is scraped is shown as a database that is down', async () => {
    await using service = await startService(databases, { env });
    const path = new URL(service.env['DATABASE_URL'] ?? '').pathname;
    await rename(path, `${path}.gone`);
    const up = async () => (await scrape(service.server.metricsPort)).value('gatewright_database_up');
    await expect.poll(up).toBe(0);
    await demandPoor(service);
  });
});

describeDatabase('sqlite', 'a service that is scraped while it stops', (databases) => {
  it('answers during the drain as one that is not ready, and is closed then', async () => {
    await using service = await startService(databases, { env });
    const port = service.server.metricsPort;
    const closed = service.server.close({ drain: 1 });
    const { value } = await scrape(port);
    expect([value('gatewright_database_up'), value('gatewright_ready')]).toEqual([1, 0]);
    await closed;
    await expect(scrape(port)).rejects.toThrow('fetch failed');
  });
});

describeDatabase('postgres', 'several workers behind one METRICS_PORT', (databases) => {
  it('one scrape tells of all, forgets nothing of those that are gone, and waits for none that is busy', {
    timeout: 60_000,
  }, async () => {
    const service = await runService([...command, 'start'], {
      env: { WORKERS: '2', METRICS_PORT: '0', DATABASE_URL: await databases.create(), DATABASE_POOL: '4' },
    });
    const listening = () => service.lines().filter(({ msg }) => msg === 'listening');
    await expect.poll(() => listening().length, { timeout: 30_000 }).toBe(2);
    const [metrics, ...more] = service.lines().filter(({ msg }) => msg === 'metrics');
    // The primary listens, and no worker.
    expect([metrics?.['pid'], more]).toEqual([service.process.pid, []]);
    const look = () => scrape(Number(metrics?.['port']));
    const workers = async (state: string) => (await look()).value('gatewright_workers', { state });
    const answered = (times: number) =>
      expect.poll(async () => (await look()).value(requests, health)).toBe(times);

    for (let count = 0; count < 10; count += 1) await ask(service.port, '/api/v1/health');
    await answered(10);
    const both = await look();
    expect(both.value('gatewright_http_request_duration_seconds_count', { route: health.route })).toBe(10);
    expect(both.value('gatewright_workers', { state: 'answering' })).toBe(2);
    expect(both.value('process_start_time_seconds')).toBeGreaterThan(1e9);
    // Each of them tells of one database.
    expect(both.value('gatewright_build_info')).toBe(1);
    expect(both.value('gatewright_database_up')).toBe(1);
    expect(both.value('gatewright_database_pool_size')).toBe(8);

    process.kill(Number(listening()[0]?.['pid']), 'SIGKILL');
    await expect.poll(() => listening().length, { timeout: 30_000 }).toBe(3);
    for (let count = 0; count < 4; count += 1) await ask(service.port, '/api/v1/health');
    await answered(14);
    expect((await look()).value('gatewright_database_pool_size')).toBe(8);

    const busy = Number(listening()[1]?.['pid']);
    process.kill(busy, 'SIGSTOP');
    await expect.poll(() => workers('silent')).toBe(1);
    const [late, milliseconds] = await timed(Number(metrics?.['port']));
    expect(milliseconds).toBeLessThan(4_000);
    expect(late.value(requests, health)).toBe(14);
    process.kill(busy, 'SIGCONT');
    await expect.poll(() => workers('answering')).toBe(2);

    service.process.kill('SIGTERM');
    expect((await service.ended()).status).toBe(0);
  });
});
