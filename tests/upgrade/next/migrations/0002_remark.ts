import { alterTable, createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = async (db, dialect) => {
  await alterTable(db, dialect, 'items', { add: { remark: field.string({ max: 100 }) } });
  await createTable(db, dialect, 'extras', { fields: { title: field.string({ required: true, max: 100 }) } });
};
