/** Tables as the database has them: what the models are compared with, and what a rebuild starts from. */

export interface ColumnShape {
  readonly name: string;
  /** As declared; PostgreSQL's with its collation where it is not the default one. */
  readonly type: string;
  readonly notNull: boolean;
  /** SQL of the default; undefined where there is none. The id has one of its own. */
  readonly preset: string | undefined;
  readonly references: ForeignKeyShape | undefined;
}

export interface ForeignKeyShape {
  readonly table: string;
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
  /** Those over whole columns and all rows; the primary key's is left out. */
  readonly indexes: readonly IndexShape[];
}

export type Tables = ReadonlyMap<string, TableShape>;

/** Runs a reading statement, whatever connection stands behind it. */
export type Ask = <Row>(sql: string) => Promise<readonly Row[]>;

/** The queries about tables that each dialect has. Lists are ordered as the table is. */
export interface Introspection {
  columns(ask: Ask): Promise<readonly (ColumnShape & { readonly table: string })[]>;
  /** A row for each column of each index; `column` is null for an expression. */
  indexes(ask: Ask): Promise<readonly IndexedColumn[]>;
  /** Whether a column declared like this holds what a field with this column type writes. */
  holds(declared: string, wanted: string): boolean;
}

export interface IndexedColumn {
  readonly table: string;
  readonly index: string;
  readonly unique: boolean;
  readonly column: string | null;
}
