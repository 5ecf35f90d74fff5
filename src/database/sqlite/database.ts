/**
 * SQLite behind the port: connections for reads and writes, threads for long reads, and the revisions of what was
 * written.
 */

import { statSync } from 'node:fs';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { type Figure, figure } from '../../kernel/figure.ts';
import { nextSlice } from '../../kernel/slices.ts';
import { StreamSlots } from '../chunk-stream.ts';
import type { Caller, Claimant, OpenDatabase, Query, Transaction, Unit, WriteOptions } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import { databaseUnavailable } from '../problems.ts';
import { serviceNames } from '../service-names.ts';
import { figuresOfShares } from '../shares.ts';
import type { DatabaseOptions, Peers } from '../target.ts';
import { BriefScans } from './brief-scans.ts';
import { everybodysTurn, whileBusy } from './busy.ts';
import { FileIdentity, SqliteConnection } from './connection.ts';
import { sqliteDialectWith } from './dialect.ts';
import { isBusy, isDamage, isUnwritable, namingFile } from './errors.ts';
import { preparePrivateFile } from './files.ts';
import { ReaderThread } from './reader-thread.ts';
import { mergeWords, truncateLog } from './remains.ts';
import { ScanPool } from './scan-pool.ts';
import { claimPath, ServiceClaim } from './service-claim.ts';
import { everything } from './statement-use.ts';
import { StreamThread } from './stream-thread.ts';
import { removeTemporary, type SqliteFile } from './temporary.ts';
import { type AroundWrites, Writer } from './writer.ts';

/** Longest time for which a snapshot is shared, even within one turn. */
const maxSnapshotAgeMs = 5;

/**
 * Lets the requests of one turn of the event loop share a read transaction, since its locks cost more than most
 * statements. The snapshot begins when these requests have arrived, and ends when each of them waits for something other
 * than a promise. So each request sees everything that was committed before it was sent, and code that hears from
 * another process sees what that had committed. A write of this process ends it as well.
 */
