import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadApplication } from '../../src/app/application.ts';
import { applyMigrations } from '../../src/app/migrate.ts';
import type { Database } from '../../src/database/database.ts';
import { databaseTarget } from '../../src/database/targets.ts';
import { describeDatabase } from '../support/databases.ts';
import { openStream } from '../support/event-stream.ts';
import { hasPgBouncer, type Pooler, startPgBouncer } from '../support/pgbouncer.ts';
import { command, runService } from '../support/run-service.ts';

const query = (sql: string, ...parameters: (string | number)[]) => ({ sql, parameters });

// Continuous integration always has it (.ci/run).
if (hasPgBouncer || process.env['CI'] !== undefined)
  describeDatabase('postgres', 'behind PgBouncer in transaction mode', (databases) => {
    let pooler: Pooler;
    let direct: Database;
    let url: string;
    let name: string;

    beforeAll(async () => {
      url = await databases.create();
      name = new URL(url).pathname.slice(1);
      direct = await databases.open(url);
      await direct.execute(query('create table t (n bigint)'));
      pooler = await startPgBouncer(url);
    });
    afterAll(() => pooler.close());

    it('a service does not start behind PgBouncer where the settings of sessions are those of another time zone', async () => {
      await expect(databases.open(pooler.url, { prepare: false })).rejects.toThrow(/set TimeZone = 'UTC'/);
    });

    it.each([true, false])('answers everything, each with its own answer (prepare: %s)', async (prepare) => {
      await direct.execute(query(`alter database ${name} set timezone = 'UTC'`));
      const another = await startPgBouncer(url);
      const [one, two] = [
        await databases.open(another.url, { prepare, poolSize: 6 }),
        await databases.open(another.url, { prepare, poolSize: 6 }),
      ];
      await direct.execute(query('truncate t'));
      for (let round = 0; round < 15; round += 1) {
        const work = [one, two].flatMap((database, at) =>
          Array.from({ length: 12 }, async (_, index) => {
            const n = at * 1_000 + round * 50 + index;
            expect(await database.get(query(`select $1::bigint + ${index % 5} as n`, n))).toEqual({
              n: n + (index % 5),
            });
            if (index % 4 === 0) await database.execute(query('insert into t values ($1)', n));
            if (index % 4 === 1)
              await database.write(async (transaction) => {
                await transaction.run(query('insert into t values ($1)', n));
              });
            if (index % 4 === 2) await database.scan(query('select count(*) as n from t where n <> $1', n));
          }),
        );
        await Promise.all(work);
      }
      const rows: string[] = [];
      for await (const chunk of await one.stream(query('select n::text as json from t')))
        rows.push(...chunk.split(','));
      expect(new Set(rows).size).toBe(rows.length);
      expect(rows).toHaveLength(15 * 12);
      await Promise.all([one.close(), two.close()]);
      await another.close();
    });

    it('a service behind PgBouncer with two workers does all that it does without', {
      timeout: 90_000,
    }, async () => {
      const folder = fileURLToPath(new URL('../upgrade/application', import.meta.url));
      const own = await databases.create();
      const straight = await databases.open(own);
      await straight.execute(query(`alter database ${new URL(own).pathname.slice(1)} set timezone = 'UTC'`));
      await applyMigrations(databaseTarget(own), await loadApplication(folder));
      const pooled = await startPgBouncer(own);
      try {
        const settings = { DATABASE_PREPARE: 'off', MIGRATE: 'off', WORKERS: '2', DATABASE_URL: pooled.url };
        const service = await runService([...command, 'start'], { folder, env: settings });
        const listening = () => service.lines().filter(({ msg }) => msg === 'listening');
        await expect.poll(() => new Set(listening().map(({ pid }) => pid)).size).toBe(2);
        const origin = `http://127.0.0.1:${service.port}`;
        const ask = async (method: string, path: string, body?: object, headers = {}): Promise<Response> =>
          fetch(origin + path, {
            method,
            headers: { 'content-type': 'application/json', ...headers },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          });
        const account = { account: 'admin', password: 'tulip-anvil-47 kettle' };
        const dataOf = async <T>(answer: Response): Promise<T> => ((await answer.json()) as { data: T }).data;
        const signedIn = await dataOf<{ token: string }>(await ask('POST', '/api/v1/auth/login', account));
        const token = { authorization: `Bearer ${signedIn.token}` };
        // Each on a connection of its own: both workers have some.
        const streams = await Promise.all(
          Array.from({ length: 4 }, () => openStream(`${origin}/api/v1/changes?models=Item`, token)),
        );
        const numbers = Array.from({ length: 60 }, (_, n) => n);
        const write = async (n: number): Promise<number[]> => {
          const made = await ask('POST', '/api/v1/items', { item: { title: `t${n}` } }, token);
          const { id } = await dataOf<{ id: number }>(made);
          const path = `/api/v1/items/${id}`;
          const changed = await ask('PATCH', path, { item: { amount: n } }, token);
          const listed = await ask('GET', '/api/v1/items?sort=-id', undefined, token);
          const csv = await ask('GET', '/api/v1/items', undefined, { ...token, accept: 'text/csv' });
          expect((await csv.text()).split('\n').length).toBeGreaterThan(1);
          await Promise.all([changed.text(), listed.text()]);
          return [made.status, changed.status, listed.status, csv.status];
        };
        const statuses = (await Promise.all(numbers.map(write))).flat();
        expect(new Set(statuses)).toEqual(new Set([200, 201]));
        // No session stays with its server, so there are no notifications: workers poll every second.
        for (const stream of streams) {
          const events = await stream.until(120, 10_000);
          expect(events.map(({ number }) => number)).toEqual(
            events.map(({ number }) => number).toSorted((a, b) => a - b),
          );
        }
        const receipts = () => straight.all(query('select distinct item from receipts'));
        await expect.poll(async () => (await receipts()).length, { timeout: 30_000 }).toBe(60);
        for (const stream of streams) stream.close();
        service.process.kill('SIGTERM');
        expect((await service.ended()).status).toBe(0);
        expect(service.lines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
      } finally {
        await pooled.close();
      }
    });
  });
