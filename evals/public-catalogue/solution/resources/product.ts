import { defineResource, field } from 'gatewright';

export default defineResource('Product', {
  fields: {
    name: field.string({ required: true }),
    price: field.decimal({ required: true, scale: 2, min: 0 }),
    published: field.boolean({ required: true, default: false, index: true }),
  },
  permissions: 'writes',
  publicRead: { where: { published: true } },
});
