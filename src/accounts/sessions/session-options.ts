import { toTimestamp } from '../../kernel/clock.ts';
import { type OptionCheck, type OptionTable, objectOf, wholeNumber } from '../../kernel/options.ts';

/** Option `sessions` of an application's configuration. */
export interface SessionOptions {
  /** Days without a renewal after which a long sign-in ends: 1 to 400. */
  readonly days: number;
}

const options = { days: wholeNumber(1, 400) } satisfies OptionTable<SessionOptions>;

/** Check of the option `sessions`. */
export const sessionsOption: OptionCheck = (value, path) =>
  objectOf(options)(value, path) ?? ('days' in (value as object) ? undefined : `${path} needs days`);

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Time of the last renewal after which a long sign-in is valid. Without the option none can be renewed, and its tokens
 * are valid for a day.
 */
export const longSince = (now: number, days = 1): string => toTimestamp(now - days * dayMs);
