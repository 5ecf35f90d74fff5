import { createTable, field, type Migration } from 'gatewright';
import { itemFields as fields } from '../fields.ts';

export const up: Migration['up'] = async (db, dialect) => {
  for (const table of ['plain_items', 'event_items', 'kept_items', 'both_items', 'hooked_items'])
    await createTable(db, dialect, table, { fields });
  await createTable(db, dialect, 'owned_items', { fields: { ...fields, user_id: field.owner() } });
};
