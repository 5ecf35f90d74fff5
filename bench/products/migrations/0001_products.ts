import { createTable, type Migration } from 'gatewright';
import { productFields as fields } from '../fields.ts';

export const up: Migration['up'] = (db, dialect) => createTable(db, dialect, 'products', { fields });
