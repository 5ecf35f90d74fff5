import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = async (db, dialect) => {
  await createTable(db, dialect, 'members', {
    fields: { email: field.email({ required: true, unique: true }), welcomed_at: field.datetime() },
  });
  await createTable(db, dialect, 'letters', { fields: { text: field.string({ required: true }) } });
};
