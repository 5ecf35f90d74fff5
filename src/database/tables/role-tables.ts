/** Roles and their permissions. */

import { column, table } from './table.ts';

export const rolesTable = table('roles', {
  name: column.text({ primaryKey: true }),
  built_in: column.boolean({ default: false }),
  created_at: column.time('shown'),
});

export const userRolesTable = table(
  'user_roles',
  {
    user_id: column.integer({ references: 'users.id', onDelete: 'cascade' }),
    role: column.text({ references: 'roles.name' }),
  },
  {
    primaryKey: ['user_id', 'role'],
    indexes: {
      user_roles_role: { on: ['role'] },
    },
  },
);

/** Every (model, action) that some instance has registered at start. */
export const permissionEntriesTable = table(
  'permission_entries',
  {
    model: column.text({ kept: 'model' }),
    action: column.text(),
  },
  {
    primaryKey: ['model', 'action'],
  },
);

export const permissionsTable = table(
  'permissions',
  {
    role: column.text({ references: 'roles.name', onDelete: 'cascade' }),
    model: column.text({ kept: 'model' }),
    action: column.text(),
    created_at: column.time('shown'),
  },
  {
    primaryKey: ['model', 'role', 'action'],
    indexes: {
      permissions_role: { on: ['role'] },
    },
  },
);
