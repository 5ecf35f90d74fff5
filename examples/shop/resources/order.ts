import { defineResource, field, many } from 'gatewright';
import mail from '../jobs/mail.ts';
import { noSuchStep } from '../problems.ts';
import customer from './customer.ts';
import orderLine from './order-line.ts';
import product from './product.ts';

/** Allowed next states of an order, for every way to change it and every user. */
const steps = {
  pending: ['paid', 'cancelled'],
  paid: ['shipped', 'cancelled'],
  shipped: [],
  cancelled: [],
} as const satisfies Record<string, readonly string[]>;

export default defineResource('Order', {
  label: { 'zh-CN': '订单', en: 'Order' },
  fields: {
    customer: field.reference('Customer', { required: true, label: { 'zh-CN': '客户', en: 'Customer' } }),
    status: field.enum(['pending', 'paid', 'shipped', 'cancelled'], {
      required: true,
      default: 'pending',
      label: { 'zh-CN': '状态', en: 'Status' },
    }),
    total: field.integer({ required: true, min: 0, label: { 'zh-CN': '总额', en: 'Total' } }),
    user_id: field.owner({ label: { 'zh-CN': '所有者', en: 'Owner' } }),
  },
  relations: { lines: many('OrderLine', { by: 'order', label: { 'zh-CN': '明细', en: 'Lines' } }) },
  auth: ['jwt', 'api_key'],
  // The checkout creates orders; roles decide who ships them.
  permissions: 'writes',
  isolation: true,
  ownership: true,
  // The history of an order; subscribers receive each change at once.
  history: true,
  events: true,
  problems: [noSuchStep],
  hooks: {
    async beforeCommit({ before, after, id, asSystem, jobs }) {
      if (before === undefined || after === undefined || before.status === after.status) return;
      const from = before.status;
      const to = after.status;
      if (!steps[from].some((step) => step === to)) throw noSuchStep({ from, to });
      const { records } = asSystem(`order ${to}`);
      if (to === 'cancelled') {
        for (const line of await records(orderLine).list({ filter: { order_id: id } })) {
          const { stock } = await records(product).get(line.product_id, { lock: true });
          await records(product).update(line.product_id, { stock: stock + line.quantity });
        }
      }
      const { email, name } = await records(customer).get(after.customer_id);
      const text = `Dear ${name},\n\nyour order ${id} is ${to}.\n`;
      // Stored with the change: sent if that is committed, and only then.
      await jobs.add(mail, { to: email, subject: `Order ${id}: ${to}`, text });
    },
  },
});
