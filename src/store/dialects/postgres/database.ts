import { setTimeout as delay } from 'node:timers/promises';
import type { PoolConfig, QueryResult } from 'pg';
import type { Caller, OpenDatabase, Query, WriteOptions } from '../../database.ts';
import { StreamSlots, streamLimit } from '../chunk-stream.ts';
import { databaseUnavailable, transactionTimeout } from '../problems.ts';
import { type ShareLimits, Shares, scanQueue } from '../shares.ts';
import type { DatabaseOptions } from '../target.ts';
import type { Unit } from '../unit.ts';
import { openCursor } from './cursor.ts';
import { type Effect, isConflict, isStalePlan } from './errors.ts';
import { ListeningSession } from './listener.ts';
import { ReadBatches } from './read-batches.ts';
import { demandMeaning, type SessionLimits, sessionSettings } from './session.ts';
import { type Session, Sessions } from './sessions.ts';
import { types } from './types.ts';
import { runUnit, type UnitLimits } from './unit.ts';

/** Longest run of a statement and of a unit, in milliseconds. */
const statementTimeout = 30_000;

/** Longest wait for a lock, in milliseconds: who locks a table keeps those waiting who want it, and not for long. */
const lockTimeout = 3_000;

/** How long a write is tried again after conflicts, in milliseconds: as long as SQLite waits for a busy file. */
const conflictLimit = 10_000;

/** A session that pauses this long inside a transaction is ended by the server, in milliseconds. */
const idleTimeout = 15_000;
const streamIdleTimeout = 90_000;

/** How long a statement or a unit may go on after `close`, in milliseconds. */
const closingGrace = 1_000;

/** A network that went silent ends a statement a little later than the server itself would. */
const silenceTimeout = statementTimeout + 5_000;

const poolConfig = (url: string, idle: number): PoolConfig => ({
  ...sessionSettings(url, { statementTimeout, idleTimeout: idle, lockTimeout }),
  types,
  // A session may have several statements on their way at a time; only reads make use of it (see ReadBatches).
  pipeline: true,
  idleTimeoutMillis: 30_000,
});

/** For how many milliseconds a scan waits for a session. */
const scanWait = 10_000;

/** What nothing bounds takes half of the sessions at most, a quarter for one caller, so that the rest stay quick. */
const scanLimits = (poolSize: number): ShareLimits => {
  const total = Math.max(1, Math.floor(poolSize / 2));
  return {
    what: 'statements that no index bounds',
    total,
    each: Math.max(1, Math.floor(poolSize / 4)),
    strangers: Math.max(1, total - 1),
    queue: scanQueue,
    wait: scanWait,
  };
};

/** Transactions with code of an application may wait for whatever it waits for: a fifth of the sessions is not theirs. */
const applicationLimits = (poolSize: number): ShareLimits => {
  const total = Math.max(1, poolSize - Math.ceil(poolSize / 5));
  return {
    what: 'transactions of the application',
    total,
    each: total,
    strangers: total,
    queue: 10_000,
    wait: scanWait,
  };
};
/** One that listens waits for as long as it takes. */
const listenerLimits: SessionLimits = { statementTimeout, idleTimeout: 0, lockTimeout };

const mayRepeat = (error: unknown): boolean => isConflict(error) || isStalePlan(error);

class PostgresDatabase implements OpenDatabase {
  readonly dialect = 'postgres';
  readonly #sessions: Sessions;
  readonly #streaming: Sessions;
  readonly #reads: ReadBatches;
  readonly #slots: StreamSlots;
  readonly #scans: Shares;
  readonly #ofApplications: Shares;
  readonly #unitLimit: number | undefined;
  readonly #url: string;
  /** Whether a session stays with its server: a pooler in transaction mode passes no notifications on. */
  readonly #direct: boolean;
  /** Units that met a conflict go one at a time: they conflict with each other first of all. */
  #again: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #refusal: Error | undefined;
  #interrupted = false;

