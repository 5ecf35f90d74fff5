/** Files of records: a row for each, and the keys of bytes that no row has any more. */

import { removedAfter } from './stored-time.ts';
import { column, table } from './table.ts';

/**
 * Files. The row is there before the first byte is stored, and a record that names it keeps it by a foreign key; so no
 * bytes are stored without a row, and no record names missing ones.
 */
export const filesTable = table(
  'gatewright_files',
  {
    id: column.id(),
    /** Name of the bytes in the store: random, and never part of a response. */
    key: column.text(),
    /**
     * `arriving`: the bytes are not complete. `stored`: they are, and no record names them yet. `held`: a record has
     * named them.
     */
    state: column.oneOf(['arriving', 'stored', 'held']),
    model: column.text({ kept: 'holder' }),
    field: column.text(),
    /** The record that has named it. */
    record_id: column.integer({ nullable: true }),
    record_key: column.text({ nullable: true }),
    /** The caller who uploads it, as limits count callers. */
    uploader: column.text(),
    name: column.text(),
    type: column.text(),
    /** Bytes; of an upload that is not complete the announced number. */
    size: column.integer(),
    /** SHA-256, in hex; of an upload that is not complete the announced one, empty where none was. */
    checksum: column.text(),
    /** Bytes of a part, where the upload arrives in parts. */
    part_size: column.integer({ nullable: true }),
    /** Its name in the store; may be empty. */
    upload: column.text({ nullable: true }),
    /** The beginning of the upload, or its last part. */
    changed_at: column.time(removedAfter('12 h', 'an upload that no record names is')),
  },
  {
    indexes: {
      gatewright_files_key: { on: ['key'], unique: true },
      gatewright_files_record: { on: ['model', 'record_id'] },
      gatewright_files_open: { on: ['uploader'], where: "state <> 'held'" },
    },
  },
);

/** Keys of bytes that are still to be removed from the store, as their rows are gone. */
export const removedFilesTable = table('gatewright_removed_files', {
  key: column.text({ primaryKey: true }),
  removed_at: column.time('shown'),
});
