import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

/** Lines with room for so many, and the outcomes of their callers in the order in which they came. */
const bench = (maxWaiting: number) => {
  const lines = new FairQueue({ maxWaiting, refuse: (why, cause) => new Error(why, { cause }) });
  const went: string[] = [];
  const wait = (name: string, signal?: AbortSignal) =>
    lines.wait(name.slice(0, 1), { signal }).then(
      () => went.push(name),
      (error: Error) => went.push(`${name} ${error.message}`),
    );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { lines, went, wait, settled };
};

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('a fair queue', () => {
  test('an empty queue lets no caller go on', () => {
    const { lines } = bench(1);
    expect([lines.next(), lines.nextOf('a')]).toEqual([undefined, false]);
  });

  test('callers of a key wait while those of another are served', async () => {
    const { lines, went, wait, settled } = bench(10);
    for (const name of ['a0', 'b0', 'b1']) void wait(name);
    expect([lines.nextOf('b'), lines.nextOf('b'), lines.nextOf('b')]).toEqual([true, true, false]);
    await settled();
    expect(went).toEqual(['b0', 'b1']);
    expect([lines.next(), lines.next()]).toEqual(['a', undefined]);
    await settled();
    expect(went).toEqual(['b0', 'b1', 'a0']);
  });

  test('a caller who goes on or hangs up gives the room back', async () => {
    const { lines, went, wait, settled } = bench(2);
    const abort = new AbortController();
    void wait('a0');
    void wait('a1', abort.signal);
    await wait('a2');
    abort.abort();
    void wait('a3');
    await wait('a4');
    lines.next();
    void wait('a5');
    await wait('a6');
    while (lines.next() !== undefined) await settled();
    expect(went).toEqual(['a2 full', 'a1 gone', 'a4 full', 'a0', 'a6 full', 'a3', 'a5']);
  });

  test('the key with the most callers loses its last one, whichever came first', async () => {
    const { went, wait, settled } = bench(6);
    for (const name of ['a0', 'b0', 'b1', 'b2', 'c0', 'c1']) void wait(name);
    void wait('d0');
    await settled();
    expect(went).toEqual(['b2 full']);
  });

  test('no caller is refused for a newcomer whose key would have as many', async () => {
    const { went, wait, settled } = bench(3);
    for (const name of ['a0', 'a1', 'b0', 'b1']) void wait(name);
    await settled();
    expect(went).toEqual(['b1 full']);
  });

  test('a caller who hangs up gets the reason, and no other caller is affected', async () => {
    const { lines, went, wait, settled } = bench(10);
    const abort = new AbortController();
    const reason = new Error('gone');
    const waiting = lines.wait('a', { signal: abort.signal });
    void wait('a1');
    abort.abort(reason);
    await expect(waiting).rejects.toMatchObject({ message: 'gone', cause: reason });
    expect(lines.next()).toBe('a');
    await settled();
    expect(went).toEqual(['a1']);
  });

  test('a fair queue stops listening to a caller who went on, hung up or was refused', async () => {
    const { lines, wait, settled } = bench(2);
    const aborts = Array.from({ length: 3 }, () => new AbortController());
    const [on, up, out] = aborts.map(({ signal }) => signal);
    if (on === undefined || up === undefined || out === undefined) throw new Error('no signal');
    void wait('a0', on);
    void wait('a1', out);
    expect([listeners(on), listeners(out)]).toEqual([1, 1]);
    void wait('b0', up);
    lines.next();
    aborts[1]?.abort();
    await settled();
    expect([on, up, out].map(listeners)).toEqual([0, 0, 0]);
  });
});