  constructor(url: string, options: DatabaseOptions) {
    const { poolSize = 10, silenceLimit = silenceTimeout, unitLimit, prepare = true } = options;
    this.#url = url;
    this.#direct = prepare;
    // Half as many again where statements stand in front of a lock, for those that need not.
    const room = { places: poolSize, extra: Math.ceil(poolSize / 2), prepare };
    this.#sessions = new Sessions(poolConfig(url, idleTimeout), room, silenceLimit);
    this.#reads = new ReadBatches(this.#sessions);
    this.#streaming = new Sessions(
      poolConfig(url, streamIdleTimeout),
      { places: streamLimit, extra: 0, prepare },
      silenceLimit,
    );
    this.#unitLimit = unitLimit;
    this.#slots = new StreamSlots(options.streamTimes);
    this.#scans = new Shares(scanLimits(poolSize));
    this.#ofApplications = new Shares(applicationLimits(poolSize));
  }

  async all<Row>(query: Query): Promise<Row[]> {
    return (await this.#read(query)).rows;
  }

  async get<Row>(query: Query): Promise<Row | undefined> {
    return (await this.#read(query)).rows[0];
  }

  async scan<Row>(query: Query, by?: Caller): Promise<Row[]> {
    const release = await this.#scans.take(by);
    try {
      return (await this.#alone(query, 'none')).rows;
    } finally {
      release();
    }
  }

  stream(query: Query, by?: Caller): Promise<AsyncIterableIterator<string>> {
    return this.#slots.open(() => openCursor(this.#streaming, query), by);
  }

  async execute<Row>(query: Query): Promise<Row[]> {
    this.#assertWritable();
    return (await this.#alone(query, 'own')).rows;
  }

  async write<T>(unit: Unit<T>, options: WriteOptions = {}): Promise<T> {
    this.#assertWritable();
    if (options.limit === undefined) return this.#write(unit, options, performance.now() + conflictLimit);
    const release = await this.#ofApplications.take(undefined);
    try {
      return await this.#write(unit, options, performance.now() + options.limit);
    } finally {
      release();
    }
  }

  get listen(): OpenDatabase['listen'] {
    if (!this.#direct) return undefined;
    return (channel, heard) => {
      const listener = new ListeningSession(sessionSettings(this.#url, listenerLimits), channel, heard);
      return () => listener.close();
    };
  }

  get tell(): OpenDatabase['tell'] {
    if (!this.#direct) return undefined;
    return async (channel) => {
      await this.execute({ sql: `select pg_notify($1, '')`, parameters: [channel] });
    };
  }

  async ping(): Promise<void> {
    await this.get({ sql: 'select 1', parameters: [] });
  }

  refuseWrites(cause: Error | undefined): void {
    this.#refusal = cause;
  }

  interrupt(): void {
    this.#interrupted = true;
    this.#slots.close();
    this.#scans.close();
    this.#ofApplications.close();
    this.#sessions.cancel();
    this.#streaming.cancel();
  }

  close(): Promise<void> {
    this.#slots.close();
    this.#scans.close();
    this.#ofApplications.close();
    this.#closing ??= Promise.all([this.#sessions.close(closingGrace), this.#streaming.close(0)]).then(
      () => {},
    );
    return this.#closing;
  }

  #assertWritable(): void {
    if (this.#refusal !== undefined) throw databaseUnavailable(this.#refusal);
  }

  async #write<T>(unit: Unit<T>, options: WriteOptions, until: number): Promise<T> {
    try {
      return await this.#attempt(unit, options, until);
    } catch (error) {
      if (!mayRepeat(error)) throw error;
    }
    // Most conflicts are not about the same row, and gone at once. Only who meets one again gets in line.
    await delay(Math.random() * 4);
    try {
      return await this.#attempt(unit, options, until);
    } catch (error) {
      if (!mayRepeat(error)) throw error;
    }
    const result = this.#again.then(() => this.#repeat(unit, options, until));
    this.#again = result.catch(() => {});
    return result;
  }

  #attempt<T>(unit: Unit<T>, { table = '', limit }: WriteOptions, until: number): Promise<T> {
    const limits = (): UnitLimits => {
      if (limit === undefined) return { service: this.#unitLimit };
      const left = until - performance.now();
      if (left <= 0) throw transactionTimeout(limit);
      return { limit: { left, whole: limit } };
    };
    return this.#sessions.use(`update ${table}`, async (session) => runUnit(session, unit, limits()));
  }

  async #repeat<T>(unit: Unit<T>, options: WriteOptions, until: number): Promise<T> {
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      await delay(Math.random() * pause);
      try {
        return await this.#attempt(unit, options, until);
      } catch (error) {
        if (!mayRepeat(error) || performance.now() >= until) throw error;
      }
    }
  }

  #read(query: Query): Promise<QueryResult> {
    return this.#repeated(() => this.#reads.read(query));
  }

  #refuseInterrupted(): void {
    if (this.#interrupted) throw databaseUnavailable(new Error('The database is about to be closed'));
  }

  /** A statement that may take its time, or write, has a session for itself. */
  #alone(query: Query, effect: Effect): Promise<QueryResult> {
    const scans = effect === 'none';
    const run = (session: Session): Promise<QueryResult> => {
      if (scans) this.#refuseInterrupted();
      return session.run(query, effect);
    };
    return this.#repeated(() => this.#sessions.use(query.sql, run, scans));
  }

  /** One statement in a transaction of its own. It is repeated only where the server says that it did not run. */
  async #repeated(run: () => Promise<QueryResult>): Promise<QueryResult> {
    const until = performance.now() + conflictLimit;
    for (;;) {
      try {
        return await run();
      } catch (error) {
        if (!mayRepeat(error) || performance.now() >= until) throw error;
      }
    }
  }
}

/** Connects when it is first asked; behind a pooler at once (see `demandMeaning`). */
export const openPostgres = async (url: string, options: DatabaseOptions = {}): Promise<OpenDatabase> => {
  const database = new PostgresDatabase(url, options);
  if (options.prepare !== false) return database;
  try {
    await demandMeaning(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
};
