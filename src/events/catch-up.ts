import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventLog } from '../service/events/event-log.ts';
import type { Audiences } from './audience.ts';
import type { ChangeStream } from './change-stream.ts';
import { isTrusted } from './credential-watch.ts';

/** Streams that read at one moment. */
const most = 4;

/** Milliseconds before the next try where the log could not be read. */
const tryInterval = 500;

/** Events that one of them reads at once: what is told of them lies in memory until its caller takes it. */
const batchSize = 100;

export interface CatchUpParts {
  readonly log: EventLog;
  readonly audiences: Audiences;
  /** The number up to which the others are told. */
  readonly head: () => number;
  readonly failed: (error: unknown) => void;
  /** Told of a stream that is behind no more. */
  readonly reached: (stream: ChangeStream) => void;
}

/** Has streams that are behind read the log, each from its own place, in turn and a few at a time. */
export class CatchUp {
  readonly #parts: CatchUpParts;
  readonly #line = new Set<ChangeStream>();
  /** Those whose turn came to nothing. */
  readonly #held = new Set<ChangeStream>();
  #reading = 0;
  #pausedUntil = 0;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  /** The stream is not at the head, and waits. */
  add(stream: ChangeStream): void {
    this.#line.add(stream);
    this.#next();
  }

  /** Gives another turn to those whose turn came to nothing. */
  retry(): void {
    for (const stream of this.#held) this.#line.add(stream);
    this.#held.clear();
    this.#next();
  }

  #next(): void {
    if (performance.now() < this.#pausedUntil) return;
    for (const stream of this.#line) {
      if (this.#reading >= most) return;
      this.#line.delete(stream);
      if (stream.isWaiting && !stream.atHead) void this.#turn(stream);
    }
  }

  async #turn(stream: ChangeStream): Promise<void> {
    this.#reading += 1;
    try {
      // Reads of SQLite end among microtasks: requests get a turn of the event loop between two of them.
      await nextTurn();
      const isDone = await this.#read(stream);
      if (stream.isWaiting && !stream.atHead) (isDone ? this.#line : this.#held).add(stream);
    } catch (error) {
      this.#pausedUntil = performance.now() + tryInterval;
      this.#parts.failed(error);
      if (stream.isWaiting) this.#held.add(stream);
    } finally {
      this.#reading -= 1;
      this.#next();
    }
  }

  /** Tells a stream of what comes next; false where that cannot be done now. */
  async #read(stream: ChangeStream): Promise<boolean> {
    const { log, audiences, head, reached } = this.#parts;
    const { audience, place } = stream;
    const end = head();
    if (place >= end) {
      reached(stream);
      return true;
    }
    if (!isTrusted(stream.credentials)) return false;
    const events = await log.after(place, batchSize);
    // Numbers may be left out, and what is too old is removed: of a gap it has to be asked which it is.
    if (events[0]?.number !== place + 1 && (await log.range()).first > place + 1) {
      stream.end('what comes next is not kept any more');
      return true;
    }
    const last = events.at(-1)?.number ?? end;
    const to = events.length < batchSize ? Math.max(end, last) : last;
    const frames = await audiences.telling(events)(audience);
    // It was given something meanwhile, and has asked again perhaps: then it is in the line.
    if (!stream.isWaiting || stream.atHead || stream.place !== place) return true;
    if (stream.audience.key !== audience.key || !isTrusted(stream.credentials)) return false;
    stream.take(frames, to);
    return true;
  }
}
