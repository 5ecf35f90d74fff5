import { defineResource, field, member } from 'gatewright';

export default defineResource('Company', {
  fields: { name: field.string({ required: true }) },
  permissions: 'writes',
  isolation: member('id', { of: 'Membership', on: 'company_id' }),
});
