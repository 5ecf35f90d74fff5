/** API keys as rows with labels and computed columns: all keys for administrators, one's own for users. */

import type { Dialect } from '../../database/dialect.ts';
import { monthAgo, serviceTime, timeText } from '../../database/source.ts';
import { type Fragment, identifier, own, sql, tableName } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import type { Label } from '../../kernel/messages.ts';
import { always, computed, defineEntity, schemaOf } from '../../records/entity.ts';
import { limitSchema } from './restrictions.ts';

/** A column with a JSON array of texts, or null. */
const listOfTexts = (label: Label, note: string) =>
  computed(field.json({ label }), {
    comparable: false,
    schema: { type: ['array', 'null'], items: { type: 'string' } },
    note,
  });

/** The secrets of a key that work now, the present one first. */
const secretsOf = (dialect: Dialect, row: string): Fragment => {
  const column = (name: string): Fragment => identifier(row, name);
  const secret = dialect.object([
    { name: 'key', value: sql`(s.prefix || '****')` },
    { name: 'last_used_at', value: timeText(dialect, sql`s.used`) },
    { name: 'ends_at', value: timeText(dialect, sql`s.ends`) },
  ]);
  const rows = sql`select ${column('key_prefix')} as prefix,
      case when ${column('rotated_at')} is null then ${column('last_used_at')} else ${column('secret_used_at')} end as used,
      ${dialect.cast(sql`null`, 'timestamp')} as ends
    union all select f.key_prefix, f.last_used_at, f.ends_at from ${own('gatewright_former_secrets')} f
      where f.key_id = ${column('id')} and f.ends_at > ${serviceTime}`;
  return dialect.arrayOf(
    sql`json(secret)`,
    sql`select ${secret} as secret from (${rows}) s order by s.ends is not null`,
  );
};

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
  limit: computed(field.json({ label: { 'zh-CN': '限速', en: 'Limit' } }), {
    comparable: false,
    schema: limitSchema,
    note: 'requests that the key may send in a window; null: any number',
  }),
  quota: computed(field.integer({ label: { 'zh-CN': '月配额', en: 'Quota' } }), {
    note: 'requests of the key in a calendar month (UTC); null: any number',
  }),
  expires_at: field.datetime({ label: { 'zh-CN': '过期时间', en: 'Expires' } }),
  created_at: field.datetime({ ...always, label: { 'zh-CN': '创建时间', en: 'Created' } }),
  last_used_at: computed(field.datetime({ label: { 'zh-CN': '最近使用', en: 'Last used' } }), {
    note: 'last use of any of its secrets',
  }),
  rotated_at: field.datetime({ label: { 'zh-CN': '轮换时间', en: 'Rotated' } }),
  secrets: computed(field.json({ ...always, label: { 'zh-CN': '有效密钥', en: 'Secrets' } }), {
    render: secretsOf,
    comparable: false,
    schema: {
      type: 'array',
      items: schemaOf('KeySecret', {
        key: computed(field.string(always), { note: '8 hex digits and ****' }),
        last_used_at: field.datetime(),
        ends_at: computed(field.datetime(), { note: 'end of the overlap; null for the present secret' }),
      }),
    },
    note: 'the present secret, and behind it the one that a rotation has replaced while that is still valid',
  }),
};

const ownerOf = (dialect: Dialect, row: string): Fragment =>
  dialect.object([
    { name: 'id', value: identifier(row, 'user_id') },
    { name: 'username', value: identifier(row, 'username') },
    { name: 'name', value: identifier(row, 'user_name') },
  ]);

/** The user whose rights a key has; its list filters and sorts by the username. */
const user = computed(field.string({ label: { 'zh-CN': '所有者', en: 'Owner' } }), {
  value: sql`t."username"`,
  render: ownerOf,
  schema: schemaOf('KeyOwner', {
    id: field.integer(always),
    username: field.string(always),
    name: field.string(always),
  }),
});

/** Keys as persons see them: their own, and the keys of their service accounts. */
export const ownKeyEntity = defineEntity('api_keys', {
  title: 'ApiKey',
  from: sql`(select k.*, u."username", u."name" as "user_name", k."user_id" as "holder_id"
      from ${tableName('api_keys')} k join ${tableName('users')} u on u."id" = k."user_id"
    union all select k.*, u."username", u."name", u."owner_id"
      from ${tableName('users')} u join ${tableName('api_keys')} k on k."user_id" = u."id" where u."owner_id" is not null)`,
  fields: {
    ...fields,
    user,
    holder_id: computed(field.integer(always), { hidden: true }),
  },
  indexed: ['holder_id'],
  timed: true,
});

/**
 * SQL condition on the table `t` of keys: active keys that were last used, or else created, more than thirty days
 * ago. A key that was lost or forgotten stays usable for anyone who finds it. This is the only definition of it.
 */
export const neglectedKey: Fragment = sql`(coalesce(t."last_used_at", t."created_at") <= ${monthAgo}
  and (t."expires_at" is null or t."expires_at" > ${serviceTime}))`;

/** The keys of all users with their owners; `user` filters and sorts by the owner's username. */
export const keyEntity = defineEntity('api_keys', {
  title: 'ManagedApiKey',
  from: sql`(select k.*, u."username", u."name" as "user_name" from ${tableName('api_keys')} k join ${tableName('users')} u on u."id" = k."user_id")`,
  fields: {
    ...fields,
    neglected: computed(
      field.boolean({ ...always, label: { 'zh-CN': '30 天未使用', en: 'Unused for 30 days' } }),
      {
        value: neglectedKey,
        note: 'active, and not used for 30 days, or never since it was created',
      },
    ),
    user,
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
