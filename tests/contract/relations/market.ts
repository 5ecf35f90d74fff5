import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { anyOf, equals, own } from '../../../src/model/row-rule.ts';

/** Models of a small market, on which relations of every kind are tested. */

const customerFields = {
  name: field.string({ required: true, max: 40 }),
  country: field.string({ max: 2, index: true }),
  note: field.string({ max: 40 }),
};
const productFields = {
  name: field.string({ required: true, max: 40 }),
  price: field.decimal({ scale: 2, required: true }),
  cost: field.integer(),
  public: field.boolean({ required: true, default: true }),
  user_id: field.owner(),
};
const orderFields = {
  number: field.string({ required: true, max: 20 }),
  customer: field.reference('Customer', { onDelete: 'null' }),
  parent: field.reference('Order'),
  user_id: field.owner(),
};
const lineFields = {
  order: field.reference('Order', { required: true, onDelete: 'cascade' }),
  product: field.reference('Product'),
  quantity: field.integer({ min: 1, required: true }),
  secret: field.string({ max: 20 }),
};
const tagFields = { name: field.string({ required: true, max: 20 }) };
const productTagFields = {
  product: field.reference('Product', { required: true, onDelete: 'cascade' }),
  tag: field.reference('Tag', { required: true, onDelete: 'cascade' }),
};
const vaultFields = { name: field.string({ max: 20 }), customer: field.reference('Customer') };

/** `note` is for administrators only. */
export const customer = defineResource('Customer', {
  fields: customerFields,
  views: { detail: ['id', 'name', 'country'], list: ['id', 'name'] },
  relations: { orders: many('Order'), vaults: many('Vault') },
  auth: ['jwt', 'api_key'],
});
/** Products that are not public are their owners' only. */
export const product = defineResource('Product', {
  fields: productFields,
  views: { detail: ['id', 'name', 'price', 'public', 'user_id'] },
  isolation: { read: anyOf(equals('public', true), own()), write: own() },
  ownership: true,
  relations: { lines: many('OrderLine'), tags: many('Tag', { through: 'ProductTag' }) },
  auth: ['jwt', 'api_key'],
});
export const order = defineResource('Order', {
  fields: orderFields,
  isolation: true,
  ownership: true,
  relations: {
    lines: many('OrderLine', { by: 'order', write: true, label: { 'zh-CN': '明细', en: 'Items' } }),
  },
  auth: ['jwt', 'api_key'],
});
export const orderLine = defineResource('OrderLine', {
  fields: lineFields,
  views: { detail: ['id', 'order_id', 'product_id', 'quantity', 'created_at'] },
  auth: ['jwt', 'api_key'],
});
export const tag = defineResource('Tag', {
  fields: tagFields,
  relations: { products: many('Product', { through: 'ProductTag' }) },
});
export const productTag = defineResource('ProductTag', { fields: productTagFields });
/** Callers without the permission read none. */
export const vault = defineResource('Vault', { fields: vaultFields, permissions: 'all' });

export const resources = [customer, product, order, orderLine, tag, productTag, vault];

export const migrations: Migrations = {
  '0001_market': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'customers', { fields: customerFields });
      await createTable(db, dialect, 'products', { fields: productFields });
      await createTable(db, dialect, 'orders', {
        fields: orderFields,
        references: { customer: 'customers', parent: 'orders' },
      });
      await createTable(db, dialect, 'order_lines', {
        fields: lineFields,
        references: { order: 'orders', product: 'products' },
      });
      await createTable(db, dialect, 'tags', { fields: tagFields });
      await createTable(db, dialect, 'product_tags', {
        fields: productTagFields,
        references: { product: 'products', tag: 'tags' },
      });
      await createTable(db, dialect, 'vaults', {
        fields: vaultFields,
        references: { customer: 'customers' },
      });
    },
  },
};
