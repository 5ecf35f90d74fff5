import { anyOf, defineResource, field, member, own } from 'gatewright';
import membership from './membership.ts';

const isAgent = member('id', { of: membership, on: 'company_id', where: { role: ['agent', 'owner'] } });
const isOwner = member('id', { of: membership, on: 'company_id', where: { role: 'owner' } });

export default defineResource('Company', {
  label: { 'zh-CN': '公司', en: 'Company' },
  icon: 'building',
  fields: {
    name: field.string({ required: true, max: 60, label: { 'zh-CN': '名称', en: 'Name' } }),
    hourly_rate: field.decimal({ min: 0, label: { 'zh-CN': '每小时费用', en: 'Hourly rate' } }),
    user_id: field.owner({ label: { 'zh-CN': '创建者', en: 'Created by' } }),
  },
  auth: ['jwt', 'api_key'],
  ownership: true,
  isolation: {
    // own(): the creator reads it before the hook below makes them a member.
    read: anyOf(own(), member('id', { of: membership, on: 'company_id' })),
    create: own(),
    write: isOwner,
  },
  views: { when: [[isAgent, ['hourly_rate']]] },
  hooks: {
    /** The creator of a company becomes its first owner: both are written, or neither. */
    async beforeCommit({ before, after, id, asSystem, addError }) {
      if (before !== undefined || after === undefined || after.user_id === null) return;
      const { records } = asSystem('first owner of a new company');
      const creator = await records('User').find(after.user_id);
      if (creator === undefined) return;
      if (creator.email === null)
        addError('name', { 'zh-CN': '所有者需要邮箱', en: 'The owner needs an address' });
      else await records(membership).create({ company_id: id, email: creator.email, role: 'owner' });
    },
  },
});
