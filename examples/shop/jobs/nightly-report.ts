import { defineJob } from 'gatewright';
import order from '../resources/order.ts';
import mail from './mail.ts';

/** Every night at three: the sales of yesterday, to `REPORT_TO`. */
export default defineJob({
  every: '0 3 * * *',
  timeZone: 'Asia/Shanghai',
  handle: async ({ records, jobs, id }) => {
    const since = new Date(Date.now() - 86_400_000).toISOString();
    const groups = await records(order).aggregate({
      filter: { created_at: { gte: since } },
      group: ['status'],
      count: true,
      sum: ['total'],
    });
    const text = groups
      .map(({ status, count, sum_total }) => `${status}: ${count} orders, ${Number(sum_total) / 100}`)
      .join('\n');
    const to = process.env['REPORT_TO'] ?? 'owner@example.com';
    // By its key the report is mailed once, even if this job runs twice.
    await jobs.add(mail, { to, subject: 'Yesterday', text: text || 'No orders.' }, { key: `report ${id}` });
  },
});
