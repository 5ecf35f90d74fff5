import { defineResource, member, own } from 'gatewright';
import { taskFields } from '../fields.ts';

/** Everyone reads every task, and two of its fields where they meet a condition. */
export default defineResource('ConditionalTask', {
  fields: taskFields,
  views: {
    when: [
      [member('team_id', { of: 'Membership' }), ['visibility']],
      [own(), ['project_id']],
    ],
  },
});
