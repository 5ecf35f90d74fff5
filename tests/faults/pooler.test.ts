import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { describeDatabase } from '../support/databases.ts';
import { hasPgBouncer, type Pooler, startPgBouncer } from '../support/pgbouncer.ts';

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

    it('does not start where the settings of sessions are those of another time zone', async () => {
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
  });
