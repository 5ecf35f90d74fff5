import type { Database, Reader, Transaction } from '../database/database.ts';
import { toQuery } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import type { Clock } from '../kernel/clock.ts';
import { Problem } from '../kernel/problem.ts';
import { superAdmin } from '../policy/rule.ts';
import type { Actor } from './audit/audit.ts';

/** Parts that every store of the service's own tables works with. */
export interface TableContext {
  readonly database: Database;
  readonly clock: Clock;
}

/** Whether the actor outranks everybody: the operating system's user, or a super_admin. */
export const isSuperior = ({ principal }: Actor): boolean =>
  typeof principal === 'string' || (principal.kind === 'user' && principal.roles.includes(superAdmin));

/** Id of the user who acts; null for the operating system's user, and for those who are no users. */
export const actingUserId = ({ principal }: Actor): number | null =>
  typeof principal !== 'string' && principal.kind === 'user' ? principal.id : null;

/** The same of what is done to a user; null where they do it to themselves. */
export const otherUserId = (actor: Actor, id: number): number | null => {
  const acting = actingUserId(actor);
  return acting === id ? null : acting;
};

/** Refuses an admin's hand on a super_admin, or on the role itself. */
export const guardSuperAdmin = (actor: Actor, ...roles: readonly (readonly string[])[]): void => {
  if (!isSuperior(actor) && roles.some((list) => list.includes(superAdmin))) throw new Problem('forbidden');
};

/**
 * Makes transactions that could take away the last super_admin wait for each other: on PostgreSQL two of them might
 * otherwise each see the other's super_admin. A write of SQLite is alone anyway.
 */
export const lockSuperAdmins = async (
  transaction: Transaction,
  dialect: Database['dialect'],
): Promise<void> => {
  const db = tablesOf({ dialect });
  await transaction.run(
    toQuery(
      db
        .updateTable('roles')
        .set((eb) => ({ built_in: eb.ref('built_in') }))
        .where('name', '=', superAdmin),
    ),
  );
};

/** Asks for an enabled super_admin but this user. */
const leadingBut = (dialect: Database['dialect'], id: number | undefined) => {
  const enabled = tablesOf({ dialect })
    .selectFrom('users')
    .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
    .select('users.id')
    .where('user_roles.role', '=', superAdmin)
    .where('users.disabled', '=', false)
    .limit(1);
  return toQuery(id === undefined ? enabled : enabled.where('users.id', '!=', id));
};

/** Whether the service would be without an enabled super_admin if this one were not there. */
export const isOnlySuperAdmin = async (
  reader: Reader,
  dialect: Database['dialect'],
  id: number,
): Promise<boolean> => {
  const role = tablesOf({ dialect }).selectFrom('user_roles').select('role');
  const held = await reader.get(toQuery(role.where('user_id', '=', id).where('role', '=', superAdmin)));
  return held !== undefined && (await reader.get(leadingBut(dialect, id))) === undefined;
};

/** Refuses to leave the service without an enabled super_admin; asked after the change, in its transaction. */
export const demandSuperAdmin = async (
  transaction: Transaction,
  dialect: Database['dialect'],
): Promise<void> => {
  const left = await transaction.get(leadingBut(dialect, undefined));
  if (left === undefined) throw new Problem('last_super_admin');
};
