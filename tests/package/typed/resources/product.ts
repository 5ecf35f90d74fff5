import { defineResource, field } from 'gatewright';

export default defineResource('Product', {
  fields: {
    name: field.string({ required: true, unique: true }),
    stock: field.integer({ required: true, min: 0 }),
    price: field.decimal({ required: true }),
    kind: field.enum(['book', 'game'], { default: 'book' }),
    cost: field.number(),
    data: field.json(),
  },
  views: { list: ['id', 'name', 'stock'], detail: ['id', 'name', 'stock', 'price', 'kind', 'data'] },
});
