import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startChild } from '../support/child.ts';
import { describeDatabase } from '../support/databases.ts';

const query = (sql: string, ...parameters: (string | number)[]) => ({ sql, parameters });

describeDatabase('sqlite', 'a process that is killed', (databases) => {
  it('has kept every row that it acknowledged, and no half of a unit', async () => {
    const url = await databases.create();
    const database = await databases.open(url);
    await database.execute(query('create table single (n integer primary key)'));
    await database.execute(query('create table paired (n integer, part integer)'));
    const child = startChild('faults/children/write-rows.ts', [url]);
    let acknowledged = -1;
    for await (const line of child.lines) {
      acknowledged = Number(line);
      if (acknowledged >= 2_000) child.process.kill('SIGKILL');
    }
    expect(await child.exited).toBeNull();
    const single = await database.all<{ n: number }>(query('select n from single'));
    const paired = await database.all<{ n: number; parts: number }>(
      query('select n, count(*) as parts from paired group by n'),
    );
    expect(paired.filter(({ parts }) => parts !== 2)).toEqual([]);
    const kept = new Set([...single, ...paired].map(({ n }) => n));
    const lost = Array.from({ length: acknowledged + 1 }, (_, n) => n).filter((n) => !kept.has(n));
    expect(acknowledged).toBeGreaterThanOrEqual(2_000);
    expect(lost).toEqual([]);
    expect(await database.get(query('pragma integrity_check'))).toEqual({ integrity_check: 'ok' });
  });
});

describeDatabase('sqlite', 'another process that holds the database', (databases) => {
  const prepared = async (busyLimit: number) => {
    const url = await databases.create();
    const database = await databases.open(url, { busyLimit });
    await database.execute(query('create table t (n integer)'));
    return { path: url.slice('sqlite:'.length), database };
  };

  it('delays writes for three seconds and fails none, while reads go on', async () => {
    const { path, database } = await prepared(10_000);
    const child = startChild('faults/children/hold-lock.ts', [path, '3000']);
    expect(await child.lines.next()).toMatchObject({ value: 'held' });
    const started = performance.now();
    let waiting = true;
    const writes = Promise.all([
      ...Array.from({ length: 20 }, (_, n) => database.execute(query('insert into t values (?)', n))),
      ...Array.from({ length: 20 }, (_, n) =>
        database.write((transaction) => transaction.run(query('insert into t values (?)', n))),
      ),
    ]).finally(() => {
      waiting = false;
    });
    const loop = monitorEventLoopDelay({ resolution: 5 });
    loop.enable();
    let reads = 0;
    while (waiting) {
      await database.get(query('select count(*) from t'));
      reads += 1;
      await turn();
    }
    loop.disable();
    await writes;
    const waited = performance.now() - started;
    expect(waited).toBeGreaterThan(2_000);
    expect(await database.get(query('select count(*) as n from t'))).toEqual({ n: 40 });
    expect(reads).toBeGreaterThan(1_000);
    // Had a write waited inside SQLite, the loop would have stood still for all of that time.
    expect(loop.max / 1e6).toBeLessThan(1_000);
    expect(await child.exited).toBe(0);
  });

  it('is answered 503 where it lasts too long, and writes go on afterwards', async () => {
    const { path, database } = await prepared(200);
    const child = startChild('faults/children/hold-lock.ts', [path, '1500']);
    await child.lines.next();
    const outcomes = await Promise.allSettled([
      database.execute(query('insert into t values (1)')),
      database.write((transaction) => transaction.run(query('insert into t values (2)'))),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: {
          problem: 'database_unavailable',
          status: 503,
          headers: { 'Retry-After': expect.any(String) },
        },
      });
    }
    expect(await child.exited).toBe(0);
    await database.execute(query('insert into t values (3)'));
    expect(await database.all(query('select n from t'))).toEqual([{ n: 3 }]);
  });
});

describeDatabase('sqlite', 'a full disk', (databases) => {
  it('is answered 503, loses nothing that was written, and ends when there is room again', async () => {
    const database = await databases.open();
    await database.execute(query('create table t (n integer primary key, text text)'));
    // The writing connection may not make the file any larger than this: SQLITE_FULL, as from a full disk.
    await database.execute(query('pragma max_page_count = 30'));
    const insert = (n: number) => query('insert into t values (?, ?)', n, 'x'.repeat(1_000));
    const written: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const numbers = Array.from({ length: 16 }, (_, index) => round * 16 + index);
      const outcomes = await Promise.allSettled(numbers.map((n) => database.execute(insert(n))));
      outcomes.forEach((outcome, index) => {
        if (outcome.status === 'fulfilled') written.push(numbers[index] ?? -1);
        else expect(outcome.reason).toMatchObject({ problem: 'database_unavailable' });
      });
    }
    expect(written.length).toBeGreaterThan(10);
    expect(written.length).toBeLessThan(320);
    expect((await database.all<{ n: number }>(query('select n from t'))).map(({ n }) => n)).toEqual(written);
    await database.execute(query('pragma max_page_count = 10000'));
    await database.execute(insert(1_000));
  });
});
