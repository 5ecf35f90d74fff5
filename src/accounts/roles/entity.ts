/** Roles and the permission table as rows: a column of the table for each entry of a model. */

import { join, literal, sql, tableName } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { superAdmin } from '../../policy/rule.ts';
import { always, computed, defineEntity, type Entity } from '../../records/entity.ts';

export const roleEntity = defineEntity('roles', {
  title: 'Role',
  fields: {
    name: field.string({ ...always, label: { 'zh-CN': '名称', en: 'Name' } }),
    built_in: field.boolean({ ...always, label: { 'zh-CN': '内置', en: 'Built in' } }),
    users: computed(field.integer({ ...always, label: { 'zh-CN': '持有人数', en: 'Held by' } }), {
      value: sql`(select count(*) from ${tableName('user_roles')} ur where ur."role" = t."name")`,
    }),
    created_at: field.datetime({ ...always, label: { 'zh-CN': '创建时间', en: 'Created' } }),
  },
  key: 'name',
  model: 'Role',
  list: {
    operation: 'listRoles',
    path: '/admin/roles',
    summary: { 'zh-CN': '角色列表', en: 'List roles' },
  },
  record: {
    operation: 'showRole',
    summary: { 'zh-CN': '角色', en: 'Show a role' },
    description: {
      'zh-CN': '一个角色：是否内置，以及有多少用户持有。',
      en: 'A role, with the number of its users.',
    },
  },
});

/** A permission entry of the application's models. */
export interface PermissionEntry {
  readonly model: string;
  readonly action: string;
  /** True if requests are checked against it: the permission check of the resource is on for this action. */
  readonly checked: boolean;
}

/**
 * Returns the permission entries of models: of writes always, of reads if the resource checks reads. `checked` is the
 * resource's setting.
 */
export const permissionEntriesOf = (models: Iterable<ResourceModel>): PermissionEntry[] =>
  [...models].flatMap(({ name, rules }) => {
    const writes = rules.permissions !== 'none';
    const entries = ['create', 'update', 'destroy'].map((action) => ({
      model: name,
      action,
      checked: writes,
    }));
    return rules.permissions === 'all'
      ? [...entries, { model: name, action: 'read', checked: true }]
      : entries;
  });

/** Model names are identifiers, and are quoted nevertheless. */
export const permissionEntity = (entries: readonly PermissionEntry[]): Entity => {
  const rows = entries.map(
    ({ model, action, checked }) =>
      sql`select ${literal(model)} as "model", ${literal(action)} as "action", ${literal(checked)} as "checked"`,
  );
  const none = sql`select '' as "model", '' as "action", null as "checked" where 1 = 0`;
  return defineEntity('permissions', {
    title: 'Permission',
    from: sql`(select r."name" as "role", e."model", e."action", e."checked",
      (r."name" = ${literal(superAdmin)} or p."role" is not null) as "allowed",
      r."name" || ' ' || e."model" || ' ' || e."action" as "id"
      from ${tableName('roles')} r cross join (${rows.length === 0 ? none : join(rows, ' union all ')}) e
      left join ${tableName('permissions')} p on p."role" = r."name" and p."model" = e."model" and p."action" = e."action")`,
    fields: {
      id: computed(field.string(), { hidden: true }),
      role: field.string({ ...always, label: { 'zh-CN': '角色', en: 'Role' } }),
      model: field.string({ ...always, label: { 'zh-CN': '资源', en: 'Resource' } }),
      action: field.string({ ...always, label: { 'zh-CN': '操作', en: 'Action' } }),
      allowed: field.boolean({ ...always, label: { 'zh-CN': '已授予', en: 'Granted' } }),
      checked: field.boolean({ ...always, label: { 'zh-CN': '须授予', en: 'Asked for' } }),
    },
    model: 'Permission',
    references: [{ to: 'Role', field: 'role', table: 'permissions', column: 'role', onDelete: 'cascade' }],
    list: {
      operation: 'listPermissions',
      path: '/admin/permissions',
      summary: { 'zh-CN': '权限表', en: 'The permission table' },
    },
  });
};
