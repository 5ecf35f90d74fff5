import { expect, it } from 'vitest';
import { parseDuration } from '../duration.ts';

it.each([
  ['0', 0],
  ['0s', 0],
  ['30s', 30_000],
  ['10m', 600_000],
  ['1h', 3_600_000],
  ['7d', 604_800_000],
  ['999999d', 86_399_913_600_000],
])('%s is %i ms', (text, milliseconds) => {
  expect(parseDuration(text, 'grace')).toBe(milliseconds);
});

it.each([
  '',
  '1',
  '-1h',
  '1.5h',
  '1H',
  ' 1h',
  '1h ',
  '1h30m',
  '1000000s',
  '1w',
  's',
  '1e3s',
  '١s',
  '1constructor',
])('app rotate refuses the grace %j', (text) => {
  expect(() => parseDuration(text, 'grace')).toThrow('--grace takes a duration');
});
