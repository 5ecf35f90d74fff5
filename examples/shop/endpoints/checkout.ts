import { defineEndpoint, field } from 'gatewright';
import { badLines, soldOut } from '../problems.ts';
import customer from '../resources/customer.ts';
import order from '../resources/order.ts';
import orderLine from '../resources/order-line.ts';
import product from '../resources/product.ts';

interface Line {
  readonly product: number;
  readonly quantity: number;
}

const isLine = (line: unknown): line is Line => {
  const { product: id, quantity } = (line ?? {}) as Partial<Line>;
  return (
    Number.isSafeInteger(id) &&
    Number.isInteger(quantity) &&
    Number(quantity) >= 1 &&
    Number(quantity) <= 1000
  );
};

/** Sorted by product, so that two checkouts that lock the same ones do not deadlock. */
const linesOf = (value: unknown): readonly Line[] => {
  if (!Array.isArray(value) || value.length === 0 || value.length > 50 || !value.every(isLine))
    throw badLines();
  if (new Set(value.map((line) => line.product)).size < value.length) throw badLines();
  return value.sort((a, b) => a.product - b.product);
};

/** Takes the goods from stock and writes the order: all of it, or nothing. */
export default defineEndpoint({
  method: 'POST',
  path: '/checkout',
  summary: { 'zh-CN': '结账', en: 'Check out' },
  auth: ['jwt', 'api_key'],
  input: {
    customer: field.integer({ required: true }),
    lines: field.json({ required: true, example: [{ product: 1, quantity: 1 }] }),
  },
  output: order,
  status: 201,
  problems: [soldOut, badLines, 'record_not_found'],
  handle: ({ values, principal, transaction }) => {
    const lines = linesOf(values.lines);
    return transaction(async ({ records, asSystem }) => {
      // As the caller: addresses of other users do not exist for them.
      const { id: customer_id } = await records(customer).get(values.customer);
      const system = asSystem('checkout');
      let total = 0;
      const bought: { product_id: number; quantity: number; price: number }[] = [];
      for (const { product: id, quantity } of lines) {
        const { name, price, stock, active } = await system.records(product).get(id, { lock: true });
        if (active !== true || stock < quantity) throw soldOut({ name, left: active === true ? stock : 0 });
        await system.records(product).update(id, { stock: stock - quantity });
        bought.push({ product_id: id, quantity, price });
        total += price * quantity;
      }
      const user_id = principal.kind === 'user' ? principal.id : null;
      const made = await system.records(order).create({ customer_id, total, user_id });
      for (const line of bought) await system.records(orderLine).create({ order_id: made.id, ...line });
      return made;
    });
  },
});
