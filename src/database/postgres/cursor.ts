/** Stream of rows from a server-side cursor, whose batches grow to what fills a chunk. */

import type { Chunk, ChunkSource } from '../chunk-stream.ts';
import type { Query } from '../database.ts';
import type { Session, Sessions } from './sessions.ts';

/** Text that a chunk should have, in UTF-16 units. */
const chunkLength = 65_536;

/** Rows fetched at a time: at first, and at most. Fetched rows are in memory, however long they are. */
const firstRows = 32;
const mostRows = 256;

/** How many rows to fetch next: grows to twice as many at most, and never beyond what fills a chunk. */
const nextRows = (rows: number, length: number): number =>
  Math.max(1, Math.min(mostRows, rows * 2, Math.floor((chunkLength * rows) / Math.max(length, 1))));

class ServerCursor {
  readonly #session: Session;
  #rows = firstRows;
  #open = true;

  constructor(session: Session) {
    this.#session = session;
  }

  async begin(query: Query): Promise<Chunk> {
    return this.#guarded(async () => {
      await this.#session.runOnce('begin isolation level repeatable read, read only');
      await this.#session.runOnce(`declare rows no scroll cursor for ${query.sql}`, query.parameters);
      return this.#fetch();
    });
  }

  next(): Promise<Chunk> {
    return this.#guarded(() => this.#fetch());
  }

  /** Ends the transaction, and with it the cursor, and gives the connection back. */
  async end(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    try {
      await this.#session.runOnce('rollback');
    } catch {
      // The server ends the transaction when the connection is closed.
      this.#session.discard();
    } finally {
      this.#session.release();
    }
  }

  async #fetch(): Promise<Chunk> {
    const { rows } = await this.#session.runOnce(`fetch ${this.#rows} from rows`);
    const text = rows.map((row: { json: string }) => row.json).join(',');
    const done = rows.length < this.#rows;
    this.#rows = nextRows(this.#rows, text.length);
    if (done) await this.end();
    return { text, done };
  }

  async #guarded(step: () => Promise<Chunk>): Promise<Chunk> {
    try {
      return await step();
    } catch (error) {
      await this.end();
      throw error;
    }
  }
}

/** A server-side cursor in a transaction of its own: one snapshot, and only the rows asked for in memory. */
export const openCursor = async (sessions: Sessions, query: Query): Promise<ChunkSource> => {
  const cursor = new ServerCursor(await sessions.take(query.sql));
  const first = await cursor.begin(query);
  return { first, next: () => cursor.next(), end: () => cursor.end() };
};
