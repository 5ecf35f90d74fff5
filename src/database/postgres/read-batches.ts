/** Batches of the reads that concurrent requests ask for in one turn of the event loop. */

import type { QueryResult } from 'pg';
import type { Query } from '../database.ts';
import { isLockTimeout } from './errors.ts';
import type { Session, Sessions } from './sessions.ts';

/** A read that waits to be sent. */
interface Read {
  readonly query: Query;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads that share a session at most. More of them would keep each other waiting while other sessions have nothing to
 * do.
 */
const maxBatchSize = 8;

/** Batches hold reads of one statement, so that a locked table holds up no other ones. */
const batchesOf = (reads: readonly Read[]): readonly (readonly Read[])[] =>
  [...Map.groupBy(reads, ({ query }) => query.sql).values()].flatMap((same) =>
    Array.from({ length: Math.ceil(same.length / maxBatchSize) }, (_, index) =>
      same.slice(index * maxBatchSize, (index + 1) * maxBatchSize),
    ),
  );

/**
 * Sends the reads that the requests of one turn ask for as batches: on a few sessions, each with several reads on their
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
      // Ticks come after all promises that could resolve: by then every request has added its reads.
      if (this.#waiting.push({ query, resolve, reject }) === 1) process.nextTick(this.#send);
    });
  }

  readonly #send = (): void => {
    const all = this.#waiting;
    this.#waiting = [];
    for (const batch of all.length === 1 ? [all] : batchesOf(all)) void this.#sendBatch(batch);
  };

  async #sendBatch(reads: readonly Read[]): Promise<void> {
    try {
      await this.#sessions.use(reads[0]?.query.sql ?? '', (session) => runBatch(session, reads));
    } catch (error) {
      for (const { reject } of reads) reject(error);
    }
  }
}

/** If one read times out on a lock, the next ones would too, one after the other: they fail with it. */
const runBatch = async (session: Session, reads: readonly Read[]): Promise<void> => {
  const run = async ({ query, resolve, reject }: Read): Promise<void> => {
    try {
      resolve(await session.run(query));
    } catch (error) {
      reject(error);
      if (reads.length > 1 && isLockTimeout(error)) session.breakOff();
    }
  };
  await Promise.all(session.corked(() => reads.map(run)));
};
