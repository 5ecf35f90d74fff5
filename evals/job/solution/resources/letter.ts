import { defineResource, field } from 'gatewright';

export default defineResource('Letter', {
  fields: { text: field.string({ required: true }) },
  permissions: 'writes',
});
