/** Explanations of requests as the service returns them, and links to the pages that change the result. */

import type { Reason } from '../../../src/kernel/messages.ts';
import type { PermissionAction } from './permission-table.ts';

/** Scope of endpoints that check each model separately: every key passes. */
export const eachModel = 'each model';

/** A condition of a row rule, and the conditions within it. */
export interface Condition {
  readonly kind: 'own' | 'equals' | 'member' | 'via' | 'anyOf' | 'allOf';
  readonly words: string;
  readonly outcome: 'passed' | 'refused' | 'narrowed';
  readonly decides: boolean;
  /** The model whose field is compared. */
  readonly model: string;
  readonly field?: string;
  readonly value?: string;
  /** The model of the memberships, or the referenced model. */
  readonly of?: string;
  readonly on?: string;
  readonly where?: readonly { readonly field: string; readonly values: readonly string[] }[];
  /** Path of a record in the administration area, or of the list of memberships. */
  readonly change_at: string | null;
  readonly conditions?: readonly Condition[];
}

export interface Conditions {
  readonly about: 'record' | 'list' | 'body' | 'unknown';
  readonly rule: Condition;
}

export interface Step {
  readonly rule: string;
  readonly label: string;
  readonly outcome: 'passed' | 'refused' | 'narrowed' | 'off';
  /** Text in the language of the service. */
  readonly because: string;
  /** Absent from instances of an older version. */
  readonly reason?: Reason;
  readonly conditions?: Conditions;
  /** Only for the permission check: each role of the caller, and whether it grants the permission. */
  readonly grants?: Grants;
  /** Only for the scopes and networks of a key: the scope that the request needs, or the address that it comes from. */
  readonly key?: { readonly needed: string | null; readonly held: readonly string[] };
  /** Only for an existing record that is out of scope. */
  readonly record?: {
    readonly model: string;
    readonly path: string;
    readonly id: number;
    readonly owner: { readonly id: number; readonly name: string } | null;
  };
}

export interface Grants {
  readonly model: string;
  readonly action: PermissionAction;
  readonly roles: readonly { readonly role: string; readonly allowed: boolean }[];
}

export interface Explanation {
  readonly method: string;
  readonly path: string;
  readonly caller: {
    readonly kind: 'user' | 'api_key' | 'application' | 'nobody';
    readonly id: number | string | null;
    readonly name: string | null;
    /** Only for a revoked key. */
    readonly revoked_at?: string;
  };
  readonly allowed: boolean;
  readonly status: number;
  readonly code: number;
  readonly endpoint: {
    readonly operation: string;
    readonly method: string;
    readonly path: string;
    readonly authentication: readonly string[];
  } | null;
  readonly steps: readonly Step[];
  readonly decided_by: string | null;
}

/** Path of the page where a rule can be changed; undefined if the application's files define it. */
export const changedAt = ({ rule }: Step, { caller }: Explanation): string | undefined => {
  if (rule === 'permission') return '/permissions';
  if (
    caller.kind === 'user' &&
    ['user', 'role', 'administrator', 'authentication', 'password_change', 'second_factor'].includes(rule)
  )
    return `/users/${caller.id}`;
  const ofKey = rule === 'key_scope' || rule === 'key_network' || rule === 'rate_limit';
  if (caller.kind === 'api_key' && ofKey) return `/api_keys/${caller.id}/access`;
  if (caller.kind === 'api_key' && rule === 'authentication' && !caller.revoked_at)
    return `/api_keys/${caller.id}`;
  if (caller.kind === 'application' && rule === 'authentication') return '/applications';
  return undefined;
};

/** Path of a list, filtered by values. */
export const listOf = (path: string, filter: Readonly<Record<string, unknown>>): string =>
  `/records/${path}?${new URLSearchParams({ filter: JSON.stringify(filter) })}`;

/** Path of the record, or of the caller's memberships, where a condition could be changed. */
export const conditionChangedAt = ({ change_at: at }: Condition, { caller }: Explanation) => {
  const [, path, id] = /^\/admin\/records\/([^/]+)(?:\/(\d+))?$/.exec(at ?? '') ?? [];
  if (path === undefined) return undefined;
  if (id !== undefined) return { path, id, to: `/records/${path}/${id}/show` };
  const to = caller.kind === 'user' ? listOf(path, { user_id: caller.id }) : `/records/${path}`;
  return { path, id, to };
};
