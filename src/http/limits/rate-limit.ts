/** Limits of models and endpoints: as `gatewright.config.ts` states them, their check, and as requests are counted. */

import { type LimitPolicy, maxRequests, type Rate, rateFlaw, rateOptions } from '../../auth/rate-limit.ts';
import { checkThat, type OptionTable, objectOf, wholeNumber } from '../../kernel/options.ts';
import { isMemberRule, type MemberRule } from '../../model/row-rule.ts';

/** A limit of a model or an endpoint, as `gatewright.config.ts` states it. */
export interface RateLimit extends Rate {
  /**
   * `caller`: each user and each application has a bucket, whichever token or key they use; an anonymous caller has
   * that of the network. `network`: each IPv4 address, each /64 of IPv6 addresses. A condition made by `member`: the
   * members of a tenant share a bucket, and each caller has one as well. Of several tenants of a user, the one of the
   * oldest membership counts. `caller` unless given.
   */
  readonly per?: 'caller' | 'network' | MemberRule;
  /** With `per: member(…)`: requests of each caller in a window, from 1 to `max`; `max` unless given. */
  readonly each?: number;
}

const rateLimitOptions = {
  ...rateOptions,
  per: checkThat(
    '"caller", "network" or a condition made by member',
    (value) => value === 'caller' || value === 'network' || isMemberRule(value),
  ),
  each: wholeNumber(1, maxRequests),
} satisfies OptionTable<RateLimit>;

const eachFlaw = ({ max, per, each }: Partial<RateLimit>, path: string): string | undefined => {
  if (each === undefined) return undefined;
  if (!isMemberRule(per)) return `${path}.each needs a condition made by member as \`per\``;
  return max !== undefined && each > max ? `${path}.each must be at most \`max\`` : undefined;
};

/** Checks a limit of the configuration. */
export const checkRateLimit = (value: unknown, path: string): string | undefined =>
  objectOf(rateLimitOptions)(value, path) ??
  rateFlaw(value as Partial<Rate>, path) ??
  eachFlaw(value as Partial<RateLimit>, path);

/** The bucket that the members of a tenant share. */
export interface TenantLimit {
  /** The name of the bucket up to the id of the tenant. */
  readonly bucket: string;
  readonly policy: LimitPolicy;
  /** Reads the id of the tenant for which a user counts; undefined for one without a tenant. */
  readonly tenantOf: (user: number) => Promise<number | undefined>;
}

/** The limit of an endpoint. */
export interface EndpointLimit {
  /** The name by which buckets of this limit differ from those of others. */
  readonly bucket: string;
  readonly per: 'caller' | 'network';
  readonly policy: LimitPolicy;
  /** Where the members of a tenant share a bucket: that limit, beside the one of each caller. */
  readonly tenant?: TenantLimit | undefined;
}

/** The limit of an endpoint whose members of a tenant share a bucket. */
export interface SharedLimit extends EndpointLimit {
  readonly tenant: TenantLimit;
}

/** True if the members of a tenant share a bucket of a limit. */
export const isShared = (limit: EndpointLimit | undefined): limit is SharedLimit =>
  limit?.tenant !== undefined;
