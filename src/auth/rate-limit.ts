/** Rate limits as data: a rate, its check, the limits of an API key, and a policy as headers name it. */

import { durationOf } from '../kernel/duration.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { type OptionTable, objectOf, wholeNumber } from '../kernel/options.ts';

/** The rate of a limit, as an API key carries one of its own. */
export interface Rate {
  /** Requests in a window. */
  readonly max: number;
  /** Length of the window: `30s`, `1m`, `1h`, `1d`. */
  readonly window: string;
  /** Requests that may come at once; `max` unless given. */
  readonly burst?: number;
}

/** @limit Accounts and credentials | requests of a limit in a window, and of a quota | count | no start, 422 */
export const maxRequests = 1_000_000_000;
/**
 * Seconds of the longest window.
 * @limit Accounts and credentials | the window of a limit | s | no start, 422
 */
const maxWindow = 31 * 86_400;
/**
 * The interval of this rate is 100 microseconds: rounding it changes a rate by 0.5 % at most.
 * @limit Accounts and credentials | requests of a limit in a second | count | no start, 422
 */
const maxPerSecond = 10_000;
/**
 * Seconds after which an empty bucket is full again, at most.
 * @limit Accounts and credentials | time in which a bucket is full again | s | no start, 422
 */
const maxFilling = 366 * 86_400;

export const rateOptions = {
  max: wholeNumber(1, maxRequests),
  window: (value, path) => {
    const duration = typeof value === 'string' ? durationOf(value) : undefined;
    return duration === undefined || duration === 0 || duration > maxWindow * 1000
      ? `${path} must be a duration from 1s to 31d, such as "1m"`
      : undefined;
  },
  burst: wholeNumber(1, maxRequests),
} satisfies OptionTable<Rate>;

/** Returns the flaw of a rate that has no flaw in its parts. */
export const rateFlaw = ({ max, window, burst }: Partial<Rate>, path: string): string | undefined => {
  if (max === undefined || window === undefined) return `${path} must have \`max\` and \`window\``;
  const interval = intervalOf({ max, window });
  if (interval < 1_000_000 / maxPerSecond) return `${path}: at most ${maxPerSecond} requests in a second`;
  return interval * (burst ?? max) > maxFilling * 1_000_000
    ? `${path}: an empty bucket must be full again after 366 days at most`
    : undefined;
};

/** True if a JSON value is a rate. */
export const isRate = (value: Json): boolean =>
  isJsonObject(value) && objectOf(rateOptions)(value, '') === undefined && rateFlaw(value, '') === undefined;

/** Microseconds in which a bucket regains one request. */
const intervalOf = ({ max, window }: Rate): number => Math.round(((durationOf(window) ?? 0) * 1000) / max);

/** The shape of a bucket. */
export interface BucketShape {
  /** Requests that a full bucket holds. */
  readonly size: number;
  /** Microseconds in which it regains one of them; undefined for a quota, which regains nothing. */
  readonly interval: number | undefined;
}

/** A limit as requests are counted by it and as headers name it. */
export interface LimitPolicy extends BucketShape {
  /** Its name in the headers. */
  readonly name: 'default' | 'tenant' | 'key' | 'quota';
  /** Its item in `RateLimit-Policy`. */
  readonly item: string;
}

/** An item of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
export const policyItem = (name: string, requests: number, seconds: number): string =>
  `"${name}";q=${requests};w=${seconds}`;

export const limitPolicy = (name: LimitPolicy['name'], rate: Rate): LimitPolicy => ({
  name,
  size: rate.burst ?? rate.max,
  interval: intervalOf(rate),
  item: policyItem(name, rate.max, Math.round((durationOf(rate.window) ?? 0) / 1000)),
});

/** Limits of an API key. */
export interface KeyLimits {
  readonly rate: LimitPolicy | undefined;
  /** Requests of a month. */
  readonly quota: number | undefined;
}
