import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = (db, dialect) =>
  createTable(db, dialect, 'notes', {
    fields: {
      title: field.string({ required: true }),
      pinned: field.boolean({ default: false }),
      user_id: field.owner(),
    },
  });
