/** The rule of an endpoint as data: the demands beyond authentication, and the built-in roles. */

import type { UserPrincipal } from '../auth/principal.ts';
import type { AuthMethodName } from '../auth/registry.ts';
import type { Action, ResourceModel, View } from '../model/resource.ts';

/** Roles that see all records and write restricted fields, as the contract says. */
export const administrators = ['super_admin', 'admin'] as const;

/** The role that bypasses the permission table. */
export const superAdmin = 'super_admin';

export const builtInRoles = ['super_admin', 'admin', 'viewer'] as const;

/**
 * The demands of an endpoint beyond authentication; data, so that they can be explained, listed and documented. Every
 * endpoint has one: no default lets a caller in.
 */
export type Rule =
  /** A generated resource under its own rules. */
  ResourceRule | (EndpointRule & Scoped);

/** An API key with scopes passes only where one of them names this scope (see `scopeOf`). */
interface Scoped {
  readonly scope?: string | undefined;
}

type EndpointRule =
  /** Everybody, also anonymous callers. */
  | { readonly kind: 'open'; readonly readable?: readonly string[] | undefined }
  /** Every authenticated caller: a user or an application. */
  | { readonly kind: 'identified' }
  /** A user. `own`: the column that must hold the user's id in every row they see or write. */
  | ({
      readonly kind: 'user';
      readonly own?: string | undefined;
      readonly readable?: readonly string[] | undefined;
    } & PasswordChange)
  /** A user; administrators see every row, others those whose `own` column holds their id. */
  | { readonly kind: 'isolated'; readonly own: string; readonly readable: readonly string[] }
  /** A user with the role super_admin or admin; with `own` they see the rows whose column holds their id. */
  | ({
      readonly kind: 'administrator';
      readonly own?: string | undefined;
      readonly readable?: readonly string[] | undefined;
      /** `true`: also for an administrator who has to set up a second factor first. */
      readonly beforeSecondFactor?: true;
    } & PasswordChange)
  /** A user with one of these roles; super_admin always passes. */
  | { readonly kind: 'roles'; readonly roles: readonly string[] };

/** `true`: also for a user who must change the password first. Everything else is refused to them. */
interface PasswordChange {
  readonly beforePasswordChange?: true | undefined;
}

export interface ResourceRule {
  readonly kind: 'resource';
  readonly model: ResourceModel;
  readonly action: Action;
  /**
   * `admin`: for super_admin and admin only, who see every field and unpublished records there; the permission check
   * and restricted fields apply all the same.
   */
  readonly area: 'api' | 'admin';
  /** The view whose fields are returned, if it is not that of the action. */
  readonly view?: View | undefined;
  /**
   * On create and update: the endpoints that show the records that the body's references name, by field. A caller may
   * name the records that they would see there. A reference that is absent here may name any existing record.
   */
  readonly references?: ReadonlyMap<string, Showing> | undefined;
  /**
   * On update: the endpoint that shows the record itself. A reference that the caller reads there may be sent back
   * unchanged.
   */
  readonly shown?: Showing | undefined;
  /**
   * The rule is for deleted records that the caller manages; the endpoint that would show such a record to them if it
   * still existed. Present only if the model has a rule for it.
   */
  readonly managed?: Showing | undefined;
}

/** The part of an endpoint that decides which callers see a record. */
export interface Showing {
  /** Authentication methods that it accepts; none: it is open to everybody. */
  readonly auth: readonly AuthMethodName[];
  readonly policy: Rule;
}

/** True if a user has the role super_admin or admin: sees all records, writes restricted fields, may administer. */
export const isAdministrator = (user: Pick<UserPrincipal, 'roles'>): boolean =>
  user.roles.some((role) => administrators.some((name) => name === role));

/** True if a user bypasses the permission table. */
export const isSuperAdmin = (user: Pick<UserPrincipal, 'roles'>): boolean => user.roles.includes(superAdmin);
