/** The outcome for a table: a model with its file, or the reason why it has none. */

import type { DescribedTable, PlacedTable } from '../../database/described-tables.ts';
import type { FieldDefinition } from '../../fields/field.ts';
import type { KeyKind } from '../../fields/keys.ts';
import type { Entry } from '../scaffold/code.ts';

/** The outcome for a column. */
export interface ColumnOutcome {
  readonly column: string;
  /** Its type, and what else the database says of its values. */
  readonly declared: string;
  /** The name in the API: a field, or a name that every record has, such as `id`. Undefined if it was left out. */
  readonly field: string | undefined;
  /** Undefined for a name that every record has. */
  readonly definition: FieldDefinition | undefined;
  /** Why it was left out, or what a person should know. */
  readonly remarks: readonly string[];
}

/** How references of other tables lead to a model. */
export interface ReferredKey {
  /** The kind of its key; undefined where it has several columns, or none. */
  readonly kind?: KeyKind | undefined;
  /** Columns of its key, if it has a kind. */
  readonly columns: readonly string[];
}

export interface AdoptedModel {
  readonly table: DescribedTable;
  readonly model: string;
  readonly singular: string;
  readonly plural: string;
  readonly key: ReferredKey;
  /** The definition, in the order of a file. */
  readonly entries: readonly Entry[];
  readonly columns: readonly ColumnOutcome[];
  /** The database's own words for the table, as lines of a comment. */
  readonly comment: readonly string[];
  /** Remarks on the table: indexes, keys and conditions that no field has, and why it is read-only. */
  readonly remarks: readonly string[];
  /** Rules from policies of another program, by name; undefined without any. */
  readonly policies?: Readonly<Record<string, string>>;
}

export interface LeftTable {
  readonly table: DescribedTable;
  readonly because: string;
}

/** A table in one text: `sales.orders`. */
export const tableText = ({ schema, name }: PlacedTable): string =>
  schema === undefined ? name : `${schema}.${name}`;
