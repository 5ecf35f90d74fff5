import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = (db, dialect) =>
  createTable(db, dialect, 'recipes', {
    fields: {
      title: field.string({ required: true }),
      steps: field.text(),
      cuisine: field.enum(['chinese', 'italian', 'other'], { default: 'other', index: true }),
    },
    search: ['title', 'steps'],
  });
