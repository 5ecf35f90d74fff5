/** Progress of `gatewright import`. */

import { column, table } from './table.ts';

/** One row for each model into which something was ever imported. */
export const importsTable = table('gatewright_imports', {
  model: column.text({ primaryKey: true, kept: 'model' }),
  /** The run that may write: a random text; null while there is none. */
  run: column.text({ nullable: true }),
  /** Incremented by every step of a run, so that others see its progress. */
  steps: column.integer(),
});

/** Files that were imported in part, or whose end is not reported yet. */
export const importPlacesTable = table(
  'gatewright_import_places',
  {
    id: column.id(),
    model: column.text({ kept: 'model' }),
    /** Bytes from the beginning of the file that are in the database. */
    bytes: column.integer(),
    /** SHA-256 of these bytes, lowercase hex. */
    digest: column.text(),
    /** Ends of lines among these bytes. */
    lines: column.integer(),
    created: column.integer(),
    updated: column.integer(),
    changed_at: column.time('shown'),
  },
  {
    indexes: {
      gatewright_import_places_model: { on: ['model', 'id'] },
    },
  },
);
