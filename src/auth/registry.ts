/**
 * The registry of authentication methods: their names and types, and everything that follows from the list.
 */

import type { AuthDependencies, Authenticate, AuthMethod, Verifier } from './method.ts';
import { apiKey } from './methods/api-key.ts';
import { bearer } from './methods/bearer.ts';
import { httpSignature } from './methods/http-signature.ts';
import { jwt } from './methods/jwt.ts';
import { session } from './methods/session.ts';
import { signature } from './methods/signature.ts';

export { jwt, tokenOf } from './methods/jwt.ts';

/** All authentication methods. To add one, write its file and list it here: everything else follows from both. */
const methods = [
  jwt,
  bearer,
  apiKey,
  session,
  signature,
  httpSignature,
] as const satisfies readonly AuthMethod[];

type Method = (typeof methods)[number];

/** Names that endpoints list. */
export type AuthMethodName = Method['name'];

/** Names that models and endpoints of applications may list. */
export type ApiMethodName = Extract<Method, { readonly area: 'api' }>['name'];

/** The authenticated callers of all methods. */
export type AuthenticatedCaller =
  ReturnType<Method['open']> extends Authenticate<infer Caller> ? Caller : never;

/** Every method, in the order of the registry. */
export const authMethods: readonly AuthMethod<AuthMethodName>[] = methods;

const isOfApi = (method: Method): method is Extract<Method, { readonly area: 'api' }> =>
  method.area === 'api';

export const apiMethodNames: readonly ApiMethodName[] = methods.filter(isOfApi).map(({ name }) => name);

/** Methods of an endpoint that lists none. */
export const defaultMethods: readonly ['jwt'] = [jwt.name];

const byName = Object.fromEntries(authMethods.map((method) => [method.name, method])) as Readonly<
  Record<AuthMethodName, AuthMethod<AuthMethodName>>
>;

export const authMethod = (name: AuthMethodName): AuthMethod<AuthMethodName> => byName[name];

const isMethodName = (name: string): name is AuthMethodName => Object.hasOwn(byName, name);

/** @throws Error for an unknown name */
export const methodsNamed = (names: readonly string[]): AuthMethodName[] =>
  names.map((name) => {
    if (!isMethodName(name)) throw new Error(`there is no method of authentication ${name}`);
    return name;
  });

/** Names of methods that authenticate an application. */
export type ApplicationMethodName = Extract<Method, { readonly holder: 'application' }>['name'];

export const isOfApplications = (name: AuthMethodName): name is ApplicationMethodName =>
  byName[name].holder === 'application';

/** True if the method authenticates by an API key. */
export const isOfKeys = (name: AuthMethodName): boolean => byName[name].holder === 'api_key';

/** The value of WWW-Authenticate that asks for the credentials of a method. */
export const challengeOf = (name: AuthMethodName): string => byName[name].challenge;

/**
 * Methods that are tried although an endpoint lists none. No browser adds their credentials by itself, and they do not
 * cover the body where the endpoint takes one.
 */
export const optionalMethods = (takesBody: boolean): readonly AuthMethod<AuthMethodName>[] =>
  offeredMethods([]).filter(
    (method) => method.area === 'api' && !isSetByProxy(method) && !(takesBody && method.coversBody),
  );

/** The first name of the same verification: `jwt` for `bearer`. */
export const verifiedAs = (name: AuthMethodName): AuthMethodName =>
  authMethods.find(({ open }) => open === byName[name].open)?.name ?? name;

/** Request headers that carry credentials, in their usual spelling. */
export const headersOf = ({ schemes }: AuthMethod): string[] =>
  Object.values(schemes).flatMap((scheme) => {
    if (scheme.type === 'http') return ['Authorization'];
    return scheme.in === 'header' ? [scheme.name] : [];
  });

/** The methods that descriptions name where the endpoints list these. */
export const offeredMethods = (listed: Iterable<AuthMethodName>): readonly AuthMethod<AuthMethodName>[] => {
  const names = new Set(listed);
  return authMethods.filter(({ name, optIn }) => optIn !== true || names.has(name));
};

/** True if a proxy in front of the service adds the credentials to requests. */
export const isSetByProxy = ({ schemes }: AuthMethod): boolean =>
  Object.values(schemes).some((scheme) => 'setBy' in scheme && scheme.setBy === 'proxy');

/**
 * Headers that pages of other origins may send. Cookies and headers of a proxy are not among them: credentials that
 * come by themselves must not work for such a page.
 */
export const credentialHeaders = (offered: readonly AuthMethod[]): readonly string[] => [
  ...new Set(offered.filter((method) => !isSetByProxy(method)).flatMap(headersOf)),
];

export type Verifiers = Readonly<Record<AuthMethodName, Verifier<AuthenticatedCaller>>>;

/**
 * Opens the methods for the guard. One verification under two names is one object, so that it runs once where an
 * endpoint lists both.
 */
export const openMethods = (dependencies: AuthDependencies): Verifiers => {
  const opened = new Map<(dependencies: AuthDependencies) => Authenticate, Verifier<AuthenticatedCaller>>();
  for (const method of methods) {
    const { open, challenge, refusalHeaders = {} }: AuthMethod = method;
    if (opened.has(open)) continue;
    const headers = Object.entries(refusalHeaders).map(([name, { value }]) => [name, value]);
    opened.set(open, {
      challenge,
      refusalHeaders: Object.fromEntries(headers),
      authenticate: method.open(dependencies),
    });
  }
  return Object.fromEntries(methods.map(({ name, open }) => [name, opened.get(open)])) as Verifiers;
};
