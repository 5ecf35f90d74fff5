import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = (db, dialect) =>
  createTable(db, dialect, 'tasks', {
    fields: {
      title: field.string({ required: true, max: 120 }),
      done: field.boolean({ required: true, default: false }),
      priority: field.enum(['low', 'normal', 'high'], { required: true, default: 'normal' }),
      user_id: field.owner(),
    },
  });
