import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { Actor } from '../../ledger/audit.ts';
import { createCommands } from '../../ledger/command.ts';
import type { TableContext } from '../../ledger/context.ts';
import { addRole, changePermissions, existingRoles, missingRole } from './commands.ts';

/** Roles and their permissions. */
export const createRoleStore = ({ database, clock }: TableContext) => {
  const tables = tablesOf(database);
  const change = createCommands({ database, clock });

  return {
    /** Returns the roles with a permission for an action; super_admin, which needs none, is not among them. */
    rolesWithPermission: async (model: string, action: string): Promise<readonly string[]> => {
      const query = tables
        .selectFrom('permissions')
        .select('role')
        .where('model', '=', model)
        .where('action', '=', action);
      return (await database.all<{ role: string }>(toQuery(query))).map(({ role }) => role);
    },

    exists: async (name: string): Promise<boolean> =>
      (await existingRoles({ tables }, database, [name])).length > 0,

    /** @throws Problem `conflict` if the role exists */
    create: (name: string, actor: Actor): Promise<void> =>
      change(actor, async (made) => ({ ...(await addRole(made, name)), result: undefined }), {
        unique: 'conflict',
      }),

    /**
     * Grants a permission unless it is granted already. @throws Problem `record_not_found` if the role does not exist
     */
    grant: async (
      permission: { readonly role: string; readonly model: string; readonly action: string },
      actor: Actor,
    ): Promise<void> => {
      await change(actor, (made) => changePermissions(made, [{ ...permission, allowed: true }]), missingRole);
    },

    /** Registers the entries of the application's models; entries of other versions and all permissions stay. */
    register: (entries: readonly { readonly model: string; readonly action: string }[]): Promise<void> =>
      database.write(async (transaction) => {
        for (const { model, action } of entries) {
          const insert = tables.insertInto('permission_entries').values({ model, action });
          await transaction.run(toQuery(insert.onConflict((conflict) => conflict.doNothing())));
        }
      }),
  };
};

export type RoleStore = ReturnType<typeof createRoleStore>;