class SharedSnapshot {
  readonly #connection: SqliteConnection;
  /** True if a turn is running. */
  #active = false;
  #open = false;
  #since = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Begins a turn, whose requests need a newer snapshot than that of the last turn. */
  renew(): void {
    this.end();
    if (this.#active) return;
    this.#active = true;
    // A tick runs when no promise is left to resolve.
    queueMicrotask(() => process.nextTick(this.#finish));
  }

  readonly #finish = (): void => {
    this.#active = false;
    this.end();
  };

  /**
   * Ends the snapshot; the next read begins a new one. Never throws, since no caller could catch it. A COMMIT fails
   * after a statement has met a damaged page; as nothing was written, a rollback does the same.
   */
  end(): void {
    if (!this.#open) return;
    try {
      this.#connection.exec('commit');
      this.#open = false;
    } catch {
      this.#open = !this.#connection.tryRollback();
    }
  }

  read<T>(statement: () => T): T {
    if (!this.#active) return statement();
    const now = performance.now();
    if (now - this.#since > maxSnapshotAgeMs) this.end();
    if (!this.#open) {
      this.#connection.exec('begin');
      this.#open = true;
      this.#since = now;
    }
    return statement();
  }
}

/** The versions of a file as connections see them. Each changes with any commit except those of its own connection. */
interface Versions {
  /** The current version for the reading connection, which commits nothing. */
  readonly now: () => number;
  /** The version within the shared snapshot. */
  readonly read: () => number;
  /** The version for the writing connection, which changes only with a commit of another process. */
  readonly others: () => number;
}

/**
 * Numbers commits, and returns for a statement the last one that may have changed what it reads. The columns of this
 * process's commits are known. A commit of another process, or one that may include such a commit, counts for all
 * columns. A commit is known to be this process's alone if it follows the last known version, and no other connection
 * has committed until its own version was read.
 */
export class Revisions {
  readonly #versions: Versions;
  readonly #readsOf: (sql: string) => ReadonlySet<string>;
  /** The last commit that wrote each column. */
  readonly #written = new Map<string, number>();
  /** The columns that a statement reads (`StatementUse`), by SQL; cleared when the schema may have changed. */
  readonly #reads = new BoundedCache<ReadonlySet<string>>(256);
  #commit = 0;
  /** The last commit of unknown columns. */
  #unknown = 0;
  /** The last known version; undefined before the first call. */
  #knownVersion: number | undefined;
  /** The value of `others` before the known version. */
  #others: number | undefined;
  /** True if nothing was committed between the known version and the current write. */
  #follows = false;

  constructor(versions: Versions, readsOf: (sql: string) => ReadonlySet<string>) {
    this.#versions = versions;
    this.#readsOf = readsOf;
  }

  /** Returns the number of the last commit that may have changed what the statement reads. */
  of(sql: string): number {
    const version = this.#readIfFree();
    if (version === undefined || version !== this.#knownVersion) this.#lose(version);
    let last = this.#unknown;
    const reads = this.#reads.getOrMake(sql, () => this.#readsOf(sql));
    for (const name of reads) last = Math.max(last, this.#written.get(name) ?? 0);
    return last;
  }

  /** Notes the beginning of a write of this process. */
  begin(): void {
    const known = this.#knownVersion;
    this.#follows = known !== undefined && known === this.#read(this.#versions.now);
  }

  /** Notes the commit of a write of this process. @param written the columns that its statements wrote */
  end(written: ReadonlySet<string>): void {
    if (this.#knownVersion === undefined) return;
    const before = this.#read(this.#versions.others);
    const version = this.#read(this.#versions.now);
    const after = this.#read(this.#versions.others);
    const isOurs = this.#follows && after !== undefined && after === this.#others;
    if (isOurs && !written.has(everything)) this.#noteColumns(version, written);
    else this.#lose(version);
    this.#others = before === after ? after : undefined;
  }

  #noteColumns(version: number | undefined, written: ReadonlySet<string>): void {
    this.#commit += 1;
    this.#knownVersion = version;
    for (const name of written) this.#written.set(name, this.#commit);
  }

  /** Notes a commit that may have written anything, the schema included. */
  #lose(version: number | undefined): void {
    this.#commit += 1;
    this.#unknown = this.#commit;
    this.#knownVersion = version;
    this.#others = undefined;
    this.#written.clear();
    this.#reads.clear();
  }

  /** The version for reads; undefined while another process recovers the log of one that was killed. */
  #readIfFree(): number | undefined {
    try {
      return this.#versions.read();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return undefined;
    }
  }

  /** Reads a version; undefined if that fails. The commit before it is durable all the same. */
  #read(version: () => number): number | undefined {
    try {
      return version();
    } catch {
      return undefined;
    }
  }
}

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Figures of the one writer, and of the files. */
const figuresOfFile = (path: string, { waiting, writes, groups }: Writer['load']): readonly Figure[] => [
  figure('gauge', 'database_write_queue', 'Writes waiting for the single writer.', waiting),
  figure('counter', 'database_writes_total', 'Writes run in transactions.', writes),
  figure(
    'counter',
    'database_write_groups_total',
    'Transactions used for these writes; concurrent writes share one.',
    groups,
  ),
  figure('gauge', 'database_wal_bytes', 'Size of the write-ahead log.', bytesOf(`${path}-wal`), 'max'),
  figure('gauge', 'database_file_bytes', 'Size of the database file.', bytesOf(path), 'max'),
];

/** Bytes from which on a file is expected to have lists that are scanned and streamed. */
const largeFileBytes = 2 * 1024 * 1024;

/** Interval of checks of the size of a small file. */
const sizeCheckIntervalMs = 10_000;

/** The message to a service that is not the only one on the file. */
const another =
  'another service runs on this SQLite file: both respond, but each write waits for the other. Set WORKERS for several processes of one service; several machines need PostgreSQL';

/** Returns a number that changes with every commit of any other connection. */
const dataVersion: Query = { sql: 'pragma data_version', parameters: [] };

const versionOf = (connection: SqliteConnection): number =>
  Number(connection.get<{ data_version: number }>(dataVersion)?.data_version);

/**
 * Reads and writes have separate connections, so that a read never sees an open transaction. Both are synchronous; long
 * statements run in reader threads.
 */
class SqliteDatabase implements OpenDatabase {
  readonly dialect: Dialect;
  readonly pause = everybodysTurn;
  readonly #place: SqliteFile;
  readonly #writing: SqliteConnection;
  readonly #reading: SqliteConnection;
  readonly #snapshot: SharedSnapshot;
  readonly #revisions: Revisions;
  readonly #writer: Writer;
  readonly #scans: ScanPool;
  readonly #brief = new BriefScans();
  readonly #streams: StreamThread;
  readonly #sizing: NodeJS.Timeout;
  readonly #file: FileIdentity;
  readonly #peers: Peers | undefined;
  #claim: ServiceClaim | undefined;
  #refusal: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    place: SqliteFile,
    writing: SqliteConnection,
    reading: SqliteConnection,
    options: DatabaseOptions,
  ) {
    this.dialect = sqliteDialectWith(options.names ?? serviceNames());
    this.#place = place;
    this.#writing = writing;
    this.#reading = reading;
    this.#snapshot = new SharedSnapshot(reading);
    this.#file = new FileIdentity(place.path, {
      bytes: () => {
        this.#snapshot.end();
        return reading.pragma('page_count') * reading.pragma('page_size');
      },
      mark: () => reading.pragma('user_version'),
    });
    for (const connection of [writing, reading]) connection.lost = () => this.#file.look();
    this.#revisions = new Revisions(
      {
        now: () => versionOf(reading),
        read: () => this.#snapshot.read(() => versionOf(reading)),
        others: () => versionOf(writing),
      },
      (sql) => reading.readsOf(sql),
    );
    this.#peers = options.peers;
    this.#writer = new Writer(writing, this.#aroundWrites(), options);
    const startThread = (onExit: (thread: ReaderThread) => void) =>
      new ReaderThread(place.path, (error) => reading.toError(error), onExit);
    this.#scans = new ScanPool(startThread, options.scanLimit);
    this.#streams = new StreamThread(() => startThread(() => {}), new StreamSlots(options.streamTimes));
    this.#sizing = setInterval(() => this.#warmIfLarge(), sizeCheckIntervalMs).unref();
    this.#warmIfLarge();
  }

