import type { ColumnKind } from '../fields/field.ts';
import type { Fragment } from './statement.ts';

/** A value of a key of several columns, and its kind. */
export interface PartValue {
  readonly value: Fragment;
  readonly kind: ColumnKind;
}

/** The SQL of keys of several columns, which differs between databases. */
export interface KeyWords {
  /** The id as text, from the values of its columns: see `keyOfColumns`. */
  idText(parts: readonly PartValue[]): Fragment;
  /** The value of the column at a place of the key, from the id as text; it is computed once for a statement. */
  idPart(id: Fragment, place: number, kind: ColumnKind): Fragment;
}
