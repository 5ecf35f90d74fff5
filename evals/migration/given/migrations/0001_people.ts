import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = (db, dialect) =>
  createTable(db, dialect, 'people', { fields: { name: field.string({ required: true }) } });
