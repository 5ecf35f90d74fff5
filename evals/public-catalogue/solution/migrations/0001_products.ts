import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = (db, dialect) =>
  createTable(db, dialect, 'products', {
    fields: {
      name: field.string({ required: true }),
      price: field.decimal({ required: true, scale: 2, min: 0 }),
      published: field.boolean({ required: true, default: false, index: true }),
    },
  });
