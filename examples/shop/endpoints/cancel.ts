import { defineEndpoint } from 'gatewright';
import { noSuchStep } from '../problems.ts';
import order from '../resources/order.ts';

/** Customers cancel their own orders; the order decides whether it can still be cancelled. */
export default defineEndpoint({
  method: 'POST',
  path: '/orders/:id/cancel',
  summary: { 'zh-CN': '取消订单', en: 'Cancel an order' },
  auth: ['jwt', 'api_key'],
  output: order,
  problems: [noSuchStep],
  handle: async ({ params, records, asSystem }) => {
    const { id } = await records(order).get(Number(params['id']));
    return asSystem('cancelled by the customer').records(order).update(id, { status: 'cancelled' });
  },
});
