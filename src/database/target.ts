/** Interfaces of a database by its URL: how it is opened, migrated, rehearsed, copied, filled and read as a whole. */

import type { Dialect as KyselyDialect } from 'kysely';
import type { OptionalPackage } from '../kernel/optional-packages.ts';
import type { StreamTimes } from './chunk-stream.ts';
import type { OpenDatabase } from './database.ts';
import type { Dialect } from './dialect.ts';
import type { Ask, ColumnShape } from './introspection.ts';
import type { ServiceNames } from './service-names.ts';

/**
 * Wakes the other processes of a service that share a database file. A message may come late, or not at all, so nothing
 * may rest on it but how soon another process looks at the database.
 */
export interface Peers {
  /** Sends a message to every other process that listens on the channel. */
  tell(channel: string): void;
  /** Calls `heard` for each message of another process; returns a function that stops it. */
  listen(channel: string, heard: () => void): () => void;
}

/** How long a write waits while another process holds the database, unless another time is given, in milliseconds. */
export const busyLimit = 10_000;

/** Options with which a database is opened; each kind ignores the options of another one. Times are milliseconds. */
export interface DatabaseOptions {
  /** Maximum number of connections, without the ones of streams and of the time of a lock; 10 unless given. */
  readonly poolSize?: number;
  /** False behind a pooler in transaction mode: nothing is prepared by name. True unless given. */
  readonly prepare?: boolean;
  /** How long a write waits while another process holds the database; `busyLimit` unless given. */
  readonly busyLimit?: number | undefined;
  /** How long a scan in a thread may take; 30 s unless given. */
  readonly scanLimit?: number;
  /** How long a unit may take; 30 s unless given. */
  readonly unitLimit?: number;
  /** After how long without any answer a connection counts as broken; 35 s unless given. */
  readonly silenceLimit?: number;
  readonly streamTimes?: Partial<StreamTimes>;
  /** A server that follows this one, for reads; of a kind of database that has such. */
  readonly replica?: ReplicaOptions | undefined;
  /** The other processes of this service; of a kind of database that cannot notify them itself. */
  readonly peers?: Peers | undefined;
  /** The names of the service's own tables; those of the target. */
  readonly names?: ServiceNames;
}

export interface ReplicaOptions {
  readonly url: string;
  /** Tables whose content decides which rows callers see: every caller has to see a write there. */
  readonly decisive: readonly string[];
  /** Called with a sentence when the replica can no longer be used, and when it can again. */
  readonly report: (state: 'lost' | 'back', sentence: string) => void;
  /** Milliseconds that only grow; the process's own unless given. */
  readonly now?: () => number;
}

/** Where the steps of a plan run, so that nothing of the database changes. */
export interface Rehearsal {
  readonly dialect: Dialect;
  readonly driver: KyselyDialect;
  /** True if what the steps write is run as well, as on a copy; else they can only read. */
  readonly writes: boolean;
}

/** A row as texts that are the same on every database; null where the database has no value. */
export type CanonicalRow = readonly (string | null)[];

/** One state of all tables, whatever is written while it is read. */
export interface TableSnapshot {
  readonly dialect: Dialect;
  readonly ask: Ask;
  /**
   * The rows of a table, in no order, as batches of about a megabyte. Numbers are as JavaScript writes them, truth
   * values 1 and 0, moments as in the API, bytes hexadecimal digits behind `\\x`. `from`: in the order of a column of
   * whole numbers, and only those behind one of them.
   */
  rows(
    table: string,
    columns: readonly string[],
    from?: { readonly column: string; readonly after: string | undefined },
  ): AsyncIterable<readonly CanonicalRow[]>;
  /** True if an error says that stored data is damaged. */
  isDamage(error: unknown): boolean;
}

/** A connection that fills tables, on which a statement may take its time and references are not looked at. */
export interface TableLoader {
  readonly dialect: Dialect;
  readonly ask: Ask;
  /** Runs a statement. */
  run(sql: string): Promise<void>;
  /** Runs some work in one transaction. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Adds rows, ids included. `columns` as the database has them, in the order of the values.
   * @throws Error of the database where a value does not fit; which one is found out by fewer rows
   */
  insert(table: string, columns: readonly ColumnShape[], rows: readonly CanonicalRow[]): Promise<void>;
}

/** How the work of a copier goes on. */
export interface CopyOptions {
  /** Folder of the database's own programs; those of the PATH unless given. */
  readonly programs: string | undefined;
  /** Aborted when the work shall end: it then throws the reason. */
  readonly signal: AbortSignal;
  /** Called with the number of bytes that are copied, and of all bytes if that is known. */
  onProgress(bytes: number, all: number | undefined): void;
}

