/** Columns that a statement reads and writes, as the compiler of SQLite reports them. */

import { constants, type DatabaseSync } from 'node:sqlite';

/**
 * Columns of tables. A table without a column stands for which rows it has: whatever reads of a table reads that, and
 * every insert and delete writes it.
 */
export interface StatementUse {
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

interface OpenUse {
  readonly reads: Set<string>;
  readonly writes: Set<string>;
}

/** True if a column is computed of others of its row (https://sqlite.org/pragma.html#pragma_table_xinfo). */
const computedColumns = 'select 1 from pragma_table_xinfo(?) where name = ? and hidden in (2, 3)';

/** The name for all columns: it is unknown which of them the statement writes. */
export const everything = '';

/** Names a column; without one, which rows the table has. */
const nameOf = (table: string, column = ''): string => `${table}\0${column}`;
/** Read with a column that is computed of others, and written with each. */
const anyColumnOf = (table: string): string => nameOf(table, '*');

type Note = (use: OpenUse, table: string, column: string) => void;

const isSchema = (table: string): boolean => /^sqlite_(?:temp_)?(?:master|schema)$/.test(table);

const noteRows: Note = ({ writes }, table) => writes.add(isSchema(table) ? everything : nameOf(table));

const noteUpdate: Note = (use, table, column) => {
  use.writes.add(nameOf(table, column));
  use.writes.add(anyColumnOf(table));
  // Under this name whatever is the key is given another value.
  if (isSchema(table) || column === 'ROWID') noteRows(use, table, column);
};

const noteRead: Note = ({ reads }, table, column) => {
  // Every read of a table depends on which rows it has. A count depends on nothing else, and names no column.
  reads.add(nameOf(table)).add(nameOf(table, column));
};

const nothing: Note = () => {};

const notes: ReadonlyMap<number, Note> = new Map([
  [constants.SQLITE_READ, noteRead],
  [constants.SQLITE_INSERT, noteRows],
  [constants.SQLITE_DELETE, noteRows],
  [constants.SQLITE_UPDATE, noteUpdate],
  [constants.SQLITE_SELECT, nothing],
  [constants.SQLITE_RECURSIVE, nothing],
  [constants.SQLITE_FUNCTION, nothing],
  [constants.SQLITE_TRANSACTION, nothing],
  [constants.SQLITE_SAVEPOINT, nothing],
  [constants.SQLITE_PRAGMA, nothing],
]);

const noteUnknown: Note = ({ writes }) => writes.add(everything);

/**
 * Computes what the statements of a connection read and write, triggers and actions of foreign keys included. Nothing
 * is parsed here: SQLite's compiler asks its authorizer for each table and column that a statement uses
 * (https://sqlite.org/c3ref/set_authorizer.html), and is allowed all. Running a statement costs nothing more.
 */
export class StatementUses {
  readonly #database: DatabaseSync;
  #noted: OpenUse | undefined;

  /** @param renewed called where a statement is compiled again as it runs: the schema is no longer what it was */
  constructor(database: DatabaseSync, renewed: () => void) {
    this.#database = database;
    database.setAuthorizer((action, table, column) => {
      if (this.#noted === undefined) renewed();
      else (notes.get(action) ?? noteUnknown)(this.#noted, table ?? '', column ?? '');
      return constants.SQLITE_OK;
    });
  }

  /** Prepares something and returns what that uses. */
  during<T>(prepare: () => T): { readonly made: T; readonly use: StatementUse } {
    const use: OpenUse = { reads: new Set(), writes: new Set() };
    this.#noted = use;
    try {
      return { made: prepare(), use };
    } finally {
      this.#noted = undefined;
    }
  }

  /** Columns that a statement reads; for a computed column those of which it may be computed. */
  readsOf(sql: string): ReadonlySet<string> {
    const reads = new Set(this.during(() => this.#database.prepare(sql)).use.reads);
    const computed = this.during(() => this.#database.prepare(computedColumns)).made;
    for (const key of [...reads]) {
      const [table = '', column = ''] = key.split('\0');
      if (column !== '' && computed.get(table, column) !== undefined) reads.add(anyColumnOf(table));
    }
    return reads;
  }
}