  renewSnapshot(): void {
    this.#snapshot.renew();
  }

  revision(sql: string): number {
    try {
      return this.#revisions.of(sql);
    } catch (error) {
      throw this.#reading.toError(error);
    }
  }

  all<Row>(query: Query): Promise<Row[]> {
    return this.#read(() => this.#reading.all<Row>(query));
  }

  get<Row>(query: Query): Promise<Row | undefined> {
    return this.#read(() => this.#reading.get<Row>(query));
  }

  async scan<Row>(query: Query, by?: Caller): Promise<Row[]> {
    if (this.#file.lost !== undefined) throw this.#gone();
    return this.#brief.run<Row>(
      query,
      () => this.all<Row>(query),
      () => this.#scans.scan<Row>(query, by),
    );
  }

  stream(query: Query, by?: Caller): Promise<AsyncIterableIterator<string>> {
    return this.#file.lost === undefined ? this.#streams.stream(query, by) : Promise.reject(this.#gone());
  }

  execute<Row>(query: Query): Promise<Row[]> {
    return this.#write(query) as Promise<Row[]>;
  }

  write<T>(unit: (transaction: Transaction) => Promise<T>, options?: WriteOptions): Promise<T> {
    return this.#write(unit, options) as Promise<T>;
  }

  refuseWrites(cause: Error | undefined): void {
    this.#refusal = cause;
  }

  cannotWrite(error: unknown): boolean {
    return isUnwritable(error);
  }

  damageIn(error: unknown): string | undefined {
    return isDamage(error) ? this.#place.path : undefined;
  }

  lost(): string | undefined {
    return this.#file.inspect();
  }

