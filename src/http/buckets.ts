/** Token buckets and monthly quotas by caller, in this process or shared through the database. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { BucketShape } from '../auth/rate-limit.ts';
import type { Database } from '../database/database.ts';
import type { Statement } from '../database/statement.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import {
  type BucketRow,
  type Exchange,
  exchangeStatement,
  isSameShape,
  readMissed,
  removeExpired,
  type StoredShape,
  storedShape,
} from './limits/bucket-rows.ts';

/** The state of a bucket after a request. */
export interface BucketLevel {
  /** True if it had the request. */
  readonly admitted: boolean;
  /** Milliseconds until it has another one; 0 if it has. Infinite for a quota. */
  readonly wait: number;
  /** Whole requests that it still has. */
  readonly remaining: number;
  /** Milliseconds until it is full again. Infinite for a quota. */
  readonly untilFull: number;
}

/** All workers of a service, or three instances, admit up to 1/20 of a bucket before the database knows. */
const partAhead = 20;

/** Milliseconds between two writes of what was admitted. */
const writeInterval = 250;

/** Microseconds for which a row outlives the moment at which it says nothing any more. */
const keptFor = 3_600_000_000;

/** Numbers of buckets of one statement. */
const statementSizes = [100, 10, 1] as const;

/**
 * A bucket, as this process knows it. Administrators change shapes while requests come: the requests that were used
 * stay, and the database decides about the first request of a shape, as other processes may have used it before.
 */
class KnownBucket {
  readonly name: string;
  shape: StoredShape;
  /** Milliseconds since the epoch at which a quota ends. */
  readonly ends: number | undefined;
  /** True if it is known from the database how much a bucket of this shape misses. */
  isRead = false;
  /** How much it missed at `seen` (by `performance.now()`), in the unit of `step`: at least, as others take from it. */
  missed = 0;
  seen = 0;
  /** Requests that this process has admitted since then and has not begun to write. */
  owed = 0;
  /** Admitted requests that a statement is writing. */
  writing = 0;
  /** Requests that wait for the decision of the database. */
  waiting: PromiseWithResolvers<boolean>[] = [];

  constructor(name: string, shape: BucketShape, ends: number | undefined) {
    this.name = name;
    this.shape = storedShape(shape);
    this.ends = ends;
  }

  /** Gives it a shape. Other processes may have used a bucket of this shape already: what it misses is unknown. */
  reshape(given: BucketShape): void {
    const shape = storedShape(given);
    if (isSameShape(shape, this.shape)) return;
    this.shape = shape;
    this.missed = 0;
    this.isRead = false;
  }

  /** Notes what the database said about a bucket of a shape, which this one may no longer have. */
  read(shape: StoredShape, missed: number, at: number): void {
    if (!isSameShape(shape, this.shape)) return;
    this.missed = missed;
    this.seen = at;
    this.isRead = true;
  }

  missing(now: number): number {
    const { step, refills } = this.shape;
    const regained = (now - this.seen) * 1000 * refills;
    return Math.max(0, this.missed - regained) + (this.owed + this.writing) * step;
  }

  /** True if it has a request while it misses so much. */
  hasOne(missing: number): boolean {
    const { size, step } = this.shape;
    return missing + step <= size * step;
  }

  level(missing: number, admitted: boolean): BucketLevel {
    const { size, step, refills } = this.shape;
    const room = size * step - missing;
    const [lacking, filling] = [Math.max(0, step - room) / 1000, missing / 1000];
    return {
      admitted,
      wait: lacking > 0 && refills === 0 ? Infinity : lacking,
      remaining: Math.max(0, Math.floor(room / step)),
      untilFull: refills === 0 ? Infinity : filling,
    };
  }
}

