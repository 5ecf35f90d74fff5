import { expect, it } from 'vitest';
import { toTimestamp } from './clock.ts';

it('writes each moment as itself, whichever was written before', () => {
  const moment = Date.parse('2026-11-22T01:02:03.004Z');
  expect([moment, moment, moment + 1, 0, moment].map(toTimestamp)).toEqual([
    '2026-11-22T01:02:03.004Z',
    '2026-11-22T01:02:03.004Z',
    '2026-11-22T01:02:03.005Z',
    '1970-01-01T00:00:00.000Z',
    '2026-11-22T01:02:03.004Z',
  ]);
});
