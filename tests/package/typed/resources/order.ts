import { defineResource, field } from 'gatewright';
import sendMail from '../jobs/send-mail.ts';
import { soldOut } from '../problems.ts';
import product from './product.ts';

export default defineResource('Order', {
  fields: {
    product: field.reference('Product', { required: true }),
    pieces: field.integer({ required: true, min: 1 }),
    state: field.enum(['open', 'paid'], { required: true, default: 'open' }),
    user_id: field.owner(),
  },
  ownership: true,
  problems: [soldOut],
  hooks: {
    beforeSave: ({ action, values, before, addError }) => {
      if (action === 'update' && before?.state === 'paid') addError('state', 'paid');
      values.pieces = (values.pieces ?? 0) + 0;
      // @ts-expect-error: no such field
      values.peices = 1;
      // @ts-expect-error: the field of a reference is product_id
      addError('product', 'no');
    },
    beforeCommit: async ({ action, after, records }) => {
      if (action !== 'create' || after === undefined) return;
      const { stock, id } = await records(product).get(after.product_id, { lock: true });
      if (stock < after.pieces) throw soldOut({ left: stock });
      await records(product).update(id, { stock: stock - after.pieces });
      // @ts-expect-error: a destroy and a create have no record before
      void before.pieces;
    },
    afterCommit: async ({ record, jobs }) => {
      await jobs.add(sendMail, { to: 'a@example.com', order: record.id }, { key: `order-${record.id}` });
      // @ts-expect-error: what the mail is about is missing
      await jobs.add(sendMail, { to: 'a@example.com' });
      // @ts-expect-error: no such option
      await jobs.add(sendMail, { to: 'a@example.com', order: 1 }, { delay: 5 });
    },
  },
});
