/** Rows of the table of buckets, and the statements that write, read and remove them. */

import type { BucketShape } from '../../auth/rate-limit.ts';
import type { Database } from '../../database/database.ts';
import {
  type Fragment,
  identifier,
  join,
  literal,
  own,
  type Statement,
  sql,
  statement,
  tableName,
} from '../../database/statement.ts';

/** Rows that one statement removes. */
const maxRemoved = 1_000;

/** A shape in the numbers of a row. */
export interface StoredShape {
  readonly size: number;
  /** Microseconds in which it regains a request; 1 for a quota, whose clock stands still. */
  readonly step: number;
  readonly refills: 0 | 1;
}

export const isSameShape = (one: StoredShape, other: StoredShape): boolean =>
  one.size === other.size && one.step === other.step && one.refills === other.refills;

export const storedShape = ({ size, interval: step }: BucketShape): StoredShape => ({
  size,
  step: step ?? 1,
  refills: step === undefined ? 0 : 1,
});

/** The values of a statement, a row for each bucket. */
export interface Exchange {
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

/** A row: its shape, and how much it misses, in the unit of `step`. */
interface StoredBucket extends StoredShape {
  readonly missed: number;
}

/** The row of a bucket after a statement, with the number of further requests that it admitted. */
export interface BucketRow extends StoredBucket {
  readonly name: string;
  readonly granted: number;
}

/** A time that no bucket of this size can have is of a clock that was wrong: it is void. A quota has no clock. */
const isVoid = ({ size, step, refills }: StoredShape, missed: number): boolean =>
  refills === 1 && (missed < 0 || missed > 2 * size * step);

/**
 * How much a bucket of a shape misses, of which a row says so much. A bucket that changes its shape keeps its used
 * requests. One that refills misses all of its new size at most: otherwise it would refuse for longer than its window.
 */
const missedOf = (row: StoredBucket, shape: StoredShape): number => {
  const missed = isVoid(row, row.missed) ? 0 : row.missed;
  if (isSameShape(row, shape)) return missed;
  const used = Math.ceil(missed / row.step);
  return (shape.refills === 1 ? Math.min(used, shape.size) : used) * shape.step;
};

const stored = (column: string): Fragment => tableName('gatewright_buckets', column);

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
export const exchangeStatement = (database: Database, count: number): Statement<Exchange> => {
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
    return sql`insert into ${own('gatewright_buckets')} (name, full_at, granted, owed, size, refills, step, expires_at)
      values ${join(Array.from({ length: count }, (_, index) => row(index)))}
      on conflict (name) do update set
        full_at = ${refills} * ${clock} + ${missed} + (excluded.owed + ${granted}) * ${step},
        granted = ${granted}, owed = excluded.owed, size = ${size}, refills = ${refills}, step = ${step},
        expires_at = case when excluded.granted > 0 or excluded.expires_at > ${stored('expires_at')}
          then excluded.expires_at else ${stored('expires_at')} end
      returning name, granted, size, step, refills, full_at - refills * ${clock} as missed`;
  });
};

/** Returns how much a bucket of a shape misses by its row; 0 without one. */
export const readMissed = async (database: Database, name: string, shape: StoredShape): Promise<number> => {
  const { dialect } = database;
  const query = statement<{ name: string }>(
    dialect,
    (value) => sql`select size, step, refills, full_at - refills * ${dialect.nowMicroseconds} as missed
      from ${own('gatewright_buckets')} where name = ${value('name')}`,
  );
  const row = await database.get<StoredBucket>(query({ name }));
  return row === undefined ? 0 : missedOf(row, shape);
};

/** Removes rows of buckets that are full again, and of former quotas. */
export const removeExpired = async (database: Database): Promise<void> => {
  const { dialect } = database;
  const remove = statement<Record<never, never>>(
    dialect,
    () => sql`delete from ${own('gatewright_buckets')} where name in (select name from ${own('gatewright_buckets')}
      where expires_at < ${dialect.nowMicroseconds} order by expires_at limit ${literal(maxRemoved)} ${dialect.forUpdateSkipLocked})
      returning name`,
  );
  while ((await database.execute(remove({}))).length === maxRemoved);
};
