import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { Actor } from '../audit/audit.ts';
import { createCommands } from '../command.ts';
import type { TableContext } from '../context.ts';
import { addRole, changePermissions, existingRoles, roleGone } from './commands.ts';

/** Roles, and the permissions that they are granted. */
export const createRoleStore = ({ database, clock }: TableContext) => {
  const tables = tablesOf(database);
  const change = createCommands({ database, clock });

  return {
    /** Roles that are granted an action; super_admin needs no grant, and is not named. */
    granted: async (model: string, action: string): Promise<readonly string[]> => {
      const query = tables
        .selectFrom('permissions')
        .select('role')
        .where('model', '=', model)
        .where('action', '=', action);
      return (await database.all<{ role: string }>(toQuery(query))).map(({ role }) => role);
    },

    exists: async (name: string): Promise<boolean> =>
      (await existingRoles({ tables }, database, [name])).length > 0,

    /** @throws Problem `conflict` where the role exists */
    create: (name: string, actor: Actor): Promise<void> =>
      change(actor, async (made) => ({ ...(await addRole(made, name)), result: undefined }), {
        unique: 'conflict',
      }),

    /** Grants a permission, if it is not granted. @throws Problem `record_not_found` where the role does not exist */
    grant: async (
      permission: { readonly role: string; readonly model: string; readonly action: string },
      actor: Actor,
    ): Promise<void> => {
      await change(actor, (made) => changePermissions(made, [{ ...permission, allowed: true }]), roleGone);
    },

    /** Registers the entries of an instance's models; those of other versions and every grant stay as they are. */
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
