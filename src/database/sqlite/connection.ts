/** One connection to a SQLite file: bound values, prepared statements, transactions, and the identity of the file. */

import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Query, SqlValue } from '../database.ts';
import { databaseUnavailable } from '../problems.ts';
import { isDamage, toDatabaseError } from './errors.ts';
import { addFunctions } from './functions.ts';
import { everything, StatementUses } from './statement-use.ts';

/**
 * node:sqlite binds every JavaScript number as a REAL, which shows wherever no column gives an affinity (`2.0` in
 * JSON, in a text column, in an expression). Integers therefore go as 64-bit integers.
 */
const bindOne = (value: SqlValue): SQLInputValue => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return value;
};

export const bind = (parameters: readonly SqlValue[]): SQLInputValue[] => parameters.map(bindOne);

/**
 * Runs a statement that returns no rows, and returns the number of rows changed. node:sqlite reads the id of the
 * connection's last insert after each, and fails where it is larger than a number holds.
 */
export const runStatement = (statement: StatementSync, values: readonly SQLInputValue[]): number => {
  statement.setReadBigInts(true);
  try {
    return Number(statement.run(...values).changes);
  } finally {
    statement.setReadBigInts(false);
  }
};

const settings = {
  // No busy timeout: waiting inside SQLite would stall the event loop.
  common: 'pragma busy_timeout = 0; pragma trusted_schema = off;',
  writer:
    'pragma cache_size = -8192; pragma synchronous = full; pragma foreign_keys = on; pragma secure_delete = on;' +
    // After a long read has kept the log from being reused, it shrinks back to this size.
    // A checkpoint runs after a commit and blocks all callers: at most 400 pages, which take up to 4 ms.
    'pragma journal_size_limit = 67108864; pragma wal_autocheckpoint = 400;',
  reader: 'pragma cache_size = -8192; pragma query_only = on;',
  // Holds a table of some megabytes from one scan to the next.
  scanner: 'pragma cache_size = -8192; pragma query_only = on;',
} as const;

interface StatementAndWrites {
  readonly statement: StatementSync;
  /** See `StatementUse`. */
  readonly writes: ReadonlySet<string>;
}

