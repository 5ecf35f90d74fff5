/** Statements and their values, as every part of the database takes them. */

/** A value of a column. The SQLite driver binds booleans as 1 and 0. */
export type SqlValue = string | number | boolean | null;

/** The rows that a statement passes from the beginning of an index, as an OFFSET does. */
export interface Walk {
  /** The same for all walks of one statement that pass the same rows, some more of them than others. */
  readonly key: string;
  readonly rows: number;
}

/** A compiled statement. Drivers prepare each distinct text once. */
export interface Query {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /**
   * Most bytes of any text that it makes; a longer one fails with `TooLongError`. Databases without such a limit check
   * it in the statement itself (`Dialect.fits`).
   */
  readonly longest?: number;
  /** For a scan: whether it is brief in any case, since it examines only a small table. */
  readonly brief?: boolean;
  /** Present for a scan that passes the first rows of an index. */
  readonly walk?: Walk | undefined;
  /**
   * Present if a write of few rows may share a commit with others of its table: the id of the changed row, by which
   * these are ordered so that no two deadlock.
   */
  readonly order?: number | string;
}

export interface Reader {
  /** Returns all rows: for statements that an index bounds to few rows. */
  all<Row>(query: Query): Promise<Row[]>;
  /** Returns the first row, if there is one. */
  get<Row>(query: Query): Promise<Row | undefined>;
}

/** Statements of one transaction. Await nothing but these inside one that has no `limit`. */
export interface Transaction extends Reader {
  /** Runs a statement for its effect; returns the number of rows that it changed. */
  run(query: Query): Promise<number>;
}
