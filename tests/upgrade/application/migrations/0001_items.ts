import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = async (db, dialect) => {
  await createTable(db, dialect, 'items', {
    fields: {
      title: field.string({ required: true, max: 100, index: true }),
      amount: field.integer({ default: 0 }),
    },
  });
  await createTable(db, dialect, 'receipts', {
    fields: { item: field.integer({ required: true, index: true }) },
  });
};
