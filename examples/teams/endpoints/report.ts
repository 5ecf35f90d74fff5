import { decimal, defineEndpoint, field, Problem } from 'gatewright';
import company from '../resources/company.ts';
import ticket from '../resources/ticket.ts';

/** The tickets of a company since a day, with their costs; for its agents. */
export default defineEndpoint({
  method: 'GET',
  path: '/companies/:id/report',
  summary: { 'zh-CN': '公司工单报表', en: 'Report of a company' },
  auth: ['jwt', 'api_key'],
  params: { id: field.integer() },
  query: { from: field.date({ required: true }) },
  output: {
    type: 'object',
    properties: {
      tickets: { type: 'object', additionalProperties: { type: 'integer' } },
      answered_after: {
        type: ['number', 'null'],
        description: 'Minutes until the first answer, on average.',
      },
      hours: { type: 'string' },
      amount: { type: 'string' },
    },
  },
  problems: ['record_not_found', 'forbidden'],
  handle: async ({ params, query, records }) => {
    const { id: company_id, hourly_rate } = await records(company).get(params.id);
    // The company shows its rate to agents, and to them alone.
    if (hourly_rate === undefined) throw new Problem('forbidden');
    const filter = { company_id, created_at: { gte: query.from } };
    const states = await records(ticket).aggregate({ filter, group: ['state'], count: true });
    const [all] = await records(ticket).aggregate({ filter, avg: ['answered_after'], sum: ['hours'] });
    const hours = decimal(all?.sum_hours ?? '0.00');
    return {
      tickets: Object.fromEntries(states.map(({ state, count }) => [state, count])),
      answered_after: all?.avg_answered_after ?? null,
      hours: hours.toString(),
      amount: hours
        .times(hourly_rate ?? '0.00')
        .round(2)
        .toString(),
    };
  },
});
