/** The table that the records of a model are in, as SQL names it. */

import type { ColumnKind } from '../fields/field.ts';

/** A column of a key of several. */
export interface KeyColumn {
  readonly field: string;
  readonly kind: ColumnKind;
}

/** The table of a model's records, and their columns. */
export interface StoredTable {
  /** Undefined for the table of this name that the database finds by itself. */
  readonly schema: string | undefined;
  readonly name: string;
  /** Columns that are called otherwise than their fields, by the field. */
  readonly columns: ReadonlyMap<string, string>;
  /**
   * Places after the point of the decimals of an external table, by the field: its columns have numbers with a point,
   * where a table of the service has whole numbers of the last place.
   */
  readonly scales?: ReadonlyMap<string, number>;
  /** The columns of a key of several, in the order of the id; absent for an id that has its own column. */
  readonly key?: readonly KeyColumn[];
  /** Types of columns of an external table that statements read and write in a form of their own, by the field. */
  readonly types?: ReadonlyMap<string, string>;
  /** True for a table that belongs to another program. */
  readonly external?: boolean;
  /** True if the service only reads an external table. */
  readonly readOnly?: boolean;
  /** True for the service's own users, whose stored names follow from `serviceTables`. */
  readonly isOwn?: true;
}

/** The forms of times that texts of SQLite have; `[.ffffff]` is there unless it is zero. The last is the service's. */
export const timeForms: readonly string[] = [
  'YYYY-MM-DD HH:MM:SS',
  'YYYY-MM-DD HH:MM:SS.ffffff',
  'YYYY-MM-DD HH:MM:SS[.ffffff]',
  'YYYY-MM-DDTHH:MM:SS.sssZ',
];

/** The column of a field. */
export const columnIn = ({ columns }: Pick<StoredTable, 'columns'>, field: string): string =>
  columns.get(field) ?? field;

/** The columns of several fields. */
export const columnsIn = (
  stored: Pick<StoredTable, 'columns'>,
  fields: readonly string[],
): readonly string[] => fields.map((field) => columnIn(stored, field));

/** True if the rows have a version that each write raises; others have the hash of their values instead. */
export const hasVersion = ({ columns, external = false }: StoredTable): boolean =>
  !external || columns.has('version');

/** The table of the service's own users. */
export const storedUsers: StoredTable = Object.freeze({
  schema: undefined,
  name: 'users',
  columns: new Map<string, string>(),
  isOwn: true,
});
