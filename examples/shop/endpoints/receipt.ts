import { defineEndpoint } from 'gatewright';
import order from '../resources/order.ts';
import orderLine from '../resources/order-line.ts';
import product from '../resources/product.ts';

/** An order of the caller's with its lines, which nobody else sees. */
export default defineEndpoint({
  method: 'GET',
  path: '/orders/:id/receipt',
  summary: { 'zh-CN': '订单明细', en: 'Receipt of an order' },
  auth: ['jwt', 'api_key'],
  handle: async ({ params, records, asSystem }) => {
    const { id, status, total } = await records(order).get(Number(params['id']));
    const system = asSystem('lines of an order that the caller may see');
    const lines = await system.records(orderLine).list({ filter: { order_id: id } });
    const ids = lines.map((line) => line.product_id);
    const products = await system.records(product).list({ filter: { id: { in: ids } } });
    const names = new Map(products.map((each) => [each.id, each.name]));
    return {
      id,
      status,
      total,
      lines: lines.map(({ product_id, quantity, price }) => ({
        name: names.get(product_id) ?? '',
        quantity,
        price,
      })),
    };
  },
});
