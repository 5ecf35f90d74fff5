/** Token buckets and monthly quotas by caller, in this process or shared through the database. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { BucketShape } from '../auth/rate-limit.ts';
import type { Database } from '../database/database.ts';
import {
  type Fragment,
  identifier,
  join,
  literal,
  type Statement,
  sql,
  statement,
} from '../database/statement.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';

/** The state of a bucket after a request. */
export interface BucketLevel {
  /** Whether it had the request. */
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

/** Rows that one statement removes. */
const maxRemoved = 1_000;

/** A shape in the numbers of a row. */
interface StoredShape {
  readonly size: number;
  /** Microseconds in which it regains a request; 1 for a quota, whose clock stands still. */
  readonly step: number;
  readonly refills: 0 | 1;
}

const isSameShape = (one: StoredShape, other: StoredShape): boolean =>
  one.size === other.size && one.step === other.step && one.refills === other.refills;

const storedShape = ({ size, interval: step }: BucketShape): StoredShape => ({
  size,
  step: step ?? 1,
  refills: step === undefined ? 0 : 1,
});

/**
 * A bucket, as this process knows it. Administrators change shapes while requests come: the requests that were used
 * stay, and the database decides about the first request of a shape, as other processes may have used it before.
 */
class KnownBucket {
  readonly name: string;
  shape: StoredShape;
  /** Milliseconds since the epoch at which a quota ends. */
  readonly ends: number | undefined;
  /** Whether it is known from the database how much a bucket of this shape misses. */
  isRead = false;
  /** How much it missed at `seen` (by `performance.now()`), in the unit of `step`: at least, as others take from it. */
  missed = 0;
  seen = 0;
  /** Requests that this process has admitted since, */
  owed = 0;
  /** those that are being written, */
  writing = 0;
  /** and requests of which the database decides. */
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

interface Exchange {
  readonly [column: string]: readonly (string | number)[];
  readonly names: readonly string[];
  /** Requests that the database decides about. */
  readonly wanted: readonly number[];
  /** Requests that were admitted. */
  readonly owed: readonly number[];
  readonly sizes: readonly number[];
  readonly refills: readonly number[];
  readonly steps: readonly number[];
  /** The requests that a new row misses: all of these. */
  readonly missed: readonly number[];
  /** When the row expires: of a quota since the epoch, else from now on. */
  readonly expiries: readonly number[];
}

interface BucketRow extends StoredShape {
  readonly name: string;
  readonly granted: number;
  readonly missed: number;
}

/** A time that no bucket of this size can have is of a clock that was wrong: it is void. A quota has no clock. */
const isVoid = ({ size, step, refills }: StoredShape, missed: number): boolean =>
  refills === 1 && (missed < 0 || missed > 2 * size * step);

/**
 * How much a bucket of a shape misses, of which a row says so much. A bucket that changes its shape keeps its used
 * requests. One that refills misses all of its new size at most: otherwise it would refuse for longer than its window.
 */
const missedOf = (row: Omit<BucketRow, 'name' | 'granted'>, shape: StoredShape): number => {
  const missed = isVoid(row, row.missed) ? 0 : row.missed;
  if (isSameShape(row, shape)) return missed;
  const used = Math.ceil(missed / row.step);
  return (shape.refills === 1 ? Math.min(used, shape.size) : used) * shape.step;
};

const stored = (column: string): Fragment => identifier('gatewright_buckets', column);

/**
 * A part of the shape of a row after a statement. Requests of which the database decides give the row their shape. A
 * process that only writes what it has admitted may not know of a change yet.
 */
const shaped = (column: keyof StoredShape): Fragment =>
  sql`(case when excluded.granted > 0 then excluded.${identifier(column)} else ${stored(column)} end)`;

/** As `missedOf` says: what a row misses before the requests of a statement. */
const missedBefore = (clock: Fragment): Fragment => {
  const [size, step, refills] = [shaped('size'), shaped('step'), shaped('refills')];
  const raw = sql`(${stored('full_at')} - ${stored('refills')} * ${clock})`;
  const missed = sql`(case when ${stored('refills')} = 1
      and ${raw} not between 0 and 2 * ${stored('size')} * ${stored('step')} then 0 else ${raw} end)`;
  const used = sql`((${missed} + ${stored('step')} - 1) / ${stored('step')})`;
  return sql`(case
      when ${stored('size')} = ${size} and ${stored('step')} = ${step} and ${stored('refills')} = ${refills}
        then ${missed}
      when ${refills} = 1 and ${used} > ${size} then ${size} * ${step}
      else ${used} * ${step} end)`;
};

/**
 * One statement writes what was admitted, admits as many of the further requests as a bucket has room for, and returns
 * what it misses. It writes rows in the order of their names, so that no two processes deadlock.
 */
const exchangeOf = (database: Database, count: number): Statement<Exchange> => {
  const { dialect } = database;
  const clock = dialect.nowMicroseconds;
  const [size, step, refills] = [shaped('size'), shaped('step'), shaped('refills')];
  const missed = missedBefore(clock);
  const room = sql`((${size} * ${step} - ${missed}) / ${step} - excluded.owed)`;
  const granted = sql`(case when ${room} <= 0 then 0 when ${room} < excluded.granted then ${room}
    else excluded.granted end)`;
  return statement<Exchange>(dialect, (value) => {
    const row = (index: number): Fragment => sql`(${value('names', index)},
      ${value('refills', index)} * ${clock} + ${value('missed', index)}, ${value('wanted', index)},
      ${value('owed', index)}, ${value('sizes', index)}, ${value('refills', index)}, ${value('steps', index)},
      ${value('refills', index)} * ${clock} + ${value('expiries', index)})`;
    return sql`insert into gatewright_buckets (name, full_at, granted, owed, size, refills, step, expires_at)
      values ${join(Array.from({ length: count }, (_, index) => row(index)))}
      on conflict (name) do update set
        full_at = ${refills} * ${clock} + ${missed} + (excluded.owed + ${granted}) * ${step},
        granted = ${granted}, owed = excluded.owed, size = ${size}, refills = ${refills}, step = ${step},
        expires_at = case when excluded.granted > 0 or excluded.expires_at > ${stored('expires_at')}
          then excluded.expires_at else ${stored('expires_at')} end
      returning name, granted, size, step, refills, full_at - refills * ${clock} as missed`;
  });
};

/** The values of a statement for buckets. Afterwards their requests are being written. */
const takeOf = (buckets: readonly KnownBucket[]) => {
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
 * Buckets of requests, which all processes of one database share. A process admits a request at once while it has
 * admitted less than its part of the bucket since it last wrote, which it does four times a second: 1/60, or with more
 * than three workers their share of 1/20. Beyond that the database decides, for all requests of one turn in one
 * statement. A bucket that is known to be empty refuses without a statement.
 *
 * Each process may so admit its part too many in the worst case; what was admitted is written all the same, so that the
 * bucket is refilled later by as much.
 * @param onError called with the first error of a write after a success
 * @param workers processes of this service, `WORKERS`
 */
export const createBuckets = (database: Database, onError: (error: unknown) => void, workers = 1) => {
  const parts = partAhead * Math.max(3, workers);
  // A forgotten bucket is learned again with the next statement; an unwritten one is in `unwritten` as well.
  const known = new BoundedCache<KnownBucket>(50_000);
  const unwritten = new Map<string, KnownBucket>();
  /** Unwritten buckets of which the database decides; the others wait for the interval. */
  const wanted = new Set<KnownBucket>();
  let isDue = false;
  const statements = new Map(statementSizes.map((size) => [size, exchangeOf(database, size)]));
  let writing: Promise<void> | undefined;
  // A statement is of no single request: it is neither part of a trace nor a write of its caller.
  const outside = AsyncLocalStorage.snapshot();

  const exchange = async (buckets: readonly KnownBucket[]): Promise<void> => {
    const { taken, values } = takeOf(buckets);
    const sent = performance.now();
    try {
      const query = statements.get(buckets.length as (typeof statementSizes)[number]);
      if (query === undefined) throw new Error(`no statement for ${buckets.length} buckets`);
      const rows = new Map((await database.execute<BucketRow>(query(values))).map((row) => [row.name, row]));
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
        unwritten.set(bucket.name, bucket);
        for (const request of waiting) request.reject(error);
      }
      throw error;
    }
  };

  const writeBatch = async (chosen: Iterable<KnownBucket>): Promise<void> => {
    const buckets = [...chosen].sort((one, other) => (one.name < other.name ? -1 : 1));
    for (const bucket of buckets) {
      unwritten.delete(bucket.name);
      wanted.delete(bucket);
    }
    for (let at = 0; at < buckets.length; ) {
      const size = statementSizes.find((each) => each <= buckets.length - at) ?? 1;
      try {
        await exchange(buckets.slice(at, at + size));
      } catch (error) {
        for (const bucket of buckets.slice(at + size)) unwritten.set(bucket.name, bucket);
        throw error;
      }
      at += size;
    }
  };

  const writeAll = async (): Promise<void> => {
    // The requests of one turn share a statement.
    await Promise.resolve();
    try {
      while (isDue || wanted.size > 0) {
        const chosen = isDue ? unwritten.values() : wanted;
        isDue = false;
        await writeBatch(chosen);
      }
    } finally {
      writing = undefined;
    }
  };

  const write = (): Promise<void> => {
    writing ??= outside(writeAll);
    return writing;
  };

  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;
  const attempt = async (): Promise<void> => {
    try {
      isDue = true;
      await write();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
    }
    timer = undefined;
    if (unwritten.size > 0) schedule();
  };
  const schedule = (): void => {
    timer ??= setTimeout(attempt, writeInterval).unref();
  };

  return {
    /**
     * Takes one request from a bucket.
     * @param name unique in the database
     * @param ends milliseconds since the epoch after which the row of a quota is removed
     * @throws Problem `database_unavailable`
     */
    take(name: string, shape: BucketShape, ends?: number): BucketLevel | Promise<BucketLevel> {
      const bucket = known.getOrMake(name, () => unwritten.get(name) ?? new KnownBucket(name, shape, ends));
      bucket.reshape(shape);
      const missing = bucket.missing(performance.now());
      const { size, step } = bucket.shape;
      if (bucket.isRead && missing + step > size * step) return bucket.level(missing, false);
      unwritten.set(name, bucket);
      schedule();
      if (bucket.isRead && bucket.owed + bucket.writing < Math.floor(size / parts)) {
        bucket.owed += 1;
        return bucket.level(missing + step, true);
      }
      const request = Promise.withResolvers<boolean>();
      bucket.waiting.push(request);
      wanted.add(bucket);
      // An error of the statement is that of each request that waits for it.
      write().catch(() => {});
      return request.promise.then((admitted) => bucket.level(bucket.missing(performance.now()), admitted));
    },

    /** Returns the state of a bucket before a request, and takes none. @throws Problem `database_unavailable` */
    level: async (name: string, shape: BucketShape): Promise<BucketLevel> => {
      const bucket = new KnownBucket(name, shape, undefined);
      const { size, step } = bucket.shape;
      const query = statement<{ name: string }>(
        database.dialect,
        (
          value,
        ) => sql`select size, step, refills, full_at - refills * ${database.dialect.nowMicroseconds} as missed
          from gatewright_buckets where name = ${value('name')}`,
      );
      const row = await database.get<Omit<BucketRow, 'name' | 'granted'>>(query({ name }));
      bucket.missed = row === undefined ? 0 : missedOf(row, bucket.shape);
      bucket.seen = performance.now();
      const { owed = 0, writing = 0 } = known.get(name) ?? unwritten.get(name) ?? {};
      const missing = bucket.missing(bucket.seen) + (owed + writing) * step;
      return bucket.level(missing, missing + step <= size * step);
    },

    /** Writes the rest of what was admitted. */
    close: async (): Promise<void> => {
      await attempt();
      clearTimeout(timer);
    },

    /** Removes rows of buckets that are full again, and of former quotas. */
    sweep: async (): Promise<void> => {
      const { dialect } = database;
      const remove = statement<Record<never, never>>(
        dialect,
        () => sql`delete from gatewright_buckets where name in (select name from gatewright_buckets
          where expires_at < ${dialect.nowMicroseconds} order by expires_at limit ${literal(maxRemoved)} ${dialect.forUpdateSkipLocked})
          returning name`,
      );
      while ((await database.execute(remove({}))).length === maxRemoved);
    },
  };
};

export type Buckets = ReturnType<typeof createBuckets>;
