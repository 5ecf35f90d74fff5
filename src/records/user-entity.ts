import type { Database } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { type Fragment, identifier, join, own, sql, statement } from '../database/statement.ts';
import { field } from '../fields/define.ts';
import type { Showing } from '../policy/rule.ts';
import { always, computed, defineEntity, narrowed } from './entity.ts';

const rolesOf = (dialect: Dialect, row: string): Fragment =>
  dialect.arrayOf(
    sql`role`,
    sql`select role from ${own('user_roles')} where user_id = ${identifier(row, 'id')} order by role`,
  );

/** Users as administrators see them in records of models, which may refer to users. */
export const userEntity = defineEntity('users', {
  title: 'User',
  fields: {
    id: field.integer(always),
    username: field.string({ ...always, label: { 'zh-CN': '用户名', en: 'Username' } }),
    email: computed(field.string({ label: { 'zh-CN': '邮箱', en: 'Email' } }), {
      emptyIsNull: true,
      note: 'null for a user of a provider whose address is not verified, or belongs to another user',
    }),
    name: field.string({ ...always, label: { 'zh-CN': '姓名', en: 'Name' } }),
    roles: computed(field.text({ ...always, label: { 'zh-CN': '角色', en: 'Roles' } }), {
      render: rolesOf,
      comparable: false,
      schema: { type: 'array', items: { type: 'string' } },
    }),
    disabled: field.boolean({ ...always, label: { 'zh-CN': '已停用', en: 'Disabled' } }),
    must_change_password: field.boolean({
      ...always,
      label: { 'zh-CN': '须改密', en: 'Must change password' },
    }),
    created_at: field.datetime({ ...always, label: { 'zh-CN': '创建时间', en: 'Created' } }),
    updated_at: field.datetime({ ...always, label: { 'zh-CN': '更新时间', en: 'Updated' } }),
  },
});

/** Users as users themselves see them. */
export const publicUserEntity = narrowed(userEntity, 'User', ['id', 'username', 'email', 'name', 'roles']);

/** Reads the names of users. */
export const namesOfUsers = async (
  database: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<string, string>> => {
  const read = statement<{ ids: readonly number[] }>(database.dialect, (param) => {
    const named = ids.map((_, index) => param('ids', index));
    return sql`select id, name from ${own('users')} where id in (${join(named)})`;
  });
  const rows = await database.all<{ id: number; name: string }>(read({ ids }));
  return new Map(rows.map(({ id, name }) => [String(id), name]));
};

/** Access to users: the list stands for the detail of a user, which has no endpoint of its own. */
export const usersShowing: Showing = {
  auth: ['api_key', 'jwt', 'bearer'],
  policy: { kind: 'isolated', own: 'id', readable: publicUserEntity.view, scope: 'users:read' },
};
