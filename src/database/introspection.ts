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

/** Runs a reading statement on any connection. */
export type Ask = <Row>(sql: string) => Promise<readonly Row[]>;

/** Reads the declarations of tables. Lists are in the order of the declaration. */
export interface Introspection {
  columns(ask: Ask): Promise<readonly (ColumnShape & { readonly table: string })[]>;
  /** A row for each column of each index; `column` is null for an expression. */
  indexes(ask: Ask): Promise<readonly IndexedColumn[]>;
  /** The full-text searches: the table of words, and the searched columns as a JSON array. */
  searches(ask: Ask): Promise<readonly { readonly table: string; readonly columns: string }[]>;
  /** True if a column of the declared type stores the values of a field with the wanted type. */
  holds(declared: string, wanted: string): boolean;
}

export interface IndexedColumn {
  readonly table: string;
  readonly index: string;
  readonly unique: boolean;
  readonly column: string | null;
}
