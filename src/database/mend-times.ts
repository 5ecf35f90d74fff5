import { toTimestamp } from '../kernel/clock.ts';
import type { Database } from './database.ts';
import { dialectOf } from './registry.ts';
import { type Fragment, identifier, join, literal, sql, statement } from './statement.ts';

/** A moment so many milliseconds ahead of now, as the column takes it. */
export type Ahead = (milliseconds: number) => Fragment;

/** How far ahead of now a time can lie. One that lies further was written by a clock that was ahead, and is void. */
export interface TimeBound {
  readonly table: string;
  readonly column: string;
  /** Which clock writes it. */
  readonly clock: 'database' | 'service';
  /** The unit in which the column counts from the epoch, in milliseconds, where it holds no timestamp. */
  readonly unitMs?: number;
  readonly mostMs: number;
  /** Of which rows it is true; of all unless given. `found` replaces the comparison with `mostMs`. */
  readonly of?: Fragment;
  readonly found?: (ahead: Ahead) => Fragment;
  /** The value in place of a void time, and its column unless that is the time's own; its row is deleted where this is not given. */
  readonly set?: { readonly aheadMs: number; readonly column?: string };
}

/** Milliseconds by which clocks that are in order may differ. */
export const clockSlackMs = 10_000;

const aheadOf = (database: Database, { clock, unitMs }: TimeBound, now: number): Ahead => {
  const dialect = dialectOf(database);
  if (clock === 'database') return (milliseconds) => dialect.later(literal(milliseconds));
  if (unitMs !== undefined) return (milliseconds) => literal(Math.floor((now + milliseconds) / unitMs));
  return (milliseconds) => dialect.cast(literal(toTimestamp(now + milliseconds)), 'timestamp');
};

/** The condition under which a row's time is void, and the statement that sets it again. */
const mendOf = (database: Database, bound: TimeBound, now: number) => {
  const { table, column, mostMs, of, found, set } = bound;
  const ahead = aheadOf(database, bound, now);
  const tooFar = found?.(ahead) ?? sql`${identifier(column)} > ${ahead(mostMs + clockSlackMs)}`;
  const condition = of === undefined ? tooFar : sql`${of} and ${tooFar}`;
  const rows = identifier(table);
  return {
    condition: sql`exists (select 1 from ${rows} where ${condition})`,
    mend:
      set === undefined
        ? sql`delete from ${rows} where ${condition}`
        : sql`update ${rows} set ${identifier(set.column ?? column)} = ${ahead(set.aheadMs)} where ${condition}`,
  };
};

/** Sets every time again that lies further ahead than it can. @param mended called for each column in which there were some */
export const mendTimes = async (
  database: Database,
  bounds: readonly TimeBound[],
  now: number,
  mended: (column: string, rows: number) => void,
): Promise<void> => {
  const dialect = dialectOf(database);
  const mends = bounds.map((bound) => ({ bound, ...mendOf(database, bound, now) }));
  const columns = mends.map(({ condition }, index) => sql`${condition} as ${identifier(`t${index}`)}`);
  const isVoid = await database.get<Record<string, boolean | number>>(
    statement(dialect, () => sql`select ${join(columns)}`)({}),
  );
  for (const [index, { bound, mend }] of mends.entries()) {
    if (!isVoid?.[`t${index}`]) continue;
    const query = statement(dialect, () => mend)({});
    const rows = await database.write((transaction) => transaction.run(query));
    if (rows > 0) mended(`${bound.table}.${bound.column}`, rows);
  }
};
