import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { equals } from '../../src/model/row-rule.ts';

const fields = {
  title: field.string({ required: true, max: 20 }),
  shown: field.boolean({ required: true, default: true }),
};
/** Names that make an event some three kilobytes. */
const wideFields = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [
    `a_field_with_a_long_name_that_is_long_${index}`,
    field.integer({ default: 1 }),
  ]),
);

/** Items, whose events users receive where they may read them; and wide ones, whose events are long. */
export const items: { resources: readonly ReturnType<typeof defineResource>[]; migrations: Migrations } = {
  resources: [
    defineResource('Item', {
      fields,
      auth: ['jwt', 'api_key'],
      isolation: equals('shown', true),
      events: true,
    }),
    defineResource('Wide', { fields: wideFields, plural: 'wides', events: true }),
  ],
  migrations: {
    '0001_items': {
      up: async (db, dialect) => {
        await createTable(db, dialect, 'items', { fields, indexes: [['shown']] });
        await createTable(db, dialect, 'wides', { fields: wideFields });
      },
    },
  },
};
