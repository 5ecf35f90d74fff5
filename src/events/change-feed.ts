import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventLog, RecordedEvent } from '../service/events/event-log.ts';
import type { Audience, Audiences } from './audience.ts';
import { CatchUp } from './catch-up.ts';
import type { ChangeStream } from './change-stream.ts';
import { isTrusted } from './credential-watch.ts';
import type { EventSignal } from './signal.ts';

/** Events that are read, and told, at once. */
const batchSize = 500;

/** Streams that are given an event before requests get a turn of the event loop. */
const streamsPerTurn = 32;

/** Milliseconds before the next try where the log could not be read. */
const tryInterval = 500;

/** A part of the log: everything behind one number up to another. */
interface LogPart {
  readonly from: number;
  readonly to: number;
  readonly events: readonly RecordedEvent[];
}

export interface FeedParts {
  readonly log: EventLog;
  readonly signal: EventSignal;
  readonly audiences: Audiences;
  /** Told of what keeps the feed from reading; it goes on when it can. */
  readonly failed: (error: unknown) => void;
}

/**
 * Reads the log once for all streams that are at its head, and asks once for each audience what it is told. Streams that
 * are behind catch up by themselves, a few at a time.
 */
export class ChangeFeed {
  readonly #parts: FeedParts;
  readonly #catchUp: CatchUp;
  /** Those at the head, by their audience. */
  readonly #atHead = new Map<string, Set<ChangeStream>>();
  /** Everything up to this number was told to those at the head, or is being told. */
  #head = 0;
  #endListening: (() => void) | undefined;
  #running = false;
  #again = false;
  #pausedUntil = 0;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#catchUp = new CatchUp({
      ...parts,
      head: () => this.#head,
      reached: (stream) => this.#join(stream),
    });
  }

  /** Begins to listen, before anybody takes a place; does nothing where it does so already. */
  begin(): void {
    this.#endListening ??= this.#parts.signal.listen(() => void this.#run());
  }

  /** Nobody is told anything any more. */
  end(): void {
    this.#endListening?.();
    this.#endListening = undefined;
  }

  /** A stream begins: at the head, or behind it. `last` is the last number of the log a moment ago. */
  add(stream: ChangeStream, last: number): void {
    // Nobody needs what lies before.
    if (this.#atHead.size === 0 && !this.#running) this.#head = Math.max(this.#head, last);
    if (stream.place >= this.#head) this.#join(stream);
  }

  remove(stream: ChangeStream): void {
    const streams = this.#atHead.get(stream.audience.key);
    stream.atHead = false;
    if (streams?.delete(stream) === true && streams.size === 0) this.#atHead.delete(stream.audience.key);
  }

  /** The stream wants more, and is not at the head. */
  behind(stream: ChangeStream): void {
    this.#catchUp.add(stream);
  }

  /** Its caller may read other rows, or fields, from now on. */
  move(stream: ChangeStream, audience: Audience): void {
    const { atHead } = stream;
    this.remove(stream);
    stream.audience = audience;
    if (!atHead) return;
    if (stream.place >= this.#head) this.#join(stream);
    else if (stream.isWaiting) this.#catchUp.add(stream);
  }

  /** Goes on with what could not be done. */
  retry(): void {
    this.#catchUp.retry();
    if (this.#again && performance.now() >= this.#pausedUntil) void this.#run();
  }

  #join(stream: ChangeStream): void {
    const { key } = stream.audience;
    const streams = this.#atHead.get(key) ?? new Set();
    this.#atHead.set(key, streams);
    streams.add(stream);
    stream.atHead = true;
  }

  #leaveHead(stream: ChangeStream): void {
    this.remove(stream);
    if (stream.isWaiting) this.#catchUp.add(stream);
  }

  async #run(): Promise<void> {
    this.#again = true;
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#again && this.#endListening !== undefined) {
        this.#again = false;
        await this.#read();
      }
    } catch (error) {
      // Whoever ticks comes back to it.
      this.#again = true;
      this.#pausedUntil = performance.now() + tryInterval;
      this.#parts.failed(error);
    } finally {
      this.#running = false;
    }
  }

  async #read(): Promise<void> {
    const { log } = this.#parts;
    await log.settle();
    for (let isMore = true; isMore; ) {
      const from = this.#head;
      const events = await log.after(from, batchSize);
      isMore = events.length === batchSize;
      const to = events.at(-1)?.number;
      if (to === undefined) return;
      this.#head = to;
      await this.#tell({ from, to, events });
      // Reads of SQLite end among microtasks: requests get a turn between two batches.
      if (isMore) await nextTurn();
    }
  }

  async #tell(batch: LogPart): Promise<void> {
    const told = this.#parts.audiences.telling(batch.events);
    let given = 0;
    for (const streams of [...this.#atHead.values()]) {
      const [first] = streams;
      if (first === undefined) continue;
      const { audience } = first;
      const frames = await told(audience).catch(() => 'unknown' as const);
      for (const stream of [...streams]) {
        if (stream.atHead && stream.audience.key === audience.key) this.#give(stream, batch, frames);
        given += 1;
        if (given % streamsPerTurn === 0) await nextTurn();
      }
    }
  }

  #give(stream: ChangeStream, { from, to }: LogPart, frames: Uint8Array | 'unknown' | undefined): void {
    // It has begun behind this batch.
    if (stream.place >= to) return;
    const canTake = frames !== 'unknown' && (frames === undefined || stream.isWaiting);
    if (stream.place === from && canTake && isTrusted(stream.credentials)) stream.take(frames, to);
    else this.#leaveHead(stream);
  }
}
