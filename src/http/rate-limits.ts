/** The limits of a configuration: the tenants that they name, and the endpoints that they limit. */

import { type EndpointLimit, isCounter, limitPolicy, type RateLimit } from '../auth/rate-limit.ts';
import type { Database } from '../database/database.ts';
import { nearestHint } from '../kernel/options.ts';
import { DefinitionError } from '../model/definition-error.ts';
import type { Models } from '../model/models.ts';
import { findTenancy, type Tenancy } from '../model/tenancy.ts';
import { createTenantReader } from '../records/rows.ts';
import type { Endpoint } from './endpoint.ts';

/** Limits of a configuration, by the names of what they limit. */
export type RateLimits = Readonly<Record<string, RateLimit>>;

/** The limit of every endpoint that has none of its own. */
const general = 'default';

const prefix = '/api/v1';

/** The names by which a configuration can limit an endpoint, the closest first. */
const namesOf = ({ method, path, policy, docs }: Endpoint): readonly string[] => {
  if (!path.startsWith(`${prefix}/`) || docs.hidden === true) return [];
  const own = `${method} ${path.slice(prefix.length)}`;
  if (own === 'GET /health') return [own];
  return policy.kind === 'resource' ? [own, policy.model.path, general] : [own, general];
};

/** The tenants whose members share a limit, by the name of the limit. */
export type LimitTenancies = ReadonlyMap<string, Tenancy>;

/** Finds the tenants that limits name. @throws DefinitionError that names the tenants of the application */
export const tenanciesOfLimits = (limits: RateLimits, models: Models): LimitTenancies =>
  new Map(
    Object.entries(limits).flatMap(([name, { per = 'caller' }]): [string, Tenancy][] =>
      isCounter(per) ? [] : [[name, findTenancy(models, per, `limits.${name}.per`)]],
    ),
  );

/** Where limits find the tenant of a caller. */
export interface TenantParts {
  readonly tenancies: LimitTenancies;
  readonly database: Database;
}

const endpointLimit = (
  name: string,
  limit: RateLimit,
  { tenancies, database }: TenantParts,
): EndpointLimit => {
  const { per = 'caller', max, burst = max, each = max } = limit;
  const tenancy = tenancies.get(name);
  if (tenancy === undefined)
    return { bucket: name, per: isCounter(per) ? per : 'caller', policy: limitPolicy('default', limit) };
  const showsCaller = limit.each !== undefined;
  const ofCaller = { ...limit, max: each, burst: Math.min(each, burst) };
  return {
    bucket: name,
    per: 'caller',
    policy: limitPolicy(showsCaller ? 'caller' : 'default', ofCaller),
    tenant: {
      bucket: `${name} ${tenancy.tenant}:`,
      policy: limitPolicy('default', limit),
      showsCaller,
      tenantOf: createTenantReader(database, tenancy),
    },
  };
};

/**
 * Gives each endpoint its limit: that of its method and path (`POST /checkout`), of its model (`orders`), or `default`.
 * The administration area and the documentation have none. A limit that the service itself sets gives way to one for
 * the method and path only.
 * @throws DefinitionError where a name stands for no endpoint
 */
export const withRateLimits = (
  endpoints: readonly Endpoint[],
  limits: RateLimits,
  parts: TenantParts,
): Endpoint[] => {
  const known = new Set([general, ...endpoints.flatMap(namesOf)]);
  for (const name of Object.keys(limits))
    if (!known.has(name))
      throw new DefinitionError(
        'configuration',
        `limits: there is no model or endpoint "${name}"${nearestHint(name, known)}`,
      );
  const byName = new Map(
    Object.entries(limits).map(([name, limit]): [string, EndpointLimit] => [
      name,
      endpointLimit(name, limit, parts),
    ]),
  );
  return endpoints.map((endpoint) => {
    const names = namesOf(endpoint);
    const name = (endpoint.rateLimit === undefined ? names : names.slice(0, 1)).find((each) =>
      byName.has(each),
    );
    const rateLimit = name === undefined ? undefined : byName.get(name);
    return rateLimit === undefined ? endpoint : { ...endpoint, rateLimit };
  });
};
