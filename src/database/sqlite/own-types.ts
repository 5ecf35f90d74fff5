import type { OwnTypes } from '../dialect.ts';

export const ownTypes: OwnTypes = {
  text: 'text',
  timestamp: 'text',
  boolean: 'integer',
  integer: 'integer',
  json: 'text',
  // Without AUTOINCREMENT the highest id would be given again once its record is deleted.
  id: 'integer primary key autoincrement',
};
