import type { SqlValue } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { type Fragment, identifier, startsOf } from '../database/statement.ts';

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
const writtenColumns = (whole: string): WrittenColumns => ({
  row: identifier(written),
  id: identifier(written, 'id'),
  version: identifier(written, 'version'),
  whole: identifier(written, whole),
});

/** A statement that writes a record, with all that it writes beside it. `value` answers the n-th of all their values. */
export const writtenBeside = (
  { writeWithCte }: Pick<Dialect, 'writeWithCte'>,
  write: Fragment,
  whole: string,
  besides: readonly WrittenBeside[],
  value: (index: number) => Fragment,
): Fragment => {
  if (besides.length === 0) return write;
  if (writeWithCte === undefined) throw new Error('nothing is written beside a record in one statement');
  const starts = startsOf(besides.map(({ values }) => values.length));
  const columns = writtenColumns(whole);
  return writeWithCte(
    write,
    besides.map(({ insert }, of) => insert(columns, (index) => value((starts[of] ?? 0) + index))),
  );
};
