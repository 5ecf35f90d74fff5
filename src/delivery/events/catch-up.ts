/** Lets streams that are behind the head of the log read it, in turn. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventLog } from '../../ledger/event-log.ts';
import type { Audiences } from './audience.ts';
import type { ChangeStream } from './change-stream.ts';
import { isTrusted } from './credential-watch.ts';

/** Streams that read at the same time. */
const maxReads = 4;

/** Milliseconds before the next attempt after the log could not be read. */
const retryMs = 500;

/** Events that a stream reads at a time: their frames stay in memory until the client reads them. */
const batchSize = 100;

export interface CatchUpParts {
  readonly log: EventLog;
  readonly audiences: Audiences;
  /** The number that streams at the head have reached. */
  readonly head: () => number;
  readonly onError: (error: unknown) => void;
  /** Called with a stream that has caught up. */
  readonly onCaughtUp: (stream: ChangeStream) => void;
}

/** Lets streams that are behind read the log, each from its own position, in turn and a few at a time. */
export class CatchUp {
  readonly #parts: CatchUpParts;
  readonly #queue = new Set<ChangeStream>();
  /** Streams whose turn failed. */
  readonly #postponed = new Set<ChangeStream>();
  #reading = 0;
  #pausedUntil = 0;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  /** Adds a stream that is not at the head and waits. */
  add(stream: ChangeStream): void {
    this.#queue.add(stream);
    this.#next();
  }

  /** Queues streams whose turn failed again. */
  retry(): void {
    for (const stream of this.#postponed) this.#queue.add(stream);
    this.#postponed.clear();
    this.#next();
  }

  #next(): void {
    if (performance.now() < this.#pausedUntil) return;
    for (const stream of this.#queue) {
      if (this.#reading >= maxReads) return;
      this.#queue.delete(stream);
      if (stream.isWaiting && !stream.atHead) void this.#turn(stream);
    }
  }

  async #turn(stream: ChangeStream): Promise<void> {
    this.#reading += 1;
    try {
      // Reads of SQLite end among microtasks: let requests have a turn of the event loop between two of them.
      await nextTurn();
      const isDone = await this.#read(stream);
      if (stream.isWaiting && !stream.atHead) (isDone ? this.#queue : this.#postponed).add(stream);
    } catch (error) {
      this.#pausedUntil = performance.now() + retryMs;
      this.#parts.onError(error);
      if (stream.isWaiting) this.#postponed.add(stream);
    } finally {
      this.#reading -= 1;
      this.#next();
    }
  }

  /** Sends a stream its next events; false where that is not possible now. */
  async #read(stream: ChangeStream): Promise<boolean> {
    const { log, audiences, head, onCaughtUp } = this.#parts;
    const { audience, place } = stream;
    const end = head();
    if (place >= end) {
      onCaughtUp(stream);
      return true;
    }
    if (!isTrusted(stream.credentials)) return false;
    const events = await log.after(place, batchSize);
    // Numbers have gaps, and old events are removed: the range says which of the two a gap is.
    if (events[0]?.number !== place + 1 && (await log.range()).first > place + 1) {
      stream.end('the next events are no longer kept');
      return true;
    }
    const last = events.at(-1)?.number ?? end;
    const to = events.length < batchSize ? Math.max(end, last) : last;
    const frames = await audiences.encoderFor(events)(audience);
    // The stream may have received something meanwhile, and asked for more: then it is in the queue already.
    if (!stream.isWaiting || stream.atHead || stream.place !== place) return true;
    if (stream.audience.key !== audience.key || !isTrusted(stream.credentials)) return false;
    stream.take(frames, to);
    return true;
  }
}
