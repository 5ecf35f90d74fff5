/** Memory that the main thread and the thread that watches it share. */

/** Pieces of the application's code that can have a name at the same time; further ones run without. */
const entries = 16;

/** Bytes of a name; longer ones are truncated. */
const nameLength = 240;

/** Words before the lengths of the names: the heartbeat, and the entry that runs on the thread. */
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

  /** Grows while the main thread is not blocked. */
  get beat(): number {
    return Atomics.load(this.#words, 0);
  }

  goOn(): void {
    Atomics.add(this.#words, 0, 1);
  }

  /** Adds a name; returns its entry, or -1 where none is free. */
  enter(name: string): number {
    const entry = this.#free.pop() ?? -1;
    if (entry >= 0) {
      const place = this.#names.subarray(entry * nameLength, (entry + 1) * nameLength);
      const { written } = encoder.encodeInto(name, place);
      Atomics.store(this.#words, head + entry, written);
    }
    this.setRunning(entry);
    return entry;
  }

  /** Sets the entry whose code runs on the thread; -1 when it is unknown. */
  setRunning(entry: number): void {
    Atomics.store(this.#words, 1, entry + 1);
  }

  leave(entry: number): void {
    this.setRunning(-1);
    if (entry < 0) return;
    Atomics.store(this.#words, head + entry, 0);
    this.#free.push(entry);
  }

  /** The code that runs on the thread, or else all entries, as any may have continued after a wait. */
  names(): readonly string[] {
    const current = Atomics.load(this.#words, 1) - 1;
    const all = Array.from({ length: entries }, (_, entry) => entry);
    return (current >= 0 ? [current] : all).map((entry) => this.#name(entry)).filter((name) => name !== '');
  }

  #name(entry: number): string {
    const length = Atomics.load(this.#words, head + entry);
    // A text decoder does not accept shared memory.
    return Buffer.from(this.#names.slice(entry * nameLength, entry * nameLength + length)).toString();
  }
}

const encoder = new TextEncoder();

export interface WatcherData {
  readonly memory: SharedArrayBuffer;
  /** Milliseconds after which a blocked thread is reported. */
  readonly limit: number;
  /** The process without which this one ends; undefined where it stands alone. */
  readonly parent: number | undefined;
}
