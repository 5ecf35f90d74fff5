import { anyOf, defineResource, field, member, own } from 'gatewright';

/** The members of teams, with their roles. The right to write them decides about all access. */
export default defineResource('Membership', {
  label: { 'zh-CN': '成员', en: 'Membership' },
  fields: {
    team: field.reference('Team', {
      required: true,
      onDelete: 'cascade',
      label: { 'zh-CN': '团队', en: 'Team' },
    }),
    role: field.enum(['viewer', 'editor', 'owner'], {
      required: true,
      default: 'viewer',
      label: { 'zh-CN': '角色', en: 'Role' },
    }),
    user_id: field.owner(),
  },
  // In this order it is also the index by which rules find the teams of a caller.
  unique: [['user_id', 'team_id']],
  isolation: {
    read: anyOf(own(), member('team_id', { of: 'Membership' })),
    // Not own(): a viewer could become an owner.
    write: member('team_id', { of: 'Membership', where: { role: 'owner' } }),
  },
});
