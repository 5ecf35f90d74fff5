import { Problem } from '../../kernel/problem.ts';
import { type Caller, type ListReader, type Query, TooLongError } from '../database.ts';

/**
 * True if the first server would say the same: the answer is too long, or its caller asks for too much at a time.
 * Anything else may be the replica's own: it is away, behind a change of the schema, or its journal takes away what was
 * read.
 */
const isAnswer = (error: unknown): boolean =>
  error instanceof TooLongError || (error instanceof Problem && error.problem === 'overloaded');

/**
 * The reader of one request: the replica, and the first server from the first read on that fails there. So a request
 * never sees something older than what it has seen. A row that the replica does not have may be on the first server by
 * now. Streams are read from the first server: half of an answer cannot be read again.
 */
export class RequestReader implements ListReader {
  readonly #primary: ListReader;
  readonly #onFailure: () => void;
  #reader: ListReader;

  constructor(replica: ListReader, primary: ListReader, onFailure: () => void) {
    this.#reader = replica;
    this.#primary = primary;
    this.#onFailure = onFailure;
  }

  async get<Row>(query: Query): Promise<Row | undefined> {
    return (await this.#ask((reader) => reader.get<Row>(query))) ?? this.#ofPrimary().get<Row>(query);
  }

  scan<Row>(query: Query, by?: Caller): Promise<Row[]> {
    return this.#ask((reader) => reader.scan<Row>(query, by));
  }

  stream(query: Query, by?: Caller): Promise<AsyncIterableIterator<string>> {
    return this.#ofPrimary().stream(query, by);
  }

  async #ask<T>(ask: (reader: ListReader) => Promise<T>): Promise<T> {
    const reader = this.#reader;
    try {
      return await ask(reader);
    } catch (error) {
      if (reader === this.#primary || isAnswer(error)) throw error;
      this.#onFailure();
      return ask(this.#ofPrimary());
    }
  }

  #ofPrimary(): ListReader {
    this.#reader = this.#primary;
    return this.#primary;
  }
}
