import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import { applyMigrations } from '../app/migrate.ts';
import type { BucketShape } from '../auth/rate-limit.ts';
import { databaseTarget } from '../database/targets.ts';
import { Buckets } from './buckets.ts';

const hour = 3_600_000;

/** A bucket that is full again after an hour. */
const hourly = (size: number): BucketShape => ({ size, interval: (hour * 1000) / size });

/** Takes so many requests at once; returns how many were admitted. */
const take = async (buckets: Buckets, shape: BucketShape, count: number): Promise<number> => {
  const levels = await Promise.all(Array.from({ length: count }, () => buckets.take('bucket', shape)));
  return levels.filter(({ admitted }) => admitted).length;
};

describeEachDatabase('buckets', (databases) => {
  /** A database, and processes that share its buckets. */
  const setUp = async () => {
    const url = await databases.createForStart();
    await applyMigrations(databaseTarget(url), { migrations: {} });
    const database = await databases.open(url);
    const state = { broken: false, errors: [] as unknown[], statements: 0 };
    const faulty: typeof database = Object.create(database, {
      get: { value: database.get.bind(database) },
      execute: {
        value: (query: Parameters<typeof database.execute>[0]) => {
          state.statements += 1;
          return state.broken ? Promise.reject(new Error('database away')) : database.execute(query);
        },
      },
    });
    return {
      database,
      state,
      process: (workers?: number) => new Buckets(faulty, (error) => state.errors.push(error), workers),
    };
  };

  it('buckets admit as many requests as they hold, of all that two processes get at once', async () => {
    const { process } = await setUp();
    const shape = hourly(20);
    const counts = await Promise.all([take(process(), shape, 50), take(process(), shape, 50)]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(20);
    expect(await take(process(), shape, 5)).toBe(0);
  });

  it('buckets admit a twentieth too many at most, however many workers hold them for full', async () => {
    const { process } = await setUp();
    const shape = hourly(200);
    const workers = Array.from({ length: 8 }, () => process(8));
    for (const worker of workers) {
      expect(await take(worker, shape, 1)).toBe(1);
      await worker.close();
    }
    const admitted: number[] = [];
    for (const worker of workers) admitted.push(await take(worker, shape, 300));
    const sum = admitted.reduce((total, count) => total + count, workers.length);
    expect(sum).toBeGreaterThan(200);
    expect(sum).toBeLessThanOrEqual(210);
  });

  it('buckets admit a sixtieth too many at most where another process was first, and pay it back', async () => {
    const { process } = await setUp();
    const shape = hourly(200);
    const [one, other] = [process(), process()];
    expect(await take(other, shape, 1)).toBe(1);
    await other.close();
    expect(await take(one, shape, 300)).toBe(199);
    expect(await take(other, shape, 300)).toBe(3);
    await other.close();
    const fresh = process();
    expect(await take(fresh, shape, 6)).toBe(0);
    const { admitted, untilFull } = await fresh.take('bucket', shape);
    expect(admitted).toBe(false);
    expect(untilFull / hour).toBeCloseTo(203 / 200, 2);
  });

  it('buckets are written four times a second by callers within their rate, however many requests there are', async () => {
    const { database, process, state } = await setUp();
    const buckets = process();
    const shape: BucketShape = { size: 500_000_000, interval: undefined };
    const names = Array.from({ length: 8 }, (_, index) => `bucket ${index}`);
    const ends = performance.now() + 1_100;
    let requests = 0;
    while (performance.now() < ends) {
      buckets.take(names[requests % 8] ?? '', shape, Date.now() + hour);
      requests += 1;
      if (requests % 16 === 0) await nextTurn();
    }
    await buckets.close();
    expect(requests).toBeGreaterThan(1_000);
    expect(state.statements).toBeLessThanOrEqual(8 * 8);
    const written = new Buckets(database, () => {});
    const levels = await Promise.all(names.map((name) => written.level(name, shape)));
    const missing = levels.reduce((sum, { remaining }) => sum + shape.size - remaining, 0);
    expect(missing).toBe(requests);
  });

  it('buckets refill with time', async () => {
    const { process } = await setUp();
    const shape = { size: 2, interval: 200_000 };
    const buckets = process();
    expect(await take(buckets, shape, 3)).toBe(2);
    const { wait } = await buckets.take('bucket', shape);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(200);
    await expect.poll(() => take(buckets, shape, 1), { interval: 20 }).toBe(1);
  });

  it('a time that no bucket can have counts as none', async () => {
    const { process, database } = await setUp();
    const shape = hourly(10);
    expect(await take(process(), shape, 20)).toBe(10);
    const far = { sql: 'update gatewright_buckets set full_at = full_at + 3600000000', parameters: [] };
    await database.execute(far);
    expect(await take(process(), shape, 20)).toBe(0);
    await database.execute(far);
    expect(await take(process(), shape, 20)).toBe(10);
  });

  it('buckets are exact from the first request of a process on', async () => {
    const { process } = await setUp();
    const shape: BucketShape = { size: 1_000, interval: undefined };
    const before = process();
    expect(await take(before, shape, 302)).toBe(302);
    await before.close();
    expect((await process().take('bucket', shape)).remaining).toBe(697);
    expect(await take(process(), shape, 800)).toBe(697);
    for (const started of [process(), process()]) expect(await take(started, shape, 20)).toBe(0);
  });

  it.each<{ what: string; shape: (size: number) => BucketShape }>([
    { what: 'a quota', shape: (size) => ({ size, interval: undefined }) },
    { what: 'a limit', shape: (size) => ({ size, interval: hour * 1000 }) },
  ])('buckets keep what was used of $what whose size changes, in every process', async ({ shape }) => {
    const { process } = await setUp();
    const [one, other] = [process(), process()];
    expect(await take(one, shape(3), 5)).toBe(3);
    expect(await take(other, shape(3), 1)).toBe(0);
    for (const each of [one, other]) expect(await take(each, shape(2_000), 10)).toBe(10);
    expect((await other.level('bucket', shape(2_000))).remaining).toBe(1_977);
    expect((await other.level('bucket', shape(30))).remaining).toBe(7);
    // Less than half of what was used: no sign of a wrong clock.
    for (const each of [one, other]) expect(await take(each, shape(5), 5)).toBe(0);
    for (const each of [one, other]) await each.close();
    expect((await process().level('bucket', shape(5))).remaining).toBe(0);
  });

  it('buckets keep the used requests of a quota that is lowered and raised again', async () => {
    const { process } = await setUp();
    const quota = (size: number): BucketShape => ({ size, interval: undefined });
    const [one, other] = [process(), process()];
    expect(await take(one, quota(1_000), 500)).toBe(500);
    expect(await take(other, quota(100), 5)).toBe(0);
    expect(await take(one, quota(100), 5)).toBe(0);
    expect(await take(other, quota(600), 200)).toBe(100);
  });

  it('buckets keep a changed shape where another process writes what it admitted before', async () => {
    const { process } = await setUp();
    const shape = (size: number): BucketShape => ({ size, interval: hour * 1000 });
    const [one, other] = [process(), process()];
    expect(await take(one, shape(120), 3)).toBe(3);
    expect(await take(other, shape(1_000), 500)).toBe(500);
    await one.close();
    expect((await process().level('bucket', shape(1_000))).remaining).toBe(497);
  });

  it('regain requests at the changed rate', async () => {
    const { process } = await setUp();
    const buckets = process();
    expect(await take(buckets, { size: 2, interval: hour * 1000 }, 3)).toBe(2);
    const faster = { size: 2, interval: 200_000 };
    expect(await take(buckets, faster, 1)).toBe(0);
    await expect.poll(() => take(buckets, faster, 1), { interval: 20 }).toBe(1);
  });

  it('buckets lose nothing that could not be written, and fail the requests of which the database had to decide', async () => {
    const { process, state } = await setUp();
    const shape: BucketShape = { size: 120, interval: undefined };
    const buckets = process();
    expect(await take(buckets, shape, 1)).toBe(1);
    state.broken = true;
    expect(await take(buckets, shape, 2)).toBe(2);
    await expect(take(buckets, shape, 3)).rejects.toThrow('database away');
    await buckets.close();
    expect(state.errors).toEqual([expect.objectContaining({ message: 'database away' })]);
    state.broken = false;
    await buckets.close();
    expect(await take(process(), shape, 150)).toBe(117);
  });

  it('buckets are written for many callers at once, and removed once they say nothing any more', async () => {
    const { process, database } = await setUp();
    const buckets = process();
    for (let index = 0; index < 123; index += 1) await buckets.take(`bucket ${index}`, hourly(100));
    await buckets.take('quota', { size: 100, interval: undefined }, Date.now() + hour);
    await buckets.close();
    const count = async () =>
      (await database.all({ sql: 'select name from gatewright_buckets', parameters: [] })).length;
    expect(await count()).toBe(124);
    await database.execute({
      sql: "update gatewright_buckets set expires_at = 0 where name <> 'quota'",
      parameters: [],
    });
    await buckets.sweep();
    expect(await count()).toBe(1);
  });
});
