/** The entity of refused requests in the administration area. */

import { type Fragment, identifier, sql, tableName } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { always, computed, defineEntity } from '../../records/entity.ts';

/** Id of the API key of the request; null for any other caller. */
const keyId = sql`(case when t."caller_kind" = 'api_key' then cast(t."caller_id" as bigint) end)`;

const revokedColumn = (of: string): Fragment =>
  sql`(select r.${identifier(of)} from ${tableName('gatewright_revoked_keys')} r where r."key_id" = ${keyId})`;

/** Refused requests; those by API key include the key's state, and how it ended. */
export const refusalEntity = defineEntity('refusals', {
  title: 'Refusal',
  from: tableName('gatewright_refusals'),
  fields: {
    id: field.integer(always),
    refused_at: computed(field.datetime({ ...always, label: { 'zh-CN': '最近一次', en: 'Last' } }), {
      note: 'time of the last one',
    }),
    first_at: field.datetime(always),
    refusals: computed(field.integer({ ...always, label: { 'zh-CN': '次数', en: 'Times' } }), {
      note: 'number of equal requests that were refused within the hour',
    }),
    caller_kind: computed(field.string(always), {
      schema: { type: 'string', enum: ['user', 'api_key', 'application'] },
    }),
    caller_id: computed(field.string(always), {
      note: 'id of the user or of the key, app_id of the application',
    }),
    caller_name: computed(field.string({ ...always, label: { 'zh-CN': '调用者', en: 'Caller' } }), {
      note: 'username, for a key that of its owner; for an application its app_id',
    }),
    key_name: computed(field.string({ label: { 'zh-CN': '密钥', en: 'Key' } }), {
      value: sql`coalesce((select k."name" from ${tableName('api_keys')} k where k."id" = ${keyId}), ${revokedColumn('name')})`,
      note: 'label of the key, even after it was revoked',
    }),
    revoked_at: computed(field.datetime(), {
      value: revokedColumn('revoked_at'),
      note: 'when the key was revoked; null if it was not',
    }),
    revoked_by_kind: computed(field.string(), {
      value: revokedColumn('actor_kind'),
      note: 'who revoked it, as in the audit log; null if unknown',
    }),
    revoked_by_id: computed(field.string(), { value: revokedColumn('actor_id') }),
    revoked_by_name: computed(field.string(), { value: revokedColumn('actor_name') }),
    method: field.string(always),
    path: computed(field.string({ ...always, label: { 'zh-CN': '路径', en: 'Path' } }), {
      note: 'without its query',
    }),
    status: field.integer(always),
    code: field.integer({ ...always, label: { 'zh-CN': '原因', en: 'Reason' } }),
    address: field.string({ ...always, label: { 'zh-CN': '地址', en: 'Address' } }),
  },
  indexed: ['refused_at'],
  list: {
    operation: 'listRefusals',
    path: '/admin/refusals',
    order: '-refused_at',
    summary: { 'zh-CN': '最近被拒绝的请求', en: 'Rejected requests' },
    description: {
      'zh-CN':
        '已知调用者在 24 小时内被拒绝（403）的请求、因行规则而答为不存在（404）的记录，以及凭据已失效或签名不符（401）的请求（密钥吊销后 90 天内仍可辨认），由新到旧；同一小时内相同的请求合并计数。不保存查询参数、请求体与凭据。各实例每 10 秒写入一次。',
      en: 'Refused requests of known callers within 24 hours, the newest first: those without permission (403), those for records that row rules hide (404), and those with credentials that are no longer valid (401). The latter are an expired key, a key revoked within 90 days, an expired token or a wrong signature. Their caller is looked up when the refusal is written; the name of an application proves nothing. Equal requests within an hour are counted as one row. Query, body and credentials are not stored. Each instance writes every 10 s.',
    },
  },
});