/** Moves the requests of buckets into the values of one statement; the admitted ones then count as being written. */
const takeRequests = (buckets: readonly KnownBucket[]) => {
  const taken = buckets.map((bucket) => {
    const { name, shape, ends, owed, waiting } = bucket;
    const { size, step, refills } = shape;
    const wanted = Math.max(0, Math.min(waiting.length, size - owed));
    bucket.owed = 0;
    bucket.writing = owed;
    bucket.waiting = [];
    const missed = (owed + wanted) * step;
    const expiry = (ends === undefined ? size * step : ends * 1000) + keptFor;
    return { bucket, waiting, owed, row: { name, wanted, owed, size, refills, step, missed, expiry } };
  });
  const rows = taken.map(({ row }) => row);
  const values: Exchange = {
    names: rows.map(({ name }) => name),
    wanted: rows.map(({ wanted }) => wanted),
    owed: rows.map(({ owed }) => owed),
    sizes: rows.map(({ size }) => size),
    refills: rows.map(({ refills }) => refills),
    steps: rows.map(({ step }) => step),
    missed: rows.map(({ missed }) => missed),
    expiries: rows.map(({ expiry }) => expiry),
  };
  return { taken, values };
};

/**
 * Writes buckets: admitted requests at the end of an interval, and requests that the database decides about at once,
 * those of one turn in one statement.
 */
class BucketWriter {
  readonly #database: Database;
  readonly #onError: (error: unknown) => void;
  readonly #statements: ReadonlyMap<number, Statement<Exchange>>;
  readonly #unwritten = new Map<string, KnownBucket>();
  /** Unwritten buckets of which the database decides; the others wait for the interval. */
  readonly #wanted = new Set<KnownBucket>();
  #isDue = false;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  // A statement is of no single request: it is neither part of a trace nor a write of its caller.
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
    this.#statements = new Map(statementSizes.map((size) => [size, exchangeStatement(database, size)]));
  }

  /** The bucket with a name, if it waits to be written. */
  find(name: string): KnownBucket | undefined {
    return this.#unwritten.get(name);
  }

  /** Writes a bucket at the end of the interval. */
  add(bucket: KnownBucket): void {
    this.#unwritten.set(bucket.name, bucket);
    this.#schedule();
  }

  /** Lets the database decide about a request. @throws Problem `database_unavailable` */
  decide(bucket: KnownBucket): Promise<boolean> {
    const request = Promise.withResolvers<boolean>();
    bucket.waiting.push(request);
    this.#wanted.add(bucket);
    // An error of the statement is that of each request that waits for it.
    this.#write().catch(() => {});
    return request.promise;
  }

  /** Writes all buckets, and ends the interval if that succeeds. */
  async close(): Promise<void> {
    await this.#attempt();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#attempt(), writeInterval).unref();
  }

  async #attempt(): Promise<void> {
    try {
      this.#isDue = true;
      await this.#write();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#onError(error);
      this.#isFailing = true;
    }
    this.#timer = undefined;
    if (this.#unwritten.size > 0) this.#schedule();
  }

  #write(): Promise<void> {
    this.#writing ??= this.#outside(() => this.#writeAll());
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    // The requests of one turn share a statement.
    await Promise.resolve();
    try {
      while (this.#isDue || this.#wanted.size > 0) {
        const chosen = this.#isDue ? this.#unwritten.values() : this.#wanted;
        this.#isDue = false;
        await this.#writeBatch(chosen);
      }
    } finally {
      this.#writing = undefined;
    }
  }

  async #writeBatch(chosen: Iterable<KnownBucket>): Promise<void> {
    const buckets = [...chosen].sort((one, other) => (one.name < other.name ? -1 : 1));
    for (const bucket of buckets) {
      this.#unwritten.delete(bucket.name);
      this.#wanted.delete(bucket);
    }
    for (let at = 0; at < buckets.length; ) {
      const size = statementSizes.find((each) => each <= buckets.length - at) ?? 1;
      try {
        await this.#exchange(buckets.slice(at, at + size));
      } catch (error) {
        for (const bucket of buckets.slice(at + size)) this.#unwritten.set(bucket.name, bucket);
        throw error;
      }
      at += size;
    }
  }

  async #exchange(buckets: readonly KnownBucket[]): Promise<void> {
    const { taken, values } = takeRequests(buckets);
    const sent = performance.now();
    try {
      const query = this.#statements.get(buckets.length);
      if (query === undefined) throw new Error(`no statement for ${buckets.length} buckets`);
      const written = await this.#database.execute<BucketRow>(query(values));
      const rows = new Map(written.map((row) => [row.name, row]));
      for (const { bucket, waiting } of taken) {
        const row = rows.get(bucket.name);
        if (row === undefined) throw new Error(`bucket ${bucket.name} was not written`);
        bucket.read(row, row.missed, sent);
        bucket.writing = 0;
        for (const [index, request] of waiting.entries()) request.resolve(index < row.granted);
      }
    } catch (error) {
      for (const { bucket, waiting, owed } of taken) {
        bucket.owed += owed;
        bucket.writing = 0;
        this.#unwritten.set(bucket.name, bucket);
        for (const request of waiting) request.reject(error);
      }
      throw error;
    }
  }
}

