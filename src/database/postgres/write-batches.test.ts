import { beforeAll, beforeEach, expect, it } from 'vitest';
import { describeDatabase } from '../../../tests/support/databases.ts';
import type { OpenDatabase, Query } from '../database.ts';

describeDatabase('postgres', 'concurrent writes', (databases) => {
  let database: OpenDatabase;
  let other: OpenDatabase;

  beforeAll(async () => {
    const url = await databases.create();
    database = await databases.open(url);
    other = await databases.open(url);
    const sql = 'create table jars (id int primary key, label text unique, opened int not null default 0)';
    await database.execute({ sql, parameters: [] });
  });

  beforeEach(async () => {
    await database.execute({ sql: 'truncate jars', parameters: [] });
  });

  const insert = (id: number, label: string): Query => ({
    sql: 'insert into jars (id, label) values ($1, $2) returning id',
    parameters: [id, label],
    order: 0,
  });
  const open = (id: number): Query => ({
    sql: 'update jars set opened = opened + 1 where id = $1 returning id, opened',
    parameters: [id],
    order: id,
  });
  const execute = (queries: readonly Query[], of = database) =>
    Promise.allSettled(queries.map((query) => of.execute<{ id: number; opened?: number }>(query)));
  const stored = async (columns: string) =>
    database.all<Record<string, unknown>>({
      sql: `select ${columns} from jars order by id`,
      parameters: [],
    });
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
  const fill = (count: number) => execute(numbers(count).map((id) => insert(id, `jar ${id}`)));

  it('concurrent writes are committed as one batch, and each gets its own result', async () => {
    const results = await fill(12);
    expect(results).toEqual(numbers(12).map((id) => ({ status: 'fulfilled', value: [{ id }] })));
    expect(new Set((await stored('xmin::text as by')).map(({ by }) => by)).size).toBe(1);
  });

  it('concurrent writes stand where one of them is refused', async () => {
    await execute([insert(100, 'taken')]);
    const results = await execute([insert(1, 'one'), insert(2, 'taken'), insert(3, 'three')]);
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { kind: 'unique' } },
      { status: 'fulfilled' },
    ]);
    expect((await stored('id')).map(({ id }) => id)).toEqual([1, 3, 100]);
  });

  it('concurrent writes may change one row several times, each seeing the change before', async () => {
    await fill(1);
    const results = await execute([open(1), open(1), open(1)]);
    expect(results.map((each) => each.status === 'fulfilled' && each.value[0]?.opened)).toEqual([1, 2, 3]);
  });

  it('concurrent writes do not wait for the row that somebody else has locked for one of them', {
    timeout: 20_000,
  }, async () => {
    await fill(8);
    const [locked, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = other.write(async (unit) => {
      await unit.run(open(3));
      locked.resolve();
      await free.promise;
    });
    await locked.promise;
    const writes = numbers(8).map((id) => database.execute(open(id)));
    const blocked = writes[2];
    const others = writes.filter((write) => write !== blocked);
    let done = false;
    void blocked?.then(() => {
      done = true;
    });
    let ended = 0;
    for (const write of others)
      void write.then(() => {
        ended += 1;
      });
    await expect.poll(() => ended, { timeout: 2_500 }).toBe(others.length);
    expect(done).toBe(false);
    free.resolve();
    await holding;
    await blocked;
    expect((await stored('opened')).map(({ opened }) => opened)).toEqual([1, 1, 2, 1, 1, 1, 1, 1]);
  });

  it('concurrent writes of two instances that change the same rows do not wait for each other in a ring', async () => {
    await fill(10);
    const began = performance.now();
    for (let round = 0; round < 10; round += 1) {
      const ids = numbers(10).toSorted(() => Math.random() - 0.5);
      const results = await Promise.all([execute(ids.map(open)), execute(ids.toReversed().map(open), other)]);
      expect(results.flat().every(({ status }) => status === 'fulfilled')).toBe(true);
    }
    // The server looks for rings after a second.
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(new Set((await stored('opened')).map(({ opened }) => opened))).toEqual(new Set([20]));
  });

  it('concurrent writes are stored once or not at all where the connection breaks, and every caller gets the true outcome', async () => {
    const [locked, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = other.write(async (unit) => {
      await unit.run({ sql: 'lock table jars in share mode', parameters: [] });
      locked.resolve();
      await free.promise;
    });
    await locked.promise;
    const writing = fill(6);
    // The test waits until the server has them.
    const waits = `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into jars%'`;
    const pids = await expect
      .poll(() => other.all<{ pid: number }>({ sql: waits, parameters: [] }), { interval: 5 })
      .not.toEqual([])
      .then(() => other.all<{ pid: number }>({ sql: waits, parameters: [] }));
    for (const { pid } of pids)
      await other.get({ sql: 'select pg_terminate_backend($1)', parameters: [pid] });
    free.resolve();
    await holding;
    const results = await writing;
    const standing = (await stored('id')).map(({ id }) => id);
    for (const [index, result] of results.entries())
      if (result.status === 'fulfilled') expect(standing).toContain(index + 1);
      else if (result.reason.problem !== 'outcome_unknown') expect(standing).not.toContain(index + 1);
  });
});
