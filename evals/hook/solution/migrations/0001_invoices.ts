import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = (db, dialect) =>
  createTable(db, dialect, 'invoices', {
    fields: {
      number: field.string({ required: true, unique: true }),
      net: field.integer({ required: true, min: 0 }),
      rate: field.integer({ required: true, min: 0, max: 100 }),
      gross: field.integer(),
      sent: field.boolean({ required: true, default: false }),
    },
  });
