import { type Application, createApplication } from '../../src/app/application.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';

/** Sheets with a scan, of which nothing keeps former values. */
export const scansApplication = (): Application => {
  const sheetFields = { scan: field.file({ max: '20MiB' }) };
  const migrations: Migrations = {
    '0001_sheets': { up: (db, dialect) => createTable(db, dialect, 'sheets', { fields: sheetFields }) },
  };
  return createApplication({
    resources: [defineResource('Sheet', { fields: sheetFields })],
    migrations,
  });
};
