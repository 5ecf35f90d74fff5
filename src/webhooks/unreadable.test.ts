import { expect, it } from 'vitest';
import { UnreadableSecrets } from './unreadable.ts';

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
