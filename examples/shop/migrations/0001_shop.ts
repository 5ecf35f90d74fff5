import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = async (db, dialect) => {
  await createTable(db, dialect, 'customers', {
    fields: {
      name: field.string({ required: true, max: 100 }),
      email: field.email({ required: true }),
      address: field.text({ required: true, max: 500 }),
      user_id: field.owner(),
    },
  });
  await createTable(db, dialect, 'products', {
    fields: {
      sku: field.string({ required: true, unique: true, max: 40 }),
      name: field.string({ required: true, max: 200 }),
      price: field.integer({ required: true, min: 0 }),
      stock: field.integer({ required: true, min: 0 }),
      active: field.boolean({ default: true, index: true }),
      image: field.string({ max: 100 }),
    },
  });
  await createTable(db, dialect, 'orders', {
    fields: {
      customer: field.reference('Customer', { required: true }),
      status: field.enum(['pending', 'paid', 'shipped', 'cancelled'], { required: true, default: 'pending' }),
      total: field.integer({ required: true, min: 0 }),
      user_id: field.owner(),
    },
    references: { customer: 'customers' },
  });
  await createTable(db, dialect, 'order_lines', {
    fields: {
      order: field.reference('Order', { required: true }),
      product: field.reference('Product', { required: true }),
      quantity: field.integer({ required: true, min: 1 }),
      price: field.integer({ required: true, min: 0 }),
    },
    references: { order: 'orders', product: 'products' },
  });
};