/** One connection to a database file; everything runs synchronously and throws errors of SQLite. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #uses: StatementUses;
  /** Prepared statements by SQL; SQLite prepares one again where the schema has changed. */
  readonly #statements = new BoundedCache<StatementAndWrites>(256);
  #written = new Set<string>();
  /** Describes the loss of the file, which SQLite takes for damage; undefined if it is still there. */
  lost: () => string | undefined = () => undefined;

  constructor(path: string, role: 'writer' | 'reader' | 'scanner') {
    // A reading thread must not create a missing file.
    this.#database = new DatabaseSync(path, { readOnly: role === 'scanner' });
    try {
      this.#database.exec(settings.common + settings[role]);
      addFunctions(this.#database);
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#uses = new StatementUses(this.#database, () => {
      // The other statements may write other tables than when they were prepared: there may be other triggers.
      this.#statements.clear();
      this.#written.add(everything);
    });
  }

  /**
   * Kept by the file once set. Throws where the file system cannot have it: without it, reads would wait for writes.
   */
  useWriteAheadLog(): void {
    const mode = this.#database.prepare('pragma journal_mode = wal').get()?.['journal_mode'];
    if (mode !== 'wal')
      throw new Error(`SQLite cannot keep a write-ahead log here (journal mode ${String(mode)})`);
  }

  /** The statement, to be run now: what it writes counts as written. */
  prepare(sql: string): StatementSync {
    const { statement, writes } = this.#statements.getOrMake(sql, () => this.#prepared(sql));
    for (const name of writes) this.#written.add(name);
    return statement;
  }

  #prepared(sql: string): StatementAndWrites {
    const { made, use } = this.#uses.during(() => this.#database.prepare(sql));
    return { statement: made, writes: use.writes };
  }

  /** Columns written by the statements since the last call, those included that were undone. */
  takeWritten(): ReadonlySet<string> {
    const written = this.#written;
    this.#written = new Set();
    if (written.has(everything)) this.#statements.clear();
    return written;
  }

  /** Columns that a statement reads, as in `StatementUse`. Throws where it cannot be prepared. */
  readsOf(sql: string): ReadonlySet<string> {
    return this.#uses.readsOf(sql);
  }

  all<Row>(query: Query): Row[] {
    return this.limited(query, () => this.prepare(query.sql).all(...bind(query.parameters)) as Row[]);
  }

  get<Row>(query: Query): Row | undefined {
    return this.limited(
      query,
      () => this.prepare(query.sql).get(...bind(query.parameters)) as Row | undefined,
    );
  }

  /** Runs a statement within the length that it sets for texts: a limit of the connection, which runs one at a time. */
  limited<T>({ longest }: Query, run: () => T): T {
    if (longest === undefined) return run();
    const { limits } = this.#database;
    const usual = limits.length;
    limits.length = longest;
    try {
      return run();
    } finally {
      limits.length = usual;
    }
  }

  /** The number that a pragma returns. */
  pragma(name: 'page_count' | 'page_size' | 'user_version'): number {
    return Number(this.#database.prepare(`pragma ${name}`).get()?.[name]);
  }

  /** Returns the number of rows changed. */
  run(query: Query): number {
    return runStatement(this.prepare(query.sql), bind(query.parameters));
  }

  /** Runs a statement without values or rows, such as BEGIN. */
  exec(sql: string): void {
    runStatement(this.prepare(sql), []);
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  rollback(): void {
    if (this.inTransaction) this.exec('rollback');
  }

  /** False where even that is refused, and the transaction is still open. */
  tryRollback(): boolean {
    try {
      this.rollback();
    } catch {
      // The next use of the connection tries again.
    }
    return !this.inTransaction;
  }

  /** The error as callers of the store see it. */
  toError(error: unknown): unknown {
    const lost = isDamage(error) ? this.lost() : undefined;
    if (lost !== undefined) return databaseUnavailable(new Error(lost, { cause: error }));
    return toDatabaseError(error, (index) => this.#tableOf(index));
  }

  #tableOf(index: string): string | undefined {
    try {
      const row = this.get<{ tbl_name: string }>({
        sql: `select tbl_name from sqlite_schema where type = 'index' and name = ?`,
        parameters: [index],
      });
      return row?.tbl_name;
    } catch {
      // The error being explained is the one to report, also where the explanation cannot be had.
      return undefined;
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

/** Bytes of the header of a database file (https://sqlite.org/fileformat2.html#the_database_header). */
const headLength = 100;
const magic = 'SQLite format 3\0';
const changeCounter = 24;
const userVersion = 60;

interface Head {
  /** SQLite's change counter: a lower one belongs to an older copy. */
  readonly changes: number;
  /** The mark that migrations set in the database. */
  readonly mark: number;
}

export interface FileFacts {
  /** Returns the size of the database according to SQLite. Throws if SQLite cannot read it. */
  bytes(): number;
  /** Returns the mark according to SQLite, which may not be in the file yet. */
  mark(): number;
}

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

const isSame = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev;

/**
 * Checks whether the file under the database's name is still the opened one. SQLite continues with a file and a log
 * that were removed or replaced: what it commits to these is lost with the process.
 */
export class FileIdentity {
  readonly #path: string;
  readonly #facts: FileFacts;
  /**
   * Open for as long as the connections: closing any descriptor of the file drops the locks that SQLite holds on it
   * (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
   */
  readonly #descriptor: number;
  readonly #buffer = Buffer.alloc(headLength);
  readonly #marks: ReadonlySet<number>;
  readonly #file: Stats;
  #log: Stats | undefined;
  #size: number;
  #modified: number;
  #changes: number;
  #lost: string | undefined;

  /** @param path of a database that connections are open to */
  constructor(path: string, facts: FileFacts) {
    this.#path = path;
    this.#facts = facts;
    this.#descriptor = openSync(path, 'r');
    this.#file = statSync(path);
    this.#size = this.#file.size;
    this.#modified = this.#file.mtimeMs;
    const head = this.#readHead();
    this.#changes = head?.changes ?? 0;
    const marks = new Set([facts.mark()]);
    if (head !== undefined) marks.add(head.mark);
    this.#marks = marks;
  }

  /** Describes how the database was lost; undefined if it was not. It stays lost until it is opened again. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** Checks names and sizes, and the header if the file has changed. Takes some microseconds. */
  look(): string | undefined {
    this.#lost ??= this.#compare();
    return this.#lost;
  }

  /** Checks names, sizes and the header in any case. */
  inspect(): string | undefined {
    this.#lost ??= this.#compare() ?? this.#compareHead();
    return this.#lost;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #compare(): string | undefined {
    const file = statOf(this.#path);
    if (file === undefined) return `${this.#path} was removed`;
    if (!isSame(file, this.#file)) return `${this.#path} was replaced by another file`;
    const log = statOf(`${this.#path}-wal`);
    if (this.#log !== undefined && (log === undefined || !isSame(log, this.#log)))
      return `${this.#path}-wal was ${log === undefined ? 'removed' : 'replaced by another file'}`;
    this.#log ??= log;
    if (file.size === this.#size && file.mtimeMs === this.#modified) return undefined;
    const shrunk = file.size < this.#size;
    this.#size = file.size;
    this.#modified = file.mtimeMs;
    return (shrunk ? this.#compareSize(file.size) : undefined) ?? this.#compareHead();
  }

  /** Compares a smaller file with SQLite's own count, as a VACUUM makes a file smaller too. */
  #compareSize(size: number): string | undefined {
    if (size === 0) return `${this.#path} was emptied`;
    try {
      return size < this.#facts.bytes() ? `${this.#path} was cut off` : undefined;
    } catch {
      return `${this.#path} was cut off`;
    }
  }

  #compareHead(): string | undefined {
    const head = this.#readHead();
    if (head === undefined || !this.#marks.has(head.mark)) return `${this.#path} holds another database`;
    if (head.changes < this.#changes) return `${this.#path} holds an older copy of the database`;
    this.#changes = head.changes;
    return undefined;
  }

  /** Reads the header; undefined if the file is no database. */
  #readHead(): Head | undefined {
    const read = readSync(this.#descriptor, this.#buffer, 0, headLength, 0);
    if (read < headLength || this.#buffer.toString('latin1', 0, magic.length) !== magic) return undefined;
    return {
      changes: this.#buffer.readUInt32BE(changeCounter),
      mark: this.#buffer.readUInt32BE(userVersion),
    };
  }
}