/**
 * Buckets of requests, which all processes of one database share. A process admits a request at once while it has
 * admitted less than its part of the bucket since it last wrote, which it does four times a second: 1/60, or with more
 * than three workers their share of 1/20. Beyond that the database decides, for all requests of one turn in one
 * statement. A bucket that is known to be empty refuses without a statement.
 *
 * Each process may so admit its part too many in the worst case; what was admitted is written all the same, so that the
 * bucket is refilled later by as much.
 */
export class Buckets {
  readonly #database: Database;
  readonly #writer: BucketWriter;
  readonly #parts: number;
  // A forgotten bucket is learned again with the next statement; an unwritten one is in the writer as well.
  readonly #known = new BoundedCache<KnownBucket>(50_000);

  /**
   * @param onError called with the first error of a write after a success
   * @param workers processes of this service, `WORKERS`
   */
  constructor(database: Database, onError: (error: unknown) => void, workers = 1) {
    this.#database = database;
    this.#writer = new BucketWriter(database, onError);
    this.#parts = partAhead * Math.max(3, workers);
  }

  /**
   * Takes one request from a bucket.
   * @param name unique in the database
   * @param ends milliseconds since the epoch after which the row of a quota is removed
   * @throws Problem `database_unavailable`
   */
  take(name: string, shape: BucketShape, ends?: number): BucketLevel | Promise<BucketLevel> {
    const bucket = this.#known.getOrMake(
      name,
      () => this.#writer.find(name) ?? new KnownBucket(name, shape, ends),
    );
    bucket.reshape(shape);
    const missing = bucket.missing(performance.now());
    const { size, step } = bucket.shape;
    if (bucket.isRead && !bucket.hasOne(missing)) return bucket.level(missing, false);
    this.#writer.add(bucket);
    if (bucket.isRead && bucket.owed + bucket.writing < Math.floor(size / this.#parts)) {
      bucket.owed += 1;
      return bucket.level(missing + step, true);
    }
    return this.#writer
      .decide(bucket)
      .then((admitted) => bucket.level(bucket.missing(performance.now()), admitted));
  }

  /** Returns the state of a bucket that is known to be empty; undefined for every other one. It asks no database. */
  refusal(name: string, shape: BucketShape): BucketLevel | undefined {
    const bucket = this.#known.get(name);
    bucket?.reshape(shape);
    if (bucket?.isRead !== true) return undefined;
    const missing = bucket.missing(performance.now());
    return bucket.hasOne(missing) ? undefined : bucket.level(missing, false);
  }

  /** Returns the state of a bucket before a request, and takes none. @throws Problem `database_unavailable` */
  async level(name: string, shape: BucketShape): Promise<BucketLevel> {
    const bucket = new KnownBucket(name, shape, undefined);
    const { step } = bucket.shape;
    bucket.missed = await readMissed(this.#database, name, bucket.shape);
    bucket.seen = performance.now();
    const { owed = 0, writing = 0 } = this.#known.get(name) ?? this.#writer.find(name) ?? {};
    const missing = bucket.missing(bucket.seen) + (owed + writing) * step;
    return bucket.level(missing, bucket.hasOne(missing));
  }

  /** Writes the rest of what was admitted. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  /** Removes rows of buckets that are full again, and of former quotas. */
  sweep(): Promise<void> {
    return removeExpired(this.#database);
  }
}
