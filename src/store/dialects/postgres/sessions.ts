import { Pool, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import type { Query } from '../../database.ts';
import { databaseUnavailable } from '../problems.ts';
import { isSessionLost, isStalePlan, toDatabaseError } from './errors.ts';
import { StatementNames } from './statement-names.ts';

/** One connection while somebody has it. */
export class Session {
  readonly #client: PoolClient;
  readonly #names: StatementNames;
  readonly #generation: number;
  readonly #onRelease: () => void;
  #lost = false;
  #released = false;

  constructor(client: PoolClient, names: StatementNames, generation: number, onRelease: () => void) {
    this.#onRelease = onRelease;
    this.#client = client;
    this.#names = names;
    this.#generation = generation;
  }

  /** Runs a prepared statement: one round trip, and no planning once the server knows it. */
  run(query: Query): Promise<QueryResult> {
    const name = this.#names.nameOf(query.sql);
    return this.#watch(this.#client.query({ name, text: query.sql, values: [...query.parameters] }));
  }

  /** Runs a statement that comes once, such as COMMIT or a cursor's. */
  runOnce(sql: string, parameters: Query['parameters'] = []): Promise<QueryResult> {
    return this.#watch(this.#client.query(sql, [...parameters]));
  }

  /** The connection is in a state that nobody knows: it will be closed, not used again. */
  discard(): void {
    this.#lost = true;
  }

  get lost(): boolean {
    return this.#lost;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#onRelease();
    this.#client.release(this.#lost || this.#generation !== this.#names.generation);
  }

  async #watch(result: Promise<QueryResult>): Promise<QueryResult> {
    try {
      return await result;
    } catch (error) {
      if (isSessionLost(error) || isStalePlan(error)) this.#lost = true;
      throw toDatabaseError(error);
    }
  }
}

/** A pool of connections. Whoever takes one sees errors as callers of the store do. */
export class Sessions {
  readonly #pool: Pool;
  readonly #names = new StatementNames();
  readonly #generations = new WeakMap<PoolClient, number>();
  readonly #taken = new Set<Session>();
  #waiting = 0;
  #closing = false;
  #drained: (() => void) | undefined;

  constructor(config: PoolConfig) {
    this.#pool = new Pool(config);
    // A connection that breaks while nobody uses it leaves the pool; one that breaks in use fails its statement.
    // Without listeners either would end the process.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      this.#generations.set(client, this.#names.generation);
    });
  }

  async take(): Promise<Session> {
    if (this.#closing) throw databaseUnavailable(new Error('The database is closed'));
    this.#waiting += 1;
    try {
      const client = await this.#pool.connect();
      const generation = this.#generations.get(client) ?? this.#names.generation;
      const session = new Session(client, this.#names, generation, () => this.#giveBack(session));
      this.#taken.add(session);
      return session;
    } catch (error) {
      throw toDatabaseError(error);
    } finally {
      this.#waiting -= 1;
      this.#notice();
    }
  }

  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.take();
    try {
      return await work(session);
    } finally {
      session.release();
    }
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
    for (const session of [...this.#taken]) {
      session.discard();
      session.release();
    }
    await this.#pool.end();
  }

  #giveBack(session: Session): void {
    this.#taken.delete(session);
    this.#notice();
  }

  #notice(): void {
    if (this.#taken.size === 0 && this.#waiting === 0) this.#drained?.();
  }
}
