import { defineResource, field } from 'gatewright';

export default defineResource('Project', {
  fields: {
    name: field.string({ required: true, max: 100 }),
    team: field.reference('Team', { required: true }),
  },
});
