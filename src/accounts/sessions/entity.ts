import { callerSession } from '../../database/source.ts';
import { sql } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { always, computed, defineEntity } from '../../records/entity.ts';

export const sessionEntity = defineEntity('sessions', {
  title: 'Session',
  fields: {
    id: field.integer(always),
    current: computed(field.boolean({ ...always, label: { 'zh-CN': '当前会话', en: 'This one' } }), {
      value: sql`(case when t."id" = ${callerSession} then 1 = 1 else 1 = 0 end)`,
      note: 'whether it is the session of this request',
    }),
    address: field.string({ ...always, label: { 'zh-CN': '地址', en: 'Address' } }),
    user_agent: field.string({ ...always, label: { 'zh-CN': '浏览器', en: 'Browser' } }),
    created_at: field.datetime({ ...always, label: { 'zh-CN': '登录时间', en: 'Signed in' } }),
    last_used_at: field.datetime({ ...always, label: { 'zh-CN': '最近使用', en: 'Last used' } }),
    remembered: computed(field.boolean({ ...always, label: { 'zh-CN': '长期登录', en: 'Long sign-in' } }), {
      value: sql`(t."generation" is not null)`,
      note: 'whether refresh tokens renew it',
    }),
    user_id: computed(field.integer(always), { hidden: true }),
  },
  indexed: ['user_id'],
  personal: true,
  model: 'Session',
  references: [{ to: 'User', field: 'user', table: 'sessions', column: 'user_id', onDelete: 'cascade' }],
  list: {
    operation: 'listSessions',
    path: '/admin/sessions',
    own: 'user_id',
    summary: { 'zh-CN': '我的会话', en: 'My sessions' },
  },
});
