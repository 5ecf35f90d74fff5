import type { QueryResult } from 'pg';
import type { Query } from '../../database.ts';
import type { Session, Sessions } from './sessions.ts';

/** A read that waits to be sent. */
interface Read {
  readonly query: Query;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads that share a session at most. More of them would keep each other waiting while other sessions have nothing to do. */
const together = 8;

/**
 * Sends the reads that the requests of one turn ask for together: on a few sessions, each with several reads on their
 * way at once, in one system call, answered with few. Sent one by one, each would take a session, a system call and a
 * turn of the event loop for itself, which is most of what it costs. Only for reads that an index bounds: whatever is
 * slow would hold up those behind it.
 */
export class ReadBatches {
  readonly #sessions: Sessions;
  #waiting: Read[] = [];

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** @throws the errors of the store */
  read(query: Query): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      // Ticks come when all promises that could resolve have done so: by then every request has asked.
      if (this.#waiting.push({ query, resolve, reject }) === 1) process.nextTick(this.#send);
    });
  }

  readonly #send = (): void => {
    const all = this.#waiting;
    this.#waiting = [];
    for (let start = 0; start < all.length; start += together)
      this.#sendTogether(all.slice(start, start + together));
  };

  #sendTogether(reads: readonly Read[]): void {
    const ask = (session: Session) =>
      session.together(() =>
        reads.map(({ query, resolve, reject }) => session.run(query).then(resolve, reject)),
      );
    this.#sessions
      .use((session) => Promise.all(ask(session)))
      .catch((error: unknown) => {
        for (const { reject } of reads) reject(error);
      });
  }
}
