import { describe, expect, it } from 'vitest';
import { nextDelay, retryAfterDelay, retryDelays, UnreadableSecrets } from './runner.ts';

describe('attempts at a delivery', () => {
  it('attempts at a delivery are eight over some 28 hours', () => {
    const waits = Array.from({ length: 8 }, (_, index) => nextDelay(index + 1, 0, 0.5));
    expect(waits).toEqual([...retryDelays, undefined]);
    expect(retryDelays.reduce((sum, delay) => sum + delay, 0) / 3_600_000).toBeCloseTo(27.6, 1);
    expect([nextDelay(2, 0, 0), nextDelay(2, 0, 1)]).toEqual([270_000, 330_000]);
  });

  it('attempts at a delivery wait longer where the receiver asks for it, within a day', () => {
    const now = Date.parse('2026-11-22T12:00:00Z');
    expect(retryAfterDelay(undefined, now)).toBe(0);
    expect(retryAfterDelay('120', now)).toBe(120_000);
    expect(retryAfterDelay('999999999', now)).toBe(86_400_000);
    expect(retryAfterDelay('Sun, 22 Nov 2026 12:01:00 GMT', now)).toBe(60_000);
    expect(retryAfterDelay('Sun, 22 Nov 2026 11:00:00 GMT', now)).toBe(0);
    for (const nonsense of ['', '-5', 'soon', '1e9', '1.5', '99999999999999'])
      expect([nonsense, retryAfterDelay(nonsense, now) <= 86_400_000]).toEqual([nonsense, true]);
    expect(nextDelay(1, 120_000, 0.5)).toBe(120_000);
    expect(nextDelay(4, 120_000, 0.5)).toBe(7_200_000);
  });
});

it('a webhook with an unreadable secret is left to others for a second at a time, and given up in the end', () => {
  let now = 0;
  const secrets = new UnreadableSecrets(10_000, () => now);
  expect(secrets.isPaused(1)).toBe(false);
  expect(secrets.failed(1)).toBe(false);
  expect([secrets.isPaused(1), secrets.isPaused(2)]).toEqual([true, false]);
  now = 999;
  expect(secrets.isPaused(1)).toBe(true);
  now = 1_000;
  expect(secrets.isPaused(1)).toBe(false);
  now = 9_999;
  expect(secrets.failed(1)).toBe(false);
  now = 10_999;
  expect(secrets.isPaused(1)).toBe(false);
  expect(secrets.failed(1)).toBe(true);
  // Enabling it again gives it the whole time.
  expect(secrets.failed(1)).toBe(false);
  secrets.opened(1);
  expect(secrets.isPaused(1)).toBe(false);
});
