import { field } from 'gatewright';

/** A record of the benchmark: a dozen short values. */
export const itemFields = {
  title: field.string({ required: true, max: 100 }),
  status: field.enum(['open', 'done'], { required: true, default: 'open' }),
  amount: field.integer(),
  note: field.text(),
  due: field.date(),
};
