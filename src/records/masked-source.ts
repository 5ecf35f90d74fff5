/**
 * Sources as callers see them: where a field depends on the record (`views.when`), its column is null in the other
 * records, for filters, sorts, searches and aggregates alike, and its key is absent from their JSON.
 */

import type { Dialect } from '../database/dialect.ts';
import {
  columnOf,
  readerId,
  ruleValue,
  type ShownIf,
  type Source,
  type SourceColumn,
} from '../database/source.ts';
import { type Fragment, identifier, join, sql } from '../database/statement.ts';
import type { FieldMask, MaskedFields } from '../policy/grant.ts';
import { type ColumnSql, type ConditionPurpose, expressionCondition } from './rows/expression.ts';

/** The condition that a row shows fields to the reader. `column` returns the SQL of a column of the row. */
export const showsFields = (
  { terms }: MaskedFields,
  column: ColumnSql,
  dialect: Dialect,
  purpose: ConditionPurpose = 'hold',
): Fragment => {
  if (terms === 'none') return sql`1 = 0`;
  const conditions = terms.map(({ expression }) =>
    expressionCondition(expression, column, readerId, purpose, dialect),
  );
  return conditions.length === 0 ? sql`1 = 1` : sql`(${join(conditions, ' and ')})`;
};

/** The name of the column that says whether a row shows the n-th set of a mask. */
const flagName = (side: string, set: number): string => `${side}_shows_${set}`;

/** Columns of a row, one for each set of a mask: 1 if the row shows its fields, else 0. */
export const maskFlags = (
  mask: FieldMask | undefined,
  side: string,
  shows: (set: MaskedFields) => Fragment,
): readonly Fragment[] =>
  (mask?.sets ?? []).map(
    (set, index) => sql`case when ${shows(set)} then 1 else 0 end as ${identifier(flagName(side, index))}`,
  );

/** The names of these columns. */
export const maskFlagNames = (mask: FieldMask | undefined, side: string): readonly string[] =>
  (mask?.sets ?? []).map((_, index) => flagName(side, index));

const nothing: ReadonlySet<string> = new Set();

/** The fields that a row with these columns hides. */
export const hiddenFields = (mask: FieldMask | undefined, side: string, row: object): ReadonlySet<string> => {
  if (mask === undefined) return nothing;
  const flags = row as Readonly<Record<string, unknown>>;
  const hidden = mask.sets.filter((_, index) => Number(flags[flagName(side, index)]) !== 1);
  return new Set(hidden.flatMap(({ fields }) => fields));
};

/** The readable fields that a record does not hide. */
export const shownFields = (readable: readonly string[], hidden: ReadonlySet<string>): readonly string[] =>
  hidden.size === 0 ? readable : readable.filter((name) => !hidden.has(name));

const shownIf = (source: Source, set: MaskedFields, key: number): ShownIf => ({
  key,
  condition: (dialect, row) =>
    showsFields(set, (of) => ruleValue(columnOf(source, of), dialect, row), dialect),
});

const masked = (source: Source, { key, sets }: FieldMask): Source => {
  const columns = new Map<string, SourceColumn>(source.columns);
  for (const [index, set] of sets.entries())
    for (const name of set.fields) {
      const column = columnOf(source, name);
      // Even a required field is null where it is hidden.
      const options = { ...column.options, required: false };
      columns.set(name, { ...column, options, shownIf: shownIf(source, set, index) });
    }
  const isPlain = (name: string): boolean => columns.get(name)?.shownIf === undefined;
  return { ...source, columns, mask: key, indexed: new Set([...source.indexed].filter(isPlain)) };
};

const maskedSources = new WeakMap<Source, Map<FieldMask, Source>>();

/** The source as the callers of a mask see it; made once for a mask. */
export const maskedSource = (source: Source, mask: FieldMask): Source => {
  const made = maskedSources.get(source) ?? new Map<FieldMask, Source>();
  maskedSources.set(source, made);
  const known = made.get(mask) ?? masked(source, mask);
  made.set(mask, known);
  return known;
};
