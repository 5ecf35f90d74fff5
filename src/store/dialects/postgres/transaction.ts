import type { QueryResult } from 'pg';
import type { Query, Transaction } from '../../database.ts';
import type { Session } from './sessions.ts';

/** The transaction that a unit sees. After the first refused statement everything else is refused too. */
export class PostgresTransaction implements Transaction {
  readonly #session: Session;
  #over = false;
  #failure: { readonly error: unknown } | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: Session) {
    this.#session = session;
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
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Waits for statements that the unit started but did not await; throws if one was refused. */
  async settled(): Promise<void> {
    await this.#last;
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#over = true;
  }

  /** Refuses every further statement. */
  end(): void {
    this.#over = true;
  }

  /** Statements that a unit starts together go one after the other. */
  #step(query: Query): Promise<QueryResult> {
    const result = this.#last.then(() => this.#run(query));
    this.#last = result.catch(() => {});
    return result;
  }

  async #run(query: Query): Promise<QueryResult> {
    if (this.#over) throw new Error('The transaction is over: a statement came after its unit had ended');
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      return await this.#session.run(query);
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}
