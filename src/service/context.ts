import type { Kysely } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import type { CoreSchema } from '../database/schema.ts';
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

/** A change of the service's own records, in its transaction. */
export interface Change {
  readonly transaction: Transaction;
  readonly tables: Kysely<CoreSchema>;
  readonly dialect: Database['dialect'];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The same as text. */
  readonly at: string;
  readonly actor: Actor;
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
export const lockSuperAdmins = async ({ transaction, tables }: Change): Promise<void> => {
  const hold = tables
    .updateTable('roles')
    .set((eb) => ({ built_in: eb.ref('built_in') }))
    .where('name', '=', superAdmin);
  await transaction.run(toQuery(hold));
};

/** Asks for an enabled super_admin but this user. */
const leadingBut = (tables: Change['tables'], id: number | undefined) => {
  const enabled = tables
    .selectFrom('users')
    .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
    .select('users.id')
    .where('user_roles.role', '=', superAdmin)
    .where('users.disabled', '=', false)
    .limit(1);
  return toQuery(id === undefined ? enabled : enabled.where('users.id', '!=', id));
};

/** Whether the service would be without an enabled super_admin if this one were not there. */
export const isOnlySuperAdmin = async (database: Database, id: number): Promise<boolean> => {
  const tables = tablesOf(database);
  const role = tables.selectFrom('user_roles').select('role');
  const held = await database.get(toQuery(role.where('user_id', '=', id).where('role', '=', superAdmin)));
  return held !== undefined && (await database.get(leadingBut(tables, id))) === undefined;
};

/** Refuses to leave the service without an enabled super_admin; asked after the change, in its transaction. */
export const demandSuperAdmin = async ({ transaction, tables }: Change): Promise<void> => {
  const left = await transaction.get(leadingBut(tables, undefined));
  if (left === undefined) throw new Problem('last_super_admin');
};
