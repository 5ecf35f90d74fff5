import { Pool, type PoolClient, type PoolConfig, type QueryConfig, type QueryResult } from 'pg';
import type { Query } from '../../database.ts';
import { databaseUnavailable, overloaded } from '../problems.ts';
import { cancelStatement } from './cancel.ts';
import { type Effect, isSessionLost, isStalePlan, toDatabaseError, toStatementError } from './errors.ts';
import { Silence } from './silence.ts';
import { StatementNames } from './statement-names.ts';

/** What is known of a connection as long as it lives. */
interface Life {
  /** That of the statement names with which it began. */
  readonly generation: number;
  readonly silence: Silence;
}

/** One connection while somebody has it. */
export class Session {
  readonly #client: PoolClient;
  readonly #names: StatementNames;
  readonly #life: Life;
  readonly #onRelease: () => void;
  #lost = false;
  #released = false;

  constructor(client: PoolClient, names: StatementNames, life: Life, onRelease: () => void) {
    this.#onRelease = onRelease;
    this.#client = client;
    this.#names = names;
    this.#life = life;
  }

  /** Runs a prepared statement: one round trip, and no planning once the server knows it. */
  run(query: Query, effect: Effect = 'none'): Promise<QueryResult> {
    const name = this.#names.nameOf(query.sql);
    return this.#watch({ name, text: query.sql, values: [...query.parameters] }, effect);
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
  together<T>(ask: () => T): T {
    const { stream } = this.#client.connection;
    stream.cork();
    try {
      return ask();
    } finally {
      stream.uncork();
    }
  }

  /** The connection is in a state that nobody knows: it will be closed, not used again. */
  discard(): void {
    this.#lost = true;
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
    this.#onRelease();
    this.#client.release(this.#lost || this.#life.generation !== this.#names.generation);
  }

  /** By callback: the promises of `pg` keep results from being collected as timers do (see `Silence`). */
  #ask(query: QueryConfig): Promise<QueryResult> {
    const { silence } = this.#life;
    return new Promise((resolve, reject) => {
      silence.begin(reject);
      this.#client.query(query, (error: Error | null, result) => {
        silence.end(reject);
        if (error === null) resolve(result);
        else reject(error);
      });
    });
  }

  async #watch(query: QueryConfig, effect: Effect): Promise<QueryResult> {
    try {
      return await this.#ask(query);
    } catch (error) {
      if (isSessionLost(error) || isStalePlan(error)) this.#lost = true;
      throw toStatementError(error, effect);
    }
  }
}

/** Callers that may wait for a session. More than that come in faster than the server takes them. */
const queueSize = 10_000;

/** A pool of connections. Whoever takes one sees errors as callers of the store do. */
export class Sessions {
  readonly #pool: Pool;
  readonly #names = new StatementNames();
  readonly #lives = new WeakMap<PoolClient, Life>();
  readonly #silenceLimit: number;
  readonly #taken = new Set<Session>();
  #waiting = 0;
  #closing = false;
  #drained: (() => void) | undefined;

  /** @param silenceLimit milliseconds after which a statement without any answer fails */
  constructor(config: PoolConfig, silenceLimit: number) {
    this.#silenceLimit = silenceLimit;
    this.#pool = new Pool(config);
    // A connection that breaks while nobody uses it leaves the pool; one that breaks in use fails its statement.
    // Without listeners either would end the process.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      this.#begin(client);
    });
  }

  async take(): Promise<Session> {
    if (this.#closing) throw databaseUnavailable(new Error('The database is closed'));
    if (this.#waiting >= queueSize) throw overloaded(new Error('Too many statements wait for a session'));
    this.#waiting += 1;
    try {
      const client = await this.#pool.connect();
      const life = this.#lives.get(client) ?? this.#begin(client);
      const session = new Session(client, this.#names, life, () => this.#giveBack(session));
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

  /** Has the statements that run at this moment end. */
  cancel(): void {
    for (const session of this.#taken) session.cancel();
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
      // The server would go on with a statement whose connection is gone.
      session.cancel();
      session.discard();
      session.release();
    }
    await this.#pool.end();
  }

  #begin(client: PoolClient): Life {
    const life = { generation: this.#names.generation, silence: new Silence(this.#silenceLimit) };
    this.#lives.set(client, life);
    return life;
  }

  #giveBack(session: Session): void {
    this.#taken.delete(session);
    this.#notice();
  }

  #notice(): void {
    if (this.#taken.size === 0 && this.#waiting === 0) this.#drained?.();
  }
}
