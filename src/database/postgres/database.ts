/**
 * PostgreSQL behind the port: sessions, batches of reads and writes, streams, units and notifications of one open
 * database.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { PoolConfig, QueryResult } from 'pg';
import { DoublingPause } from '../../kernel/doubling-pause.ts';
import { type Figure, figure } from '../../kernel/figure.ts';
import { overloaded } from '../../kernel/problem.ts';
import { StreamSlots, streamLimit } from '../chunk-stream.ts';
import type { Caller, OpenDatabase, Query, Unit, WriteOptions } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import { databaseUnavailable, isTransactionTimeout, transactionTimeout } from '../problems.ts';
import { serviceNames } from '../service-names.ts';
import { figuresOfShares, Shares, sumOfLoads } from '../shares.ts';
import type { DatabaseOptions } from '../target.ts';
import { type AttachedReplica, watchCommit } from './commit-watch.ts';
import { openCursor } from './cursor.ts';
import { postgresDialectWith } from './dialect.ts';
import { damageIn, type Effect, isConflict, isStalePlan, isWriteRefusal } from './errors.ts';
import { ListeningSession } from './listener.ts';
import { Pulse } from './pulse.ts';
import { ReadBatches } from './read-batches.ts';
import {
  assertSessionSettings,
  connectionTimeout,
  type SessionLimits,
  sessionSettings,
  startedAt,
} from './session.ts';
import { applicationLimits, briefLimits, scanLimits } from './session-shares.ts';
import { firstTableOf, type Session, Sessions } from './sessions.ts';
import { runUnit, type UnitLimits } from './unit.ts';
import { WriteBatches } from './write-batches.ts';

/**
 * How values of the server become values of JavaScript. Numbers where a number holds them exactly, booleans, and
 * otherwise the server's own text: no dates, no parsed JSON.
 */

