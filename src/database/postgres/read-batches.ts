import type { QueryResult } from 'pg';
import type { Query } from '../database.ts';
import type { Session, Sessions } from './sessions.ts';

/** A read that waits to be sent. */
interface Read {
  readonly query: Query;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: unknown) => void;
  /** Whether it was asked once more, as those before it stood still. */
  elsewhere: boolean;
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
      if (this.#waiting.push({ query, resolve, reject, elsewhere: false }) === 1)
        process.nextTick(this.#send);
    });
  }

  readonly #send = (): void => {
    const all = this.#waiting;
    this.#waiting = [];
    const free = all.filter((read) => !this.#sendAlone(read));
    for (let start = 0; start < free.length; start += together)
      this.#sendTogether(free.slice(start, start + together));
  };

  /** What would stand in front of a lock keeps nobody waiting. */
  #sendAlone(read: Read): boolean {
    if (!this.#sessions.standsStill(read.query.sql)) return false;
    this.#sendTogether([read]);
    return true;
  }

  #sendTogether(reads: readonly Read[]): void {
    const [first] = reads;
    if (first === undefined) return;
    const ask = (session: Session): Promise<unknown> => {
      const asked = session.together(() =>
        reads.map((read) =>
          session.run(read.query).then(read.resolve, (error: unknown) => {
            if (!read.elsewhere) read.reject(error);
          }),
        ),
      );
      session.whenStanding(() => this.#sendAgain(session, reads, asked));
      return Promise.all(asked);
    };
    this.#sessions.use(first.query.sql, ask).catch((error: unknown) => {
      for (const { reject } of reads) reject(error);
    });
  }

  /**
   * The first of these reads that is unanswered stands still, and so do all behind it: they are asked elsewhere, as
   * reads can be. The session ends with the first, as it would go on with the others.
   */
  #sendAgain(session: Session, reads: readonly Read[], asked: readonly Promise<void>[]): void {
    const { answered } = session;
    session.discard();
    void asked[answered]?.then(() => session.release());
    for (const read of reads.slice(answered + 1)) {
      read.elsewhere = true;
      this.read(read.query).then(read.resolve, read.reject);
    }
  }
}
