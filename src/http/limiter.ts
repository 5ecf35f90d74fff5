/** Counts a request against the limits of its caller and endpoint, and refuses it with 429. */

import { callerOf } from '../auth/caller.ts';
import { networkOf } from '../auth/client-network.ts';
import type { Principal } from '../auth/principal.ts';
import { type EndpointLimit, type LimitPolicy, policyItem, type TenantLimit } from '../auth/rate-limit.ts';
import type { Clock } from '../kernel/clock.ts';
import { Problem } from '../kernel/problem.ts';
import type { BucketLevel, Buckets } from './buckets.ts';
import type { Request } from './request.ts';

/** A request that was counted: undefined, or a promise where the database decides. */
type Counts = Promise<void> | undefined;

/** A limit that counts a request, with the name of the bucket from which it takes. */
interface Limiting {
  readonly bucket: string;
  readonly policy: LimitPolicy;
  /** Milliseconds since the epoch at which a quota ends. */
  readonly ends: number | undefined;
  /** True if it shows only where it refuses. */
  readonly isSilent?: boolean;
}

/** A limit as it stands. */
export interface LimitLevel extends Pick<BucketLevel, 'admitted' | 'remaining'> {
  readonly policy: LimitPolicy;
}

const tooMany = (seconds: number): Problem =>
  new Problem('too_many_requests', { headers: { 'Retry-After': String(Math.max(1, seconds)) } });

/** A month in UTC; milliseconds since the epoch. */
interface Month {
  readonly name: string;
  readonly begins: number;
  readonly ends: number;
}

const monthOf = (now: number): Month => {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    name: date.toISOString().slice(0, 7),
    begins: Date.UTC(year, month),
    ends: Date.UTC(year, month + 1),
  };
};

const networkLimit = ({ bucket, policy }: EndpointLimit, address: string): Limiting => ({
  bucket: `${bucket} net:${networkOf(address)}`,
  policy,
  ends: undefined,
});

const callerLimit = ({ bucket, policy }: EndpointLimit, principal: Principal, address: string): Limiting => ({
  bucket: `${bucket} ${callerOf(principal, address)}`,
  policy,
  ends: undefined,
});

/** The limits of a caller, and what the caller shares with the other members of a tenant, if there is one. */
const memberLimits = async (
  own: Limiting,
  { bucket, policy, showsCaller, tenantOf }: TenantLimit,
  principal: Principal,
): Promise<readonly Limiting[]> => {
  const tenant = principal.kind === 'user' ? await tenantOf(principal.id) : undefined;
  if (tenant === undefined) return [own];
  const shared = { bucket: `${bucket}${tenant}`, policy, ends: undefined };
  return [{ ...own, isSilent: !showsCaller }, shared];
};

/** Counts requests by the limits of their endpoints and of their API keys. */
export class Limiter {
  readonly #buckets: Buckets;
  readonly #clock: Clock;
  #month: Month;

  constructor(buckets: Buckets, clock: Clock) {
    this.#buckets = buckets;
    this.#clock = clock;
    this.#month = monthOf(clock());
  }

  /** Counts a request by its network, before the caller is authenticated. @throws Problem `too_many_requests` */
  ofNetwork(request: Request, limit: EndpointLimit): Counts {
    return this.#count(request, networkLimit(limit, request.address));
  }

  /**
   * Counts a request by its caller, where the endpoint has a limit of callers, by the caller's tenant, where members
   * share a limit, and by what the API key has.
   * @throws Problem `too_many_requests`, `database_unavailable`
   */
  ofCaller(request: Request, limit: EndpointLimit | undefined, principal: Principal): Counts {
    if (limit === undefined) return this.#countAll(request, this.#keyLimits(principal), 0);
    const own = callerLimit(limit, principal, request.address);
    return limit.tenant === undefined
      ? this.#countAll(request, [own, ...this.#keyLimits(principal)], 0)
      : this.#ofMember(request, own, limit.tenant, principal);
  }