  get listen(): OpenDatabase['listen'] {
    const peers = this.#peers;
    return (
      peers &&
      ((channel, heard) => {
        const end = peers.listen(channel, heard);
        return async () => end();
      })
    );
  }

  get tell(): OpenDatabase['tell'] {
    const peers = this.#peers;
    return peers && (async (channel) => peers.tell(channel));
  }

  async discardRemains(): Promise<boolean> {
    await mergeWords(this, everybodysTurn);
    this.#snapshot.end();
    return truncateLog(this.#place.path);
  }

  claim(claimant: Claimant): string | undefined {
    try {
      this.#claim ??= new ServiceClaim(this.#place.path, claimant);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      const { message } = namingFile(claimPath(this.#place.path), error) as Error;
      return `${message}. Reads go on; whether another service runs on the database is not known`;
    }
    return this.#claim.alone ? undefined : another;
  }

  figures(): readonly Figure[] {
    return [
      ...figuresOfFile(this.#place.path, this.#writer.load),
      ...figuresOfShares(this.#scans.load, this.#streams.load),
    ];
  }

  async ping(): Promise<void> {
    await this.get({ sql: 'select count(*) from sqlite_schema', parameters: [] });
  }

  interrupt(): void {
    void this.#scans.close();
    void this.#streams.close();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #aroundWrites(): AroundWrites {
    return {
      before: () => {
        this.#snapshot.end();
        this.#revisions.begin();
      },
      behind: () => {
        this.#snapshot.end();
        this.#revisions.end(this.#writing.takeWritten());
      },
      lost: () => this.#file.look(),
    };
  }

  /** Threads take memory, so a small database, whose lists are answered at once, goes without. */
  #warmIfLarge(): void {
    try {
      const file = statSync(this.#place.path, { throwIfNoEntry: false });
      if (file === undefined || file.size < largeFileBytes) return;
      clearInterval(this.#sizing);
      this.#streams.warm();
      this.#scans.warm();
    } catch {
      // Called by a timer. The scan that needs a thread starts it, and fails with the reason.
    }
  }

  async #close(): Promise<void> {
    clearInterval(this.#sizing);
    await this.#writer.close();
    const ended = await Promise.all([this.#scans.close(), this.#streams.close()]);
    this.#snapshot.end();
    this.#reading.close();
    this.#writing.close();
    this.#file.close();
    this.#claim?.release();
    removeTemporary(this.#place);
    if (ended.includes(false)) throw new Error('A statement of a reader thread could not be ended');
  }

  #gone(): unknown {
    return databaseUnavailable(new Error(this.#file.lost));
  }

  #write(work: Query | Unit, options?: WriteOptions): Promise<unknown> {
    if (this.#file.lost !== undefined) return Promise.reject(this.#gone());
    if (this.#refusal !== undefined) return Promise.reject(databaseUnavailable(this.#refusal));
    return this.#writer.write(work, options);
  }

  async #read<T>(statement: () => T): Promise<T> {
    const slice = nextSlice();
    if (slice !== undefined) await slice;
    if (this.#closing !== undefined) throw databaseUnavailable(new Error('The database is closed'));
    try {
      return this.#snapshot.read(statement);
    } catch (error) {
      if (!isBusy(error)) throw this.#reading.toError(error);
    }
    this.#snapshot.end();
    // Rare in WAL: another process recovers the log after a crash, or is the last to close it.
    return whileBusy(statement).catch((error: unknown) => {
      throw this.#reading.toError(error);
    });
  }
}

/** Opens the file, made readable for its owner only, in WAL mode. Throws what SQLite says of a file that is none. */
export const openSqlite = async (place: SqliteFile, options: DatabaseOptions = {}): Promise<OpenDatabase> => {
  preparePrivateFile(place.path);
  const writing = await whileBusy(() => new SqliteConnection(place.path, 'writer'));
  try {
    await whileBusy(() => writing.useWriteAheadLog());
    const reading = await whileBusy(() => new SqliteConnection(place.path, 'reader'));
    return new SqliteDatabase(place, writing, reading, options);
  } catch (error) {
    writing.close();
    throw namingFile(place.path, error);
  }
};
