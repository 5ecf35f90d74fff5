import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = async (db, dialect) => {
  await createTable(db, dialect, 'notes', {
    fields: { title: field.string({ required: true, max: 200 }), body: field.text() },
  });
  await createTable(db, dialect, 'orders', {
    fields: {
      number: field.string({ required: true, unique: true }),
      amount: field.integer({ required: true, min: 0 }),
      status: field.enum(['pending', 'paid', 'cancelled'], { default: 'pending' }),
      internal_note: field.text(),
      user_id: field.owner(),
    },
  });
  await createTable(db, dialect, 'articles', {
    fields: {
      title: field.string({ required: true, max: 200 }),
      body: field.text(),
      published: field.boolean({ default: false, index: true }),
      user_id: field.owner(),
    },
  });
};
