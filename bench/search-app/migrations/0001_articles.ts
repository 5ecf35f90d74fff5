import { createTable, type Migration } from 'gatewright';
import { articleFields as fields } from '../fields.ts';

export const up: Migration['up'] = async (db, dialect) => {
  for (const table of ['articles', 'own_articles'])
    await createTable(db, dialect, table, { fields, search: ['title', 'body'] });
};
