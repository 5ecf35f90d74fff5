import type { Reader, SqlValue } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { type Fragment, identifier, sql, statement } from '../database/statement.ts';

/** Rows of the service's own that refer to another. */
export interface BoundRows {
  readonly count: number;
  /** Whether there are further ones. */
  readonly more: boolean;
}

/** Counts the rows of a table with one value in an indexed column, up to so many, and those of them that meet `also`. */
export const createBoundRows = (dialect: Dialect, table: string, column: string, also?: Fragment) => {
  const counted = statement<{ value: SqlValue; most: number }>(
    dialect,
    (param) =>
      sql`select count(*) as rows from (select 1 as one from ${identifier(table)}
        where ${identifier(column)} = ${param('value')}${also === undefined ? sql`` : sql` and ${also}`}
        limit ${param('most')}) as found`,
  );
  return async (reader: Reader, value: SqlValue, most: number): Promise<BoundRows> => {
    const row = await reader.get<{ rows: number | string }>(counted({ value, most: most + 1 }));
    const count = Number(row?.rows ?? 0);
    return { count: Math.min(count, most), more: count > most };
  };
};
