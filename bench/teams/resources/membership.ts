import { defineResource, field } from 'gatewright';

export default defineResource('Membership', {
  fields: {
    team: field.reference('Team', { required: true }),
    role: field.enum(['reader', 'editor'], { required: true, default: 'reader' }),
    user_id: field.owner(),
  },
});
