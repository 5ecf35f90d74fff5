/** Port to the databases: everything that the rest of the service knows about an open one. */

import type { Figure } from '../kernel/figure.ts';
import type { Dialect } from './dialect.ts';
import type { DialectName } from './name.ts';
import type { Query, Reader, SqlValue, Transaction } from './query.ts';

export type { DialectName, Query, Reader, SqlValue, Transaction };

/** The work of one transaction, all or nothing: the argument of `Database.write`. */
export type Unit<T = unknown> = (transaction: Transaction) => Promise<T>;

/** The caller of an unbounded statement. Its members are computed when they are read. */
export interface Caller {
  /** The name that limits count: `user:5`, `app:shop`, or `net:` and a network if the caller is not authenticated. */
  readonly caller: string;
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal;
  /** Cuts the connection of a caller who does not read. */
  cut(reason: Error): void;
}

/** A caller whose name may need a look-up in the database. */
export interface DeferredCaller extends Omit<Caller, 'caller'> {
  readonly caller: string | Promise<string>;
}

/** Looks up the name of a caller, before it takes a share of the database. */
export const resolveCaller = async (by: DeferredCaller | undefined): Promise<Caller | undefined> =>
  by && { caller: await by.caller, signal: by.signal, cut: (reason) => by.cut(reason) };

export interface WriteOptions {
  /** The main table of the unit: while it waits for a lock on that table, units on other tables run. */
  readonly table?: string | undefined;
  /**
   * For a unit with code of an application, which may wait for other things than its own statements: the time limit in
   * milliseconds, repetitions included. `transaction_timeout` after that.
   */
  readonly limit?: number | undefined;
}

