import { defineResource, field } from 'gatewright';

export default defineResource('Membership', {
  fields: {
    company: field.reference('Company', { required: true, onDelete: 'cascade' }),
    role: field.enum(['reader', 'editor'], { required: true, default: 'reader' }),
    user_id: field.owner(),
  },
  unique: [['user_id', 'company_id']],
  permissions: 'writes',
  isolation: true,
});
