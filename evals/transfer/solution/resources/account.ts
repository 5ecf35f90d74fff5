import { defineResource, field } from 'gatewright';

export default defineResource('Account', {
  fields: {
    name: field.string({ required: true }),
    balance: field.integer({ required: true, min: 0 }),
  },
  permissions: 'writes',
});
