import type { Query } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { Problem } from '../../kernel/problem.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { Actor, AuditEntry } from '../audit/audit.ts';
import { createCommands } from '../command.ts';
import type { TableContext } from '../context.ts';

export interface PermissionName {
  readonly role: string;
  readonly model: string;
  readonly action: string;
}

/** What an entry of the permission table is to say. */
export interface PermissionChange extends PermissionName {
  readonly allowed: boolean;
}

/** Roles, and what they are granted. */
export const createRoleStore = ({ database, clock }: TableContext) => {
  const { dialect } = database;
  const db = tablesOf({ dialect });
  const command = createCommands({ database, clock });
  const permissionTarget = ({ role, model, action }: PermissionName) => ({
    kind: 'permission',
    id: null,
    name: `${role} ${model} ${action}`,
  });

  const sets = ({ role, model, action, allowed }: PermissionChange, now: number): Query =>
    allowed
      ? toQuery(
          db
            .insertInto('permissions')
            .values({ role, model, action, created_at: toTimestamp(now) })
            .onConflict((conflict) => conflict.doNothing()),
        )
      : toQuery(
          db
            .deleteFrom('permissions')
            .where('role', '=', role)
            .where('model', '=', model)
            .where('action', '=', action),
        );

  const change = (
    permissions: readonly PermissionChange[],
    actor: Actor,
  ): Promise<readonly PermissionChange[]> => {
    // In the same order whoever asks, so that two never wait for each other's rows crosswise.
    const ordered = permissions.toSorted((one, other) =>
      permissionTarget(one).name < permissionTarget(other).name ? -1 : 1,
    );
    return command(
      actor,
      async (transaction, now) => {
        const changed: PermissionChange[] = [];
        for (const permission of ordered)
          if ((await transaction.run(sets(permission, now))) > 0) changed.push(permission);
        const audit = changed.map(
          (permission): AuditEntry => ({
            action: permission.allowed ? 'permission.grant' : 'permission.revoke',
            target: permissionTarget(permission),
          }),
        );
        return { audit, answer: changed };
      },
      { foreign_key: 'record_not_found' },
    );
  };

  return {
    names: async (): Promise<readonly string[]> =>
      (await database.all<{ name: string }>(toQuery(db.selectFrom('roles').select('name')))).map(
        ({ name }) => name,
      ),

    /** Roles that are granted an action; super_admin needs no grant, and is not named. */
    granted: async (model: string, action: string): Promise<readonly string[]> => {
      const rows = await database.all<{ role: string }>(
        toQuery(
          db.selectFrom('permissions').select('role').where('model', '=', model).where('action', '=', action),
        ),
      );
      return rows.map(({ role }) => role);
    },

    exists: async (name: string): Promise<boolean> =>
      (await database.get(toQuery(db.selectFrom('roles').select('name').where('name', '=', name)))) !==
      undefined,

    /** @throws Problem `conflict` where the role exists */
    create: (name: string, actor: Actor): Promise<void> =>
      command(
        actor,
        async (transaction, now) => {
          const values = { name, built_in: false, created_at: toTimestamp(now) };
          await transaction.run(toQuery(db.insertInto('roles').values(values)));
          const target = { kind: 'role', id: null, name };
          return { audit: { action: 'role.create', target }, answer: undefined };
        },
        { unique: 'conflict' },
      ),

    /**
     * Deletes a role with everything granted to it: a later role of the same name inherits nothing.
     * @throws Problem `record_not_found`, `built_in_role`, `role_in_use`
     */
    remove: (name: string, actor: Actor): Promise<void> =>
      command(
        actor,
        async (transaction) => {
          const row = await transaction.get<{ built_in: boolean | number }>(
            toQuery(db.selectFrom('roles').select('built_in').where('name', '=', name)),
          );
          if (row === undefined) throw new Problem('record_not_found');
          if (row.built_in) throw new Problem('built_in_role');
          await transaction.run(toQuery(db.deleteFrom('roles').where('name', '=', name)));
          const target = { kind: 'role', id: null, name };
          return { audit: { action: 'role.delete', target }, answer: undefined };
        },
        { foreign_key: 'role_in_use' },
      ),

    /** Idempotent. @throws Problem `record_not_found` where the role does not exist */
    grant: async (permission: PermissionName, actor: Actor): Promise<void> => {
      await change([{ ...permission, allowed: true }], actor);
    },

    /** Idempotent. */
    revoke: async (permission: PermissionName, actor: Actor): Promise<void> => {
      await change([{ ...permission, allowed: false }], actor);
    },

    /**
     * Grants and revokes in one transaction; answers what was not so before.
     * @throws Problem `record_not_found` where a role does not exist any more
     */
    change,

    /** Registers the entries of an instance's models; those of other versions and every grant stay as they are. */
    register: (entries: readonly { readonly model: string; readonly action: string }[]): Promise<void> =>
      database.write(async (transaction) => {
        for (const { model, action } of entries)
          await transaction.run(
            toQuery(
              db
                .insertInto('permission_entries')
                .values({ model, action })
                .onConflict((conflict) => conflict.doNothing()),
            ),
          );
      }),
  };
};

export type RoleStore = ReturnType<typeof createRoleStore>;
