import { credentials } from './credentials.js';
import { ask } from './reach.js';
import { base } from './request.js';

/** The operations that a held key may call. */

/**
 * @typedef {import('./description.js').Operation} Operation
 * @typedef {import('./description.js').Description} Description
 */

/** The operation that tells a key about itself. */
const ownOperation = 'getCurrentApiKey';

/** @param {Operation['access']} access @param {readonly string[]} scopes */
const isInScope = ({ scope }, scopes) => {
  if (scope === undefined) return true;
  if (scope === null) return false;
  return scopes.includes(scope) || scopes.includes(scope.replace(/:[a-z]+$/, ':*'));
};

/**
 * Follows the key that is held: asks the service for its scopes, and tells once they are known or gone.
 * @param {Description} description @param {() => void} changed
 */
export const keyScopes = ({ operations, ways }, changed) => {
  const own = operations.find(({ id }) => id === ownOperation);
  const method = own?.access.methods[0] ?? '';
  const way = ways.get(method);
  /** The key that was looked at last. @type {string | undefined} */
  let key;
  /** Undefined while no key is held, or one that may do everything. @type {readonly string[] | undefined} */
  let scopes;

  const look = async () => {
    const held = credentials.get(way?.slot ?? '')?.value;
    if (own === undefined || way === undefined || held === key) return;
    key = held;
    scopes = undefined;
    if (held !== undefined) {
      const form = { values: {}, filters: [], body: '', asked: {}, method };
      const made = { method: own.method, url: base + own.path, headers: {}, body: undefined };
      const headers = await way.headers(form, made);
      const init = {
        headers,
        credentials: /** @type {const} */ ('omit'),
        cache: /** @type {const} */ ('no-store'),
      };
      // Without a response nothing is marked; a call says what is wrong.
      const answered = await ask(made.url, init)
        .then((response) => response.json())
        .catch(() => undefined);
      // Another key may be held by now.
      if (held !== key) return;
      scopes = answered?.data?.scopes ?? undefined;
    }
    changed();
  };
  credentials.onChange(look);
  look();

  return {
    /** The scope that the held key lacks for an operation by this method; undefined where it lacks none. @param {Operation} operation @param {string} [by] */
    lacking: ({ access }, by = method) => {
      if (scopes === undefined || by !== method || !access.methods.includes(method)) return undefined;
      return isInScope(access, scopes) ? undefined : (access.scope ?? '');
    },
  };
};

/** @typedef {ReturnType<typeof keyScopes>} KeyScopes */
