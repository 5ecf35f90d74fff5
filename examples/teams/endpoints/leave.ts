import { defineEndpoint, Problem } from 'gatewright';
import membership from '../resources/membership.ts';

/** Leaves a team. The resource lets only its owners delete memberships. */
export default defineEndpoint({
  method: 'DELETE',
  path: '/teams/:id/membership',
  summary: { 'zh-CN': '退出团队', en: 'Leave a team' },
  problems: ['record_not_found'],
  handle: async ({ params, principal, records, asSystem }) => {
    const seats = await records(membership).list({ filter: { team_id: Number(params['id']) } });
    const own = seats.find(({ user_id }) => principal.kind === 'user' && user_id === principal.id);
    if (own === undefined) throw new Problem('record_not_found');
    await asSystem('left the team').records(membership).remove(own.id);
  },
});
