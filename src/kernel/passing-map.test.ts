import { setImmediate as turn } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { PassingMap, PassingSet } from './passing-map.ts';

describe('a map of what comes and goes', () => {
  it('holds what was set, in the order in which it came', () => {
    const map = new PassingMap<string, number>();
    for (const [index, name] of [...'abcd'].entries()) map.set(name, index);
    map.set('b', 7);
    expect([map.delete('a'), map.delete('a'), map.has('a'), map.get('a')]).toEqual([
      true,
      false,
      false,
      undefined,
    ]);
    map.set('a', 9);
    expect([map.size, map.get('b'), map.has('c')]).toEqual([4, 7, true]);
    expect(map.keys()).toEqual(['b', 'c', 'd', 'a']);
    expect(map.values()).toEqual([7, 2, 3, 9]);
    expect(map.entries()).toEqual([
      ['b', 7],
      ['c', 2],
      ['d', 3],
      ['a', 9],
    ]);
    map.clear();
    expect([map.size, map.get('b'), map.keys()]).toEqual([0, undefined, []]);
  });

  it('is the same as a Map, however many leave', () => {
    const [map, known] = [new PassingMap<number, number>(), new Map<number, number>()];
    let seed = 1;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let step = 0; step < 20_000; step += 1) {
      const key = random(64);
      if (random(5) < 2) {
        map.set(key, step);
        known.set(key, step);
      } else expect(map.delete(key)).toBe(known.delete(key));
      if (step % 100 === 0) expect(map.entries()).toEqual([...known]);
    }
    expect(map.entries()).toEqual([...known]);
  });

  it('gives what is there at a moment, also while it changes', () => {
    const set = new PassingSet<number>();
    for (let each = 0; each < 50; each += 1) set.add(each);
    const seen: number[] = [];
    for (const each of set.values()) {
      seen.push(each);
      expect(set.delete(each)).toBe(true);
    }
    expect([seen.length, set.size, set.delete(1)]).toEqual([50, 0, false]);
  });
});

interface Held {
  set(key: number, value: unknown): unknown;
  delete(key: number): unknown;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

/** Megabytes that are left of many short lives after small collections, with so many there at a time. */
const leftOf = async (map: Held, most: number): Promise<number> => {
  const pass = (first: number, count: number): void => {
    for (let key = first; key < first + count; key += 1) {
      map.set(key, new Array(128).fill(key));
      map.delete(key - most);
    }
  };
  pass(0, 1_000);
  // From now on what the map consists of counts as lasting.
  collect();
  await turn();
  collect();
  const before = getHeapStatistics().used_heap_size;
  for (let part = 1; part <= 20; part += 1) {
    pass(part * 1_000, 1_000);
    collect({ type: 'minor' });
  }
  collect({ type: 'minor' });
  return (getHeapStatistics().used_heap_size - before) / 2 ** 20;
};

describe('what has left', () => {
  it.each([1, 8, 100])('does not live on where %s are there at a time', async (most) => {
    expect(await leftOf(new PassingMap(), most)).toBeLessThan(3);
  });

  it('does in a Map, which is why this is here', async () => {
    expect(await leftOf(new Map(), 8)).toBeGreaterThan(12);
  });
});
