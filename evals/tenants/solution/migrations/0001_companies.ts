import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = async (db, dialect) => {
  await createTable(db, dialect, 'companies', { fields: { name: field.string({ required: true }) } });
  await createTable(db, dialect, 'memberships', {
    fields: {
      company_id: field.reference('Company', { required: true, onDelete: 'cascade' }),
      role: field.enum(['reader', 'editor'], { required: true, default: 'reader' }),
      user_id: field.owner(),
    },
    unique: [['user_id', 'company_id']],
  });
  await createTable(db, dialect, 'documents', {
    fields: {
      company_id: field.reference('Company', { required: true, onDelete: 'cascade' }),
      title: field.string({ required: true }),
    },
  });
};
