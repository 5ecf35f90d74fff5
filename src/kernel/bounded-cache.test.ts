import { describe, expect, it } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';
import { caches } from './caches.ts';

const { room } = caches.totals;
const entry = (number: number) => ({ number });

describe('a bounded cache', () => {
  it('holds at most twice its room, whatever comes', () => {
    const cache = new BoundedCache<{ number: number }>('totals');
    for (let number = 0; number < 10 * room; number += 1) {
      cache.set(`key ${number}`, entry(number));
      expect(cache.size).toBeLessThanOrEqual(2 * room);
    }
    expect(cache.get('key 0')).toBeUndefined();
    for (let number = 9 * room; number < 10 * room; number += 1)
      expect(cache.get(`key ${number}`)).toEqual({ number });
  });

  it('keeps what is asked for again and again', () => {
    const cache = new BoundedCache<{ number: number }>('totals');
    const kept = entry(-1);
    cache.set('kept', kept);
    for (let number = 0; number < 5 * room; number += 1) {
      cache.set(`key ${number}`, entry(number));
      expect(cache.get('kept')).toBe(kept);
    }
  });

  it('answers what was set last', () => {
    const cache = new BoundedCache<{ number: number }>('totals');
    cache.set('key', entry(1));
    for (let number = 0; number < room; number += 1) cache.set(`other ${number}`, entry(number));
    cache.set('key', entry(2));
    expect(cache.get('key')).toEqual({ number: 2 });
  });

  it('knows nothing once it was cleared, of either generation', () => {
    const cache = new BoundedCache<{ number: number }>('totals');
    for (let number = 0; number < 1.5 * room; number += 1) cache.set(`key ${number}`, entry(number));
    cache.clear();
    expect(cache.size).toBe(0);
    expect([cache.get('key 0'), cache.get(`key ${room}`)]).toEqual([undefined, undefined]);
  });
});
