import type { SqlValue } from '../database.ts';
import { type Fragment, name } from '../statement.ts';

/** What a statement that writes a record writes beside it, in the same statement. */
export interface WrittenBeside {
  /** Tells statements apart that write something else. */
  readonly key: string;
  /** An insert that reads the record. `value` answers the n-th of the values, which has no type of its own. */
  readonly insert: (written: WrittenColumns, value: (index: number) => Fragment) => Fragment;
  readonly values: readonly SqlValue[];
}

/** The record, as such an insert reads it. */
export interface WrittenColumns {
  readonly row: Fragment;
  readonly id: Fragment;
  readonly version: Fragment;
  /** JSON text of every field. */
  readonly whole: Fragment;
}

const written = '_written';

/** @param whole name of the column with every field */
export const writtenColumns = (whole: string): WrittenColumns => ({
  row: name(written),
  id: name(written, 'id'),
  version: name(written, 'version'),
  whole: name(written, whole),
});
