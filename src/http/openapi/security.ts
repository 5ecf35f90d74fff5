import type { SecurityScheme } from '../../auth/method.ts';
import { type AuthMethodName, authMethod, methodsNamed } from '../../auth/registry.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { labelText } from '../../kernel/messages.ts';
import { readsOwn } from '../../policy/decide.ts';
import type { Endpoint } from '../endpoint.ts';
import { componentName } from './components.ts';
import type { DescriptionOptions } from './context.ts';

const schemeOf = (scheme: SecurityScheme, { baseUrl, locale }: DescriptionOptions): JsonObject => {
  const description = labelText(scheme.description, locale);
  if (scheme.type === 'http') return { ...scheme, description };
  const { type, in: place, name } = scheme;
  return { type, in: place, name: typeof name === 'string' ? name : name(baseUrl), description };
};

/**
 * Schemes of a method under their names in the description: the method's own for a single header, so that `jwt` and
 * `bearer`, which are one method, are both listed; the names of the parts for several.
 */
const schemesOf = (name: AuthMethodName): [name: string, scheme: SecurityScheme][] => {
  const parts = Object.entries(authMethod(name).schemes);
  return parts.map(([part, scheme]) => [componentName(parts.length === 1 ? name : part), scheme]);
};

export const securitySchemes = (names: Iterable<AuthMethodName>, options: DescriptionOptions): JsonObject =>
  Object.fromEntries(
    [...names].flatMap(schemesOf).map(([name, scheme]) => [name, schemeOf(scheme, options)]),
  );

/** Methods that authenticate the callers of an endpoint, also of one that demands none. */
export const methodsOf = ({ auth, policy }: Endpoint): readonly AuthMethodName[] =>
  policy.kind === 'resource' && readsOwn(policy) ? methodsNamed(policy.model.auth[policy.action]) : auth;

/**
 * Alternatives, of which one is enough; each lists all headers that are required jointly. An open endpoint has none,
 * or an empty one where credentials are optional.
 */
export const requirements = (endpoint: Endpoint): Json => {
  const alternatives = methodsOf(endpoint).map((name) =>
    Object.fromEntries(schemesOf(name).map(([scheme]): [string, Json] => [scheme, []])),
  );
  return readsOwn(endpoint.policy) ? [{}, ...alternatives] : alternatives;
};
