import { defineResource, field } from 'gatewright';

/** Callers see their own orders; roles decide who may write; only administrators set the internal note. */
export default defineResource('Order', {
  label: { 'zh-CN': '订单', en: 'Order' },
  icon: 'cart',
  menu: { 'zh-CN': '销售', en: 'Sales' },
  fields: {
    number: field.string({ required: true, unique: true, label: { 'zh-CN': '订单号', en: 'Number' } }),
    /** In minor units: cents, fen. */
    amount: field.integer({ required: true, min: 0, label: { 'zh-CN': '金额', en: 'Amount' } }),
    status: field.enum(['pending', 'paid', 'cancelled'], {
      default: 'pending',
      label: { 'zh-CN': '状态', en: 'Status' },
      labels: {
        pending: { 'zh-CN': '待付款', en: 'Pending' },
        paid: { 'zh-CN': '已付款', en: 'Paid' },
        cancelled: { 'zh-CN': '已取消', en: 'Cancelled' },
      },
      colors: { pending: 'yellow', paid: 'green', cancelled: 'grey' },
    }),
    internal_note: field.text({ label: { 'zh-CN': '内部备注', en: 'Internal note' } }),
    user_id: field.owner({ label: { 'zh-CN': '所有者', en: 'Owner' } }),
  },
  auth: ['jwt', 'api_key'],
  permissions: 'writes',
  isolation: true,
  ownership: true,
  restricted: ['internal_note'],
  views: {
    list: ['id', 'number', 'amount', 'status', 'created_at'],
    detail: ['id', 'number', 'amount', 'status', 'created_at', 'internal_note', 'user_id', 'updated_at'],
    saved: ['id', 'number', 'status'],
  },
});
