import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = (db, dialect) =>
  createTable(db, dialect, 'accounts', {
    fields: { name: field.string({ required: true }), balance: field.integer({ required: true, min: 0 }) },
  });
