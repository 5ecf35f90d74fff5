import { anyOf, defineResource, field, member, own } from 'gatewright';
import membership from './membership.ts';

export default defineResource('Team', {
  label: { 'zh-CN': '团队', en: 'Team' },
  fields: {
    name: field.string({ required: true, max: 60, label: { 'zh-CN': '名称', en: 'Name' } }),
    user_id: field.owner(),
  },
  ownership: true,
  isolation: {
    read: anyOf(own(), member('id', { of: membership, on: 'team_id' })),
    write: anyOf(own(), member('id', { of: membership, on: 'team_id', where: { role: 'owner' } })),
  },
  hooks: {
    /** The creator of a team becomes its first owner: both are written, or neither. */
    async beforeCommit({ before, after, id, asSystem }) {
      if (before !== undefined || after === undefined || after.user_id === null) return;
      const { records } = asSystem('first owner of a new team');
      await records(membership).create({ team_id: id, user_id: after.user_id, role: 'owner' });
    },
  },
});
