import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = (db, dialect) =>
  createTable(db, dialect, 'parcels', {
    fields: {
      code: field.string({ required: true, unique: true }),
      state: field.enum(['new', 'sent', 'delivered'], { required: true, default: 'new' }),
      internal_note: field.text(),
    },
  });
