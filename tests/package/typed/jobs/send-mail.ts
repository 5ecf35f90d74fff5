import { defineJob, field } from 'gatewright';

export default defineJob({
  input: {
    to: field.email({ required: true }),
    order: field.integer({ required: true }),
    copies: field.integer({ required: true, default: 1 }),
    note: field.text(),
  },
  attempts: 5,
  handle: async ({ values, id, attempt, signal, records, sql: statements }) => {
    const { to, copies }: { to: string; copies: number } = values;
    const note: string | null | undefined = values.note;
    const order = await records('Order').get(values.order);
    signal.throwIfAborted();
    void [to, copies, note, order.id, id, attempt, statements];
    // @ts-expect-error: no such value
    void values.subject;
  },
});
