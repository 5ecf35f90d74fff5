/** Reads the log once for all streams at its head. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventLog, RecordedEvent } from '../../ledger/event-log.ts';
import type { Audience, Audiences } from './audience.ts';
import { CatchUp } from './catch-up.ts';
import type { ChangeStream } from './change-stream.ts';
import { isTrusted } from './credential-watch.ts';
import type { EventSignal } from './signal.ts';

/** Events that are read and sent at a time. */
const batchSize = 500;

/** Streams that are served before requests get a turn of the event loop. */
const streamsPerTurn = 32;

/** Milliseconds before the next attempt after the log could not be read. */
const retryMs = 500;

/** A part of the log: the events after `from` up to `to`. */
interface LogPart {
  readonly from: number;
  readonly to: number;
  readonly events: readonly RecordedEvent[];
}

export interface FeedParts {
  readonly log: EventLog;
  readonly signal: EventSignal;
  readonly audiences: Audiences;
  /** Called with an error of the feed; it continues when it can. */
  readonly onError: (error: unknown) => void;
}

/**
 * Reads the log once for all streams at its head, and encodes the events once for each audience. Streams that are
 * behind catch up on their own, a few at a time.
 */
export class ChangeFeed {
  readonly #parts: FeedParts;
  readonly #catchUp: CatchUp;
  /** Streams at the head, by their audience. */
  readonly #atHead = new Map<string, Set<ChangeStream>>();
  /** The number up to which streams at the head have events, or are getting them. */
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
      onCaughtUp: (stream) => this.#join(stream),
    });
  }

  /** Starts to listen, before a stream takes its position; does nothing if it listens already. */
  begin(): void {
    this.#endListening ??= this.#parts.signal.listen(() => void this.#run());
  }

  /** Stops listening. */
  end(): void {
    this.#endListening?.();
    this.#endListening = undefined;
  }

  /** Adds a new stream: at the head, or behind it. `last` is the most recent last number of the log. */
  add(stream: ChangeStream, last: number): void {
    // No stream needs earlier events.
    if (this.#atHead.size === 0 && !this.#running) this.#head = Math.max(this.#head, last);
    if (stream.place >= this.#head) this.#join(stream);
  }

  remove(stream: ChangeStream): void {
    const streams = this.#atHead.get(stream.audience.key);
    stream.atHead = false;
    if (streams?.delete(stream) === true && streams.size === 0) this.#atHead.delete(stream.audience.key);
  }

  /** Queues a stream that asks for more and is not at the head. */
  catchUp(stream: ChangeStream): void {
    this.#catchUp.add(stream);
  }

  /** Moves a stream whose caller now reads other rows or fields. */
  move(stream: ChangeStream, audience: Audience): void {
    const { atHead } = stream;
    this.remove(stream);
    stream.audience = audience;
    if (!atHead) return;
    if (stream.place >= this.#head) this.#join(stream);
    else if (stream.isWaiting) this.#catchUp.add(stream);
  }

  /** Continues after errors. */
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
      // The next tick tries again.
      this.#again = true;
      this.#pausedUntil = performance.now() + retryMs;
      this.#parts.onError(error);
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
      await this.#send({ from, to, events });
      // Reads of SQLite end among microtasks: let requests have a turn of the event loop between two batches.
      if (isMore) await nextTurn();
    }
  }

  async #send(batch: LogPart): Promise<void> {
    const encode = this.#parts.audiences.encoderFor(batch.events);
    let served = 0;
    for (const streams of [...this.#atHead.values()]) {
      const [first] = streams;
      if (first === undefined) continue;
      const { audience } = first;
      const frames = await encode(audience).catch(() => 'unknown' as const);
      for (const stream of [...streams]) {
        if (stream.atHead && stream.audience.key === audience.key) this.#sendTo(stream, batch, frames);
        served += 1;
        if (served % streamsPerTurn === 0) await nextTurn();
      }
    }
  }

  #sendTo(stream: ChangeStream, { from, to }: LogPart, frames: Uint8Array | 'unknown' | undefined): void {
    // The stream begins behind this batch.
    if (stream.place >= to) return;
    const canTake = frames !== 'unknown' && (frames === undefined || stream.isWaiting);
    if (stream.place === from && canTake && isTrusted(stream.credentials)) stream.take(frames, to);
    else this.#leaveHead(stream);
  }
}
