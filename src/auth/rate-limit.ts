/**
 * Rate limits as data: the limits of models, endpoints and API keys, their check, and their policy as headers
 * name it.
 */

import { durationOf } from '../kernel/duration.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { type OptionTable, objectOf, textual, wholeNumber } from '../kernel/options.ts';

/** The rate of a limit, as an API key carries one of its own. */
export interface Rate {
  /** Requests in a window. */
  readonly max: number;
  /** Length of the window: `30s`, `1m`, `1h`, `1d`. */
  readonly window: string;
  /** Requests that may come at once; `max` unless given. */
  readonly burst?: number;
}

/** A limit of a model or an endpoint, as `gatewright.config.ts` states it. */
export interface RateLimit extends Rate {
  /**
   * `caller`: each user and each application has a bucket, whichever token or key they use; an anonymous caller has
   * that of the network. `network`: each IPv4 address, each /64 of IPv6 addresses. The name of a tenant, such as
   * `clinic`: its members share a bucket, and a caller without a tenant has one as with `caller`. `clinic` is a
   * reference of the memberships that row rules name by `member`; `Staff.clinic` where several models have one.
   * `caller` unless given.
   */
  readonly per?: string;
  /** Where members share a bucket: requests of each caller in a window, from 1 to `max`; `max` unless given. */
  readonly each?: number;
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

const rateOptions = {
  max: wholeNumber(1, maxRequests),
  window: (value, path) => {
    const duration = typeof value === 'string' ? durationOf(value) : undefined;
    return duration === undefined || duration === 0 || duration > maxWindow * 1000
      ? `${path} must be a duration from 1s to 31d, such as "1m"`
      : undefined;
  },
  burst: wholeNumber(1, maxRequests),
} satisfies OptionTable<Rate>;

const rateLimitOptions = {
  ...rateOptions,
  per: textual,
  each: wholeNumber(1, maxRequests),
} satisfies OptionTable<RateLimit>;

/** Returns the flaw of a rate that has no flaw in its parts. */
const rateFlaw = ({ max, window, burst }: Partial<Rate>, path: string): string | undefined => {
  if (max === undefined || window === undefined) return `${path} must have \`max\` and \`window\``;
  const interval = intervalOf({ max, window });
  if (interval < 1_000_000 / maxPerSecond) return `${path}: at most ${maxPerSecond} requests in a second`;
  return interval * (burst ?? max) > maxFilling * 1_000_000
    ? `${path}: an empty bucket must be full again after 366 days at most`
    : undefined;
};

const counters = ['caller', 'network'] as const;
type Counter = (typeof counters)[number];

/** True if a limit counts by what every application has, and not by its tenants. */
export const isCounter = (per: string): per is Counter => (counters as readonly string[]).includes(per);

const eachFlaw = (
  { max = 0, per = 'caller', each }: Partial<RateLimit>,
  path: string,
): string | undefined => {
  if (each === undefined) return undefined;
  if (isCounter(per)) return `${path}.each needs a tenant as \`per\``;
  return each > max ? `${path}.each must be at most \`max\`` : undefined;
};

/** Checks a limit of the configuration, but for the name of a tenant, which depends on the models. */
export const checkRateLimit = (value: unknown, path: string): string | undefined =>
  objectOf(rateLimitOptions)(value, path) ??
  rateFlaw(value as Partial<Rate>, path) ??
  eachFlaw(value as Partial<RateLimit>, path);

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
  readonly name: 'default' | 'caller' | 'key' | 'quota';
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

/** The limit of an endpoint. */
export interface EndpointLimit {
  /** The name by which buckets of this limit differ from those of others. */
  readonly bucket: string;
  readonly per: Counter;
  readonly policy: LimitPolicy;
  /** The limit that the members of a tenant share, beside that of each caller. */
  readonly tenant?: TenantLimit | undefined;
}

/** A limit that the members of a tenant share. */
export interface TenantLimit {
  /** The name of a bucket up to the id of the tenant. */
  readonly bucket: string;
  readonly policy: LimitPolicy;
  /** True if the configuration limits each caller as well; otherwise their own bucket shows in a refusal only. */
  readonly showsCaller: boolean;
  /** Reads the id of the tenant for which a user counts; undefined for one without a tenant. */
  readonly tenantOf: (user: number) => Promise<number | undefined>;
}

/** Limits of an API key. */
export interface KeyLimits {
  readonly rate: LimitPolicy | undefined;
  /** Requests of a month. */
  readonly quota: number | undefined;
}
