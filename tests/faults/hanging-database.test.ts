import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { postgresAt } from '../support/databases.ts';
import { Network } from '../support/network.ts';
import { hasPgBouncer, type Pooler, startPgBouncer } from '../support/pgbouncer.ts';
import { createPostgres, type PostgresServer } from '../support/postgres.ts';
import { Service, type TestUser } from '../support/service.ts';

/** Milliseconds within which a request is responded to while the database hangs, and `?ready`. */
const longest = 5_000;
const longestReady = 2_000;

/** Milliseconds within which everything is as before once it is over. */
const recovery = 8_000;

/** The processes of a server. */
const processesOf = async ({ directory }: PostgresServer): Promise<readonly number[]> => {
  const [pid] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return [pid, ...children.trim().split(' ')].map(Number);
};

const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch {
      // A session has ended meanwhile.
    }
};

describe('PostgreSQL hangs', { timeout: 120_000 }, () => {
  let server: PostgresServer;
  let network: Network;
  let pooler: Pooler | undefined;
  const services = new Map<string, Service>();
  const users = new Map<string, TestUser>();

  const serve = async (name: string, url: string, env: Readonly<Record<string, string>>): Promise<void> => {
    const service = new Service(
      postgresAt(() => url),
      { env },
    );
    await service.start();
    services.set(name, service);
    users.set(name, await service.admin());
  };

  beforeAll(async () => {
    server = await createPostgres();
    await server.start();
    network = await Network.before(server.url);
    const direct = await openDatabase(server.url);
    await direct.execute({ sql: `alter database postgres set timezone = 'UTC'`, parameters: [] });
    await direct.close();
    await serve('directly', server.url, {});
    await serve('by a network', network.url, {});
    if (!hasPgBouncer && process.env['CI'] === undefined) return;
    pooler = await startPgBouncer(server.url);
    await serve('behind PgBouncer', pooler.url, { DATABASE_PREPARE: 'off' });
  }, 120_000);
  afterAll(async () => {
    for (const service of services.values()) await service.close();
    await pooler?.close();
    await network?.close();
    await server?.remove();
  });

  const asked = (name: string) => {
    const service = services.get(name);
    const token = users.get(name);
    if (service === undefined || token === undefined) throw new Error(`no service ${name}`);
    const timed = async (ask: () => Promise<{ readonly status: number }>) => {
      const start = performance.now();
      const { status } = await ask();
      return { status, milliseconds: performance.now() - start };
    };
    return {
      ready: () => timed(() => service.get('/api/v1/health?ready')),
      list: () => timed(() => service.get('/api/v1/users?page=1', { token })),
      write: () => timed(() => service.post('/api/v1/api_keys', { token, body: { api_key: { name: 'x' } } })),
    };
  };

  /** Everything works; then nothing does, in bounded time; then everything does again. */
  const endure = async (names: readonly string[], begin: () => Promise<void>, end: () => Promise<void>) => {
    const all = names.map((name) => ({ name, ...asked(name) }));
    for (const { list, write, ready } of all) {
      expect([(await list()).status, (await write()).status]).toEqual([200, 201]);
      await expect.poll(async () => (await ready()).status, { timeout: recovery }).toBe(200);
    }
    await begin();
    try {
      // More at a time than there are connections, twice.
      for (let round = 0; round < 2; round += 1)
        await Promise.all(
          all.flatMap(({ name, ready, list, write }) => [
            ...Array.from({ length: 15 }, async () => {
              for (const { status, milliseconds } of await Promise.all([list(), write()])) {
                expect([name, status]).toEqual([name, 503]);
                expect(milliseconds).toBeLessThan(longest);
              }
            }),
            ready().then(({ status, milliseconds }) => {
              // A result of the last second holds.
              if (round > 0) expect([name, status]).toEqual([name, 503]);
              expect(milliseconds).toBeLessThan(longestReady);
            }),
          ]),
        );
    } finally {
      await end();
    }
    for (const { name, ready, list, write } of all) {
      const works = async () => [name, (await ready()).status, (await list()).status, (await write()).status];
      await expect.poll(works, { timeout: recovery }).toEqual([name, 200, 200, 201]);
    }
  };

  it('every request is 503 within 5 s while PostgreSQL hangs, ?ready within 2, until it goes on', async () => {
    let stopped: readonly number[] = [];
    await endure(
      [...services.keys()],
      async () => {
        stopped = await processesOf(server);
        signal(stopped, 'SIGSTOP');
      },
      async () => signal(stopped, 'SIGCONT'),
    );
  });

  it('every request is 503 while the network swallows everything, and dead connections are used no more', async () => {
    await endure(
      ['by a network'],
      async () => network.silence(),
      async () => network.heal(),
    );
  });

  it('a statement that takes its time is no PostgreSQL that hangs', async () => {
    const service = services.get('by a network');
    const slow = service?.server.services.database.scan<{ n: number }>({
      sql: 'select 1 as n from pg_sleep(6)',
      parameters: [],
    });
    expect(await slow).toEqual([{ n: 1 }]);
  });
});
