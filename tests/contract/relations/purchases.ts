import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { own, via } from '../../../src/model/row-rule.ts';

/** Models whose records are written within one another, under rules of every kind. */

const articleFields = { name: field.string({ required: true, max: 20 }), user_id: field.owner() };
const purchaseFields = {
  number: field.string({ required: true, max: 20, unique: true }),
  total: field.integer(),
  rebate: field.integer(),
  user_id: field.owner(),
};
const itemFields = {
  purchase: field.reference('Purchase', { required: true, onDelete: 'cascade' }),
  article: field.reference('Article'),
  quantity: field.integer({ min: 1, required: true }),
  code: field.string({ max: 10, unique: true }),
  granted: field.integer(),
};
const partFields = {
  item: field.reference('Item', { onDelete: 'cascade' }),
  parent: field.reference('Part', { onDelete: 'cascade' }),
  name: field.string({ required: true, max: 10 }),
};
const remarkFields = {
  purchase: field.reference('Purchase', { required: true, onDelete: 'cascade' }),
  text: field.string({ required: true, max: 20 }),
};
const holdFields = { item: field.reference('Item', { required: true }) };

const folderFields = { name: field.string({ required: true, max: 10 }) };
const sheetFields = {
  folder: field.reference('Folder', { required: true }),
  title: field.string({ required: true, max: 10 }),
};
const sealFields = { folder: field.reference('Folder'), name: field.string({ max: 10 }) };

/** The calls of the hooks, in their order. */
export const heard: string[] = [];

/** Others' articles are not read, and so not named. */
export const article = defineResource('Article', {
  fields: articleFields,
  ownership: true,
  isolation: true,
  auth: ['jwt', 'api_key'],
});
export const purchase = defineResource('Purchase', {
  fields: purchaseFields,
  isolation: true,
  ownership: true,
  restricted: ['rebate'],
  relations: {
    items: many('Item', { write: true }),
    remarks: many('Remark', { write: true }),
    read_only: many('Remark'),
  },
  auth: ['jwt', 'api_key'],
  hooks: {
    beforeSave: ({ action, values, addError }) => {
      heard.push(`purchase beforeSave ${action}`);
      if (values.number === 'odd') addError('number', 'Odd');
    },
    beforeCommit: async ({ action, id, records, addError }) => {
      if (action === 'destroy') return;
      const items = await records('Item').list({ filter: { purchase_id: id } });
      heard.push(`purchase beforeCommit ${action} ${items.map(({ quantity }) => quantity).join(' ')}`);
      if (items.some(({ quantity }) => quantity === 99)) addError('number', 'Not with 99');
    },
    afterCommit: ({ action }) => void heard.push(`purchase afterCommit ${action}`),
  },
});
/** Items of one's own purchases; a key does not delete them. */
export const item = defineResource('Item', {
  fields: itemFields,
  isolation: via('purchase', own()),
  restricted: ['granted'],
  unique: [['purchase_id', 'article_id']],
  relations: { parts: many('Part', { by: 'item', write: true }) },
  auth: {
    ...{ list: ['jwt', 'api_key'], detail: ['jwt', 'api_key'] },
    create: ['jwt', 'api_key'],
    update: ['jwt', 'api_key'],
    destroy: ['jwt'],
  },
  hooks: {
    beforeSave: ({ action, values, addError }) => {
      heard.push(`item beforeSave ${action} ${values.purchase_id === undefined ? '-' : 'of'}`);
      if (values.quantity === 13) addError('quantity', 'Not thirteen');
    },
    beforeCommit: async ({ action, before, after, asSystem }) => {
      heard.push(`item beforeCommit ${action}`);
      const purchases = asSystem('total').records('Purchase');
      const { purchase_id, quantity } = (after ?? before) as { purchase_id: number; quantity: number };
      if (quantity === 50) await purchases.update(purchase_id, { total: 50 });
    },
    afterCommit: ({ action }) => void heard.push(`item afterCommit ${action}`),
  },
});
export const part = defineResource('Part', {
  fields: partFields,
  relations: { children: many('Part', { by: 'parent', write: true }) },
  hooks: { beforeSave: () => void heard.push('part beforeSave') },
});
/** Asks for a permission, whatever is done. */
export const remark = defineResource('Remark', { fields: remarkFields, permissions: 'all' });
/** Keeps an item. */
export const hold = defineResource('Hold', { fields: holdFields });

/** Neither has hooks: whether permissions are read for what is within a body is asked of these alone. */
export const folder = defineResource('Folder', {
  fields: folderFields,
  permissions: 'all',
  relations: { sheets: many('Sheet', { write: true }), seals: many('Seal', { write: true }) },
});
export const sheet = defineResource('Sheet', { fields: sheetFields, permissions: 'all' });
/** Administrators say which folder a seal is in. */
export const seal = defineResource('Seal', { fields: sealFields, restricted: ['folder_id'] });

export const resources = [article, purchase, item, part, remark, hold, folder, sheet, seal];

export const migrations: Migrations = {
  '0001_purchases': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'articles', { fields: articleFields });
      await createTable(db, dialect, 'purchases', { fields: purchaseFields });
      await createTable(db, dialect, 'items', {
        fields: itemFields,
        references: { purchase: 'purchases', article: 'articles' },
        unique: item.unique,
      });
      await createTable(db, dialect, 'parts', {
        fields: partFields,
        references: { item: 'items', parent: 'parts' },
      });
      await createTable(db, dialect, 'remarks', {
        fields: remarkFields,
        references: { purchase: 'purchases' },
      });
      await createTable(db, dialect, 'folders', { fields: folderFields });
      for (const [table, fields] of [
        ['sheets', sheetFields],
        ['seals', sealFields],
      ] as const)
        await createTable(db, dialect, table, { fields, references: { folder: 'folders' } });
      await createTable(db, dialect, 'holds', { fields: holdFields, references: { item: 'items' } });
    },
  },
};
