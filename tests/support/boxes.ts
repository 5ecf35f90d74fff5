import { type Application, createApplication } from '../../src/app/application.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';

/** Boxes with a trash, of which items go along and from which labels are taken. */
export const boxesApplication = (): Application => {
  const boxFields = { name: field.string({ required: true }) };
  const itemFields = { box: field.reference('Box', { required: true, onDelete: 'cascade' }) };
  const labelFields = { box: field.reference('Box', { onDelete: 'null' }) };
  const migrations: Migrations = {
    '0001_boxes': {
      up: async (db, dialect) => {
        const references = { box: 'boxes' };
        await createTable(db, dialect, 'boxes', { fields: boxFields });
        await createTable(db, dialect, 'items', { fields: itemFields, references });
        await createTable(db, dialect, 'labels', { fields: labelFields, references });
      },
    },
  };
  const resources = [
    defineResource('Box', { fields: boxFields, plural: 'boxes', trash: true }),
    defineResource('Item', { fields: itemFields }),
    defineResource('Label', { fields: labelFields }),
  ];
  return createApplication({ resources, migrations });
};
