/**
 * Standard output and standard error without blocking: lines are buffered, and dropped where the reader
 * stalls.
 */

import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** Bytes that are buffered for a reader who stalls, or for a full disk; further lines are dropped. */
const bufferBytes = 4 * 1024 * 1024;

/** UTF-16 units from which buffered lines are written before the turn of the event loop ends. */
const turnLength = 65_536;

/** Milliseconds until the next attempt after a slow reader, and after an error. */
const stallPause = 10;
const errorPause = 1_000;

/** Milliseconds that the end of the process waits for a reader: without any progress, and in total. */
const exitStallMs = 500;
const exitLimit = 2_000;

const isStall = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EINTR');

/**
 * A descriptor whose writes never block. A file is used as it is: a write to it succeeds or fails. A pipe and a
 * terminal are opened a second time: the mode belongs to the open file, and processes that share one change it for each
 * other. A descriptor that cannot be opened again (a socket; systems without /proc) is set to non-blocking by Node.
 */
const withoutWaiting = (descriptor: number): number => {
  try {
    if (fstatSync(descriptor).isFile()) return descriptor;
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    if (descriptor <= 2) void process[descriptor === 1 ? 'stdout' : 'stderr'];
    return descriptor;
  }
};

const pause = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};

/**
 * Text for standard output or standard error that never blocks the process. It is written once in a turn of the event
 * loop: a system call for each line would cost more than the line. Text that cannot be written is buffered in order;
 * when the buffer is full, lines are dropped, and later one line says how many.
 */
export class Output {
  readonly #descriptor: number;
  readonly #notice: (dropped: number) => string;
  #opened: number | undefined;
  #lines = '';
  #waiting: Buffer[] = [];
  #bytes = 0;
  #dropped = 0;
  #lost = 0;
  #retry: NodeJS.Timeout | undefined;
  #obstacle: 'stall' | 'error' | undefined;
  #exiting = false;
  readonly #flush = (): void => this.flush();

  /** `notice` formats the line that replaces dropped lines. */
  constructor(descriptor: number, notice: (dropped: number) => string) {
    this.#descriptor = descriptor;
    this.#notice = notice;
    process.on('exit', () => {
      this.#exiting = true;
      this.end();
    });
  }

  /** Lines that were dropped since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** Adds whole lines. */
  write(text: string): void {
    if (this.#lines === '') setImmediate(this.#flush);
    this.#lines += text;
    if (this.#exiting) this.end();
    else if (this.#lines.length > turnLength) this.flush();
  }

  /** Writes as much as possible without waiting. */
  flush(): void {
    const text = this.#lines;
    this.#lines = '';
    if (text === '') return;
    if (this.#bytes >= bufferBytes) {
      this.#drop(text);
      return;
    }
    if (this.#dropped > 0) this.#push(this.#notice(this.#dropped));
    this.#dropped = 0;
    this.#push(text);
    // A reader who stalled may have read meanwhile; after an error only the timer retries.
    if (this.#obstacle !== 'error') this.#send();
  }

  /** Writes the buffer before the process ends, and waits a little for its reader. */
  end(): void {
    this.flush();
    if (this.#dropped > 0) this.#push(this.#notice(this.#dropped));
    this.#dropped = 0;
    const start = performance.now();
    let progress = start;
    while (this.#bytes > 0) {
      const before = this.#bytes;
      const stalled = this.#attempt();
      const now = performance.now();
      if (this.#bytes < before) progress = now;
      if (stalled === 'error' || now - progress > exitStallMs || now - start > exitLimit) return;
      if (stalled === 'stall') pause(stallPause);
    }
  }

  #push(text: string): void {
    const bytes = Buffer.from(text);
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
  }

  #drop(text: string): void {
    const lines = Math.max(1, text.split('\n').length - 1);
    this.#dropped += lines;
    this.#lost += lines;
  }

  #send(): void {
    this.#obstacle = this.#attempt();
    if (this.#obstacle === undefined || this.#retry !== undefined) return;
    this.#retry = setTimeout(this.#again, this.#obstacle === 'stall' ? stallPause : errorPause).unref();
  }

  readonly #again = (): void => {
    this.#retry = undefined;
    this.#send();
    // Lines that were dropped last are reported even if no line follows.
    if (this.#dropped > 0 && this.#bytes === 0) this.#reportDropped();
  };

  #reportDropped(): void {
    this.#push(this.#notice(this.#dropped));
    this.#dropped = 0;
    this.#send();
  }

  /** Writes until the buffer is empty; returns the obstacle, if there is one. */
  #attempt(): 'stall' | 'error' | undefined {
    while (this.#waiting.length > 0) {
      try {
        this.#written(this.#writeFirst());
      } catch (error) {
        return isStall(error) ? 'stall' : 'error';
      }
    }
    return undefined;
  }

  #writeFirst(): number {
    const [first] = this.#waiting;
    if (first === undefined) return 0;
    this.#opened ??= withoutWaiting(this.#descriptor);
    return writeSync(this.#opened, first);
  }

  #written(count: number): void {
    this.#bytes -= count;
    const [first] = this.#waiting;
    if (first === undefined) return;
    if (count === first.length) this.#waiting.shift();
    else this.#waiting[0] = first.subarray(count);
  }
}
