import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { everything } from './statement-use.ts';

/** The versions of a file as connections see them. Each differs after any commit but those of its own connection. */
export interface Versions {
  /** As the connection for reads sees it now; it commits nothing. */
  readonly now: () => number;
  /** The same within the snapshot that reads share. */
  readonly read: () => number;
  /** As the connection for writes sees it: another one only after a commit of somebody else. */
  readonly others: () => number;
}

/**
 * Computes since when nothing was committed that a statement reads. The columns of our own commits are known; after
 * one of somebody else, and after one of ours of which that is not certain, everything may be another. A commit is
 * certainly ours alone where the version before it is the last one known, and where no other connection committed until its own
 * version was read.
 */
export class Revisions {
  readonly #versions: Versions;
  readonly #readsOf: (sql: string) => ReadonlySet<string>;
  /** The last commit that wrote each column. */
  readonly #written = new Map<string, number>();
  /** The columns that a statement reads, as `StatementUse` names them, by SQL; cleared with a commit that may have changed the schema. */
  readonly #reads = new BoundedCache<ReadonlySet<string>>(256);
  #commit = 0;
  /** The last commit of unknown columns. */
  #unknown = 0;
  /** The version up to which commits are known; undefined before the first question. */
  #knownVersion: number | undefined;
  /** The value of `others` before the known version came to be. */
  #others: number | undefined;
  /** Whether nothing was committed between the known version and the write that has begun. */
  #follows = false;

  constructor(versions: Versions, readsOf: (sql: string) => ReadonlySet<string>) {
    this.#versions = versions;
    this.#readsOf = readsOf;
  }

  /** The number of the last commit that may have changed what the statement reads. */
  of(sql: string): number {
    const version = this.#versions.read();
    if (version !== this.#knownVersion) this.#lose(version);
    let last = this.#unknown;
    const reads = this.#reads.getOrMake(sql, () => this.#readsOf(sql));
    for (const name of reads) last = Math.max(last, this.#written.get(name) ?? 0);
    return last;
  }

  /** A write of ours begins. */
  begin(): void {
    this.#follows = this.#knownVersion !== undefined && this.#knownVersion === this.#ask(this.#versions.now);
  }

  /** A write of ours was committed. @param written what its statements wrote */
  end(written: ReadonlySet<string>): void {
    if (this.#knownVersion === undefined) return;
    const before = this.#ask(this.#versions.others);
    const version = this.#ask(this.#versions.now);
    const after = this.#ask(this.#versions.others);
    const isOurs = this.#follows && after !== undefined && after === this.#others;
    if (isOurs && !written.has(everything)) this.#tell(version, written);
    else this.#lose(version);
    this.#others = before === after ? after : undefined;
  }

  #tell(version: number | undefined, written: ReadonlySet<string>): void {
    this.#commit += 1;
    this.#knownVersion = version;
    for (const name of written) this.#written.set(name, this.#commit);
  }

  /** Anything may have been written, the schema included. */
  #lose(version: number | undefined): void {
    this.#commit += 1;
    this.#unknown = this.#commit;
    this.#knownVersion = version;
    this.#others = undefined;
    this.#written.clear();
    this.#reads.clear();
  }

  /** A commit stands whether or not its version can be read: without one nothing is known. */
  #ask(version: () => number): number | undefined {
    try {
      return version();
    } catch {
      return undefined;
    }
  }
}
