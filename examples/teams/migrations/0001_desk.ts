import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = async (db, dialect) => {
  await createTable(db, dialect, 'companies', {
    fields: {
      name: field.string({ required: true, max: 60 }),
      hourly_rate: field.decimal({ min: 0 }),
      user_id: field.owner(),
    },
  });
  await createTable(db, dialect, 'articles', {
    fields: {
      company_id: field.reference('Company', { required: true, onDelete: 'cascade' }),
      title: field.string({ required: true, max: 120 }),
      body: field.text({ required: true, max: 50000 }),
      published: field.boolean({ required: true, default: false, index: true }),
    },
    search: ['title', 'body'],
  });
  await createTable(db, dialect, 'memberships', {
    fields: {
      company_id: field.reference('Company', { required: true, onDelete: 'cascade' }),
      role: field.enum(['customer', 'agent', 'owner'], { required: true, default: 'customer' }),
      email: field.email({ required: true }),
      user_id: field.owner({ shows: ['name'] }),
    },
    unique: [['user_id', 'company_id']],
  });
  await createTable(db, dialect, 'tickets', {
    fields: {
      company_id: field.reference('Company', { required: true, onDelete: 'cascade' }),
      number: field.sequence({ per: 'company', format: 'T-{year}-{n:4}' }),
      title: field.string({ required: true, max: 120 }),
      body: field.text({ required: true, max: 20000 }),
      state: field.enum(['new', 'open', 'waiting', 'closed'], { required: true, default: 'new' }),
      state_since: field.datetime(),
      priority: field.enum(['low', 'normal', 'high'], { required: true, default: 'normal' }),
      assignee_id: field.reference('User', { anyone: true, shows: ['name'] }),
      answered_after: field.integer(),
      internal_note: field.text({ max: 20000 }),
      hours: field.decimal({ min: 0 }),
      user_id: field.owner({ shows: ['name'] }),
    },
    unique: [['company_id', 'number']],
    indexes: [['state', 'state_since']],
    search: ['title', 'body'],
  });
  await createTable(db, dialect, 'comments', {
    fields: {
      ticket_id: field.reference('Ticket', { required: true, onDelete: 'cascade' }),
      body: field.text({ required: true, max: 20000 }),
      internal: field.boolean({ required: true, default: false }),
      user_id: field.owner({ shows: ['name'] }),
    },
    indexes: [['internal']],
  });
};
