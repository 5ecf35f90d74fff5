import type { RawBuilder } from 'kysely';
import type { ColumnKind } from '../fields/field.ts';

/** A value of a key of several columns, and its kind. */
export interface PartValue {
  readonly value: RawBuilder<unknown>;
  readonly kind: ColumnKind;
}

/** The SQL of keys of several columns, which differs between databases. */
export interface KeyWords {
  /** The id as text, from the values of its columns: see `keyOfColumns`. */
  idText(parts: readonly PartValue[]): RawBuilder<unknown>;
  /** The value of the column at a place of the key, from the id as text; it is computed once for a statement. */
  idPart(id: RawBuilder<unknown>, place: number, kind: ColumnKind): RawBuilder<unknown>;
}
