import { defineResource, field, many } from 'gatewright';

/** A delivery address. Callers see their own only. */
export default defineResource('Customer', {
  label: { 'zh-CN': '客户', en: 'Customer' },
  fields: {
    name: field.string({ required: true, max: 100, label: { 'zh-CN': '姓名', en: 'Name' } }),
    email: field.email({ required: true, label: { 'zh-CN': '邮箱', en: 'Email' } }),
    address: field.text({ required: true, max: 500, label: { 'zh-CN': '地址', en: 'Address' } }),
    user_id: field.owner({ label: { 'zh-CN': '所有者', en: 'Owner' } }),
  },
  relations: { orders: many('Order', { label: { 'zh-CN': '订单', en: 'Orders' } }) },
  auth: ['jwt', 'api_key'],
  isolation: true,
  ownership: true,
});
