/** The table of all paths: finds the endpoint of a request, or the methods that its path allows. */

import createRouter, { type HTTPVersion, type Instance } from 'find-my-way';
import { Problem } from '../kernel/problem.ts';
import type { Endpoint, HttpMethod } from './endpoint.ts';

/** The result of routing: an endpoint, or the refusal of an unknown path or method. */
export type Destination =
  | {
      readonly endpoint: Endpoint;
      /** Path parameters, decoded. */
      readonly params: Readonly<Record<string, string>>;
      /** Path as registered, base path included: `/api/v1/notes/:id`. */
      readonly route: string;
    }
  | { readonly endpoint: undefined; readonly problem: Problem; readonly route: string | undefined };

/** An endpoint with its path, base path included. */
interface RegisteredEndpoint {
  readonly endpoint: Endpoint;
  readonly path: string;
}

/** The endpoint of one path and method. */
interface Route extends RegisteredEndpoint {
  /** Its names of the path parameters with those of the router; undefined where all are equal. */
  readonly names: readonly (readonly [own: string, registered: string])[] | undefined;
}

/**
 * The entry of a path in the router, for all its methods: a tree for each method would be the same tree seven times.
 */
interface PathEntry {
  readonly path: string;
  readonly byMethod: ReadonlyMap<string, Route>;
  /** Value of `Allow`. */
  readonly allow: string;
}

/** All methods, in the order of `Allow`. */
export const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The method under which the router holds every path. */
const routerMethod = 'GET';

/** Returns the methods that reach an endpoint; PUT is a synonym of PATCH. */
const methodsOf = ({ method }: Endpoint): readonly (HttpMethod | 'HEAD')[] => {
  if (method === 'PATCH') return ['PATCH', 'PUT'];
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
};

/** Returns the path without the names of its parameters: paths of the same shape are one path. */
const shapeOf = (path: string): string => path.replaceAll(/:[^/]+/g, ':');

const namesIn = (path: string): readonly string[] =>
  Array.from(path.matchAll(/:([^/]+)/g), ([, name]) => name ?? '');

/**
 * Returns the route of an endpoint whose path is in the router as `registeredPath`, maybe with other parameter names.
 */
const routeOf = (registered: RegisteredEndpoint, registeredPath: string): Route => {
  const others = namesIn(registeredPath);
  const names = namesIn(registered.path).map((own, index) => [own, others[index] ?? own] as const);
  return { ...registered, names: names.some(([own, other]) => own !== other) ? names : undefined };
};

const renameParams = (
  params: Readonly<Record<string, string>>,
  { names }: Route,
): Readonly<Record<string, string>> =>
  names === undefined
    ? params
    : Object.fromEntries(names.map(([own, registered]) => [own, params[registered] ?? '']));

const describe = ({ method, path, source, policy }: Endpoint): string => {
  const model = policy.kind === 'resource' ? `the resource ${policy.model.name}` : 'the service';
  return `${method} ${path} of ${source ?? model}`;
};

const duplicateError = (one: Endpoint, other: Endpoint): Error => {
  const synonym = one.method === other.method ? '' : ' (PATCH takes PUT as well)';
  return new Error(`two endpoints for one method and path${synonym}: ${describe(one)}, ${describe(other)}`);
};

/**
 * Tells whether a parameter cannot match any record: it is empty, or contains NUL, which PostgreSQL refuses in a
 * statement.
 */
const hasImpossibleParam = (params: Readonly<Record<string, string>>): boolean => {
  for (const name in params) if (params[name] === '' || params[name]?.includes('\0') === true) return true;
  return false;
};

const noParams: Readonly<Record<string, string>> = Object.freeze({});

/** The handler that the router requires; it is never called, as `find` only looks routes up. */
const unusedHandler = (): never => {
  throw new Error('the router only finds');
};

const destinationOf = (
  entry: PathEntry,
  method: string,
  params: Readonly<Record<string, string>>,
): Destination => {
  const route = entry.byMethod.get(method);
  const { path } = route ?? entry;
  if (hasImpossibleParam(params))
    return { endpoint: undefined, problem: new Problem('path_not_found'), route: path };
  if (route !== undefined)
    return { endpoint: route.endpoint, params: renameParams(params, route), route: path };
  const problem = new Problem('method_not_allowed', { headers: { Allow: entry.allow } });
  return { endpoint: undefined, problem, route: path };
};

/** All paths of the service. Requests and the explanations of the administration area use the same table. */
export class Routes {
  readonly #router: Instance<HTTPVersion.V1> = createRouter({
    // The longest id: 255 characters, of which each may be two units of UTF-16.
    maxParamLength: 510,
    // Each endpoint parses its own query string.
    querystringParser: () => noParams,
    onBadUrl: unusedHandler,
  });
  /** Entries of paths without parameters, looked up by the request target itself. */
  readonly #literalPaths = new Map<string, PathEntry>();
  /** Endpoints by the shape of their path and by method. */
  readonly #paths = new Map<string, Map<string, RegisteredEndpoint>>();

  /**
   * Adds endpoints, before the first request; may be called more than once.
   * @throws Error that names two endpoints with the same method and path, base path included
   */
  add(endpoints: readonly Endpoint[], basePath: string): void {
    for (const endpoint of endpoints) this.#add(endpoint, basePath + endpoint.path);
    // Each new endpoint may change the allowed methods of an earlier path.
    this.#router.reset();
    this.#literalPaths.clear();
    for (const ofPath of this.#paths.values()) this.#register(ofPath);
  }

  #add(endpoint: Endpoint, path: string): void {
    const shape = shapeOf(path);
    const ofPath = this.#paths.get(shape) ?? new Map<string, RegisteredEndpoint>();
    this.#paths.set(shape, ofPath);
    for (const method of methodsOf(endpoint)) {
      const other = ofPath.get(method);
      if (other !== undefined) throw duplicateError(other.endpoint, endpoint);
      ofPath.set(method, { endpoint, path });
    }
  }

  #register(ofPath: ReadonlyMap<string, RegisteredEndpoint>): void {
    const [first] = ofPath.values();
    if (first === undefined) return;
    const { path } = first;
    const entry: PathEntry = {
      path,
      byMethod: new Map([...ofPath].map(([method, one]) => [method, routeOf(one, path)])),
      allow: allMethods.filter((method) => ofPath.has(method)).join(', '),
    };
    this.#router.on(routerMethod, path, unusedHandler, entry);
    if (!path.includes(':')) this.#literalPaths.set(path, entry);
  }

  /** `url` is the target of a request line: path with base path, with or without query string, percent-encoded. */
  find(method: string, url: string): Destination {
    const literal = this.#literalPaths.get(url);
    if (literal !== undefined) return destinationOf(literal, method, noParams);
    const found = this.#router.find(routerMethod, url, {});
    if (found === null)
      return { endpoint: undefined, problem: new Problem('path_not_found'), route: undefined };
    // A result without an entry means a URL that cannot be decoded.
    const entry = found.store as PathEntry | null;
    if (entry === null) return { endpoint: undefined, problem: new Problem('bad_request'), route: undefined };
    return destinationOf(entry, method, found.params as Readonly<Record<string, string>>);
  }
}
