/** The context in which the service changes its own tables, and the rules that protect the last `super_admin`. */

import type { Kysely } from 'kysely';
import type { Database, Reader, Transaction } from '../database/database.ts';
import { toQuery } from '../database/statement.ts';
import type { CoreSchema } from '../database/tables.ts';
import type { Clock } from '../kernel/clock.ts';
import { Problem } from '../kernel/problem.ts';
import { superAdmin } from '../policy/rule.ts';
import type { Actor } from './audit.ts';

/** Dependencies of every store of the service's own tables. */
export interface TableContext {
  readonly database: Database;
  readonly clock: Clock;
}

/** A change of the service's own records, in its transaction. */
export interface Change {
  readonly transaction: Transaction;
  readonly tables: Kysely<CoreSchema>;
  readonly dialect: Database['dialect'];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** `now` as a timestamp. */
  readonly at: string;
  readonly actor: Actor;
}

/**
 * Tells whether the actor has the highest rights: the operating system's user, code of the application, or a
 * super_admin.
 */
export const isSuperior = ({ principal, reason }: Actor): boolean =>
  reason !== undefined ||
  typeof principal === 'string' ||
  (principal.kind === 'user' && principal.roles.includes(superAdmin));

/** Id of the acting user; null for an actor that is no user, and for code that acts for the system. */
export const actingUserId = ({ principal, reason }: Actor): number | null =>
  reason === undefined && typeof principal !== 'string' && principal.kind === 'user' ? principal.id : null;

/** Id of the user who acts on another user; null if users act on themselves. */
export const otherUserId = (actor: Actor, id: number): number | null => {
  const acting = actingUserId(actor);
  return acting === id ? null : acting;
};

/** Refuses a change of a super_admin, or of that role, by an actor who is none. @throws Problem `forbidden` */
export const guardSuperAdmin = (actor: Actor, ...roles: readonly (readonly string[])[]): void => {
  if (!isSuperior(actor) && roles.some((list) => list.includes(superAdmin))) throw new Problem('forbidden');
};

/**
 * Serialises transactions that could remove the last super_admin: on PostgreSQL two of them might otherwise each see
 * the super_admin that the other one removes. SQLite runs one write at a time anyway.
 */
export const lockSuperAdmins = async ({ transaction, tables }: Change): Promise<void> => {
  const hold = tables
    .updateTable('roles')
    .set((eb) => ({ built_in: eb.ref('built_in') }))
    .where('name', '=', superAdmin);
  await transaction.run(toQuery(hold));
};

/** Query for an enabled super_admin other than this user. */
const otherSuperAdmin = (tables: Change['tables'], id: number | undefined) => {
  const enabled = tables
    .selectFrom('users')
    .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
    .select('users.id')
    .where('user_roles.role', '=', superAdmin)
    .where('users.disabled', '=', false)
    // A service account cannot sign in.
    .where('users.kind', '=', 'person')
    .limit(1);
  return toQuery(id === undefined ? enabled : enabled.where('users.id', '!=', id));
};

/** Tells whether this user is the only enabled super_admin. */
export const isOnlySuperAdmin = async (
  reader: Pick<Reader, 'get'>,
  tables: Kysely<CoreSchema>,
  id: number,
): Promise<boolean> => {
  const role = tables.selectFrom('user_roles').select('role');
  const held = await reader.get(toQuery(role.where('user_id', '=', id).where('role', '=', superAdmin)));
  return held !== undefined && (await reader.get(otherSuperAdmin(tables, id))) === undefined;
};

/**
 * Refuses to leave the service without an enabled super_admin. Called after the change, in its transaction.
 * @throws Problem `last_super_admin`
 */
export const requireSuperAdmin = async ({ transaction, tables }: Change): Promise<void> => {
  const left = await transaction.get(otherSuperAdmin(tables, undefined));
  if (left === undefined) throw new Problem('last_super_admin');
};
