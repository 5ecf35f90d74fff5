import { UsageError } from './io.ts';

const milliseconds: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/**
 * Returns the milliseconds of `30s`, `10m`, `1h`, `7d` (at most six digits) or `0`. Throws a `UsageError` that names
 * the option.
 */
export const parseDuration = (text: string, option: string): number => {
  if (text === '0') return 0;
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const factor = milliseconds.get(unit);
  if (factor === undefined) throw new UsageError(`--${option} takes a duration such as 30s, 10m, 1h or 7d`);
  return Number(count) * factor;
};
