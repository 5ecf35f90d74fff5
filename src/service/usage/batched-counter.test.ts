import { describe, expect, it } from 'vitest';
import { BatchedCounter } from './batched-counter.ts';

const sum = (earlier = 0, added: number): number => earlier + added;

/** A counter that writes at most two entries at once into `rows`, and fails at the writes of which `fails` is true. */
const setUp = (fails: (write: number) => boolean, maxEntries = 100) => {
  const rows = new Map<number, number>();
  const orders: number[][] = [];
  const counter = new BatchedCounter<number, number>({
    maxEntries,
    writeSizes: [2, 1],
    merge: sum,
    write: async (entries) => {
      orders.push(entries.map(([key]) => key));
      if (fails(orders.length)) throw new Error('database away');
      for (const [key, count] of entries) rows.set(key, sum(rows.get(key), count));
    },
  });
  return { counter, rows, orders };
};

describe('a batched counter', () => {
  it('writes entries in the order of their keys, and only what is new', async () => {
    const { counter, rows, orders } = setUp(() => false);
    for (const key of [10, 9, 2, 10]) counter.add(key, 1);
    await counter.flush();
    await counter.flush();
    expect(orders).toEqual([[2, 9], [10]]);
    expect([...rows]).toEqual([
      [2, 1],
      [9, 1],
      [10, 2],
    ]);
  });

  it('counts what was not written with the next batch, once, and what was written not again', async () => {
    const { counter, rows } = setUp((write) => write === 2);
    for (const key of [1, 2, 3]) counter.add(key, 1);
    const failed = counter.flush();
    const next = counter.flush();
    await expect(failed).rejects.toThrow('database away');
    counter.add(3, 1);
    await next;
    await counter.flush();
    expect(Object.fromEntries(rows)).toEqual({ 1: 1, 2: 1, 3: 2 });
  });

  it('holds no more entries than it may, also where batches fail, and goes on counting those', async () => {
    const { counter, rows } = setUp((write) => write < 3, 2);
    for (let round = 0; round < 3; round += 1) {
      for (const key of [1, 2, 3]) counter.add(key, 1);
      await counter.flush().catch(() => {});
    }
    expect(Object.fromEntries(rows)).toEqual({ 1: 3, 2: 3 });
  });

  it('writes what is left when it is stopped, and reports a failure that lasts once', async () => {
    const { counter, rows } = setUp((write) => write === 1);
    const errors: unknown[] = [];
    const stop = counter.start(60_000, (error) => errors.push(error));
    counter.add(1, 1);
    await stop();
    expect([rows.size, errors.length]).toEqual([0, 1]);
    await stop();
    expect([rows.get(1), errors.length]).toEqual([1, 1]);
  });
});
