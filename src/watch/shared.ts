/** The memory that the main thread and the thread that watches it share. */

/** Pieces of the application's code that can be named at one moment; further ones run without a name. */
const entries = 16;

/** Bytes of a name; longer ones are cut. */
const nameLength = 240;

/** Words before the lengths of the names: the beat, and the entry that has the thread. */
const head = 2;

const size = 4 * (head + entries) + entries * nameLength;

/** Names of running code in shared memory, written by one thread and read by another. */
export class RunningCode {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #names: Uint8Array;
  readonly #free = Array.from({ length: entries }, (_, index) => entries - 1 - index);

  constructor(memory = new SharedArrayBuffer(size)) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, head + entries);
    this.#names = new Uint8Array(memory, 4 * (head + entries));
  }

  /** Grows as long as the main thread goes on. */
  get beat(): number {
    return Atomics.load(this.#words, 0);
  }

  goOn(): void {
    Atomics.add(this.#words, 0, 1);
  }

  /** Takes a name; returns its entry, or -1 where there is none left. */
  enter(name: string): number {
    const entry = this.#free.pop() ?? -1;
    if (entry >= 0) {
      const place = this.#names.subarray(entry * nameLength, (entry + 1) * nameLength);
      const { written } = encoder.encodeInto(name, place);
      Atomics.store(this.#words, head + entry, written);
    }
    this.hasThread(entry);
    return entry;
  }

  /** The entry whose code the thread runs; -1 when it is unknown. */
  hasThread(entry: number): void {
    Atomics.store(this.#words, 1, entry + 1);
  }

  leave(entry: number): void {
    this.hasThread(-1);
    if (entry < 0) return;
    Atomics.store(this.#words, head + entry, 0);
    this.#free.push(entry);
  }

  /** The code that has the thread, or else all that runs, as it may have gone on after a wait. */
  names(): readonly string[] {
    const current = Atomics.load(this.#words, 1) - 1;
    const all = Array.from({ length: entries }, (_, entry) => entry);
    return (current >= 0 ? [current] : all).map((entry) => this.#name(entry)).filter((name) => name !== '');
  }

  #name(entry: number): string {
    const length = Atomics.load(this.#words, head + entry);
    // A text decoder takes no shared memory.
    return Buffer.from(this.#names.slice(entry * nameLength, entry * nameLength + length)).toString();
  }
}

const encoder = new TextEncoder();

export interface WatcherData {
  readonly memory: SharedArrayBuffer;
  /** Milliseconds after which a thread that does not go on is reported. */
  readonly limit: number;
}
