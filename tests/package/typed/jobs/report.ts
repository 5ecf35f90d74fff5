import { defineJob, sql } from 'gatewright';
import order from '../resources/order.ts';

export default defineJob({
  every: '0 3 * * *',
  timeZone: 'Europe/Berlin',
  handle: async (scope) => {
    const row = await scope.sql.get(sql<{ sold: number }>`select sum(pieces) as sold from orders`);
    const sold: number | undefined = row?.sold;
    const paid = await scope.records(order).count({ filter: { state: 'paid' } });
    // A job's scope sees every field.
    const { user_id: owner } = await scope.records(order).get(1);
    void [sold, paid, owner];
  },
});

// @ts-expect-error: no such option
export const wrong = () => defineJob({ evry: '0 3 * * *', handle: () => {} });
