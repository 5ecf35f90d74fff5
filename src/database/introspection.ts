/** Tables, columns and indexes as a database declares them, and how they are read. */

import type { ColumnKind } from '../fields/field.ts';

/** A column of a table as the database declares it. */

export interface ColumnShape {
  readonly name: string;
  /** The declared type; on PostgreSQL with its collation, unless it is the default. */
  readonly type: string;
  readonly notNull: boolean;
  /** SQL of the default; undefined if there is none. */
  readonly preset: string | undefined;
  readonly references: ForeignKeyShape | undefined;
}

export interface ForeignKeyShape {
  readonly table: string;
  /** `no action`, `set null`, `cascade`, … */
  readonly onDelete: string;
  /** Name of the constraint; SQLite has none. */
  readonly name: string | undefined;
  /** The second key of a reference with `same`; undefined without one. */
  readonly same: SameKey | undefined;
}

/** A key over a reference and one more column: the referenced row has the same value in its column as this row. */
export interface SameKey {
  readonly column: string;
  /** The column of the referenced row. */
  readonly to: string;
  /** `no action`, `set null`, `cascade`, … */
  readonly onDelete: string;
  /** Name of the constraint; SQLite has none. */
  readonly name: string | undefined;
}

export interface IndexShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
}

export interface TableShape {
  readonly name: string;
  readonly columns: ReadonlyMap<string, ColumnShape>;
  /** Indexes over plain columns and all rows, without the primary key's. */
  readonly indexes: readonly IndexShape[];
  /** Columns of its full-text search, in their order; undefined without one. */
  readonly search: readonly string[] | undefined;
}

export type Tables = ReadonlyMap<string, TableShape>;

/** A type whose values statements read and write in a form of their own: see `StoredTable.types`. */
export interface ColumnForm {
  /** The names that a model may give it, the shortest first. */
  readonly names: readonly string[];
  /** The kind of its values. */
  readonly kind: ColumnKind;
  /** The labels of an enum type, in their order. */
  readonly labels?: readonly string[];
  /** True if the column can be read without it. */
  readonly isOptional?: boolean;
}

/** A column of a table of another program. */
export interface ExternalColumn {
  readonly name: string;
  readonly type: string;
  /** True if a row cannot be inserted without a value for it. */
  readonly demanded: boolean;
  /** True if the database computes it, so that no statement may set it. */
  readonly computed: boolean;
  /** Most characters of a text, or the range of whole numbers; undefined where the type has no such bound. */
  readonly most: number | undefined;
  /** Undefined for a type that needs none. */
  readonly form: ColumnForm | undefined;
}

/** A table or view of another program, as a model names it. */
export interface ExternalTable {
  /** Undefined where the database has no schemas. */
  readonly schema: string | undefined;
  readonly name: string;
  /** True if new tables of the service would stand in the same schema. */
  readonly isCurrentSchema: boolean;
  readonly kind: 'table' | 'view';
  /** Columns by `Introspection.columnKey`. */
  readonly columns: ReadonlyMap<string, ExternalColumn>;
  /** Columns of each unique index, by the same key. */
  readonly keys: readonly (readonly string[])[];
  /** `select`, `insert`, `update`, `delete`: what the database user may do. */
  readonly rights: readonly string[];
  readonly user: string;
  /** True if row security hides rows from the database user. */
  readonly isRestricted: boolean;
  /** Other schemas that are searched for tables and have one of this name. */
  readonly others: readonly string[];
}

/** Runs a reading statement on any connection. */
export type Ask = <Row>(sql: string) => Promise<readonly Row[]>;

/** Reads the declarations of tables. Lists are in the order of the declaration. */
export interface Introspection {
  columns(ask: Ask): Promise<readonly (ColumnShape & { readonly table: string })[]>;
  /** A row for each column of each index; `column` is null for an expression. */
  indexes(ask: Ask): Promise<readonly IndexedColumn[]>;
  /** The full-text searches: the table of words, and the searched columns as a JSON array. */
  searches(ask: Ask): Promise<readonly { readonly table: string; readonly columns: string }[]>;
  /** The table or view that a model names; undefined if there is none. */
  external(
    ask: Ask,
    table: { readonly schema: string | undefined; readonly name: string },
  ): Promise<ExternalTable | undefined>;
  /** The name of a column as the database compares it. */
  columnKey(name: string): string;
  /** True if a column of another program holds the values of a kind, without loss in either direction. */
  fits(declared: string, kind: ColumnKind): boolean;
  /** The types that fit, in words. */
  fitting(kind: ColumnKind): string;
  /** True if a column of the declared type stores the values of a field with the wanted type. */
  holds(declared: string, wanted: string): boolean;
}

export interface IndexedColumn {
  readonly table: string;
  readonly index: string;
  readonly unique: boolean;
  readonly column: string | null;
}
