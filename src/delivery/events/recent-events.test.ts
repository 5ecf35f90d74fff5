import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../ledger/event-log.ts';
import { type EventSignal, eventBatchSize, RecentEvents } from './signal.ts';

/** A log in memory that counts its reads, and can hold one back. */
const logOf = (count: number) => {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  let held: Promise<void> | undefined;
  const log = {
    reads: 0,
    settle: async () => {},
    after: async (number: number, limit: number) => {
      log.reads += 1;
      const found = numbers.filter((each) => each > number).slice(0, limit);
      await held;
      return found.map((each) => ({ number: each }) as RecordedEvent);
    },
    add: () => numbers.push(numbers.length + 1),
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
  };
  return log;
};

const signalled = (recent: RecentEvents) => {
  const signal = { emit: () => {} };
  const listen = (listener: () => void) => {
    signal.emit = listener;
    return () => {};
  };
  const end = recent.follow({ listen } as unknown as EventSignal, () => {});
  return { signal, end };
};

const numbersOf = (events: readonly RecordedEvent[]) => events.map(({ number }) => number);

describe('recent events', () => {
  it('recent events are read once for all readers, and again after a signal only', async () => {
    const log = logOf(3);
    const recent = new RecentEvents(log);
    const { signal } = signalled(recent);
    expect(numbersOf(await recent.after(1))).toEqual([2, 3]);
    expect(numbersOf(await recent.after(2))).toEqual([3]);
    expect(numbersOf(await recent.after(3))).toEqual([]);
    expect(log.reads).toBe(1);
    log.add();
    signal.emit();
    expect(await Promise.all([3, 1].map(async (from) => numbersOf(await recent.after(from))))).toEqual([
      [4],
      [2, 3, 4],
    ]);
    expect(log.reads).toBe(2);
    // Before the first number that was read.
    expect(numbersOf(await recent.after(0))).toEqual([1, 2, 3, 4]);
    expect(log.reads).toBe(3);
  });

  it('recent events miss no event that is committed during a read', async () => {
    const log = logOf(1);
    const recent = new RecentEvents(log);
    const { signal } = signalled(recent);
    const release = log.hold();
    const first = recent.after(0);
    await new Promise(setImmediate);
    log.add();
    signal.emit();
    const second = recent.after(1);
    await new Promise(setImmediate);
    release();
    expect(numbersOf(await first)).toEqual([1]);
    expect(numbersOf(await second)).toEqual([2]);
    expect(numbersOf(await recent.after(1))).toEqual([2]);
    expect(numbersOf(await recent.after(0))).toEqual([1, 2]);
  });

  it('recent events are read in batches where there are many', async () => {
    const log = logOf(2 * eventBatchSize + 1);
    const recent = new RecentEvents(log);
    const { signal } = signalled(recent);
    const lengths: number[] = [];
    for (let number = 0; ; ) {
      const found = await recent.after(number);
      lengths.push(found.length);
      number = found.at(-1)?.number ?? number;
      if (found.length < eventBatchSize) break;
    }
    expect(lengths).toEqual([eventBatchSize, eventBatchSize, 1]);
    for (let added = 0; added < eventBatchSize; added += 1) log.add();
    signal.emit();
    expect(await recent.after(2 * eventBatchSize + 1)).toHaveLength(eventBatchSize);
  });

  it('recent events are read at each call by a reader that follows no signal', async () => {
    const log = logOf(1);
    const recent = new RecentEvents(log);
    expect(numbersOf(await recent.after(0))).toEqual([1]);
    log.add();
    expect(numbersOf(await recent.after(1))).toEqual([2]);
    const { end } = signalled(recent);
    await recent.after(2);
    end();
    log.add();
    expect(numbersOf(await recent.after(2))).toEqual([3]);
  });

  it('recent events are read again after a read that failed', async () => {
    const log = logOf(1);
    const recent = new RecentEvents({
      ...log,
      settle: async () => {
        log.settle();
        if (log.reads === 1) {
          log.reads += 1;
          throw new Error('away');
        }
      },
    });
    const { signal } = signalled(recent);
    expect(numbersOf(await recent.after(0))).toEqual([1]);
    log.add();
    signal.emit();
    await expect(recent.after(1)).rejects.toThrow('away');
    expect(numbersOf(await recent.after(1))).toEqual([2]);
  });
});
