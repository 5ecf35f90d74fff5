import type { ColumnValue } from '../../fields/field.ts';
import type { Grant, RowCondition } from '../../policy/grant.ts';
import { type Fragment, sql } from '../statement.ts';

/** The rows within a caller's reach: columns that must equal values. */
export interface RowReach {
  readonly columns: readonly string[];
  readonly values: readonly ColumnValue[];
  /** The columns as a text, for keys of caches. */
  readonly key: string;
}

const everything: RowReach = { columns: [], values: [], key: '' };

/**
 * The rows that a grant and further conditions leave; undefined where that is none. A condition on null leaves none
 * as well: it comes from a caller who has no such value, and must never open the rows that have none either.
 */
export const reachOf = (
  grant: Pick<Grant, 'rows'>,
  extra: readonly RowCondition[] = [],
): RowReach | undefined => {
  if (grant.rows === 'none') return undefined;
  if (grant.rows.length === 0 && extra.length === 0) return everything;
  const conditions = extra.length === 0 ? grant.rows : [...grant.rows, ...extra];
  const columns: string[] = [];
  const values: ColumnValue[] = [];
  let key = '';
  for (const { column, value } of conditions) {
    if (value === undefined) throw new TypeError(`the row filter has no value for ${column}`);
    if (value === null) return undefined;
    columns.push(column);
    values.push(value);
    key += `${column}\0`;
  }
  return { columns, values, key };
};

/**
 * The conditions of a reach, to be joined by AND with all others: they stand first in every statement that
 * touches rows. `column` answers the SQL of a column, `value` that of the n-th of its values.
 */
export const reachConditions = (
  columns: RowReach['columns'],
  column: (name: string) => Fragment,
  value: (index: number) => Fragment,
): readonly Fragment[] => columns.map((name, index) => sql`${column(name)} = ${value(index)}`);
