import createRouter, { type HTTPVersion, type Instance } from 'find-my-way';
import { Problem } from '../kernel/problem.ts';
import type { Endpoint, HttpMethod } from './endpoint.ts';

/** Where a request goes: to an endpoint, or to the refusal of a path or method that there is not. */
export type Destination =
  | {
      readonly endpoint: Endpoint;
      /** Path parameters, decoded. */
      readonly params: Readonly<Record<string, string>>;
      /** Path as it was registered, base path included: `/api/v1/notes/:id`. */
      readonly route: string;
    }
  | { readonly endpoint: undefined; readonly problem: Problem; readonly route: string | undefined };

/** An endpoint with its path, base path included. */
interface Served {
  readonly endpoint: Endpoint;
  readonly path: string;
}

/** What a path leads to with one method. */
interface Route extends Served {
  /** What its parameters are called, each beside its name in the router; undefined where all are called the same. */
  readonly names: readonly (readonly [own: string, known: string])[] | undefined;
}

/** What the router keeps of a path. It knows the path alone: a tree for each method would be seven alike. */
interface Ways {
  readonly path: string;
  readonly byMethod: ReadonlyMap<string, Route>;
  /** Value of `Allow`. */
  readonly allow: string;
}

/** The order in which `Allow` names them. */
export const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Under which method the router keeps every path. */
const anyMethod = 'GET';

/** The methods that reach an endpoint; PUT is another word for PATCH. */
const methodsOf = ({ method }: Endpoint): readonly (HttpMethod | 'HEAD')[] => {
  if (method === 'PATCH') return ['PATCH', 'PUT'];
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
};

/** Paths that differ in the names of their parameters only are one. */
const shapeOf = (path: string): string => path.replaceAll(/:[^/]+/g, ':');

const namesIn = (path: string): readonly string[] =>
  Array.from(path.matchAll(/:([^/]+)/g), ([, name]) => name ?? '');

/** An endpoint of a path that the router knows under `known`, which may call its parameters otherwise. */
const routeOf = (served: Served, known: string): Route => {
  const others = namesIn(known);
  const names = namesIn(served.path).map((own, index) => [own, others[index] ?? own] as const);
  return { ...served, names: names.some(([own, other]) => own !== other) ? names : undefined };
};

const renamed = (
  params: Readonly<Record<string, string>>,
  { names }: Route,
): Readonly<Record<string, string>> =>
  names === undefined ? params : Object.fromEntries(names.map(([own, known]) => [own, params[known] ?? '']));

const describe = ({ method, path, source, policy }: Endpoint): string => {
  const model = policy.kind === 'resource' ? `the resource ${policy.model.name}` : 'the service';
  return `${method} ${path} of ${source ?? model}`;
};

const duplicate = (one: Endpoint, other: Endpoint): Error => {
  const synonym = one.method === other.method ? '' : ' (PATCH takes PUT as well)';
  return new Error(`two endpoints for one method and path${synonym}: ${describe(one)}, ${describe(other)}`);
};

/**
 * Whether a parameter is one that nothing has: empty, or with a character that PostgreSQL cannot store; it refuses a
 * statement that asks for it.
 */
const namesNothing = (params: Readonly<Record<string, string>>): boolean => {
  for (const name in params) if (params[name] === '' || params[name]?.includes('\0') === true) return true;
  return false;
};

const noParams: Readonly<Record<string, string>> = Object.freeze({});

/** Called by the router instead of a handler; what it finds is asked for by `find`, so nothing is ever called. */
const unused = (): never => {
  throw new Error('the router only finds');
};

const destinationOf = (ways: Ways, method: string, params: Readonly<Record<string, string>>): Destination => {
  const route = ways.byMethod.get(method);
  const { path } = route ?? ways;
  if (namesNothing(params))
    return { endpoint: undefined, problem: new Problem('path_not_found'), route: path };
  if (route !== undefined) return { endpoint: route.endpoint, params: renamed(params, route), route: path };
  const problem = new Problem('method_not_allowed', { headers: { Allow: ways.allow } });
  return { endpoint: undefined, problem, route: path };
};

/** All paths of the service. A request and the explain page ask the same table, so they meet the same answer. */
export class Routes {
  readonly #router: Instance<HTTPVersion.V1> = createRouter({
    maxParamLength: 200,
    // Each endpoint reads its own query string.
    querystringParser: () => noParams,
    onBadUrl: unused,
  });
  /** Paths without parameters, found as they are written without taking a request line to pieces. */
  readonly #whole = new Map<string, Ways>();
  /** What is served under each path, by method; paths that differ in the names of their parameters are one. */
  readonly #paths = new Map<string, Map<string, Served>>();

  /**
   * Called before the first request, by whoever has endpoints; all of them count, whichever call has brought them.
   * @throws Error that names both of two endpoints with one method and path, base path included
   */
  add(endpoints: readonly Endpoint[], basePath: string): void {
    for (const endpoint of endpoints) this.#take(endpoint, basePath + endpoint.path);
    // What a path allows, and so what its other methods are answered, may have changed with each of them.
    this.#router.reset();
    this.#whole.clear();
    for (const served of this.#paths.values()) this.#register(served);
  }

  #take(endpoint: Endpoint, path: string): void {
    const shape = shapeOf(path);
    const ofPath = this.#paths.get(shape) ?? new Map<string, Served>();
    this.#paths.set(shape, ofPath);
    for (const method of methodsOf(endpoint)) {
      const other = ofPath.get(method);
      if (other !== undefined) throw duplicate(other.endpoint, endpoint);
      ofPath.set(method, { endpoint, path });
    }
  }

  #register(served: ReadonlyMap<string, Served>): void {
    const [first] = served.values();
    if (first === undefined) return;
    const { path } = first;
    const ways: Ways = {
      path,
      byMethod: new Map([...served].map(([method, one]) => [method, routeOf(one, path)])),
      allow: allMethods.filter((method) => served.has(method)).join(', '),
    };
    this.#router.on(anyMethod, path, unused, ways);
    if (!path.includes(':')) this.#whole.set(path, ways);
  }

  /** `url` as a request line has it: path with base path, query string or none, percent-encoded. */
  find(method: string, url: string): Destination {
    const whole = this.#whole.get(url);
    if (whole !== undefined) return destinationOf(whole, method, noParams);
    const found = this.#router.find(anyMethod, url, {});
    if (found === null)
      return { endpoint: undefined, problem: new Problem('path_not_found'), route: undefined };
    // What is found without a path is a URL that cannot be decoded.
    const ways = found.store as Ways | null;
    if (ways === null) return { endpoint: undefined, problem: new Problem('bad_request'), route: undefined };
    return destinationOf(ways, method, found.params as Readonly<Record<string, string>>);
  }
}
