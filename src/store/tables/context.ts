import type { Clock } from '../../kernel/clock.ts';
import { Problem } from '../../kernel/problem.ts';
import { superAdmin } from '../../policy/rule.ts';
import type { Database, Transaction } from '../database.ts';
import { toQuery } from '../statement.ts';
import type { Actor } from './audit.ts';
import { tablesOf } from './tables-of.ts';

/** What every store of the service's own tables works with. */
export interface TableContext {
  readonly database: Database;
  readonly clock: Clock;
}

/** Whether the actor outranks everybody: the operating system's user, or a super_admin. */
export const isSuperior = ({ principal }: Actor): boolean =>
  typeof principal === 'string' || (principal.kind === 'user' && principal.roles.includes(superAdmin));

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

/** Refuses to leave the service without an enabled super_admin; asked after the change, in its transaction. */
export const demandSuperAdmin = async (
  transaction: Transaction,
  dialect: Database['dialect'],
): Promise<void> => {
  const db = tablesOf({ dialect });
  const left = await transaction.get(
    toQuery(
      db
        .selectFrom('users')
        .innerJoin('user_roles', 'user_roles.user_id', 'users.id')
        .select('users.id')
        .where('user_roles.role', '=', superAdmin)
        .where('users.disabled', '=', false)
        .limit(1),
    ),
  );
  if (left === undefined) throw new Problem('last_super_admin');
};
