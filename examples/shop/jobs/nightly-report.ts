import { defineJob, sql } from 'gatewright';
import mail from './mail.ts';

/** Every night at three: what yesterday brought, to `REPORT_TO`. */
export default defineJob({
  every: '0 3 * * *',
  timeZone: 'Asia/Shanghai',
  handle: async ({ sql: ask, jobs, id }) => {
    const since = new Date(Date.now() - 86_400_000).toISOString();
    const rows = await ask.all(
      sql<{ status: string; orders: number; total: number }>`
        select status, count(*) as orders, cast(sum(total) as bigint) as total
        from orders where created_at >= ${since} group by status order by status`,
    );
    const text = rows
      .map(({ status, orders, total }) => `${status}: ${orders} orders, ${total / 100}`)
      .join('\n');
    const to = process.env['REPORT_TO'] ?? 'owner@example.com';
    // By its key the report is mailed once, also where this job runs twice.
    await jobs.add(mail, { to, subject: 'Yesterday', text: text || 'No orders.' }, { key: `report ${id}` });
  },
});
