/**
 * Pool of PostgreSQL sessions: one session in use, its statements and deadlines, and the shares of tables in the pool.
 */

import { connect } from 'node:net';
import { Pool, type PoolClient, type PoolConfig, type QueryConfig, type QueryResult } from 'pg';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Query } from '../database.ts';
import { databaseUnavailable } from '../problems.ts';
import { Shares } from '../shares.ts';
import {
  type Effect,
  isForeignSession,
  isReadOnly,
  isSessionLost,
  isStalePlan,
  toDatabaseError,
  toStatementError,
} from './errors.ts';
import type { Pulse } from './pulse.ts';
import { Silence } from './silence.ts';
import { StatementNames } from './statement-names.ts';

/** Number of a CancelRequest (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const cancelRequest = 80_877_102;

const cancelTimeoutMs = 1_000;

/** A connection with the key to cancel its statements, which the driver's types leave out. */
type Cancellable = PoolClient & { readonly processID?: unknown; readonly secretKey?: unknown };

/**
 * Asks the server to end the statement that a connection runs, by a connection of its own, as the protocol has it. The
 * statement then fails with SQLSTATE 57014. A request that fails is ignored: the caller cannot wait for it.
 */
const cancelStatement = (client: PoolClient): void => {
  const { processID, secretKey, host, port } = client as Cancellable;
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return;
  const message = Buffer.alloc(16);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(cancelRequest, 4);
  message.writeInt32BE(processID, 8);
  message.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(cancelTimeoutMs, () => socket.destroy());
  socket.on('error', () => {});
  socket.end(message);
};

/** State of a connection as long as it lives. */
interface Life {
  /** Generation of the statement names with which it began. */
  readonly generation: number;
  readonly silence: Silence;
  readonly pulse: Pick<Pulse, 'heard'>;
}

/** One connection while a statement or transaction uses it. */
export class Session {
  readonly #client: PoolClient;
  readonly #names: StatementNames;
  readonly #life: Life;
  readonly #onRelease: (session: Session) => void;
  #lost = false;
  #released = false;

  constructor(client: PoolClient, names: StatementNames, life: Life, onRelease: (session: Session) => void) {
    this.#onRelease = onRelease;
    this.#client = client;
    this.#names = names;
    this.#life = life;
  }

  /** Runs a prepared statement: one round trip, and no planning once the server knows it. */
  run(query: Query, effect: Effect = 'none'): Promise<QueryResult> {
    const name = this.#names.nameOf(query.sql);
    const values = [...query.parameters];
    return this.#watch(
      name === undefined ? { text: query.sql, values } : { name, text: query.sql, values },
      effect,
    );
  }

  /** Runs a statement that comes once, such as BEGIN or a cursor's. */
  runOnce(sql: string, parameters: Query['parameters'] = []): Promise<QueryResult> {
    return this.#watch({ text: sql, values: [...parameters] }, 'none');
  }

  /** Ends the transaction. @throws `outcome_unknown` where the answer is lost; Error where it was undone */
  async commit(): Promise<void> {
    const { command } = await this.#watch({ text: 'commit' }, 'commit');
    if (command !== 'COMMIT') throw new Error(`The server answered COMMIT with ${command}`);
  }

  /** Has the statements that `ask` runs leave in one system call; they are answered in their order. */
  corked<T>(ask: () => T): T {
    const { stream } = this.#client.connection;
    stream.cork();
    try {
      return ask();
    } finally {
      stream.uncork();
    }
  }

  /** The connection is in an unknown state: it will be closed, not used again. */
  discard(): void {
    this.#lost = true;
  }

  /** Fails what waits for an answer: none will come. */
  breakOff(): void {
    this.#lost = true;
    this.#client.connection.stream.destroy();
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** Has the statement that runs end, with SQLSTATE 57014. */
  cancel(): void {
    if (!this.#released) cancelStatement(this.#client);
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#client.release(this.#lost || this.#life.generation !== this.#names.generation);
    this.#onRelease(this);
  }

  /** Runs a statement by callback: promises of `pg` keep results from being collected as timers do (see `Silence`). */
  #ask(query: QueryConfig): Promise<QueryResult> {
    const { silence, pulse } = this.#life;
    return new Promise((resolve, reject) => {
      silence.begin();
      this.#client.query(query, (error: Error | null, result) => {
        silence.end();
        if (error !== null) return reject(error);
        pulse.heard();
        resolve(result);
      });
    });
  }

  async #watch(query: QueryConfig, effect: Effect): Promise<QueryResult> {
    try {
      return await this.#ask(query);
    } catch (error) {
      if (isReadOnly(error, query.text)) {
        // The others are probably connected to the same server.
        this.#names.renew();
        throw databaseUnavailable(error);
      }
      if (isForeignSession(error)) this.#names.turnOff();
      if (isSessionLost(error) || isStalePlan(error)) this.#lost = true;
      throw toStatementError(error, effect);
    }
  }
}

/** How many sessions there may be. */
export interface Room {
  readonly places: number;
  /** How many statements about one table may have; all unless given. */
  readonly placesPerTable?: number;
  /** True if they keep prepared statements; true unless given. */
  readonly prepare?: boolean;
}

/** Statements that may wait for a session; a quarter of them may be about one table. */
const maxWaiting = 20_000;

/** How long a statement waits for a session. */
const sessionWaitMs = 5_000;

