import type { SecurityScheme } from '../auth/method.ts';
import { type AuthMethodName, authMethod, methodsNamed } from '../auth/registry.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { labelText } from '../kernel/messages/messages.ts';
import { readsOwn } from '../policy/resource-rule.ts';
import { componentName } from './components.ts';
import type { DescriptionOptions } from './context.ts';

const schemeOf = (scheme: SecurityScheme, { baseUrl, locale }: DescriptionOptions): JsonObject => {
  const description = labelText(scheme.description, locale);
  if (scheme.type === 'http') return { ...scheme, description };
  const { type, in: place, name } = scheme;
  return { type, in: place, name: typeof name === 'string' ? name : name(baseUrl), description };
};

/**
 * Schemes of a method under the names that the description gives them: the method's own where one header does, so
 * that `jwt` and `bearer`, which are one method, are both listed; the names of the parts where several are sent.
 */
const schemesOf = (name: AuthMethodName): [name: string, scheme: SecurityScheme][] => {
  const parts = Object.entries(authMethod(name).schemes);
  return parts.map(([part, scheme]) => [componentName(parts.length === 1 ? name : part), scheme]);
};

export const securitySchemes = (names: Iterable<AuthMethodName>, options: DescriptionOptions): JsonObject =>
  Object.fromEntries(
    [...names].flatMap(schemesOf).map(([name, scheme]) => [name, schemeOf(scheme, options)]),
  );

/** Methods by which an endpoint tells callers apart, also where it asks for none. */
export const methodsOf = ({ auth, policy }: Endpoint): readonly AuthMethodName[] =>
  policy.kind === 'resource' && readsOwn(policy) ? methodsNamed(policy.model.auth[policy.action]) : auth;

/**
 * Alternatives, of which one is enough; each names everything that has to be sent together. Open: none, and an empty one
 * where credentials are optional.
 */
export const requirements = (endpoint: Endpoint): Json => [
  ...(readsOwn(endpoint.policy) ? [{}] : []),
  ...methodsOf(endpoint).map((name) =>
    Object.fromEntries(schemesOf(name).map(([scheme]): [string, Json] => [scheme, []])),
  ),
];
