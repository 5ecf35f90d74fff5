import type { ResourceName } from '../shape.ts';
import type { ResourceRoute } from './data-provider.ts';

/** Resources of every service that are lists only. */
const fixed: Readonly<Record<string, ResourceRoute>> = {
  users: { path: '/api/v1/users', singular: 'user', detail: false },
  api_keys: { path: '/api/v1/api_keys', singular: 'api_key', detail: false },
};

/**
 * Where the resources are that the file of `gatewright generate client` names, with users and API keys; for
 * `createDataProvider`.
 * @throws Error for a resource that is not among them
 */
export const routesOf =
  (resources: Readonly<Record<string, ResourceName<unknown>>>) =>
  (name: string): ResourceRoute => {
    const known = Object.hasOwn(resources, name) ? resources[name] : undefined;
    if (known !== undefined) {
      const { singular, relations } = known;
      return { path: `/api/v1/${name}`, singular, ...(relations && { relations }) };
    }
    const route = Object.hasOwn(fixed, name) ? fixed[name] : undefined;
    if (route === undefined) throw new Error(`there is no resource ${name}`);
    return route;
  };
