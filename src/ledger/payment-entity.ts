import { field } from '../fields/define.ts';
import { always, computed, defineEntity } from '../records/entity.ts';

export const paymentEntity = defineEntity('payments', {
  title: 'Payment',
  fields: {
    id: field.integer({ ...always, label: { 'zh-CN': '编号', en: 'Id' } }),
    app_id: field.string({ ...always, label: { 'zh-CN': '应用编号', en: 'Application id' } }),
    // Values that the application sent, of any type.
    order_no: computed(field.json({ label: { 'zh-CN': '订单号', en: 'Order no.' } }), { schema: {} }),
    amount: computed(field.json({ label: { 'zh-CN': '金额', en: 'Amount' } }), { schema: {} }),
    currency: computed(field.json({ label: { 'zh-CN': '币种', en: 'Currency' } }), { schema: {} }),
    status: computed(field.string(), { schema: { const: 'received' } }),
    body: computed(field.json({ ...always, label: { 'zh-CN': '原文', en: 'Body' } }), { comparable: false }),
    created_at: field.datetime({ ...always, label: { 'zh-CN': '接收时间', en: 'Received' } }),
  },
  indexed: ['app_id'],
  list: {
    operation: 'listPayments',
    path: '/admin/payments',
    summary: { 'zh-CN': '收到的支付', en: 'Payments received' },
  },
});
