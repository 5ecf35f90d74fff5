import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = async (db, dialect) => {
  await createTable(db, dialect, 'entries', {
    fields: {
      mark: field.string({ required: true, index: true, max: 64 }),
      value: field.integer({ required: true }),
    },
  });
  await createTable(db, dialect, 'notices', {
    fields: {
      title: field.string({ required: true }),
      body: field.text(),
      published: field.boolean({ default: true }),
    },
  });
};
