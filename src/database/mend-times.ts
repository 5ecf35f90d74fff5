import { toTimestamp } from '../kernel/clock.ts';
import type { Database } from './database.ts';
import { identifier, join, literal, sql, statement, tableName } from './statement.ts';
import { type Ahead, type BoundedTime, clockSlackMs } from './tables/stored-time.ts';

/** The most that a stored time can be ahead of now. */
export interface TimeBound extends BoundedTime {
  readonly table: string;
  readonly column: string;
}

const aheadOf = (database: Database, { clock, unitMs }: TimeBound, now: number): Ahead => {
  const { dialect } = database;
  if (clock === 'database') return (milliseconds) => dialect.later(literal(milliseconds));
  if (unitMs !== undefined) return (milliseconds) => literal(Math.floor((now + milliseconds) / unitMs));
  return (milliseconds) => dialect.cast(literal(toTimestamp(now + milliseconds)), 'timestamp');
};

/** The condition that a row's time is void, and the statement that replaces it. */
const mendOf = (database: Database, bound: TimeBound, now: number) => {
  const { table, column, mostMs, of, found, set } = bound;
  const ahead = aheadOf(database, bound, now);
  const tooFar = found?.(ahead) ?? sql`${identifier(column)} > ${ahead(mostMs + clockSlackMs)}`;
  const condition = of === undefined ? tooFar : sql`${of} and ${tooFar}`;
  const rows = tableName(table);
  return {
    condition: sql`exists (select 1 from ${rows} where ${condition})`,
    mend:
      set === undefined
        ? sql`delete from ${rows} where ${condition}`
        : sql`update ${rows} set ${identifier(set.column ?? column)} = ${ahead(set.aheadMs)} where ${condition}`,
  };
};

/** Replaces every void time. @param mended called for each column that had one */
export const mendTimes = async (
  database: Database,
  bounds: readonly TimeBound[],
  now: number,
  mended: (column: string, rows: number) => void,
): Promise<void> => {
  const { dialect } = database;
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