const integer = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The integer ${text} is too large for a number`);
  return value;
};

/** Parsers by OID of the type, which never changes: bool, int8, int2, int4, oid, float4, float8. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: integer,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
};

const asText = (text: string): string => text;

const types = { getTypeParser: (oid: number) => parsers[oid] ?? asText };

/** Figures of the sessions of which statements have one each. */
const figuresOfPool = ({ open, places, taken, waiting }: Sessions['load']): readonly Figure[] => [
  figure('gauge', 'database_pool_size', 'Sessions that may be in use (DATABASE_POOL).', places),
  figure('gauge', 'database_pool_connections', 'Open connections to the server.', open),
  figure('gauge', 'database_pool_in_use', 'Sessions in use.', taken),
  figure('gauge', 'database_pool_waiting', 'Statements waiting for a session.', waiting),
];

/** Longest run of a statement and of a unit, in milliseconds. */
const statementTimeout = 30_000;

/** Longest wait for a lock, in milliseconds: who locks a table keeps those waiting who want it, and not for long. */
const lockTimeout = 3_000;

/** How long a write is tried again after conflicts, in milliseconds: as long as SQLite waits for a busy file. */
const conflictLimit = 10_000;

/**
 * How long a unit that is run again keeps others of its table waiting, in milliseconds: it may be slow, they need not
 * be.
 */
const turnMs = 250;

/** A session that pauses this long inside a transaction is ended by the server, in milliseconds. */
const idleTimeout = 15_000;
const streamIdleTimeout = 90_000;

/** How long a statement or a unit may go on after `close`, in milliseconds. */
const closingGrace = 1_000;

/** A network that went silent for one connection alone ends a statement a little later than the server itself would. */
const silenceTimeout = statementTimeout + 5_000;

const poolConfig = (
  url: string,
  idle: number,
  { connectTimeoutMs, started }: PostgresOptions,
): PoolConfig => {
  const config = {
    ...sessionSettings(url, { statementTimeout, idleTimeout: idle, lockTimeout }),
    connectionTimeoutMillis: connectTimeoutMs ?? connectionTimeout,
    types,
    // A session may have several statements on their way at a time; only reads make use of it (see ReadBatches).
    pipeline: true,
    idleTimeoutMillis: 30_000,
  };
  return started === undefined ? config : { ...config, verify: startedAt(started) };
};

/** A listening session waits without a limit. */
const listenerLimits: SessionLimits = { statementTimeout, idleTimeout: 0, lockTimeout };

/** The part of `max_connections` that the server keeps for no special role; version 16 has another kind of these. */
const allowedSessions = `select current_setting('max_connections')::int
  - current_setting('superuser_reserved_connections')::int
  - coalesce(current_setting('reserved_connections', true)::int, 0) as allowed`;

const mayRepeat = (error: unknown): boolean => isConflict(error) || isStalePlan(error);

/**
 * The error of a write that gives up: other writes of the same records came first each time. The database is there, and
 * fewer records would meet the same others.
 */
const gaveUp = (error: unknown): unknown => (isConflict(error) ? overloaded(error) : error);

/** Options that are this folder's own. */
export interface PostgresOptions extends DatabaseOptions {
  /**
   * True if statements are repeated after a conflict; true unless given. A caller of a replica uses the primary
   * instead.
   */
  readonly mayRepeat?: boolean;
  readonly connectTimeoutMs?: number;
  /** The server's own start time: sessions with another server are refused. */
  readonly started?: string;
}

class PostgresDatabase implements OpenDatabase {
  readonly dialect: Dialect;
  readonly replica: AttachedReplica | undefined;
  readonly #sessions: Sessions;
  readonly #streaming: Sessions;
  readonly #pulse: Pulse;
  readonly #listeners = new Set<ListeningSession>();
  /** The payload of this process's notifications. */
  readonly #payload = randomUUID();
  readonly #reads: ReadBatches;
  readonly #writes: WriteBatches;
  readonly #slots: StreamSlots;
  readonly #scans: Shares;
  readonly #briefs: Shares;
  readonly #ofApplications: Shares;
  readonly #unitLimit: number | undefined;
  readonly #conflictLimit: number;
  readonly #url: string;
  /** True if a session stays with its server: a pooler in transaction mode passes no notifications on. */
  readonly #direct: boolean;
  /** Sessions that it has at most, the one that listens included. */
  readonly #most: number;
  /** Units that met a conflict twice go one at a time by table: they conflict with each other first of all. */
  readonly #turns = new Map<string, Promise<void>>();
  #closing: Promise<void> | undefined;
  #refusal: Error | undefined;
  #interrupted = false;

  constructor(url: string, options: PostgresOptions, replica: AttachedReplica | undefined) {
    const { poolSize = 10, silenceLimit = silenceTimeout, unitLimit, prepare = true } = options;
    this.dialect = postgresDialectWith(options.names ?? serviceNames());
    this.replica = replica;
    this.#url = url;
    this.#conflictLimit = options.mayRepeat === false ? 0 : conflictLimit;
    this.#direct = prepare;
    const room = {
      places: poolSize,
      placesPerTable: Math.max(1, poolSize - Math.ceil(poolSize / 5)),
      prepare,
    };
    const config = poolConfig(url, idleTimeout, options);
    this.#pulse = new Pulse(config, {
      hung: () => {
        this.#sessions.breakOff();
        this.#streaming.breakOff();
      },
      back: () => {
        for (const listener of this.#listeners) listener.renew();
      },
    });
    this.#sessions = new Sessions(config, room, silenceLimit, this.#pulse);
    this.#reads = new ReadBatches(this.#sessions);
    this.#writes = new WriteBatches(this.#sessions, (query) => this.#alone(query, 'own'));
    this.#streaming = new Sessions(
      poolConfig(url, streamIdleTimeout, options),
      { places: streamLimit, prepare },
      silenceLimit,
      this.#pulse,
    );
    this.#most = poolSize + streamLimit + 1;
    this.#unitLimit = unitLimit;
    this.#slots = new StreamSlots(options.streamTimes);
    this.#scans = new Shares(scanLimits(poolSize));
    this.#briefs = new Shares(briefLimits(poolSize));
    this.#ofApplications = new Shares(applicationLimits(poolSize));
  }

  async all<Row>(query: Query): Promise<Row[]> {
    return (await this.#read(query)).rows;
  }

  async get<Row>(query: Query): Promise<Row | undefined> {
    return (await this.#read(query)).rows[0];
  }

  async scan<Row>(query: Query, by?: Caller): Promise<Row[]> {
    const release = await (query.brief === true ? this.#briefs : this.#scans).take(by);
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
    const written = query.order === undefined ? this.#alone(query, 'own') : this.#writes.write(query);
    return (await watchCommit(this.replica, [query.sql], written)).rows;
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
      const settings = sessionSettings(this.#url, listenerLimits);
      const listener = new ListeningSession(
        settings,
        this.dialect.names.channel(channel),
        this.#payload,
        heard,
      );
      this.#listeners.add(listener);
      return () => {
        this.#listeners.delete(listener);
        return listener.close();
      };
    };
  }

  get tell(): OpenDatabase['tell'] {
    if (!this.#direct) return undefined;
    return async (channel) => {
      await this.execute({
        sql: 'select pg_notify($1, $2)',
        parameters: [this.dialect.names.channel(channel), this.#payload],
      });
    };
  }

  get sessionRoom(): OpenDatabase['sessionRoom'] {
    if (!this.#direct) return undefined;
    return async () => {
      const row = await this.get<{ allowed: number }>({ sql: allowedSessions, parameters: [] });
      return { most: this.#most, allowed: Number(row?.allowed) };
    };
  }

  figures(): readonly Figure[] {
    const scans = sumOfLoads(this.#scans, this.#briefs);
    return [...figuresOfPool(this.#sessions.load), ...figuresOfShares(scans, this.#slots.load)];
  }

  async ping(): Promise<void> {
    await this.get({ sql: 'select 1', parameters: [] });
  }

  refuseWrites(cause: Error | undefined): void {
    this.#refusal = cause;
  }

  cannotWrite(error: unknown): boolean {
    return isWriteRefusal(error);
  }

  damageIn(error: unknown): string | undefined {
    return damageIn(error);
  }

  interrupt(): void {
    this.#interrupted = true;
    this.#slots.close();
    this.#scans.close();
    this.#briefs.close();
    this.#ofApplications.close();
    this.#sessions.cancel();
    this.#streaming.cancel();
    this.replica?.interrupt();
  }

  close(): Promise<void> {
    this.#pulse.close();
    this.#slots.close();
    this.#scans.close();
    this.#briefs.close();
    this.#ofApplications.close();
    this.#closing ??= Promise.all([
      this.#sessions.close(closingGrace),
      this.#streaming.close(0),
      this.replica?.close(),
    ]).then(() => {});
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
    // Most conflicts do not recur. Only a unit with a second conflict is queued.
    await delay(Math.random() * 4);
    let conflict = this.#storedName(options.table);
    let last: unknown;
    try {
      return await this.#attempt(unit, options, until, (sql) => {
        conflict = firstTableOf(sql) || conflict;
      });
    } catch (error) {
      if (!mayRepeat(error)) throw error;
      last = error;
    }
    return this.#inTurn(conflict, () => this.#repeat(unit, options, until, last));
  }

  /** The name of a table as `firstTableOf` finds it in statements; empty without one. */
  #storedName(table = ''): string {
    return firstTableOf(`update ${this.dialect.names.written(table)}`);
  }

  /** Runs the work after the queued work on the same table, for which it waits at most `turnMs`. */
  #inTurn<T>(table: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(table) ?? Promise.resolve();
    const result = before.then(work);
    const isDone = result.then(
      () => {},
      () => {},
    );
    const isOver = before.then(() => delay(turnMs, undefined, { ref: false }));
    this.#turns.set(table, Promise.race([isDone, isOver]));
    return result;
  }

  #attempt<T>(
    unit: Unit<T>,
    { table, limit }: WriteOptions,
    until: number,
    refusedAt?: (sql: string) => void,
  ): Promise<T> {
    const limits = (): UnitLimits => {
      if (limit === undefined) return { service: this.#unitLimit };
      const left = until - performance.now();
      if (left <= 0) throw transactionTimeout(limit);
      return { limit: { left, whole: limit } };
    };
    return this.#sessions.use(`update ${this.#storedName(table)}`, async (session) =>
      runUnit(session, unit, limits(), this.replica, refusedAt),
    );
  }

  async #repeat<T>(unit: Unit<T>, options: WriteOptions, until: number, first: unknown): Promise<T> {
    const pause = new DoublingPause(1, 50);
    let last = first;
    for (;;) {
      await delay(Math.random() * pause.next());
      if (performance.now() >= until) throw gaveUp(last);
      try {
        return await this.#attempt(unit, options, until);
      } catch (error) {
        if (mayRepeat(error)) last = error;
        // Without the conflicts before, the time would have sufficed.
        else throw performance.now() >= until && isTransactionTimeout(error) ? gaveUp(last) : error;
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
    const run = (session: Session): Promise<QueryResult> => {
      if (effect === 'none') this.#refuseInterrupted();
      return session.run(query, effect);
    };
    return this.#repeated(() => this.#sessions.use(query.sql, run));
  }

  /** One statement in a transaction of its own. It is repeated only where the server says that it did not run. */
  async #repeated(run: () => Promise<QueryResult>): Promise<QueryResult> {
    const until = performance.now() + this.#conflictLimit;
    for (;;) {
      try {
        return await run();
      } catch (error) {
        if (!mayRepeat(error)) throw error;
        // A caller of a replica uses the primary instead.
        if (performance.now() >= until) throw this.#conflictLimit === 0 ? error : gaveUp(error);
      }
    }
  }
}

/** Connects on first use; with a pooler immediately (see `assertSessionSettings`). */
export const openPostgres = async (
  url: string,
  options: PostgresOptions = {},
  replica?: AttachedReplica,
): Promise<OpenDatabase> => {
  const database = new PostgresDatabase(url, options, replica);
  if (options.prepare !== false) return database;
  try {
    await assertSessionSettings(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
};
