/** The door to the limits of the configuration: what it may state, and the endpoints with their limits. */

import { limitPolicy } from '../auth/rate-limit.ts';
import type { Database } from '../database/database.ts';
import { nearestHint } from '../kernel/options.ts';
import { DefinitionError } from '../model/definition-error.ts';
import { type ConfiguredRules, type Models, tenantMemberships } from '../model/models.ts';
import { isMemberRule, type MemberRule } from '../model/row-rule.ts';
import { createTenantReader } from '../records/rows.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointLimit, RateLimit } from './limits/rate-limit.ts';

export type { RateLimit } from './limits/rate-limit.ts';
export { checkRateLimit } from './limits/rate-limit.ts';

/** The limits of a configuration, by the names of what they limit. */
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

const pathOf = (name: string): string => `limits.${name}.per`;

/** The conditions by which the limits of a configuration name memberships. */
export const rulesOfLimits = (limits: RateLimits): ConfiguredRules =>
  new Map(
    Object.entries(limits).flatMap(([name, { per }]): [string, MemberRule][] =>
      isMemberRule(per) ? [[pathOf(name), per]] : [],
    ),
  );

/** What limits by memberships read. */
interface TenantParts {
  readonly models: Models;
  readonly database: Database;
}

const endpointLimit = (name: string, limit: RateLimit, { models, database }: TenantParts): EndpointLimit => {
  const { per = 'caller', max, burst = max, each = max } = limit;
  if (!isMemberRule(per)) return { bucket: name, per, policy: limitPolicy('default', limit) };
  const memberships = tenantMemberships(models, pathOf(name), per);
  const { model, on } = memberships;
  return {
    bucket: name,
    per: 'caller',
    policy: limitPolicy('default', { ...limit, max: each, burst: Math.min(each, burst) }),
    tenant: {
      bucket: `${name} ${model}.${on}:`,
      policy: limitPolicy('tenant', limit),
      tenantOf: createTenantReader(database, memberships),
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
