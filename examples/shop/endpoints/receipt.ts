import { defineEndpoint } from 'gatewright';
import order from '../resources/order.ts';
import orderLine from '../resources/order-line.ts';
import product from '../resources/product.ts';

/** The caller's own order with its lines. */
export default defineEndpoint({
  method: 'GET',
  path: '/orders/:id/receipt',
  summary: { 'zh-CN': '订单明细', en: 'Receipt of an order' },
  auth: ['jwt', 'api_key'],
  handle: async ({ params, records, asSystem }) => {
    const { id, status, total } = await records(order).get(Number(params['id']));
    const lines = await asSystem('products on a receipt, sold or not')
      .records(orderLine, product)
      .list({ filter: { order_id: id }, include: { product: ['name'] }, perPage: 1000 });
    return {
      id,
      status,
      total,
      lines: lines.map(({ product, quantity, price }) => ({ name: product?.name ?? '', quantity, price })),
    };
  },
});
