import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** Bytes that wait at most for a reader who stalls, or for a disk that is full; further lines are dropped. */
const capacity = 4 * 1024 * 1024;

/** UTF-16 units from which on the lines of a turn are written before it is over. */
const turnLength = 65_536;

/** Milliseconds until the next attempt: with somebody who reads slowly, and after an error. */
const stallPause = 10;
const errorPause = 1_000;

/** Milliseconds that the end of the process waits for a reader: without any progress, and in all. */
const exitPatience = 500;
const exitLimit = 2_000;

const isStall = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EINTR');

/**
 * A descriptor whose writes never wait. A file needs none: it takes what comes, or fails. A pipe and a
 * terminal are opened once more: whether a write waits belongs to the opening, and processes that share one change
 * it for each other. What cannot be opened again (a socket; systems without /proc) Node sets not to wait.
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
 * Text for standard output or standard error that stops nobody. It leaves once a turn of the event loop: a system call
 * for each line would cost more than the line. What cannot be written waits, in order; when too much waits, lines are
 * dropped, and one line in their place says how many as soon as it can.
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
  #hindrance: 'stall' | 'error' | undefined;
  #exiting = false;
  readonly #flush = (): void => this.flush();

  /** `notice` gives the line that stands for lines that were dropped. */
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

  /** Takes whole lines. */
  write(text: string): void {
    if (this.#lines === '') setImmediate(this.#flush);
    this.#lines += text;
    if (this.#exiting) this.end();
    else if (this.#lines.length > turnLength) this.flush();
  }

  /** Writes what there is as far as that can be done at once. */
  flush(): void {
    const text = this.#lines;
    this.#lines = '';
    if (text === '') return;
    if (this.#bytes >= capacity) {
      this.#drop(text);
      return;
    }
    if (this.#dropped > 0) this.#push(this.#notice(this.#dropped));
    this.#dropped = 0;
    this.#push(text);
    // A reader who stalls may have read meanwhile; after an error only time helps.
    if (this.#hindrance !== 'error') this.#send();
  }

  /** Writes what there is before the process ends, and waits a little for whoever reads it. */
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
      if (stalled === 'error' || now - progress > exitPatience || now - start > exitLimit) return;
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
    this.#hindrance = this.#attempt();
    if (this.#hindrance === undefined || this.#retry !== undefined) return;
    this.#retry = setTimeout(this.#again, this.#hindrance === 'stall' ? stallPause : errorPause).unref();
  }

  readonly #again = (): void => {
    this.#retry = undefined;
    this.#send();
    // What was dropped last is told although nothing comes after it.
    if (this.#dropped > 0 && this.#bytes === 0) this.#tell();
  };

  #tell(): void {
    this.#push(this.#notice(this.#dropped));
    this.#dropped = 0;
    this.#send();
  }

  /** Writes until nothing waits; answers what hindered it. */
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
