import { limitPolicy, type RateLimit } from '../auth/rate-limit.ts';
import { nearestHint } from '../kernel/options.ts';
import { DefinitionError } from '../model/definition-error.ts';
import type { Endpoint } from './endpoint.ts';

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

/**
 * Gives each endpoint its limit: that of its method and path (`POST /checkout`), of its model (`orders`), or `default`.
 * The administration area and the documentation have none. A limit that the service itself sets gives way to one for
 * the method and path only.
 * @throws DefinitionError where a name stands for no endpoint
 */
export const withRateLimits = (
  endpoints: readonly Endpoint[],
  limits: Readonly<Record<string, RateLimit>>,
): Endpoint[] => {
  const known = new Set([general, ...endpoints.flatMap(namesOf)]);
  for (const name of Object.keys(limits))
    if (!known.has(name))
      throw new DefinitionError(
        'configuration',
        `limits: there is no model or endpoint "${name}"${nearestHint(name, known)}`,
      );
  const byName = new Map(
    Object.entries(limits).map(([name, limit]) => [
      name,
      { bucket: name, per: limit.per ?? 'caller', policy: limitPolicy('default', limit) },
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
