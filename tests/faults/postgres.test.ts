import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { describeDatabase } from '../support/databases.ts';
import { Network } from '../support/network.ts';
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

  it('a server that goes away is answered 503 by everything, and used again by itself when it is back', async () => {
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

const unknown = { problem: 'outcome_unknown', status: 503, code: 50302, headers: {} };

describeDatabase('postgres', 'a connection that breaks between statement and answer', (databases) => {
  const networks: Network[] = [];
  afterAll(async () => {
    for (const network of networks) await network.close();
  });

  const prepared = async () => {
    const direct = await databases.create();
    const network = await Network.before(direct);
    networks.push(network);
    const observer = await databases.open(direct);
    await observer.execute(query('create table t (n bigint)'));
    const database = await databases.open(network.url, { silenceLimit: 500, unitLimit: 1_500, poolSize: 2 });
    await database.ping();
    const rows = () => observer.all<{ n: number }>(query('select n from t order by n'));
    return { network, database, rows };
  };

  it('leaves a write unknown, which is said and never repeated', async () => {
    const { network, database, rows } = await prepared();
    network.arm('insert into t', 'cut');
    await expect(database.execute(query('insert into t values ($1)', 1))).rejects.toMatchObject(unknown);
    expect(network.hits).toBe(1);
    await expect.poll(rows).toEqual([{ n: 1 }]);
    network.arm('insert into t', 'silent');
    await expect(database.execute(query('insert into t values ($1)', 2))).rejects.toMatchObject(unknown);
    await expect.poll(rows).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it.each(['cut', 'silent'] as const)(
    'leaves a COMMIT unknown, and runs its unit once (%s)',
    async (fault) => {
      const { network, database, rows } = await prepared();
      network.arm('commit', fault);
      let runs = 0;
      const write = database.write(async (transaction) => {
        runs += 1;
        await transaction.run(query('insert into t values ($1)', 1));
      });
      await expect(write).rejects.toMatchObject(unknown);
      expect([runs, network.hits]).toEqual([1, 1]);
      await expect.poll(rows).toEqual([{ n: 1 }]);
    },
  );

  it.each(['cut', 'silent'] as const)(
    'a broken connection is an outage for what surely left nothing: reads, scans, and a unit before its COMMIT (%s)',
    async (fault) => {
      const { network, database, rows } = await prepared();
      network.arm('select n', fault);
      await expect(database.get(query('select n from t'))).rejects.toMatchObject(unavailable);
      await expect(database.scan(query('select n from t'))).rejects.toMatchObject(unavailable);
      network.arm('insert into t', fault);
      const unit = database.write((transaction) => transaction.run(query('insert into t values (3)')));
      await expect(unit).rejects.toMatchObject(unavailable);
      network.arm('begin', fault);
      const begun = database.write((transaction) => transaction.run(query('insert into t values (4)')));
      await expect(begun).rejects.toMatchObject(unavailable);
      expect(await rows()).toEqual([]);
    },
  );

  it('a broken connection is an outage for a unit that does not end in its time', async () => {
    const { database, rows } = await prepared();
    const unit = database.write(async (transaction) => {
      await transaction.run(query('insert into t values (5)'));
      await new Promise(() => {});
    });
    await expect(unit).rejects.toMatchObject(unavailable);
    expect(await rows()).toEqual([]);
  });
});
