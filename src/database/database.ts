import type { Figure } from '../kernel/figure.ts';
import type { DialectName } from './name.ts';

export type { DialectName };

/** The part that the databases have in common: all that the rest of the service knows about them. */

/** The work of one transaction, all or nothing: the argument of `Database.write`. */
export type Unit<T = unknown> = (transaction: Transaction) => Promise<T>;

/** A value that a column takes or gives. The SQLite driver binds booleans as 1 and 0. */
export type SqlValue = string | number | boolean | null;

/** A compiled statement. Drivers prepare each distinct text once. */
export interface Query {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /**
   * Most bytes of any text that it makes, on a database that takes such a limit: a longer one ends it with `TooLongError`.
   * Statements for others say so themselves (`fits` of their dialect).
   */
  readonly longest?: number;
  /** For a scan: whether it is over soon whatever it does, as all that it looks at is a table of few bytes. */
  readonly brief?: boolean;
  /**
   * Given where a write of few rows may share a commit with others of its table: the order among these in which no
   * two wait for each other, as the id of the row that it changes.
   */
  readonly order?: number;
}

/** The caller on whose behalf something runs that nothing bounds. Its members are computed when they are read. */
export interface Caller {
  /** The name that limits count: `user:5`, `app:shop`, or `net:` and a network if the caller is not authenticated. */
  readonly caller: string;
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal;
  /** Cuts the connection of a caller who does not read. */
  cut(reason: Error): void;
}

/** A caller of whom it may take a look at the database to tell who it is. */
export interface DeferredCaller extends Omit<Caller, 'caller'> {
  readonly caller: string | Promise<string>;
}

/** Looks up the name of a caller, where work begins that callers share. */
export const knownCaller = async (by: DeferredCaller | undefined): Promise<Caller | undefined> =>
  by && { caller: await by.caller, signal: by.signal, cut: (reason) => by.cut(reason) };

export interface Reader {
  /** All rows, in one go: for statements that an index bounds to few rows. */
  all<Row>(query: Query): Promise<Row[]>;
  /** The first row, if there is one. */
  get<Row>(query: Query): Promise<Row | undefined>;
}

/** Statements of one transaction. Await nothing but these inside one that has no `limit`. */
export interface Transaction extends Reader {
  /** Runs a statement for its effect; returns the number of rows that it changed. */
  run(query: Query): Promise<number>;
}

export interface WriteOptions {
  /** The table that the unit is mostly about: a lock on that table keeps no other units waiting. */
  readonly table?: string | undefined;
  /**
   * For a unit that holds code of an application, which may wait for other things than its own statements: how many
   * milliseconds it may take, however often it is run. `transaction_timeout` after that.
   */
  readonly limit?: number | undefined;
}

export interface Database extends Reader {
  /** For an application's own SQL. Statements of the service's own are built with `dialectOf`. */
  readonly dialect: DialectName;
  /**
   * All rows of a statement that no index bounds (a filter or sort over a whole table, a count). On SQLite it runs
   * in a reader thread, so that no other caller waits for it; on PostgreSQL such statements take half of the sessions at
   * most, brief ones nearly the other half. A caller has a share of that, and waits for it; `overloaded` where that lasts
   * too long.
   */
  scan<Row>(query: Query, by?: Caller): Promise<Row[]>;
  /**
   * The rows of a statement with one text column `json`, from one snapshot, as chunks of texts joined by commas,
   * in constant memory: the next chunk is produced when it is asked for. Ending the iteration early frees
   * everything. At most 8 at a time, 2 for a caller; one more waits for 10 s, then it is the problem `overloaded`. A
   * reader who takes less than 32 KiB in 5 s is cut where another waits.
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
   * Called before the requests start that a turn of the event loop has brought: until the turn is over their reads may
   * share a snapshot, which begins after this call. Absent where that saves nothing.
   */
  renewSnapshot?(): void;
  /**
   * A number that stays the same while no process commits anything that the statement reads: its result under one number
   * stays its result. Absent where the database cannot compute it cheaply.
   */
  revision?(sql: string): number;
  /**
   * Calls `heard` whenever a process notifies a channel, and after each time that a notification may have been missed;
   * returns a function that ends that. Absent where processes cannot notify each other through the database.
   */
  readonly listen?: ((channel: string, heard: () => void) => () => Promise<void>) | undefined;
  /** Notifies every process that listens on the channel, this one included. Absent as `listen` is. */
  readonly tell?: ((channel: string) => Promise<void>) | undefined;
  /**
   * Milliseconds that a process pauses between two of its transactions in a row, so that writes of other processes get
   * their turn. Absent where these need not wait for the end of a transaction.
   */
  readonly pause?: number;
  /** A server that follows this one, for reads; absent where none was named. */
  readonly replica?: Replica | undefined;
  /** How much of it is in use at this moment, for metrics. Runs no statement. */
  figures?(): readonly Figure[];
  /** Resolves when the database responds. */
  ping(): Promise<void>;
  /**
   * For a stop that takes too long: refuses scans and streams from now on, those that wait included, and has the
   * statements that run at this moment end. Further short statements, and writes, go on until `close`.
   */
  interrupt(): void;
  /** Takes nothing new; resolves when what was taken is over. @throws Error where a statement could not be ended */
  close(): Promise<void>;
}

