import { createApplication } from '../../src/app/application.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';

const fields = { title: field.string(), live: field.boolean({ default: true }) };

/** Papers, whose live ones every caller reads, and memos, which only users read. */
export const papers = createApplication({
  resources: [
    defineResource('Paper', { fields, publicRead: { where: { live: true } } }),
    defineResource('Memo', { fields }),
  ],
  migrations: {
    '0001_papers': {
      up: async (db, dialect) => {
        for (const table of ['papers', 'memos']) await createTable(db, dialect, table, { fields });
      },
    },
  },
});
