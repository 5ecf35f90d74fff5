import { describe, expect, it } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

const capacity = 200;
const entry = (number: number) => ({ number });

describe('a bounded cache', () => {
  it('holds at most twice its capacity, whatever comes', () => {
    const cache = new BoundedCache<{ number: number }>(capacity);
    for (let number = 0; number < 10 * capacity; number += 1) {
      cache.set(`key ${number}`, entry(number));
      expect(cache.size).toBeLessThanOrEqual(2 * capacity);
    }
    expect(cache.get('key 0')).toBeUndefined();
    for (let number = 9 * capacity; number < 10 * capacity; number += 1)
      expect(cache.get(`key ${number}`)).toEqual({ number });
  });

  it('keeps what is asked for again and again', () => {
    const cache = new BoundedCache<{ number: number }>(capacity);
    const kept = entry(-1);
    cache.set('kept', kept);
    for (let number = 0; number < 5 * capacity; number += 1) {
      cache.set(`key ${number}`, entry(number));
      expect(cache.get('kept')).toBe(kept);
    }
  });

  it('returns the value that was set last', () => {
    const cache = new BoundedCache<{ number: number }>(capacity);
    cache.set('key', entry(1));
    for (let number = 0; number < capacity; number += 1) cache.set(`other ${number}`, entry(number));
    cache.set('key', entry(2));
    expect(cache.get('key')).toEqual({ number: 2 });
  });

  it('a bounded cache is empty once it was cleared, of either generation', () => {
    const cache = new BoundedCache<{ number: number }>(capacity);
    for (let number = 0; number < 1.5 * capacity; number += 1) cache.set(`key ${number}`, entry(number));
    cache.clear();
    expect(cache.size).toBe(0);
    expect([cache.get('key 0'), cache.get(`key ${capacity}`)]).toEqual([undefined, undefined]);
  });
});
