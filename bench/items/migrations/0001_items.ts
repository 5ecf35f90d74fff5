import { createTable, type Migration } from 'gatewright';
import { itemFields as fields } from '../fields.ts';

export const up: Migration['up'] = (db, dialect) => createTable(db, dialect, 'items', { fields });
