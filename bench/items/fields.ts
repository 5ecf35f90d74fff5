import { field } from 'gatewright';

/** The columns of HttpArena's table `items`. Neither that table nor this one has an index beside its key. */
export const itemFields = {
  name: field.string({ required: true, max: 200 }),
  category: field.string({ required: true, max: 50 }),
  price: field.integer({ required: true }),
  quantity: field.integer({ required: true }),
  active: field.boolean({ required: true, default: true }),
  tags: field.json({ required: true, default: ['bench'] }),
  rating_score: field.integer({ required: true, default: 0 }),
  rating_count: field.integer({ required: true, default: 0 }),
};
