import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { describeDatabase } from '../support/databases.ts';
import { createPostgres, type PostgresServer } from '../support/postgres.ts';

const query = (sql: string, ...parameters: (string | number)[]) => ({ sql, parameters });

const unavailable = {
  problem: 'database_unavailable',
  status: 503,
  headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
};

describe('a server that goes away', () => {
  let server: PostgresServer;
  let database: Database;

  beforeAll(async () => {
    server = await createPostgres();
    await server.start();
    database = await openDatabase(server.url);
    await database.execute(query('create table t (n bigint)'));
  });

  afterAll(async () => {
    await database?.close();
    await server?.remove();
  });

  const calls = (): Promise<PromiseSettledResult<unknown>[]> =>
    Promise.allSettled([
      database.get(query('select 1')),
      database.execute(query('insert into t values (1)')),
      database.write((transaction) => transaction.run(query('insert into t values (2)'))),
      database.scan(query('select count(*) from t')),
      database.stream(query(`select '1' as json`)),
      database.ping(),
    ]);

  it('is answered 503 by everything, and used again by itself when it is back', async () => {
    const streamed = await database.stream(query('select i::text as json from generate_series(1, 100000) i'));
    const running = database.execute(query('select pg_sleep(20)')).catch((error: unknown) => error);
    const inUnit = database
      .write((transaction) => transaction.run(query('select pg_sleep(20)')))
      .catch((error: unknown) => error);
    // Both are under way once the server says so.
    const active = `select count(*) as n from pg_stat_activity where query like '%pg_sleep(20)' and state = 'active'`;
    await expect.poll(() => database.get(query(active)), { timeout: 10_000 }).toMatchObject({ n: 2 });
    await server.stop();
    expect(await running).toMatchObject(unavailable);
    expect(await inUnit).toMatchObject(unavailable);
    await expect(
      (async () => {
        for await (const _ of streamed);
      })(),
    ).rejects.toMatchObject(unavailable);
    for (const outcome of await calls())
      expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable });
    await server.start();
    expect((await calls()).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'fulfilled'));
    expect(await database.all(query('select n from t order by n'))).toEqual([{ n: 1 }, { n: 2 }]);
  });
});

/** Passes bytes on until the client sends COMMIT: that still arrives, its answer does not. */
const forgetfulProxy = async (
  target: URL,
): Promise<{ server: Server; port: number; commits: () => number }> => {
  let commits = 0;
  const { port, hostname } = target;
  const server = createServer((client: Socket) => {
    const upstream = connect(Number(port), hostname);
    let forget = false;
    client.on('data', (bytes) => {
      if (bytes.includes('commit')) {
        forget = true;
        commits += 1;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (forget) client.destroy();
      else client.write(bytes);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return { server, port: address.port, commits: () => commits };
};

describeDatabase('postgres', 'a COMMIT whose answer is lost', (databases) => {
  it('is never reported as written, and never repeated', async () => {
    const direct = await databases.create();
    const target = new URL(direct);
    const proxy = await forgetfulProxy(target);
    target.port = String(proxy.port);
    const database = await databases.open(target.href);
    await database.execute(query('create table t (n bigint)'));
    let runs = 0;
    const write = database.write(async (transaction) => {
      runs += 1;
      await transaction.run(query('insert into t values ($1)', 1));
    });
    await expect(write).rejects.toMatchObject(unavailable);
    expect(runs).toBe(1);
    expect(proxy.commits()).toBe(1);
    const observer = await databases.open(direct);
    expect(await observer.all(query('select n from t'))).toEqual([{ n: 1 }]);
    proxy.server.close();
  });
});
