import type { AuthDependencies, Authenticate, AuthMethod, Verifier } from './method.ts';
import { apiKey } from './methods/api-key.ts';
import { bearer } from './methods/bearer.ts';
import { jwt } from './methods/jwt.ts';
import { session } from './methods/session.ts';
import { signature } from './methods/signature.ts';

/** Every authentication method, a line each. Adding one is its file and its line here: all else follows from both. */
const methods = [jwt, bearer, apiKey, session, signature] as const satisfies readonly AuthMethod[];

type Method = (typeof methods)[number];

/** Names as endpoints list them. */
export type AuthMethodName = Method['name'];

/** Names that models and endpoints of applications may list. */
export type ApiMethodName = Extract<Method, { readonly area: 'api' }>['name'];

/** What one of the methods may find out. */
export type AuthenticatedCaller =
  ReturnType<Method['open']> extends Authenticate<infer Caller> ? Caller : never;

/** Every method, in the order of the registry. */
export const authMethods: readonly AuthMethod<AuthMethodName>[] = methods;

const isOfApi = (method: Method): method is Extract<Method, { readonly area: 'api' }> =>
  method.area === 'api';

export const apiMethodNames: readonly ApiMethodName[] = methods.filter(isOfApi).map(({ name }) => name);

/** What an endpoint takes that says nothing about it. */
export const defaultMethods: readonly ['jwt'] = [jwt.name];

const byName = Object.fromEntries(authMethods.map((method) => [method.name, method])) as Readonly<
  Record<AuthMethodName, AuthMethod<AuthMethodName>>
>;

export const authMethod = (name: AuthMethodName): AuthMethod<AuthMethodName> => byName[name];

const isMethodName = (name: string): name is AuthMethodName => Object.hasOwn(byName, name);

/** @throws Error for a name that is none */
export const methodsNamed = (names: readonly string[]): AuthMethodName[] =>
  names.map((name) => {
    if (!isMethodName(name)) throw new Error(`there is no method of authentication ${name}`);
    return name;
  });

/** Names of methods that know an application. */
export type ApplicationMethodName = Extract<Method, { readonly holder: 'application' }>['name'];

export const isOfApplications = (name: AuthMethodName): name is ApplicationMethodName =>
  byName[name].holder === 'application';

/** Methods by which a key is known. */
export const isOfKeys = (name: AuthMethodName): boolean => byName[name].holder === 'api_key';

/**
 * Methods whose credentials are looked at unasked, where an endpoint takes none: those that no browser adds by itself,
 * and where it takes a body those only that do not cover it.
 */
export const unaskedMethods = (takesBody: boolean): readonly AuthMethod<AuthMethodName>[] =>
  authMethods.filter(({ area, coversBody }) => area === 'api' && !(takesBody && coversBody));

/** The first name of the same verification: what a caller by `bearer` is known by is `jwt`. */
export const verifiedAs = (name: AuthMethodName): AuthMethodName =>
  authMethods.find(({ open }) => open === byName[name].open)?.name ?? name;

/** Request headers that carry credentials, as they are commonly written. */
export const headersOf = ({ schemes }: AuthMethod): string[] =>
  Object.values(schemes).flatMap((scheme) => {
    if (scheme.type === 'http') return ['Authorization'];
    return scheme.in === 'header' ? [scheme.name] : [];
  });

/** Those of every method. No cookie is among them: none of ours may work for a page of another origin. */
export const credentialHeaders: readonly string[] = [...new Set(authMethods.flatMap(headersOf))];

export type Verifiers = Readonly<Record<AuthMethodName, Verifier<AuthenticatedCaller>>>;

/** What the guard tries. One verification under two names is one object, so that listing both verifies once. */
export const openMethods = (dependencies: AuthDependencies): Verifiers => {
  const opened = new Map<(dependencies: AuthDependencies) => Authenticate, Verifier<AuthenticatedCaller>>();
  for (const { open, challenge } of methods)
    if (!opened.has(open)) opened.set(open, { challenge, authenticate: open(dependencies) });
  return Object.fromEntries(methods.map(({ name, open }) => [name, opened.get(open)])) as Verifiers;
};
