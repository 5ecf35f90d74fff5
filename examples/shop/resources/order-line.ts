import { defineResource, field, own, via } from 'gatewright';

/** What was bought at what price, for whom the order belongs to. The checkout writes it; else it takes a permission. */
export default defineResource('OrderLine', {
  label: { 'zh-CN': '订单行', en: 'Order line' },
  fields: {
    order: field.reference('Order', { required: true, label: { 'zh-CN': '订单', en: 'Order' } }),
    product: field.reference('Product', { required: true, label: { 'zh-CN': '商品', en: 'Product' } }),
    quantity: field.integer({ required: true, min: 1, label: { 'zh-CN': '数量', en: 'Quantity' } }),
    price: field.integer({ required: true, min: 0, label: { 'zh-CN': '单价', en: 'Price' } }),
  },
  auth: ['jwt', 'api_key'],
  permissions: 'writes',
  isolation: via('order', own()),
});
