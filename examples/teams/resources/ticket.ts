import { allOf, anyOf, defineResource, equals, field, many, own } from 'gatewright';
import { isAgent, isMember, isOwner, readsTicket } from '../rules.ts';
import company from './company.ts';
import membership from './membership.ts';

/** Allowed next states, for every way to change a ticket and every user. */
const steps = {
  new: ['open', 'waiting', 'closed'],
  open: ['waiting', 'closed'],
  waiting: ['open', 'closed'],
  closed: ['open'],
} as const satisfies Record<string, readonly string[]>;

export default defineResource('Ticket', {
  label: { 'zh-CN': '工单', en: 'Ticket' },
  icon: 'ticket',
  display: '{number} · {title}',
  fields: {
    company: field.reference(() => company, {
      required: true,
      onDelete: 'cascade',
      label: { 'zh-CN': '公司', en: 'Company' },
    }),
    number: field.sequence({
      per: 'company',
      format: 'T-{year}-{n:4}',
      label: { 'zh-CN': '编号', en: 'Number' },
    }),
    title: field.string({ required: true, max: 120, label: { 'zh-CN': '标题', en: 'Title' } }),
    body: field.text({ required: true, max: 20_000, label: { 'zh-CN': '内容', en: 'Text' } }),
    state: field.enum(['new', 'open', 'waiting', 'closed'], {
      required: true,
      default: 'new',
      colors: { new: 'blue', open: 'orange', waiting: 'grey', closed: 'green' },
      label: { 'zh-CN': '状态', en: 'State' },
      labels: {
        new: { 'zh-CN': '新建', en: 'new' },
        open: { 'zh-CN': '处理中', en: 'open' },
        waiting: { 'zh-CN': '等待客户', en: 'waiting for the customer' },
        closed: { 'zh-CN': '已关闭', en: 'closed' },
      },
    }),
    /** When the present state began. */
    state_since: field.datetime({ label: { 'zh-CN': '状态起始时间', en: 'State since' } }),
    priority: field.enum(['low', 'normal', 'high'], {
      required: true,
      default: 'normal',
      label: { 'zh-CN': '优先级', en: 'Priority' },
      labels: {
        low: { 'zh-CN': '低', en: 'low' },
        normal: { 'zh-CN': '普通', en: 'normal' },
        high: { 'zh-CN': '高', en: 'high' },
      },
    }),
    assignee: field.reference('User', {
      anyone: true,
      shows: ['name'],
      label: { 'zh-CN': '负责人', en: 'Assignee' },
    }),
    /** Minutes until the first answer. */
    answered_after: field.integer({
      label: { 'zh-CN': '首次答复用时（分钟）', en: 'Minutes to first answer' },
    }),
    internal_note: field.text({ max: 20_000, label: { 'zh-CN': '内部备注', en: 'Internal note' } }),
    hours: field.decimal({ min: 0, label: { 'zh-CN': '工时', en: 'Hours spent' } }),
    user_id: field.owner({ shows: ['name'], label: { 'zh-CN': '客户', en: 'Customer' } }),
  },
  relations: { comments: many('Comment', { label: { 'zh-CN': '评论', en: 'Comments' } }) },
  auth: ['jwt', 'api_key'],
  ownership: true,
  isolation: {
    read: readsTicket,
    create: isMember,
    // Customers correct their ticket while it is new.
    update: anyOf(isAgent, allOf(own(), isMember, equals('state', 'new'))),
    destroy: isAgent,
  },
  restricted: [
    'state_since',
    'answered_after',
    { fields: ['state', 'priority', 'assignee', 'internal_note', 'hours'], unless: isAgent },
  ],
  views: { when: [[isAgent, ['internal_note', 'hours']]] },
  // By which the job close-waiting finds tickets.
  indexes: [['state', 'state_since']],
  search: ['title', 'body'],
  trash: true,
  manage: isOwner,
  history: true,
  events: true,
  hooks: {
    /** Tickets are assigned to agents of their company. */
    async beforeSave({ before, values, records, addError }) {
      const company_id = before?.company_id ?? values.company_id;
      const { assignee_id: user_id } = values;
      if (company_id === undefined || user_id === undefined || user_id === null) return;
      const filter = { company_id, user_id, role: { in: ['agent', 'owner'] } } as const;
      if ((await records(membership).count({ filter })) === 0)
        addError('assignee_id', {
          'zh-CN': '负责人须为本公司的客服',
          en: 'Assignee must be an agent of the company',
        });
    },
    beforeCommit({ before, after, restored, set, addError }) {
      if (restored || after === undefined || before?.state === after.state) return;
      const { state: to, updated_at } = after;
      if (before !== undefined && !steps[before.state].some((step) => step === to))
        addError('state', {
          'zh-CN': `工单不能由 ${before.state} 变为 ${to}`,
          en: `A ticket cannot go from ${before.state} to ${to}`,
        });
      set({ state_since: updated_at });
    },
  },
});
