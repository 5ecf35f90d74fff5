/** Users as rows: for administrators with the state of their sign-in, for a role as its holders. */

import type { Dialect } from '../../database/dialect.ts';
import { type Fragment, identifier, own, sql, tableName } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { always, computed, defineEntity, schemaOf } from '../../records/entity.ts';
import { userEntity } from '../../records/user-entity.ts';
import { isStillGood } from '../invitations/store.ts';
import { userKinds } from './store.ts';

/** SQL on the open link of a user, of which there is at most one. */
const ofInvitation = (column: 'expires_at' | 'made_by'): Fragment => sql`(select ${identifier('i', column)}
  from ${tableName('gatewright_invitations')} i
  where i."user_id" = t."id" and i."ended_at" is null and ${isStillGood('i')})`;

/** The user's `second_factor` says whether there are any to look up. */
const heldFactor = sql`(case when t."second_factor" = false then 'none'
  when not exists (select 1 from ${tableName('gatewright_totp')} f where f."user_id" = t."id") then 'passkeys'
  when not exists (select 1 from ${tableName('gatewright_passkeys')} p where p."user_id" = t."id") then 'totp'
  else 'totp_and_passkeys' end)`;

const ownerOf = (dialect: Dialect, row: string): Fragment => {
  const owner = dialect.object([
    { name: 'id', value: sql`o.id` },
    { name: 'username', value: sql`o.username` },
    { name: 'name', value: sql`o.name` },
  ]);
  const record = dialect.object([
    { name: 'model', value: identifier(row, 'owner_model') },
    { name: 'id', value: identifier(row, 'owner_record') },
  ]);
  return sql`(case when ${identifier(row, 'owner_record')} is not null then ${record}
    else (select ${owner} from ${own('users')} o where o.id = ${identifier(row, 'owner_id')}) end)`;
};

const fields = {
  ...userEntity.fields,
  kind: field.enum(userKinds, {
    ...always,
    label: { 'zh-CN': '类型', en: 'Kind' },
    labels: {
      person: { 'zh-CN': '个人', en: 'Person' },
      service: { 'zh-CN': '服务账号', en: 'Service account' },
    },
  }),
  owner_id: computed(field.integer({ label: { 'zh-CN': '负责人（用户 id）', en: 'Owner (user id)' } }), {
    note: 'person who is responsible for a service account; null for persons, for accounts of a record, and once the owner was deleted',
  }),
  owner: computed(field.string({ label: { 'zh-CN': '负责人', en: 'Owner' } }), {
    value: sql`(select o.username from ${own('users')} o where o.id = t.owner_id)`,
    render: ownerOf,
    schema: {
      ...schemaOf('AccountOwner', {
        id: field.integer(always),
        model: computed(field.string(), { note: 'of a record that owns the account; absent for a person' }),
        username: computed(field.string(), { note: 'of a person' }),
        name: computed(field.string(), { note: 'of a person' }),
      }),
      type: ['object', 'null'],
      required: ['id'],
    },
  }),
  invited: computed(field.boolean({ ...always, label: { 'zh-CN': '待设置密码', en: 'No password yet' } }), {
    value: sql`(t."password_hash" = '' and t."kind" = 'person')`,
    note: 'has no password yet and cannot sign in',
  }),
  invitation_expires_at: computed(field.datetime({ label: { 'zh-CN': '链接到期', en: 'Link ends' } }), {
    value: ofInvitation('expires_at'),
    note: 'expiry of the open link, even if it has passed; null if there is no open link',
  }),
  invited_by: computed(
    field.integer({ label: { 'zh-CN': '邀请者（用户 id）', en: 'Invited by (user id)' } }),
    { value: ofInvitation('made_by'), note: 'user who made the open link' },
  ),
  second_factor: computed(
    field.enum(['none', 'totp', 'passkeys', 'totp_and_passkeys'], {
      ...always,
      label: { 'zh-CN': '两步验证', en: 'Two-step verification' },
      labels: {
        none: { 'zh-CN': '未启用', en: 'Off' },
        totp: { 'zh-CN': '验证器应用', en: 'Authenticator app' },
        passkeys: { 'zh-CN': '通行密钥', en: 'Passkeys' },
        totp_and_passkeys: { 'zh-CN': '验证器应用与通行密钥', en: 'App and passkeys' },
      },
    }),
    { value: heldFactor, note: 'second factor that the administration area requires' },
  ),
};

/** Users as administrators manage them, with the state of their sign-in. */
export const managedUserEntity = defineEntity('users', {
  title: 'ManagedUser',
  fields,
  model: 'User',
  references: [
    { to: 'User', field: 'owner_id', table: 'users', column: 'owner_id', onDelete: 'null' },
    { to: 'Role', field: 'roles', table: 'user_roles', column: 'role', onDelete: 'restrict' },
    {
      to: 'User',
      model: 'Invitation',
      field: 'invited_by',
      onDelete: 'cascade',
      table: 'gatewright_invitations',
      column: 'made_by',
      also: sql`ended_at is null`,
    },
  ],
  found: { named: 'username', alias: 'name' },
  list: {
    operation: 'adminListUsers',
    path: '/admin/users',
    summary: { 'zh-CN': '用户列表', en: 'List users' },
  },
  record: {
    operation: 'adminGetUser',
    summary: { 'zh-CN': '用户详情', en: 'Show a user' },
    description: {
      'zh-CN': '用户及其角色；密码从不返回。',
      en: 'A user with their roles, without the password.',
    },
  },
});

/** Users by their roles. */
export const holderEntity = defineEntity('users', {
  title: 'ManagedUser',
  from: sql`(select u.*, h."role" from ${tableName('users')} u join ${tableName('user_roles')} h on h."user_id" = u."id")`,
  fields: { ...fields, role: computed(field.string(always), { hidden: true }) },
  indexed: ['role'],
});
