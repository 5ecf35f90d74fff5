import { defineResource, member } from 'gatewright';
import { taskFields } from '../fields.ts';

export default defineResource('TeamTask', {
  fields: taskFields,
  isolation: member('team_id', { of: 'Membership' }),
});
