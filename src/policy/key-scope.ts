import type { Action } from '../model/resource.ts';
import type { Rule } from './rule.ts';

/** Actions that a scope can name; list and detail are both `read`. */
export const scopeActions = ['read', 'create', 'update', 'destroy'] as const;

/**
 * Scopes of an API key: `orders:read` (a model by its path, an action or `*`), `POST /checkout` (an application
 * endpoint by its method and its path below `/api/v1`).
 */
export type KeyScopes = ReadonlySet<string>;

/** Scope of endpoints that decide about each model by itself: every scoped key passes. */
export const eachModel = 'each model';

const actionOf = (action: Action): (typeof scopeActions)[number] =>
  action === 'list' || action === 'detail' ? 'read' : action;

/** The scope that a rule needs; undefined where no scope admits a caller. */
export const scopeOf = (rule: Rule): string | undefined =>
  rule.kind === 'resource' ? `${rule.model.path}:${actionOf(rule.action)}` : rule.scope;

/** True if a key with these scopes may do what needs this one. */
export const isInScope = (scopes: KeyScopes, needed: string | undefined): boolean => {
  if (needed === undefined) return false;
  if (needed === eachModel || scopes.has(needed)) return true;
  const colon = needed.lastIndexOf(':');
  return colon > 0 && !needed.includes(' ') && scopes.has(`${needed.slice(0, colon)}:*`);
};

/** Scopes of models by their paths, in the order in which they are shown. */
export const scopesOfPaths = (paths: Iterable<string>): readonly string[] =>
  [...paths].flatMap((path) => [...scopeActions, '*'].map((action) => `${path}:${action}`));

/**
 * The most scopes, and networks, that a key can have.
 * @limit Accounts and credentials | scopes of an API key, and its networks | count | 422 `too_many`
 */
export const maxRestrictions = 100;

/**
 * The scopes of a key that it has used. Undefined where it has used all, or none.
 * @param held null: everything that the owner may do
 * @param known the scopes of the service
 */
export const narrowerScopes = (
  held: readonly string[] | null,
  used: Iterable<string>,
  known: ReadonlySet<string>,
): readonly string[] | undefined => {
  const each = [...known].filter((scope) => !scope.endsWith(':*'));
  const own = held === null ? undefined : new Set(held);
  const allowed = own === undefined ? each : each.filter((scope) => isInScope(own, scope));
  const needed = new Set(used);
  const narrower = allowed.filter((scope) => needed.has(scope));
  const isNarrower =
    narrower.length > 0 && narrower.length < allowed.length && narrower.length <= maxRestrictions;
  return isNarrower ? narrower : undefined;
};
