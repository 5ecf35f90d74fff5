import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/** Bytes at the head of a database file (https://sqlite.org/fileformat2.html#the_database_header). */
const headLength = 100;
const magic = 'SQLite format 3\0';
const changeCounter = 24;
const userVersion = 60;

interface Head {
  /** Grows with the file: a lower one is an older copy's. */
  readonly changes: number;
  /** The mark that a migration has given the database. */
  readonly mark: number;
}

export interface FileFacts {
  /** Bytes that the database takes by its own count. Throws where SQLite cannot say. */
  bytes(): number;
  /** The mark as SQLite reads it: it may not have reached the file yet. */
  mark(): number;
}

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

const isSame = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev;

/**
 * Tells whether the file under the database's name is still the one that was opened. SQLite goes on with a file that
 * was removed or replaced, and so with its log: what it says is written there is gone with the process.
 */
export class FileIdentity {
  readonly #path: string;
  readonly #facts: FileFacts;
  /**
   * Open for as long as the connections: closing any descriptor of the file drops the locks that SQLite holds on it
   * (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
   */
  readonly #descriptor: number;
  readonly #buffer = Buffer.alloc(headLength);
  readonly #marks: ReadonlySet<number>;
  readonly #file: Stats;
  #log: Stats | undefined;
  #size: number;
  #modified: number;
  #changes: number;
  #lost: string | undefined;

  /** @param path of a database that connections are open to */
  constructor(path: string, facts: FileFacts) {
    this.#path = path;
    this.#facts = facts;
    this.#descriptor = openSync(path, 'r');
    this.#file = statSync(path);
    this.#size = this.#file.size;
    this.#modified = this.#file.mtimeMs;
    const head = this.#readHead();
    this.#changes = head?.changes ?? 0;
    this.#marks = new Set([facts.mark(), ...(head === undefined ? [] : [head.mark])]);
  }

  /** Why the database is lost; undefined as far as is known. It stays lost until it is opened again. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** Looks at the names and sizes, and into the file where it has changed. Some microseconds. */
  look(): string | undefined {
    this.#lost ??= this.#compare();
    return this.#lost;
  }

  /** Looks at everything, also where nothing seems to have changed. */
  inspect(): string | undefined {
    this.#lost ??= this.#compare() ?? this.#compareHead();
    return this.#lost;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #compare(): string | undefined {
    const file = statOf(this.#path);
    if (file === undefined) return `${this.#path} was removed`;
    if (!isSame(file, this.#file)) return `${this.#path} was replaced by another file`;
    const log = statOf(`${this.#path}-wal`);
    if (this.#log !== undefined && (log === undefined || !isSame(log, this.#log)))
      return `${this.#path}-wal was ${log === undefined ? 'removed' : 'replaced by another file'}`;
    this.#log ??= log;
    if (file.size === this.#size && file.mtimeMs === this.#modified) return undefined;
    const shrunk = file.size < this.#size;
    this.#size = file.size;
    this.#modified = file.mtimeMs;
    return (shrunk ? this.#compareSize(file.size) : undefined) ?? this.#compareHead();
  }

  /** SQLite itself makes a file smaller, in a VACUUM: then it counts what is left. */
  #compareSize(size: number): string | undefined {
    if (size === 0) return `${this.#path} was emptied`;
    try {
      return size < this.#facts.bytes() ? `${this.#path} was cut off` : undefined;
    } catch {
      return `${this.#path} was cut off`;
    }
  }

  #compareHead(): string | undefined {
    const head = this.#readHead();
    if (head === undefined || !this.#marks.has(head.mark)) return `${this.#path} holds another database`;
    if (head.changes < this.#changes) return `${this.#path} holds an older copy of the database`;
    this.#changes = head.changes;
    return undefined;
  }

  /** Undefined where the file is no database. */
  #readHead(): Head | undefined {
    const read = readSync(this.#descriptor, this.#buffer, 0, headLength, 0);
    if (read < headLength || this.#buffer.toString('latin1', 0, magic.length) !== magic) return undefined;
    return {
      changes: this.#buffer.readUInt32BE(changeCounter),
      mark: this.#buffer.readUInt32BE(userVersion),
    };
  }
}