/** Facts that are needed to restore a copy. */
export interface CopyFacts {
  /** The database and its version, for people. */
  readonly server: string;
  /** Where the tables stand in the database; undefined where there is one place only. */
  readonly schema: string | undefined;
}

/** Takes a copy of a database as a file, and makes a database of such a file. Errors have one line that says all. */
export interface DatabaseCopier {
  /** How every file of a copy begins. */
  readonly magic: string;
  /**
   * Writes one state of the database into a file while others write, and gives `describe` the same state.
   * @param path of a file that does not exist yet, in a directory of its own
   */
  copy<T>(
    path: string,
    options: CopyOptions,
    describe: (snapshot: TableSnapshot, facts: CopyFacts) => Promise<T>,
  ): Promise<T>;
  /**
   * Why nothing can be put in this place; undefined where it is empty, or may hold what was put there by a command that
   * was interrupted at its very end. @param id of the database that is to be put there
   */
  occupied(id: string | undefined): Promise<string | undefined>;
  /**
   * Puts a copy in this place, as a whole or not at all.
   * @param accept is given what was put there, and throws where it is not what it should be
   */
  restore(
    path: string,
    facts: CopyFacts,
    options: CopyOptions,
    accept: (snapshot: TableSnapshot) => Promise<void>,
  ): Promise<void>;
  /**
   * Gives some work an empty place, which goes with all that was put there. Places of killed processes go as well.
   * @param beside a name: what is made of files is made beside it
   */
  onTemporary<T>(beside: string, work: (place: DatabaseTarget) => Promise<T>): Promise<T>;
}

/**
 * A database by its URL. Made once and given to the migrations and to `openDatabase` alike. To read a URL loads no
 * driver.
 */
export interface DatabaseTarget {
  /** Loads the dialect, which reading a URL does not. */
  dialect(): Promise<Dialect>;
  /** The names of the service's own tables. */
  readonly names: ServiceNames;
  /** The same database with other names. @throws TypeError where it cannot have them */
  withNames(names: ServiceNames): DatabaseTarget;
  /** `db.system.name` of it in the semantic conventions of OpenTelemetry. */
  readonly telemetryName: string;
  /** The file that holds the database between two starts; undefined where no file of ours does. */
  readonly file: string | undefined;
  /** Where it is, for messages: without credentials. */
  readonly place: string;
  /**
   * Why it cannot be reached at the moment; undefined where it can. Absent where nothing has to be reached.
   * @throws Error that time does not change, such as a wrong password
   */
  readonly findUnreachable?: () => Promise<Error | undefined>;
  /** True if nothing is in it, as far as that is known without making it: its file is missing or empty. */
  isEmpty(): boolean;
  /** True if something lies beside a missing file that only a database leaves. */
  hasRemains(): boolean;
  /**
   * Says which file of acknowledged writes is gone or damaged since the last process was killed; undefined if none is.
   * Only before the database is first opened.
   */
  lostWrites(): string | undefined;
  open(options: DatabaseOptions): Promise<OpenDatabase>;
  /** A connection for migrations, which takes the lock under which they run, and on which they may take their time. */
  migrationDriver(): Promise<KyselyDialect>;
  /** True if a transaction on that connection failed because it gave way to a write of another process. */
  isLockedOut(error: unknown): Promise<boolean>;
  rehearse<T>(work: (rehearsal: Rehearsal) => Promise<T>): Promise<T>;
  /** Gives some work one state of the tables, on a connection of its own that bounds nothing and writes nothing. */
  snapshot<T>(work: (snapshot: TableSnapshot) => Promise<T>): Promise<T>;
  copier(): Promise<DatabaseCopier>;
  load<T>(work: (loader: TableLoader) => Promise<T>): Promise<T>;
}

/** A database that holds nothing yet and belongs to its maker alone. */
export interface TemporaryDatabase {
  readonly url: string;
  /** Removes it with all that was put there, once it is closed. */
  remove(): Promise<void>;
}

/** A kind of database, with its names in the configuration. */
export interface TargetKind {
  /** Forms of its URLs. */
  readonly forms: readonly string[];
  /** Forms of the URLs of replicas, where it has such. */
  readonly replicaForms?: readonly string[];
  /** How services share one of its servers and are still apart. */
  readonly apart?: string;
  /** Why only one process can serve the database, and what to do; undefined if many can. Absent if they always can. */
  readonly alone?: (url: string) => string | undefined;
  /** Packages that an application installs for it. */
  readonly packages?: readonly OptionalPackage[];
  reads(url: string): boolean;
  /**
   * @param url that it reads
   * @throws TypeError for names that this kind of database cannot have
   */
  target(url: string, names: ServiceNames): DatabaseTarget;
  /**
   * Makes a database for tests, beside the one that the URL names.
   * @param url that it reads @param folder for a database that is a file
   */
  createTemporary(url: string, folder: string): Promise<TemporaryDatabase>;
}
