import { field } from 'gatewright';

export const productFields = {
  name: field.string({ required: true, max: 200 }),
  description: field.text({ required: true }),
  stock: field.integer({ required: true }),
  price: field.number({ required: true }),
  rating: field.number({ required: true }),
  active: field.boolean({ required: true }),
  category: field.enum(['tools', 'toys', 'books', 'food'], { required: true }),
  released_at: field.datetime({ required: true }),
};
