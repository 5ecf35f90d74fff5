import { setTimeout as delay } from 'node:timers/promises';
import type { Reader } from '../database.ts';
import {
  lsnOf,
  type PrimaryRow,
  primaryQuery,
  type ReplicaRow,
  replayQuery,
  replicaQuery,
} from './position.ts';

/** Milliseconds between two samples. */
const sampleInterval = 100;

/** How long a mark that the first server has shown stands for its history, in milliseconds; renewed at half of that. */
const markAge = 10_000;

/** Between two looks at whether the replica has come as far as somebody waits for, in milliseconds. */
const waitInterval = 3;

/** A place of the first server that the replica has not come to yet, and when it was asked for. */
interface Sample {
  readonly lsn: number;
  readonly at: number;
}

export interface WatchedServers {
  /** Sessions of its own on either server: how old the replica is must not wait behind those who want to know. */
  readonly primary: Reader;
  readonly replica: Reader;
  /** Writes the mark anew. */
  readonly renewMark: () => Promise<void>;
  readonly now: () => number;
}

/** The replica does not follow at all. */
export class NoReplicaError extends Error {}

/**
 * How far a replica has come, by places in the journal and by nobody's clock but this process's own: everything that was
 * committed before `fresh` is there. That the places of both are those of one history is shown by the mark of the
 * database, which is written anew every few seconds and whenever the first server has another timeline.
 */
export class ReplicaWatch {
  readonly #servers: WatchedServers;
  /** When the first server showed each mark last. */
  readonly #marks = new Map<string, number>();
  #samples: Sample[] = [];
  #markSince = Number.NEGATIVE_INFINITY;
  #lastMark = '';
  #timeline = '';
  #replayed = -1;
  #fresh = Number.NEGATIVE_INFINITY;
  /** When the replica last showed that its history is that of the first server. */
  #proved = Number.NEGATIVE_INFINITY;
  #doubted = false;
  #looking: Promise<void> | undefined;

  constructor(servers: WatchedServers) {
    this.#servers = servers;
  }

  get timeline(): string {
    return this.#timeline;
  }

  /** Up to where the replica has replayed, at least. */
  get replayed(): number {
    return this.#replayed;
  }

  /** For how many milliseconds something committed may be missing, at most. Infinity where nobody knows. */
  get age(): number {
    const now = this.#servers.now();
    return this.#doubted || now - this.#proved > markAge ? Number.POSITIVE_INFINITY : now - this.#fresh;
  }

  /** Nothing is known until the next sample. */
  doubt(): void {
    this.#doubted = true;
  }

  /** Takes samples until told to stop. @throws NoReplicaError; whatever the replica fails with */
  async run(signal: AbortSignal, sampled: () => void): Promise<void> {
    while (!signal.aborted) {
      await this.sample();
      sampled();
      await delay(sampleInterval, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async sample(): Promise<void> {
    // While the first server does not answer, the replica grows old by itself.
    await this.#samplePrimary().catch(() => {});
    const row = await this.#servers.replica.get<ReplicaRow>(replicaQuery);
    if (row === undefined) throw new NoReplicaError('it has no row in gatewright_database');
    if (!row.follows || row.lsn === null) throw new NoReplicaError('it takes writes itself');
    if (this.#marks.has(row.mark)) this.#proved = this.#servers.now();
    this.#doubted = false;
    this.#reached(lsnOf(row.lsn));
  }

  /**
   * Whether the replica comes to a place within so many milliseconds. All who wait look together.
   * @throws whatever the replica fails with
   */
  async comesTo(lsn: number, limit: number): Promise<boolean> {
    const timeout = new AbortController();
    const late = delay(limit, true, { signal: timeout.signal, ref: false }).catch(() => true);
    try {
      while (this.#replayed < lsn) {
        this.#looking ??= this.#look().finally(() => {
          this.#looking = undefined;
        });
        if ((await Promise.race([this.#looking, late])) === true) return this.#replayed >= lsn;
      }
      return true;
    } finally {
      timeout.abort();
    }
  }

  async #look(): Promise<void> {
    const row = await this.#servers.replica.get<{ lsn: string | null }>(replayQuery);
    if (typeof row?.lsn !== 'string') throw new NoReplicaError('it takes writes itself');
    this.#reached(lsnOf(row.lsn));
    await delay(waitInterval, undefined, { ref: false });
  }

  #reached(lsn: number): void {
    this.#replayed = lsn;
    let passed = 0;
    for (const sample of this.#samples) {
      if (sample.lsn > lsn) break;
      this.#fresh = sample.at;
      passed += 1;
    }
    if (passed > 0) this.#samples = this.#samples.slice(passed);
  }

  async #samplePrimary(): Promise<void> {
    const at = this.#servers.now();
    const row = await this.#servers.primary.get<PrimaryRow>(primaryQuery);
    if (row === undefined) return;
    if (row.timeline !== this.#timeline) this.#begin(row.timeline);
    this.#samples.push({ lsn: lsnOf(row.lsn), at });
    // Those behind the first say the same a little later; the last is kept.
    if (this.#samples.length > 100) this.#samples.splice(1, 50);
    await this.#noteMark(row.mark, at);
  }

  /** Another server writes from now on, or one that was wound back: nothing of before says anything. */
  #begin(timeline: string): void {
    this.#timeline = timeline;
    this.#samples = [];
    this.#marks.clear();
    this.#markSince = Number.NEGATIVE_INFINITY;
    this.#lastMark = '';
    this.#fresh = Number.NEGATIVE_INFINITY;
    this.#proved = Number.NEGATIVE_INFINITY;
  }

  async #noteMark(mark: string, at: number): Promise<void> {
    const isNew = mark !== this.#lastMark;
    const known = this.#lastMark !== '';
    this.#lastMark = mark;
    if (isNew && known) this.#markSince = at;
    // What stood there at first may be older than the fork of two histories: only one that was written since counts.
    if (this.#markSince > Number.NEGATIVE_INFINITY) this.#marks.set(mark, at);
    for (const [old, shown] of this.#marks) if (at - shown > markAge) this.#marks.delete(old);
    if (at - this.#markSince > markAge / 2) await this.#servers.renewMark();
  }
}