  /**
   * The caller's own bucket follows the user into every tenant. A request that one bucket is known to refuse takes from
   * none: callers who ask on after a refusal do not use up what others have.
   */
  async #ofMember(request: Request, own: Limiting, tenant: TenantLimit, principal: Principal): Promise<void> {
    // Before the membership is read: a caller who asks too often costs no statement.
    this.#refuseKnown(request, own);
    const limits = [...(await memberLimits(own, tenant, principal)), ...this.#keyLimits(principal)];
    for (const each of limits) this.#refuseKnown(request, each);
    await this.#countAll(request, limits, 0);
  }

  /**
   * Returns the limits by which a request would be counted, as they stand. Limits of an unknown address are left out.
   */
  async levels(
    limit: EndpointLimit | undefined,
    principal: Principal,
    address: string | undefined,
  ): Promise<readonly LimitLevel[]> {
    const byAddress = limit?.per === 'network' || principal.kind === 'nobody';
    const known = byAddress && address === undefined ? undefined : limit;
    const limits = [...(await this.#endpointLimits(known, principal, address ?? ''))];
    limits.push(...this.#keyLimits(principal));
    const levels = await Promise.all(
      limits.map(async ({ bucket, policy, isSilent }) => ({
        policy,
        isSilent,
        ...(await this.#buckets.level(bucket, policy)),
      })),
    );
    return levels.filter(({ isSilent, admitted }) => isSilent !== true || !admitted);
  }

  #endpointLimits(
    limit: EndpointLimit | undefined,
    principal: Principal,
    address: string,
  ): readonly Limiting[] | Promise<readonly Limiting[]> {
    if (limit === undefined) return [];
    if (limit.per === 'network') return [networkLimit(limit, address)];
    const own = callerLimit(limit, principal, address);
    return limit.tenant === undefined ? [own] : memberLimits(own, limit.tenant, principal);
  }

  /** The limits of an API key, after those of the endpoint: a request that one refuses uses up none of the next. */
  #keyLimits(principal: Principal): readonly Limiting[] {
    const { credential = 0, limits } = principal.kind === 'user' ? principal : {};
    const found: Limiting[] = [];
    if (limits?.rate !== undefined)
      found.push({ bucket: `key:${credential}`, policy: limits.rate, ends: undefined });
    if (limits?.quota !== undefined) found.push(this.#quotaOf(credential, limits.quota));
    return found;
  }

  #quotaOf(key: number, quota: number): Limiting {
    const now = this.#clock();
    if (now < this.#month.begins || now >= this.#month.ends) this.#month = monthOf(now);
    const { name, begins, ends } = this.#month;
    const item = policyItem('quota', quota, (ends - begins) / 1000);
    return {
      bucket: `quota:${key} ${name}`,
      policy: { name: 'quota', size: quota, interval: undefined, item },
      ends,
    };
  }

  #countAll(request: Request, limits: readonly Limiting[], from: number): Counts {
    const limit = limits[from];
    if (limit === undefined) return undefined;
    const pending = this.#count(request, limit);
    return pending === undefined
      ? this.#countAll(request, limits, from + 1)
      : pending.then(() => this.#countAll(request, limits, from + 1));
  }

  #count(request: Request, limiting: Limiting): Counts {
    const { bucket, policy, ends } = limiting;
    const level = this.#buckets.take(bucket, policy, ends);
    return level instanceof Promise
      ? level.then((decided) => this.#check(request, limiting, decided))
      : this.#check(request, limiting, level);
  }

  #refuseKnown(request: Request, limiting: Limiting): void {
    const level = this.#buckets.refusal(limiting.bucket, limiting.policy);
    if (level !== undefined) this.#check(request, limiting, level);
  }

  /** Notes a limit for the headers. @throws Problem `too_many_requests` where it did not admit the request */
  #check(request: Request, { policy, ends, isSilent = false }: Limiting, level: BucketLevel): undefined {
    const { admitted, remaining, wait, untilFull } = level;
    const seconds = (milliseconds: number): number =>
      Math.ceil((ends === undefined ? milliseconds : ends - this.#clock()) / 1000);
    if (!isSilent || !admitted)
      request.limited(`"${policy.name}";r=${remaining};t=${seconds(untilFull)}`, policy.item);
    if (!admitted) throw tooMany(seconds(wait));
  }
}
