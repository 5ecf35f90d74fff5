import type { Dialect } from '../../database/dialect.ts';
import { type Fragment, identifier, join, sql } from '../../database/statement.ts';
import { type RowReach, reachConditions } from '../rows/reach.ts';

/** Whether there is a row of a table that meets conditions and is within a reach, whose n-th value is `value(n)`. */
const exists = (
  table: string,
  conditions: readonly Fragment[],
  { terms }: RowReach,
  value: (index: number) => Fragment,
  dialect: Dialect,
): Fragment => {
  const reached = reachConditions(terms, (column) => identifier(table, column), value, 'hold', dialect);
  return sql`exists (select 1 from ${identifier(table)} where ${join([...conditions, ...reached], ' and ')})`;
};

/** What a reference may name: records within a reach, and what stands there already where the caller reads it. */
export interface ReferenceReach {
  readonly table: string;
  /** Undefined where the caller may name no record at all. */
  readonly named: RowReach | undefined;
  /** The record that is written, in which the value may stay. */
  readonly kept: { readonly table: string; readonly column: string; readonly reach: RowReach } | undefined;
}

/** The values of both reaches, in the order in which `namesRecord` asks for them. */
export const referenceValues = ({ named, kept }: ReferenceReach) => [
  ...(named?.values ?? []),
  ...(kept?.reach.values ?? []),
];

/** The condition that a value names a record that it may name; undefined where there is none such. */
export const namesRecord = (
  { table, named, kept }: ReferenceReach,
  value: Fragment,
  id: Fragment,
  reached: (index: number) => Fragment,
  dialect: Dialect,
): Fragment | undefined => {
  const either: Fragment[] = [];
  if (named !== undefined)
    either.push(exists(table, [sql`${identifier(table, 'id')} = ${value}`], named, reached, dialect));
  if (kept !== undefined) {
    const start = named?.values.length ?? 0;
    const same = [
      sql`${identifier(kept.table, 'id')} = ${id}`,
      sql`${identifier(kept.table, kept.column)} = ${value}`,
    ];
    either.push(exists(kept.table, same, kept.reach, (index) => reached(start + index), dialect));
  }
  return either.length === 0 ? undefined : join(either, ' or ');
};
