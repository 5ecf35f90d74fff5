import { allOf, anyOf, defineResource, equals, field, own, via } from 'gatewright';
import { isAgent, isOwner, readsTicket } from '../rules.ts';
import ticket from './ticket.ts';

/** Comments of tickets that the caller reads; internal ones for agents only. */
const reads = allOf(
  via('ticket', readsTicket, { of: ticket }),
  anyOf(equals('internal', false), via('ticket', isAgent, { of: ticket })),
);

export default defineResource('Comment', {
  label: { 'zh-CN': '评论', en: 'Comment' },
  icon: 'chat',
  display: '{body}',
  fields: {
    ticket: field.reference(() => ticket, {
      required: true,
      onDelete: 'cascade',
      label: { 'zh-CN': '工单', en: 'Ticket' },
    }),
    body: field.text({ required: true, max: 20_000, label: { 'zh-CN': '内容', en: 'Text' } }),
    internal: field.boolean({
      required: true,
      default: false,
      label: { 'zh-CN': '仅内部可见', en: 'Internal' },
    }),
    user_id: field.owner({ shows: ['name'], label: { 'zh-CN': '作者', en: 'Author' } }),
  },
  auth: ['jwt', 'api_key'],
  ownership: true,
  isolation: { read: reads, create: reads, update: own(), destroy: via('ticket', isOwner) },
  restricted: [{ fields: ['internal'], unless: via('ticket', isAgent, { of: ticket }) }],
  history: true,
  events: true,
  hooks: {
    /** The customer's answer opens the ticket again, an agent's answer lets it wait for the customer. */
    async beforeCommit({ before, after, restored, asSystem }) {
      if (before !== undefined || after === undefined || after.internal || restored) return;
      const { records } = asSystem('answer');
      const { id, user_id, state, ...asked } = await records(ticket).get(after.ticket_id, { lock: true });
      if (after.user_id === user_id) {
        if (state === 'waiting' || state === 'closed') await records(ticket).update(id, { state: 'open' });
        return;
      }
      const minutes = Math.floor((Date.parse(after.created_at) - Date.parse(asked.created_at)) / 60_000);
      await records(ticket).update(id, {
        answered_after: asked.answered_after ?? minutes,
        ...(state === 'closed' ? {} : { state: 'waiting' }),
      });
    },
  },
});
