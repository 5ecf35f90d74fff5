import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { everything } from './statement-use.ts';

/** What the versions of a file are asked of. Each differs after any commit but those of the connection asked. */
export interface Versions {
  /** As the connection for reads sees it now; it commits nothing. */
  readonly now: () => number;
  /** The same within the snapshot that reads share. */
  readonly read: () => number;
  /** As the connection for writes sees it: another one only after a commit of somebody else. */
  readonly others: () => number;
}

/**
 * Tells since when nothing was committed that a statement reads. Of our own commits it is known what they wrote; after
 * one of somebody else, and after one of ours of which that is not certain, everything may be another. A commit is
 * certainly ours alone where the version before it is the last one known, and where nobody else committed until its own
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
  /** The last commit of which nobody knows what it wrote. */
  #unknown = 0;
  /** The version up to which commits are told of; undefined while nobody asks. */
  #told: number | undefined;
  /** What `others` was before the version that was told of came to be. */
  #others: number | undefined;
  /** Whether nothing was committed between what was told of and the write that has begun. */
  #follows = false;

  constructor(versions: Versions, readsOf: (sql: string) => ReadonlySet<string>) {
    this.#versions = versions;
    this.#readsOf = readsOf;
  }

  /** The number of the last commit that may have changed what the statement reads. */
  of(sql: string): number {
    const version = this.#versions.read();
    if (version !== this.#told) this.#lose(version);
    let last = this.#unknown;
    const reads = this.#reads.getOrMake(sql, () => this.#readsOf(sql));
    for (const name of reads) last = Math.max(last, this.#written.get(name) ?? 0);
    return last;
  }

  /** A write of ours begins. */
  begin(): void {
    this.#follows = this.#told !== undefined && this.#told === this.#ask(this.#versions.now);
  }

  /** A write of ours was committed. @param written what its statements wrote */
  end(written: ReadonlySet<string>): void {
    if (this.#told === undefined) return;
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
    this.#told = version;
    for (const name of written) this.#written.set(name, this.#commit);
  }

  /** Anything may have been written, the schema included. */
  #lose(version: number | undefined): void {
    this.#commit += 1;
    this.#unknown = this.#commit;
    this.#told = version;
    this.#others = undefined;
    this.#written.clear();
    this.#reads.clear();
  }

  /** What is committed stays committed whether or not a version can be had: then nothing is known. */
  #ask(version: () => number): number | undefined {
    try {
      return version();
    } catch {
      return undefined;
    }
  }
}
