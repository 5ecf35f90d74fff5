import { describe, expect, test } from 'vitest';
import { createWorkQueue } from './work-queue.ts';

describe('the queue', () => {
  const line = { line: 'a' };
  /** Tasks that end on request, and the order in which they began. */
  const bench = (concurrency: number, most: number) => {
    const queue = createWorkQueue(concurrency, most);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const run = (name: string, signal?: AbortSignal) =>
      queue.run({ line: name.slice(0, 1), signal }, () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      });
    const end = async (name: string | undefined): Promise<void> => {
      ends.get(String(name))?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { run, begun, end };
  };

  test('a task that fails gives its place to the next', async () => {
    const queue = createWorkQueue(1, 1);
    const failing = queue.run(line, () => Promise.reject(new Error('no')));
    const next = queue.run(line, () => Promise.resolve(1));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe(1);
  });

  test('runs so many at a time, in order, and refuses what would wait in too long a line', async () => {
    const { run, begun, end } = bench(2, 3);
    const names = ['a0', 'a1', 'a2', 'a3', 'a4'];
    const done = names.map((name) => run(name));
    await expect(run('a5')).rejects.toMatchObject({
      problem: 'overloaded',
      status: 503,
      headers: { 'Retry-After': '5' },
    });
    expect(begun).toEqual(['a0', 'a1']);
    for (const [index, name] of names.entries()) {
      await end(name);
      expect(begun.length - index - 1).toBeLessThanOrEqual(2);
    }
    expect(await Promise.all(done)).toEqual(names);
    expect(begun).toEqual(names);
  });

  test('lines take turns, however long one is', async () => {
    const { run, begun, end } = bench(1, 100);
    const names = ['a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'c0'];
    const done = Promise.all(names.map((name) => run(name)));
    for (let count = 0; count < 3; count += 1) await end(begun.at(-1));
    // A newcomer waits for one task of each queue, not for all that came before.
    const late = run('d0');
    while (begun.length < 8) await end(begun.at(-1));
    expect(begun).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'd0', 'a3']);
    await end('a3');
    expect([await late, (await done).length]).toEqual(['d0', 7]);
  });

  test('an abandoned task is never begun; a begun task is finished', async () => {
    const { run, begun, end } = bench(1, 100);
    const callers = ['a0', 'a1', 'a2', 'a3'].map((name) => {
      const abort = new AbortController();
      return { abort, done: run(name, abort.signal) };
    });
    const waiting = callers.slice(1, 3);
    for (const { abort } of [...callers.slice(0, 1), ...waiting]) abort.abort();
    for (const { done } of waiting) await expect(done).rejects.toMatchObject({ problem: 'bad_request' });
    await expect(run('b0', AbortSignal.abort())).rejects.toMatchObject({ status: 400 });
    await end('a0');
    await end('a3');
    expect(begun).toEqual(['a0', 'a3']);
    expect(await Promise.all([callers[0]?.done, callers[3]?.done])).toEqual(['a0', 'a3']);
  });

  test('a crowd is refused before somebody who comes alone', async () => {
    const { run, begun, end } = bench(1, 4);
    const crowd = ['a0', 'a1', 'a2', 'a3', 'a4'].map((name) => run(name));
    const alone = run('b0');
    await expect(crowd[4]).rejects.toMatchObject({ problem: 'overloaded' });
    // The queues are equally long: a newcomer displaces no task, or displacing would never end.
    const second = run('b1');
    await expect(crowd[3]).rejects.toMatchObject({ problem: 'overloaded' });
    await expect(run('a9')).rejects.toMatchObject({ problem: 'overloaded' });
    await expect(run('b9')).rejects.toMatchObject({ problem: 'overloaded' });
    while (begun.length < 5) await end(begun.at(-1));
    await end(begun.at(-1));
    expect(await Promise.all([...crowd.slice(0, 3), alone, second])).toEqual(['a0', 'a1', 'a2', 'b0', 'b1']);
  });

  test('the queue has all of its places again once everything is over', async () => {
    const { run, begun, end } = bench(2, 100);
    for (const round of ['a', 'b', 'c']) {
      const names = [`${round}0`, `${round}1`, `${round}2`];
      const done = Promise.all(names.map((name) => run(name)));
      await new Promise((resolve) => setImmediate(resolve));
      expect(begun.slice(-2)).toEqual(names.slice(0, 2));
      for (const name of names) await end(name);
      expect(await done).toEqual(names);
    }
  });
});
