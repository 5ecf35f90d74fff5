import { type Application, createApplication } from '../../src/app/application.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';

/** A field of every kind that files have a way of their own to write. */
const productFields = {
  sku: field.string({ required: true, unique: true, max: 40 }),
  name: field.text(),
  price: field.decimal(),
  weight: field.number(),
  stock: field.integer({ min: 0, default: 7 }),
  active: field.boolean(),
  status: field.enum(['draft', 'live']),
  day: field.date(),
  at: field.datetime(),
  extra: field.json(),
  code: field.uuid(),
  category: field.reference('Category'),
  user_id: field.owner(),
  secret: field.string(),
};

export const categoryFields = { name: field.string({ required: true }) };

const category = defineResource('Category', { fields: categoryFields, plural: 'categories' });

export const product = defineResource('Product', {
  fields: productFields,
  ownership: true,
  permissions: 'writes',
  restricted: ['secret'],
});

export const transferMigrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'categories', { fields: categoryFields });
      await createTable(db, dialect, 'products', { fields: productFields });
    },
  },
};

export const transferApplication = (): Application =>
  createApplication({ resources: [category, product], migrations: transferMigrations });
