import { field } from '../../fields/define.ts';
import { always, computed, defineEntity } from '../../records/entity.ts';

export const auditEntity = defineEntity('audit', {
  title: 'AuditEntry',
  fields: {
    id: field.integer(always),
    created_at: field.datetime({ ...always, label: { 'zh-CN': '时间', en: 'Time' } }),
    actor_kind: field.string(always),
    actor_id: field.string(),
    actor_name: field.string({ label: { 'zh-CN': '操作人', en: 'By' } }),
    action: field.string({ ...always, label: { 'zh-CN': '操作', en: 'Action' } }),
    target_kind: field.string(always),
    target_id: field.string(),
    target_name: field.string({ label: { 'zh-CN': '对象', en: 'Object' } }),
    detail: computed(field.json({ ...always, label: { 'zh-CN': '详情', en: 'Detail' } }), {
      comparable: false,
    }),
    address: field.string({ label: { 'zh-CN': '地址', en: 'Address' } }),
  },
  indexed: ['created_at'],
  list: { operation: 'listAudit', path: '/admin/audit', summary: { 'zh-CN': '审计记录', en: 'Audit list' } },
});