/** The reader of lists: a database, or a transaction for what was written in it. */
export type ListReader = Pick<Database, 'get' | 'scan' | 'stream'>;

/** Says whether a piece of work has committed anything. */
export interface CommitNote {
  /** The caller whose further reads have to see it: see `Caller`. Read at each commit. */
  readonly caller: string;
  /** Set by each commit. */
  hasCommitted: boolean;
}

/** The commits that a read has to see: those of its caller, and those that decide which rows a caller sees. */
export interface SeenCommits {
  /** As in `CommitNote`; called only if any caller has committed. */
  readonly caller: () => string | Promise<string>;
  /** Whether the request says that its sender has written a moment ago, through whatever instance. */
  readonly hasWritten: boolean;
}

/** State of a replica, and counts since the start. */
export interface ReplicaState {
  /** Milliseconds for which something committed may be missing there; undefined while the replica is not used. */
  readonly age: number | undefined;
  /** Requests whose reads went there, and those that were sent to the first server instead. */
  readonly used: number;
  readonly passed: number;
  /** Reads that failed there, and were asked again. */
  readonly failed: number;
}

/**
 * A server that follows the first one, and is behind it by a second at most whenever it is used. Reads that fail there go
 * to the first server: none fails that would not have failed there.
 */
export interface Replica {
  /** Runs a piece of work and notes its commits, which its caller's further reads have to see. */
  noting<T>(note: CommitNote, work: () => T): T;
  /** The reader for one request: that of the replica if it has every commit that is to be seen, else of the first server. */
  readerFor(seen: SeenCommits): Promise<ListReader>;
  state(): ReplicaState;
}

/** Reads within a transaction: at once and in one go, whatever it is. */
export const readerWithin = (transaction: Transaction): ListReader => ({
  get: (query) => transaction.get(query),
  scan: (query) => transaction.all(query),
  stream: async (query) => texts(await transaction.all<{ readonly json: string }>(query)),
});

async function* texts(rows: readonly { readonly json: string }[]): AsyncIterableIterator<string> {
  if (rows.length > 0) yield rows.map(({ json }) => json).join(',');
}

/** A database with the members for the process that opened it: to watch over it. */
export interface OpenDatabase extends Database {
  /** Refuses every write with this cause from now on; undefined takes them again. */
  refuseWrites(cause: Error | undefined): void;
  /** Whether what a statement failed with stands in the way of other writes too: a full disk, or one that cannot be written. */
  cannotWrite(error: unknown): boolean;
  /**
   * Checks whether the opened file is still the one under its name; returns its fate, and then the same for good. Absent
   * where every statement shows it.
   */
  lost?(): string | undefined;
  /**
   * Claims this database for a service, until it is closed. Returns a message if another service has claimed it already.
   * Absent where any number of services may run on it.
   */
  claim?(): string | undefined;
  /**
   * Sessions that this process may have at most, and those that the server lets all programs have in sum. Absent where
   * they are not counted, and where a pooler stands in between.
   */
  readonly sessionRoom?: (() => Promise<SessionRoom>) | undefined;
}

export interface SessionRoom {
  readonly most: number;
  readonly allowed: number;
}

/** A statement made a text longer than it may be. */
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
  /** Column names of a violated unique constraint (empty where the database does not name them). */
  readonly columns: readonly string[];

  constructor(kind: ConstraintKind, columns: readonly string[], cause: unknown) {
    super(`${kind} constraint violated`, { cause });
    this.name = 'ConstraintError';
    this.kind = kind;
    this.columns = columns;
  }
}
