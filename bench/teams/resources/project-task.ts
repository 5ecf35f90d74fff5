import { anyOf, defineResource, member, own, via } from 'gatewright';
import { taskFields } from '../fields.ts';

export default defineResource('ProjectTask', {
  fields: taskFields,
  isolation: anyOf(own(), via('project', member('team_id', { of: 'Membership' }))),
});
