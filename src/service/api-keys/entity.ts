import type { Dialect } from '../../database/dialect.ts';
import { monthAgo, serviceTime } from '../../database/source.ts';
import { type Fragment, identifier, sql } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import type { Label } from '../../kernel/messages/messages.ts';
import { always, computed, defineEntity, schemaOf } from '../../records/entity.ts';

/** A column with a JSON array of texts, or null. */
const listOfTexts = (label: Label, note: string) =>
  computed(field.json({ label }), {
    comparable: false,
    schema: { type: ['array', 'null'], items: { type: 'string' } },
    note,
  });

const fields = {
  id: field.integer(always),
  name: field.string({ ...always, label: { 'zh-CN': '名称', en: 'Name' } }),
  key: computed(field.string({ ...always, label: { 'zh-CN': '密钥', en: 'Key' } }), {
    value: sql`(t."key_prefix" || '****')`,
    note: '8 hex digits and ****',
  }),
  status: computed(
    field.enum(['active', 'expired'], {
      ...always,
      label: { 'zh-CN': '状态', en: 'Status' },
      labels: {
        active: { 'zh-CN': '有效', en: 'Active' },
        expired: { 'zh-CN': '已过期', en: 'Expired' },
      },
    }),
    {
      value: sql`(case when t."expires_at" is null or t."expires_at" > ${serviceTime} then 'active' else 'expired' end)`,
    },
  ),
  scopes: listOfTexts(
    { 'zh-CN': '权限范围', en: 'Scopes' },
    'what the key may do, of all that its owner may (`orders:read`, `articles:*`, `POST /checkout`); null: everything',
  ),
  networks: listOfTexts(
    { 'zh-CN': '网段', en: 'Networks' },
    'networks from which the key may be used (`203.0.113.0/24`); null: everywhere',
  ),
  expires_at: field.datetime({ label: { 'zh-CN': '过期时间', en: 'Expires' } }),
  created_at: field.datetime({ ...always, label: { 'zh-CN': '创建时间', en: 'Created' } }),
  last_used_at: field.datetime({ label: { 'zh-CN': '最近使用', en: 'Last used' } }),
};

/** Keys as their owners see them. */
export const ownKeyEntity = defineEntity('api_keys', {
  title: 'ApiKey',
  fields: { ...fields, user_id: computed(field.integer(always), { hidden: true }) },
  indexed: ['user_id'],
  timed: true,
});

const ownerOf = (dialect: Dialect, row: string): Fragment =>
  dialect.object([
    { name: 'id', value: identifier(row, 'user_id') },
    { name: 'username', value: identifier(row, 'username') },
    { name: 'name', value: identifier(row, 'user_name') },
  ]);

/**
 * SQL condition on the table `t` of keys: active keys that were last used, or else created, more than thirty days
 * ago. A key that was lost or forgotten stays usable for anyone who finds it. This is the only definition of it.
 */
export const neglectedKey: Fragment = sql`(coalesce(t."last_used_at", t."created_at") <= ${monthAgo}
  and (t."expires_at" is null or t."expires_at" > ${serviceTime}))`;

/** The keys of all users with their owners; `user` filters and sorts by the owner's username. */
export const keyEntity = defineEntity('api_keys', {
  title: 'ManagedApiKey',
  from: sql`(select k.*, u."username", u."name" as "user_name" from "api_keys" k join "users" u on u."id" = k."user_id")`,
  fields: {
    ...fields,
    neglected: computed(
      field.boolean({ ...always, label: { 'zh-CN': '30 天未使用', en: 'Unused for 30 days' } }),
      {
        value: neglectedKey,
        note: 'active, and not used for 30 days, or never since it was created',
      },
    ),
    user: computed(field.string({ label: { 'zh-CN': '所有者', en: 'Owner' } }), {
      value: sql`t."username"`,
      render: ownerOf,
      schema: schemaOf('KeyOwner', {
        id: field.integer(always),
        username: field.string(always),
        name: field.string(always),
      }),
    }),
    created_by: computed(
      field.integer({ label: { 'zh-CN': '创建者（用户 id）', en: 'Made by (user id)' } }),
      { note: 'user who created it, even if deleted; null if the owner did' },
    ),
  },
  indexed: ['created_by'],
  timed: true,
  model: 'ApiKey',
  references: [
    { to: 'User', field: 'user', table: 'api_keys', column: 'user_id', onDelete: 'cascade' },
    { to: 'User', field: 'created_by', table: 'api_keys', column: 'created_by', onDelete: 'keep' },
  ],
  found: { named: 'name', alias: 'key' },
  list: {
    operation: 'adminListApiKeys',
    path: '/admin/api_keys',
    summary: { 'zh-CN': '全部 API 密钥', en: 'All API keys' },
  },
  record: { operation: 'adminGetApiKey', summary: { 'zh-CN': 'API 密钥详情', en: 'Show an API key' } },
});
