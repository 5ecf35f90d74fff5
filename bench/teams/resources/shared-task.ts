import { anyOf, defineResource, equals, member, own } from 'gatewright';
import { taskFields } from '../fields.ts';

export default defineResource('SharedTask', {
  fields: taskFields,
  isolation: {
    read: anyOf(own(), member('team_id', { of: 'Membership' }), equals('visibility', 'public')),
    write: member('team_id', { of: 'Membership', where: { role: 'editor' } }),
  },
});
