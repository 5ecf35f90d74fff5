import { field } from '../fields/define.ts';
import { always, computed, defineEntity } from '../records/entity.ts';
import { actionWords, kindWords } from './audit-words.ts';

export const auditEntity = defineEntity('audit', {
  title: 'AuditEntry',
  fields: {
    id: field.integer(always),
    created_at: field.datetime({ ...always, label: { 'zh-CN': '时间', en: 'Time' } }),
    actor_kind: computed(field.string({ ...always, label: { 'zh-CN': '操作人类型', en: 'Kind of actor' } }), {
      words: kindWords,
    }),
    actor_id: field.string({ label: { 'zh-CN': '操作人编号', en: 'Id of the actor' } }),
    actor_name: field.string({ label: { 'zh-CN': '操作人', en: 'By' } }),
    action: computed(field.string({ ...always, label: { 'zh-CN': '操作', en: 'Action' } }), {
      words: actionWords,
    }),
    target_kind: computed(field.string({ ...always, label: { 'zh-CN': '对象类型', en: 'Kind of object' } }), {
      words: kindWords,
    }),
    target_id: field.string({ label: { 'zh-CN': '对象编号', en: 'Id of the object' } }),
    target_name: field.string({ label: { 'zh-CN': '对象', en: 'Object' } }),
    detail: computed(field.json({ ...always, label: { 'zh-CN': '详情', en: 'Detail' } }), {
      comparable: false,
    }),
    address: field.string({ label: { 'zh-CN': '地址', en: 'Address' } }),
  },
  indexed: ['created_at'],
  list: { operation: 'listAudit', path: '/admin/audit', summary: { 'zh-CN': '审计记录', en: 'Audit log' } },
  record: {
    operation: 'getAuditEntry',
    summary: { 'zh-CN': '一条审计记录', en: 'Show a line of the audit log' },
  },
});
