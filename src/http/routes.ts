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

/** What the router keeps of a path and method. */
interface Route {
  readonly path: string;
  /** None where the path is there and the method is not. */
  readonly endpoint: Endpoint | undefined;
  /** Value of `Allow`. */
  readonly allow: string;
}

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** The methods that reach an endpoint; PUT is another word for PATCH. */
const methodsOf = ({ method }: Endpoint): readonly (HttpMethod | 'HEAD')[] => {
  if (method === 'PATCH') return ['PATCH', 'PUT'];
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
};

const hasNul = (params: Readonly<Record<string, string>>): boolean => {
  for (const name in params) if (params[name]?.includes('\0') === true) return true;
  return false;
};

const noParams: Readonly<Record<string, string>> = Object.freeze({});

/** Called by the router instead of a handler; what it finds is asked for by `find`, so nothing is ever called. */
const unused = (): never => {
  throw new Error('the router only finds');
};

/** All paths of the service. A request and the explain page ask the same table, so they meet the same answer. */
export class Routes {
  readonly #router: Instance<HTTPVersion.V1> = createRouter({
    maxParamLength: 200,
    // Each endpoint reads its own query string.
    querystringParser: () => noParams,
    onBadUrl: unused,
  });

  /** Called once, before the first request. */
  add(endpoints: readonly Endpoint[], basePath: string): void {
    const paths = Map.groupBy(endpoints, (endpoint) => basePath + endpoint.path);
    for (const [path, ofPath] of paths) {
      const taken = new Map(
        ofPath.flatMap((endpoint) => methodsOf(endpoint).map((name) => [name, endpoint])),
      );
      const allow = allMethods.filter((method) => method !== 'OPTIONS' && taken.has(method)).join(', ');
      for (const method of allMethods) {
        const endpoint = method === 'OPTIONS' ? undefined : taken.get(method);
        const route: Route = { path, endpoint, allow };
        this.#router.on(method, path, unused, route);
      }
    }
  }

  /** `url` as a request line has it: path with base path, query string or none, percent-encoded. */
  find(method: string, url: string): Destination {
    const found = this.#router.find(method as HttpMethod, url, {});
    if (found === null)
      return { endpoint: undefined, problem: new Problem('path_not_found'), route: undefined };
    // What is found without a route is a URL that cannot be decoded.
    const route = found.store as Route | null;
    if (route === null) return { endpoint: undefined, problem: new Problem('bad_request'), route: undefined };
    const { endpoint, path, allow } = route;
    if (endpoint !== undefined) {
      const params = found.params as Readonly<Record<string, string>>;
      // Nothing has such a name: PostgreSQL cannot store the character, and refuses a statement that asks for it.
      if (hasNul(params)) return { endpoint: undefined, problem: new Problem('path_not_found'), route: path };
      return { endpoint, params, route: path };
    }
    const problem = new Problem('method_not_allowed', { headers: { Allow: allow } });
    return { endpoint: undefined, problem, route: path };
  }
}
