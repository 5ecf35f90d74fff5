import type { SqlValue } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { type Fragment, identifier, startsOf } from '../database/statement.ts';

/** An insert into another table, made by the same statement as the insert of a record: a version, or an event. */
export interface CompanionInsert {
  /** Identifies the SQL of the insert. */
  readonly key: string;
  /** The insert, which reads the new record. `value` returns the n-th of the values, which has no type of its own. */
  readonly insert: (written: WrittenColumns, value: (index: number) => Fragment) => Fragment;
  readonly values: readonly SqlValue[];
}

/** The new record, as such an insert reads it. */
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

/** The insert of a record with its companions, in one statement. `value` returns the n-th of all their values. */
export const withCompanions = (
  { writeWithCte }: Pick<Dialect, 'writeWithCte'>,
  write: Fragment,
  whole: string,
  companions: readonly CompanionInsert[],
  value: (index: number) => Fragment,
): Fragment => {
  if (companions.length === 0) return write;
  if (writeWithCte === undefined) throw new Error('this database has no inserts within a statement');
  const starts = startsOf(companions.map(({ values }) => values.length));
  const columns = writtenColumns(whole);
  return writeWithCte(
    write,
    companions.map(({ insert }, of) => insert(columns, (index) => value((starts[of] ?? 0) + index))),
  );
};
