import { defineResource, field, own, via } from 'gatewright';

/**
 * A bought product and its price, visible to the owner of the order. The checkout writes it; others need a
 * permission.
 */
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
