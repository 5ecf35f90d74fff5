import { callerOf } from '../auth/caller.ts';
import { networkOf } from '../auth/client-network.ts';
import type { Principal } from '../auth/principal.ts';
import { type LimitPolicy, policyItem } from '../auth/rate-limit.ts';
import { isOfKeys } from '../auth/registry.ts';
import type { Clock } from '../kernel/clock.ts';
import { Problem } from '../kernel/problem.ts';
import type { BucketLevel, Buckets } from '../service/limits/buckets.ts';
import type { Endpoint } from './endpoint.ts';
import type { Request } from './request.ts';

/** What limits did with a request: undefined, or a promise where the database decides. */
type Counted = Promise<void> | undefined;

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
  ): Counted => (level instanceof Promise ? level.then(check) : check(level));

  const countRate = (request: Request, policy: LimitPolicy, bucket: string): Counted =>
    settle(buckets.take(bucket, policy), ({ admitted, remaining, wait, untilFull }) => {
      request.limited(`"${policy.name}";r=${remaining};t=${Math.ceil(untilFull / 1000)}`, policy.item);
      if (!admitted) throw tooMany(wait / 1000);
    });

  const countQuota = (request: Request, key: number, quota: number): Counted => {
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

  return {
    /**
     * Returns the counter of requests by their network, which is called before the caller is authenticated. Undefined
     * where the endpoint has no such limit. The counter throws the problem `too_many_requests`, as all counters do.
     */
    ofNetworks: ({ rateLimit: limit }: Endpoint): ((request: Request) => Counted) | undefined =>
      limit?.per === 'network'
        ? (request) => countRate(request, limit.policy, `${limit.bucket} net:${networkOf(request.address)}`)
        : undefined,

    /** Returns the counter of requests by their caller, and by the limit and then the quota of an API key, if any. */
    ofCallers: ({
      rateLimit,
      auth,
    }: Endpoint): ((request: Request, principal: Principal) => Counted) | undefined => {
      const limit = rateLimit?.per === 'caller' ? rateLimit : undefined;
      if (limit === undefined && !auth.some(isOfKeys)) return undefined;
      return (request, principal) => {
        const { credential = 0, limits: own } = principal.kind === 'user' ? principal : {};
        const countOwn = (): Counted => {
          const pending = own?.rate && countRate(request, own.rate, `key:${credential}`);
          const rest = (): Counted =>
            own?.quota === undefined ? undefined : countQuota(request, credential, own.quota);
          return pending === undefined ? rest() : pending.then(rest);
        };
        if (limit === undefined) return own && countOwn();
        const caller = `${limit.bucket} ${callerOf(principal, request.address)}`;
        const pending = countRate(request, limit.policy, caller);
        if (own === undefined) return pending;
        return pending === undefined ? countOwn() : pending.then(countOwn);
      };
    },
  };
};

export type Limiter = ReturnType<typeof createLimiter>;
