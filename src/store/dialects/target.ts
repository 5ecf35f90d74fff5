import type { Dialect as KyselyDialect } from 'kysely';
import type { OpenDatabase } from '../database.ts';
import type { StreamTimes } from './chunk-stream.ts';
import type { DialectName } from './name.ts';

/** What databases take when they are opened; each leaves alone what it has no use for. Times are milliseconds. */
export interface DatabaseOptions {
  /** Most connections, those of streams, and of the time of a lock, not counted; 10 unless given. */
  readonly poolSize?: number;
  /** False behind a pooler in transaction mode: nothing is prepared by name. True unless given. */
  readonly prepare?: boolean;
  /** How long a write waits while another process holds the database; 10 s unless given. */
  readonly busyLimit?: number;
  /** How long a scan in a thread may take; 30 s unless given. */
  readonly scanLimit?: number;
  /** How long a unit may take; 30 s unless given. */
  readonly unitLimit?: number;
  /** After how long without any answer a connection counts as broken; 35 s unless given. */
  readonly silenceLimit?: number;
  readonly streamTimes?: Partial<StreamTimes>;
}

/** Where the steps of a plan run, so that nothing of the database changes. */
export interface Rehearsal {
  readonly dialect: DialectName;
  readonly driver: KyselyDialect;
  /** Whether what the steps write is run as well, as on a copy; else they can only read. */
  readonly writes: boolean;
}

/**
 * Which database is meant. Made once and given to the migrations and to `openDatabase` alike. Whoever only reads a URL
 * loads nothing of the database behind it.
 */
export interface DatabaseTarget {
  readonly dialect: DialectName;
  /** The file that holds the database between two starts; undefined where no file of ours does. */
  readonly file: string | undefined;
  /** Whether nothing is in it, as far as that is known without making it: its file is missing or empty. */
  isEmpty(): boolean;
  /** Whether something lies beside a missing file that only a database leaves. */
  hasRemains(): boolean;
  open(options: DatabaseOptions): Promise<OpenDatabase>;
  /** A connection for migrations, which takes the lock under which they run, and on which they may take their time. */
  migrationDriver(): Promise<KyselyDialect>;
  rehearse<T>(work: (rehearsal: Rehearsal) => Promise<T>): Promise<T>;
}

/** A kind of database, as whoever configures the service names it. */
export interface TargetKind {
  /** Forms of its URLs. */
  readonly forms: readonly string[];
  /** How services share one of its servers and are still apart. */
  readonly apart?: string;
  reads(url: string): boolean;
  /** @param url that it reads */
  target(url: string): DatabaseTarget;
}