/** The first table of a statement after FROM, INTO or UPDATE, without its schema. */
const firstTable =
  /\b(?:from|into|update)\s+(?:(?:"[^"]+"|[\w$]+)\.)?(?:"(?<quoted>[^"]+)"|(?<table>[\w$]+))/i;

const tables = new BoundedCache<{ readonly table: string }>(1_000);

/** The table that a statement is about, as a rule; empty where it names none. */
export const firstTableOf = (sql: string): string =>
  tables.getOrMake(sql, () => {
    const { quoted, table = quoted } = firstTable.exec(sql)?.groups ?? {};
    return { table: table?.toLowerCase() ?? '' };
  }).table;

/** Milliseconds that a connection may take before the server is probed. */
const slowConnection = 1_000;

const hung = (): unknown => databaseUnavailable(new Error('The server does not respond'));

/**
 * A pool of connections, whose errors are those that callers of the store see. Statements about one table have a part
 * of the sessions at most: where somebody has locked it, they wait there until `lock_timeout`, and those about other
 * tables go on with the rest.
 */
export class Sessions {
  readonly #pool: Pool;
  readonly #names: StatementNames;
  readonly #lives = new WeakMap<PoolClient, Life>();
  readonly #silenceLimit: number;
  readonly #pulse: Pulse;
  readonly #places: Shares;
  readonly #most: number;
  readonly #held = new Set<Session>();
  #closing = false;
  #drained: (() => void) | undefined;

  /** @param silenceLimit milliseconds after which a statement without any answer fails */
  constructor(
    config: PoolConfig,
    { places, placesPerTable = places, prepare }: Room,
    silenceLimit: number,
    pulse: Pulse,
  ) {
    this.#pulse = pulse;
    this.#silenceLimit = silenceLimit;
    this.#names = new StatementNames(prepare);
    this.#most = places;
    this.#places = new Shares({
      what: 'sessions of the database',
      total: places,
      each: placesPerTable,
      strangers: places,
      queue: maxWaiting,
      wait: sessionWaitMs,
      refuse: databaseUnavailable,
    });
    this.#pool = new Pool({ ...config, max: places });
    // An idle connection that breaks leaves the pool; one that breaks in use fails its statement.
    // Without listeners either would end the process.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      this.#begin(client);
    });
  }

  /** Connections that are open, and who has and wants the sessions that there may be. */
  get load(): Readonly<Record<'open' | 'places' | 'taken' | 'waiting', number>> {
    const { taken, waiting } = this.#places;
    return { open: this.#pool.totalCount, places: this.#most, taken, waiting };
  }

  /** A session for the statement, or for others about the same table. */
  async take(sql: string): Promise<Session> {
    if (this.#closing) throw databaseUnavailable(new Error('The database is closed'));
    if (this.#pulse.isHung) throw hung();
    const giveBack = await this.#place(firstTableOf(sql));
    try {
      const [client, life] = await this.#connection();
      const session = new Session(client, this.#names, life, (released) => {
        this.#held.delete(released);
        giveBack();
        this.#notice();
      });
      this.#held.add(session);
      return session;
    } catch (error) {
      giveBack();
      this.#notice();
      throw toDatabaseError(error);
    }
  }

  async use<T>(sql: string, work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.take(sql);
    try {
      return await work(session);
    } finally {
      session.release();
    }
  }

  /** The server hangs: fails everything that waits for it, and uses none of these connections again. */
  breakOff(): void {
    this.#names.renew();
    this.#places.rejectWaiting(hung());
    for (const session of this.#held) session.breakOff();
  }

  /** Has the statements that run at this moment end. */
  cancel(): void {
    for (const session of this.#held) session.cancel();
  }

  /** Takes nothing new, lets what runs end within `grace` milliseconds, and breaks off the rest. */
  async close(grace: number): Promise<void> {
    this.#closing = true;
    const drained = new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    const late = setTimeout(() => this.#drained?.(), grace);
    this.#notice();
    await drained;
    clearTimeout(late);
    for (const session of [...this.#held]) {
      // The server would continue a statement after its connection was lost.
      session.cancel();
      session.discard();
      session.release();
    }
    await this.#pool.end();
  }

  /** One of this generation, kept from before or new. */
  async #connection(): Promise<readonly [PoolClient, Life]> {
    for (;;) {
      const client = await this.#connect();
      const known = this.#lives.get(client);
      if (known === undefined || known.generation === this.#names.generation)
        return [client, known ?? this.#begin(client)];
      client.release(true);
    }
  }

  async #connect(): Promise<PoolClient> {
    if (this.#pool.idleCount > 0) return this.#pool.connect();
    const slow = setTimeout(() => this.#pulse.ask(), slowConnection).unref();
    try {
      return await this.#pool.connect();
    } finally {
      clearTimeout(slow);
    }
  }

  #begin(client: PoolClient): Life {
    const silence = new Silence(
      this.#silenceLimit,
      () => this.#pulse.ask(),
      () => client.connection.stream.destroy(),
    );
    const life = { generation: this.#names.generation, silence, pulse: this.#pulse };
    this.#lives.set(client, life);
    return life;
  }

  async #place(table: string): Promise<() => void> {
    try {
      return await this.#places.take({ caller: table });
    } catch (error) {
      this.#notice();
      throw error;
    }
  }

  #notice(): void {
    if (this.#places.taken === 0 && this.#places.waiting === 0) this.#drained?.();
  }
}
