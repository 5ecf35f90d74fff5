import { column, table } from '../tables/table.ts';
import { createStatements } from '../tables/table-statements.ts';
import type { Migration } from './migration.ts';
import { ownStep } from './own-step.ts';
import { runAll } from './statements.ts';

const files = table(
  'gatewright_files',
  {
    id: column.id(),
    key: column.text(),
    state: column.text(),
    model: column.text(),
    field: column.text(),
    record_id: column.integer({ nullable: true }),
    record_key: column.text({ nullable: true }),
    uploader: column.text(),
    name: column.text(),
    type: column.text(),
    size: column.integer(),
    checksum: column.text(),
    part_size: column.integer({ nullable: true }),
    upload: column.text({ nullable: true }),
    changed_at: column.time('shown'),
  },
  {
    indexes: {
      gatewright_files_key: { on: ['key'], unique: true },
      gatewright_files_record: { on: ['model', 'record_id'] },
      gatewright_files_open: { on: ['uploader'], where: "state <> 'held'" },
    },
  },
);

const removedFiles = table('gatewright_removed_files', {
  key: column.text({ primaryKey: true }),
  removed_at: column.time('shown'),
});

/** Files of records. An older program knows no field of the type, and refuses a model that has one. */
export const fileTables: Migration = ownStep((db, dialect) =>
  runAll(
    db,
    [files, removedFiles].flatMap((each) => createStatements(each, dialect)),
  ),
);
