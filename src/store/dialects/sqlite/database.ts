import { statSync } from 'node:fs';
import type { Caller, OpenDatabase, Query, Transaction } from '../../database.ts';
import { StreamSlots, type StreamTimes } from '../chunk-stream.ts';
import { databaseUnavailable } from '../problems.ts';
import { removeTemporary, type SqliteTarget } from '../target.ts';
import type { Unit } from '../unit.ts';
import { whileBusy } from './busy.ts';
import { SqliteConnection } from './connection.ts';
import { isBusy } from './errors.ts';
import { FileIdentity } from './file-identity.ts';
import { preparePrivateFile } from './files.ts';
import { ReaderThread } from './reader-thread.ts';
import { ScanPool } from './scan-pool.ts';
import { ServiceClaim } from './service-claim.ts';
import { SharedSnapshot } from './shared-snapshot.ts';
import { StreamThread } from './stream-thread.ts';
import { Writer } from './writer.ts';

export interface SqliteOptions {
  /** How long a write waits while another process holds the database, in milliseconds; 10 s unless given. */
  readonly busyLimit?: number;
  /** How long a scan may take, in milliseconds; 30 s unless given. */
  readonly scanLimit?: number;
  readonly streamTimes?: Partial<StreamTimes>;
}

/** Bytes from which on a file is expected to have lists that are scanned and streamed. */
const largeFile = 2 * 1024 * 1024;

/** Milliseconds between two looks at the size of a file that was small. */
const sizeInterval = 10_000;

/** Differs after every commit of any other connection; the one for reads commits nothing itself. */
const dataVersion: Query = { sql: 'pragma data_version', parameters: [] };

/**
 * Reads and writes have a connection each, so that a read never sees an open transaction. Both are synchronous; what
 * takes long goes to reader threads.
 */
class SqliteDatabase implements OpenDatabase {
  readonly dialect = 'sqlite';
  readonly #target: SqliteTarget;
  readonly #writing: SqliteConnection;
  readonly #reading: SqliteConnection;
  readonly #snapshot: SharedSnapshot;
  readonly #writer: Writer;
  readonly #scans: ScanPool;
  readonly #streams: StreamThread;
  readonly #sizing: NodeJS.Timeout;
  readonly #file: FileIdentity;
  #claim: ServiceClaim | undefined;
  #refusal: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    target: SqliteTarget,
    writing: SqliteConnection,
    reading: SqliteConnection,
    options: SqliteOptions,
  ) {
    this.#target = target;
    this.#writing = writing;
    this.#reading = reading;
    this.#snapshot = new SharedSnapshot(reading);
    this.#file = new FileIdentity(target.path, {
      bytes: () => {
        this.#snapshot.end();
        return reading.pragma('page_count') * reading.pragma('page_size');
      },
      mark: () => reading.pragma('user_version'),
    });
    const endReads = (): void => this.#snapshot.end();
    this.#writer = new Writer(writing, endReads, () => this.#file.look(), options.busyLimit);
    const startThread = (onExit: (thread: ReaderThread) => void) =>
      new ReaderThread(target.path, (error) => reading.toError(error), onExit);
    this.#scans = new ScanPool(startThread, options.scanLimit);
    this.#streams = new StreamThread(() => startThread(() => {}), new StreamSlots(options.streamTimes));
    this.#sizing = setInterval(() => this.#warmIfLarge(), sizeInterval).unref();
    this.#warmIfLarge();
  }

  renewSnapshot(): void {
    this.#snapshot.renew();
  }

  revision(): number {
    try {
      const row = this.#snapshot.read(() => this.#reading.get<{ data_version: number }>(dataVersion));
      return Number(row?.data_version);
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

  scan<Row>(query: Query, by?: Caller): Promise<Row[]> {
    return this.#file.lost === undefined ? this.#scans.scan<Row>(query, by) : Promise.reject(this.#gone());
  }

  stream(query: Query, by?: Caller): Promise<AsyncIterableIterator<string>> {
    return this.#file.lost === undefined ? this.#streams.stream(query, by) : Promise.reject(this.#gone());
  }

  execute<Row>(query: Query): Promise<Row[]> {
    return this.#write(query) as Promise<Row[]>;
  }

  write<T>(unit: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#write(unit) as Promise<T>;
  }

  refuseWrites(cause: Error | undefined): void {
    this.#refusal = cause;
  }

  lost(): string | undefined {
    return this.#file.inspect();
  }

  claim(): boolean {
    this.#claim ??= new ServiceClaim(this.#target.path);
    return this.#claim.alone;
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

  /** Threads take memory, so a small database, whose lists are answered at once, goes without. */
  #warmIfLarge(): void {
    try {
      const file = statSync(this.#target.path, { throwIfNoEntry: false });
      if (file === undefined || file.size < largeFile) return;
      clearInterval(this.#sizing);
      this.#streams.warm();
      this.#scans.warm();
    } catch {
      // Called by a timer. Whoever needs a thread starts it, and is told what is in the way.
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
    removeTemporary(this.#target);
    if (ended.includes(false)) throw new Error('A statement of a reader thread could not be ended');
  }

  #gone(): unknown {
    return databaseUnavailable(new Error(this.#file.lost));
  }

  #write(work: Query | Unit): Promise<unknown> {
    if (this.#file.lost !== undefined) return Promise.reject(this.#gone());
    if (this.#refusal !== undefined) return Promise.reject(databaseUnavailable(this.#refusal));
    return this.#writer.write(work);
  }

  async #read<T>(statement: () => T): Promise<T> {
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
export const openSqlite = async (
  target: SqliteTarget,
  options: SqliteOptions = {},
): Promise<OpenDatabase> => {
  preparePrivateFile(target.path);
  const writing = await whileBusy(() => new SqliteConnection(target.path, 'writer'));
  try {
    await whileBusy(() => writing.useWriteAheadLog());
    const reading = await whileBusy(() => new SqliteConnection(target.path, 'reader'));
    return new SqliteDatabase(target, writing, reading, options);
  } catch (error) {
    writing.close();
    throw error;
  }
};
