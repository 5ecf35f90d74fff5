import { defineResource, field, many, own } from '../src/index.ts';

export default defineResource('Order', {
  label: { en: 'Order', 'zh-CN': '订单' },
  fields: {
    number: field.string({ required: true }),
    status: field.enum(['open', 'paid'], { default: 'open' }),
    note: field.text(),
    customer: field.reference('Customer', { required: true }),
    user_id: field.owner(),
  },
  unique: [['customer_id', 'number']],
  indexes: [['status', 'created_at']],
  relations: { lines: many('OrderLine', { write: true }) },
  auth: ['jwt', 'api_key'],
  permissions: 'writes',
  ownership: true,
  isolation: { read: 'everyone', write: own() },
  restricted: ['note'],
  views: { list: ['id', 'number', 'status'], saved: ['id'] },
  history: true,
  trash: true,
  events: true,
  hooks: {
    beforeSave({ values, addError }) {
      if (values.number?.startsWith('X')) addError('number', 'A number must not begin with X');
    },
  },
});
