import { durationOf } from '../kernel/duration.ts';
import { UsageError } from './io.ts';

/**
 * Returns the milliseconds of `30s`, `10m`, `1h`, `7d` (at most six digits) or `0`. Throws a `UsageError` that names
 * the option.
 */
export const parseDuration = (text: string, option: string): number => {
  const duration = text === '0' ? 0 : durationOf(text);
  if (duration === undefined) throw new UsageError(`--${option} takes a duration such as 30s, 10m, 1h or 7d`);
  return duration;
};
