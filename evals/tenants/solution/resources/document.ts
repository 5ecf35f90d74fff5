import { defineResource, field, member } from 'gatewright';

export default defineResource('Document', {
  fields: {
    company: field.reference('Company', { required: true, onDelete: 'cascade' }),
    title: field.string({ required: true }),
  },
  isolation: {
    read: member('company_id', { of: 'Membership' }),
    write: member('company_id', { of: 'Membership', where: { role: 'editor' } }),
  },
});