export interface Database extends Reader {
  /** The SQL in which databases differ: statements are built with it. */
  readonly dialect: Dialect;
  /**
   * Returns all rows of a statement that no index bounds (a filter or sort over a whole table, a count). On SQLite it
   * runs in a reader thread, so that no other caller waits for it. On PostgreSQL such statements use at most half of
   * the sessions, brief ones nearly the other half. Each caller has a share of these and waits for it; `overloaded` if
   * that takes too long.
   */
  scan<Row>(query: Query, by?: Caller): Promise<Row[]>;
  /**
   * Streams the rows of a statement with one text column `json`, from one snapshot, as chunks of texts joined by
   * commas, in constant memory: the next chunk is produced on demand. Ending the iteration early releases everything.
   * At most 8 streams at a time, 2 for a caller; a further one waits for up to 10 s, then `overloaded`. While another
   * caller waits, a reader that takes less than 32 KiB in 5 s is disconnected.
   */
  stream(query: Query, by?: Caller): Promise<AsyncIterableIterator<string>>;
  /** One writing statement in a transaction of its own; returns its RETURNING rows. Durable when it resolves. */
  execute<Row>(query: Query): Promise<Row[]>;
  /**
   * Runs the unit in one transaction: all or nothing, durable when it resolves. The unit may be run again after a
   * conflict with another process, so it must have no effect outside the transaction.
   */
  write<T>(unit: (transaction: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Called before the requests of one turn of the event loop start: during the turn, their reads may share a snapshot,
   * which begins after this call. Absent if that saves nothing.
   */
  renewSnapshot?(): void;
  /**
   * Returns a number that changes whenever a process commits a change of anything that the statement reads. Absent if
   * the database cannot compute it cheaply.
   */
  revision?(sql: string): number;
  /**
   * Calls `heard` whenever another process notifies a channel, and after any time in which a notification may have been
   * missed. Returns a function that stops it. Absent if processes cannot notify each other through the database.
   */
  readonly listen?: ((channel: string, heard: () => void) => () => Promise<void>) | undefined;
  /** Notifies every other process that listens on the channel. Absent as `listen` is. */
  readonly tell?: ((channel: string) => Promise<void>) | undefined;
  /**
   * Milliseconds that a process pauses between consecutive transactions, so that other processes can write. Absent if
   * these need not wait for the end of a transaction.
   */
  readonly pause?: number;
  /** A read replica; absent if none is configured. */
  readonly replica?: Replica | undefined;
  /**
   * Removes the rest that deleted and overwritten values leave in the files of the database: in indexes of words, and
   * in the write-ahead log. Returns false while an earlier read, of any process, still needs the log. Absent if the
   * files belong to a server, which decides that by itself.
   */
  discardRemains?(): Promise<boolean>;
  /** Returns its current load, for metrics. Runs no statement. */
  figures?(): readonly Figure[];
  /** Resolves when the database responds. */
  ping(): Promise<void>;
  /**
   * For a shutdown that takes too long: refuses scans and streams from now on, waiting ones included, and cancels the
   * running statements. Further short statements and writes are accepted until `close`.
   */
  interrupt(): void;
  /** Refuses new statements; resolves when accepted ones have ended. @throws Error if a statement could not be ended */
  close(): Promise<void>;
}

/** The reader of lists: a database, or a transaction, which sees its own writes. */
export type ListReader = Pick<Database, 'get' | 'scan' | 'stream'>;

/** Records whether a piece of work has committed anything. */
export interface CommitNote {
  /** The caller whose further reads must see the commit: see `Caller`. Read at each commit. */
  readonly caller: string;
  /** Set by each commit. */
  hasCommitted: boolean;
}

/** The commits that a read must see: those of its caller, and all on tables that decide which rows a caller sees. */
export interface SeenCommits {
  /** Name of the caller as in `CommitNote`; called only if any caller has committed. */
  readonly caller: () => string | Promise<string>;
  /** True if the request says that its sender has written recently, through any instance. */
  readonly hasWritten: boolean;
}

/** State of a replica, and counts since the start. */
export interface ReplicaState {
  /** Its lag in milliseconds; undefined while the replica is not used. */
  readonly age: number | undefined;
  /** Requests whose reads it served, and requests that were sent to the primary instead. */
  readonly used: number;
  readonly passed: number;
  /** Reads that failed there and were repeated on the primary. */
  readonly failed: number;
}

/**
 * A read replica, which is used only while its lag is at most a second. Reads that fail there are repeated on the
 * primary: no read fails because of the replica.
 */
export interface Replica {
  /** Runs a piece of work and records its commits, which its caller's further reads must see. */
  noting<T>(note: CommitNote, work: () => T): T;
  /**
   * Returns the reader for one request: the replica if it has every commit that the request must see, else the primary.
   */
  readerFor(seen: SeenCommits): Promise<ListReader>;
  state(): ReplicaState;
}

/** The reader of lists within a transaction: it neither scans in a thread nor streams. */
export const readerWithin = (transaction: Transaction): ListReader => ({
  get: (query) => transaction.get(query),
  scan: (query) => transaction.all(query),
  stream: async (query) => texts(await transaction.all<{ readonly json: string }>(query)),
});

async function* texts(rows: readonly { readonly json: string }[]): AsyncIterableIterator<string> {
  if (rows.length > 0) yield rows.map(({ json }) => json).join(',');
}

/** A process that claims a database: the first one of its service, or one that joins others of it. */
export type Claimant = 'first' | 'joins';

/** A database with further members for the process that opened it. */
export interface OpenDatabase extends Database {
  /** Refuses every write with this cause from now on; undefined accepts them again. */
  refuseWrites(cause: Error | undefined): void;
  /** True if an error prevents other writes too: a disk that is full, or cannot be written. */
  cannotWrite(error: unknown): boolean;
  /** The place of damaged data, of which an error of a statement speaks; undefined for any other error. */
  damageIn(error: unknown): string | undefined;
  /**
   * Checks whether the file under the database's name is still the opened one. Returns what happened to it, the same
   * from then on; undefined if it is. Absent if every statement shows it.
   */
  lost?(): string | undefined;
  /**
   * Claims this database for a service, until it is closed. Returns a message if another service has claimed it. Absent
   * if any number of services may run on it.
   */
  claim?(claimant: Claimant): string | undefined;
  /**
   * The most sessions of this process, and the most that the server allows all programs. Absent if sessions are not
   * limited, or a pooler is in between.
   */
  readonly sessionRoom?: (() => Promise<SessionRoom>) | undefined;
}

export interface SessionRoom {
  readonly most: number;
  readonly allowed: number;
}

/** A statement that made a text beyond its limit. */
export class TooLongError extends Error {
  constructor(cause: unknown) {
    super('A statement made a text that is too long', { cause });
    this.name = 'TooLongError';
  }
}

export type ConstraintKind = 'unique' | 'foreign_key' | 'not_null' | 'check';

/** A statement that the database refused because of a constraint; nothing of its transaction was written. */
export class ConstraintError extends Error {
  readonly kind: ConstraintKind;
  /** Column names of a violated unique constraint; empty if the database does not name them. */
  readonly columns: readonly string[];

  constructor(kind: ConstraintKind, columns: readonly string[], cause: unknown) {
    super(`${kind} constraint violated`, { cause });
    this.name = 'ConstraintError';
    this.kind = kind;
    this.columns = columns;
  }
}
