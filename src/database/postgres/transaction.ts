/** Transaction of a unit on PostgreSQL: pipelined statements, and the refusal of everything behind a failed one. */

import type { QueryResult } from 'pg';
import { nextSlice } from '../../kernel/slices.ts';
import type { Query, Transaction } from '../database.ts';
import { isOutcomeUnknown } from '../problems.ts';
import { type CommitWatch, watchCommit } from './commit-watch.ts';
import type { Session } from './sessions.ts';

/** A statement that is to be sent. */
interface SentStatement {
  readonly query: Query;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/** The first statement of a transaction that was refused, and why. */
interface StatementFailure {
  readonly error: unknown;
  readonly sql: string;
}

/**
 * The transaction that a unit sees. After the first refused statement everything else is refused too. Statements that
 * the unit starts at once leave in one system call, in their order, and run one after the other.
 */
export class PostgresTransaction implements Transaction {
  readonly #session: Session;
  readonly #watch: CommitWatch | undefined;
  /** The statements that ran, for the watch. */
  readonly #statements: string[] = [];
  #over = false;
  #failure: StatementFailure | undefined;
  #waiting: SentStatement[] = [];

  constructor(session: Session, watch?: CommitWatch) {
    this.#session = session;
    this.#watch = watch;
  }

  async all<Row>(query: Query): Promise<Row[]> {
    return (await this.#step(query)).rows;
  }

  async get<Row>(query: Query): Promise<Row | undefined> {
    return (await this.#step(query)).rows[0];
  }

  async run(query: Query): Promise<number> {
    return (await this.#step(query)).rowCount ?? 0;
  }

  /** Why the unit failed, if one of its statements did. */
  get failure(): StatementFailure | undefined {
    return this.#failure;
  }

  /**
   * Ends the transaction, behind the statements that the unit started but did not await: they leave with it, as the
   * server responds to COMMIT with ROLLBACK where it refused one of them.
   * @throws what a statement was refused with, `outcome_unknown`
   */
  async commit(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    const committed = this.#session.corked(() => {
      this.#sendAll();
      return watchCommit(this.#watch, this.#statements, this.#session.commit());
    });
    this.#over = true;
    try {
      await committed;
    } catch (error) {
      throw isOutcomeUnknown(error) ? error : (this.failure?.error ?? error);
    }
  }

  /** Refuses every further statement. */
  end(): void {
    this.#over = true;
  }

  async #step(query: Query): Promise<QueryResult> {
    // A loop that catches refusals waits for nothing else.
    if (this.#over || this.#failure !== undefined) await nextSlice();
    this.#assertOpen();
    return new Promise((resolve, reject) => {
      // Ticks come after all promises that could resolve: by then the unit has sent its statements.
      if (this.#waiting.push({ query, resolve, reject }) === 1) process.nextTick(this.#send);
    });
  }

  #assertOpen(): void {
    if (this.#over) throw new Error('The transaction is over: a statement came after its unit had ended');
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  readonly #send = (): void => {
    if (this.#waiting.length === 0) return;
    this.#session.corked(() => this.#sendAll());
  };

  #sendAll(): void {
    const steps = this.#waiting;
    this.#waiting = [];
    for (const { query, resolve, reject } of steps)
      this.#run(query).then(resolve, (error: unknown) => {
        // Later statements fail since the transaction is aborted: the first error is the cause.
        this.#failure ??= { error, sql: query.sql };
        reject(this.#failure.error);
      });
  }

  async #run(query: Query): Promise<QueryResult> {
    this.#assertOpen();
    if (this.#watch !== undefined) this.#statements.push(query.sql);
    return this.#session.run(query);
  }
}
