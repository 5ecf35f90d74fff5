import type { SqliteConnection } from './connection.ts';

/** Milliseconds for which a snapshot is shared at most, whatever became of the turn. */
const oldest = 5;

/**
 * Lets the reads of one turn of the event loop share a read transaction: taking and giving back its locks costs more
 * than most statements. The snapshot begins when the requests of the turn are there, and ends before those of the next
 * turn start, so none of them sees less than what was committed before it was sent. Our own writes end it as well.
 */
export class SharedSnapshot {
  readonly #connection: SqliteConnection;
  /** Whether a turn is under way. */
  #active = false;
  #open = false;
  #since = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** A turn begins, with requests that a snapshot of the one before may be too old for. */
  renew(): void {
    this.end();
    if (this.#active) return;
    this.#active = true;
    setImmediate(this.#finish);
  }

  readonly #finish = (): void => {
    this.#active = false;
    this.end();
  };

  /**
   * Gives the snapshot back; the next read takes a new one. Never throws: it is called where no caller could catch it. A
   * COMMIT is refused where a statement met a damaged page; nothing was written, so to take it back is the same.
   */
  end(): void {
    if (!this.#open) return;
    try {
      this.#connection.exec('commit');
      this.#open = false;
    } catch {
      this.#open = !this.#connection.tryRollback();
    }
  }

  read<T>(statement: () => T): T {
    if (!this.#active) return statement();
    const now = performance.now();
    if (now - this.#since > oldest) this.end();
    if (!this.#open) {
      this.#connection.exec('begin');
      this.#open = true;
      this.#since = now;
    }
    return statement();
  }
}
