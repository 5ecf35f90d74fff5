import { anyOf, defineResource, field, member, own } from 'gatewright';

const isAgent = member('company_id', { of: 'Membership', where: { role: ['agent', 'owner'] } });
const isOwner = member('company_id', { of: 'Membership', where: { role: 'owner' } });

/** The members of companies, with their roles. The right to write them decides about all access. */
export default defineResource('Membership', {
  label: { 'zh-CN': '成员', en: 'Membership' },
  icon: 'people',
  display: '{email}',
  fields: {
    company: field.reference('Company', {
      required: true,
      onDelete: 'cascade',
      label: { 'zh-CN': '公司', en: 'Company' },
    }),
    role: field.enum(['customer', 'agent', 'owner'], {
      required: true,
      default: 'customer',
      label: { 'zh-CN': '角色', en: 'Role' },
      labels: {
        customer: { 'zh-CN': '客户', en: 'customer' },
        agent: { 'zh-CN': '客服', en: 'agent' },
        owner: { 'zh-CN': '所有者', en: 'owner' },
      },
    }),
    email: field.email({ required: true, label: { 'zh-CN': '受邀邮箱', en: 'Invited address' } }),
    user_id: field.owner({ shows: ['name'], label: { 'zh-CN': '用户', en: 'Member' } }),
  },
  auth: ['jwt', 'api_key'],
  // In this order it is also the index by which rules find the companies of a caller.
  unique: [['user_id', 'company_id']],
  // Set by the address: with ids a caller could try all users and see their names.
  restricted: ['user_id'],
  isolation: {
    read: anyOf(own(), isAgent),
    // Not own(): a customer could become an owner.
    write: isOwner,
    destroy: anyOf(own(), isOwner),
  },
  hooks: {
    async beforeSave({ values, asSystem, addError }) {
      const { email } = values;
      if (typeof email !== 'string') return;
      const user = await asSystem('invited member').records('User').findByAccount(email);
      if (user === undefined)
        addError('email', { 'zh-CN': '没有使用此邮箱的用户', en: 'No user has this address' });
      else Object.assign(values, { email: user.email, user_id: user.id });
    },
    /** The last owner stays, unless the company or the user is deleted. */
    async beforeCommit({ id, before, after, principal, asSystem, addError }) {
      if (principal.kind !== 'user' || before?.role !== 'owner' || after?.role === 'owner') return;
      const { records } = asSystem('owners who stay');
      const filter = { company_id: before.company_id, role: 'owner', id: { ne: id } } as const;
      if ((await records('Membership').count({ filter })) === 0)
        addError('role', { 'zh-CN': '公司至少要有一名所有者', en: 'A company needs an owner' });
    },
  },
});
