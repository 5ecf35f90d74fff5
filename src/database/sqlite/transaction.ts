import type { Query, Transaction } from '../database.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * The transaction that a unit sees. After the first refused statement everything else is refused too, also where the
 * unit catches the error: so it is in PostgreSQL, and a unit is written for both.
 */
export class SqliteTransaction implements Transaction {
  readonly #connection: SqliteConnection;
  #over = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async all<Row>(query: Query): Promise<Row[]> {
    return this.#step(() => this.#connection.all<Row>(query));
  }

  async get<Row>(query: Query): Promise<Row | undefined> {
    return this.#step(() => this.#connection.get<Row>(query));
  }

  async run(query: Query): Promise<number> {
    return this.#step(() => this.#connection.run(query));
  }

  /** No statement of the unit may run any more: it is over. Returns why it failed, if a statement did. */
  end(): { readonly error: unknown } | undefined {
    this.#over = true;
    return this.#failure;
  }

  #step<T>(statement: () => T): T {
    if (this.#over) throw new Error('The transaction is over: a statement came after its unit had ended');
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      return statement();
    } catch (error) {
      const seen = this.#connection.toError(error);
      this.#failure = { error: seen };
      throw seen;
    }
  }
}
