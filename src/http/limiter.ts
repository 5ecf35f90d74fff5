import { callerOf } from '../auth/caller.ts';
import { networkOf } from '../auth/client-network.ts';
import type { Principal } from '../auth/principal.ts';
import { type EndpointLimit, type KeyLimits, type LimitPolicy, policyItem } from '../auth/rate-limit.ts';
import type { Clock } from '../kernel/clock.ts';
import { Problem } from '../kernel/problem.ts';
import type { BucketLevel, Buckets } from '../service/limits/buckets.ts';
import type { Request } from './request.ts';

/** A request that was counted: undefined, or a promise where the database decides. */
type Counts = Promise<void> | undefined;

const tooMany = (seconds: number): Problem =>
  new Problem('too_many_requests', { headers: { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) } });

/** A month in UTC; milliseconds since the epoch. */
const monthOf = (now: number) => {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    name: date.toISOString().slice(0, 7),
    begins: Date.UTC(year, month),
    ends: Date.UTC(year, month + 1),
  };
};

/** Counts requests by the limits of their endpoints and of their API keys. */
export const createLimiter = (buckets: Buckets, clock: Clock) => {
  let month = monthOf(clock());

  const settle = (
    level: BucketLevel | Promise<BucketLevel>,
    check: (level: BucketLevel) => undefined,
  ): Counts => (level instanceof Promise ? level.then(check) : check(level));

  const countRate = (request: Request, policy: LimitPolicy, bucket: string): Counts =>
    settle(buckets.take(bucket, policy), ({ admitted, remaining, wait, untilFull }) => {
      request.limited(`"${policy.name}";r=${remaining};t=${Math.ceil(untilFull / 1000)}`, policy.item);
      if (!admitted) throw tooMany(wait / 1000);
    });

  const countQuota = (request: Request, key: number, quota: number): Counts => {
    const now = clock();
    if (now < month.begins || now >= month.ends) month = monthOf(now);
    const { name, begins, ends } = month;
    const level = buckets.take(`quota:${key} ${name}`, { size: quota, interval: undefined }, ends);
    return settle(level, ({ admitted, remaining }) => {
      const left = Math.ceil((ends - now) / 1000);
      request.limited(`"quota";r=${remaining};t=${left}`, policyItem('quota', quota, (ends - begins) / 1000));
      if (!admitted) throw tooMany(left);
    });
  };

  /** Counts by the limit and then the quota of an API key; a request that the limit refuses uses up no quota. */
  const countKey = (request: Request, key: number, { rate, quota }: KeyLimits): Counts => {
    const rest = (): Counts => (quota === undefined ? undefined : countQuota(request, key, quota));
    const pending = rate && countRate(request, rate, `key:${key}`);
    return pending === undefined ? rest() : pending.then(rest);
  };

  return {
    /** Counts a request by its network, before the caller is authenticated. @throws Problem `too_many_requests` */
    ofNetwork: (request: Request, { bucket, policy }: EndpointLimit): Counts =>
      countRate(request, policy, `${bucket} net:${networkOf(request.address)}`),

    /**
     * Counts a request by its caller, where the endpoint has a limit of callers, and by what the API key has.
     * @throws Problem `too_many_requests`
     */
    ofCaller: (request: Request, limit: EndpointLimit | undefined, principal: Principal): Counts => {
      const { credential = 0, limits } = principal.kind === 'user' ? principal : {};
      const rest = (): Counts => (limits === undefined ? undefined : countKey(request, credential, limits));
      if (limit === undefined) return rest();
      const caller = `${limit.bucket} ${callerOf(principal, request.address)}`;
      const pending = countRate(request, limit.policy, caller);
      return pending === undefined ? rest() : pending.then(rest);
    },
  };
};

export type Limiter = ReturnType<typeof createLimiter>;
