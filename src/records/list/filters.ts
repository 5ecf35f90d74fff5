import type { Dialect } from '../../database/dialect.ts';
import { rowAlias, type SourceColumn, storedValue } from '../../database/source.ts';
import { type Fragment, join, sql } from '../../database/statement.ts';
import type { ColumnValue, FilterOperator } from '../../fields/field.ts';
import { type Joining, pathCondition, type RelationStep } from '../relations/related.ts';
import { invalidParameter } from './query-string.ts';

/** One condition of a list request: `filter[column][operator]=…`, its values as the column takes them. */
export interface Filter {
  readonly column: SourceColumn;
  readonly operator: FilterOperator;
  /** Bound in the order of the placeholders; none for `null`. */
  readonly values: readonly ColumnValue[];
  /** For `null`: whether the column must be null or must not. */
  readonly negated: boolean;
  /** Relations to the records whose column it is; absent for the row's own. */
  readonly steps?: readonly RelationStep[];
}

/** Characters of one filter value. */
export const maxValueLength = 1024;
/** Values of one `in`. */
const maxInValues = 1000;

/** Upper case letters of ASCII to lower case ones, others untouched, as both databases fold here. */
export const foldAscii = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Splits at commas; `\,` stands for a comma in a value and `\\` for a backslash, any other backslash for itself. */
export const splitValues = (text: string): string[] => {
  const values: string[] = [];
  let value = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (character === ',') {
      values.push(value);
      value = '';
    } else if (character === '\\' && (next === ',' || next === '\\')) {
      value += next;
      at += 1;
    } else value += character;
  }
  values.push(value);
  return values;
};

/**
 * The least text that is above every text with this prefix, by code point; undefined where there is none. Skips the
 * surrogates, which are no characters.
 */
export const afterPrefix = (prefix: string): string | undefined => {
  const points = [...prefix];
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0;
    if (point < 0x10ffff)
      return points.join('') + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
  }
  return undefined;
};

/** Fills up to a power of two with the last value, so that lists of any length make eleven statements, not 1,000. */
const padded = (values: readonly ColumnValue[]): ColumnValue[] => {
  const size = 2 ** Math.ceil(Math.log2(values.length));
  return Array.from({ length: size }, (_, index) => values[Math.min(index, values.length - 1)] ?? null);
};

const parseValue = (column: SourceColumn, text: string, parameter: string): ColumnValue => {
  const value = text.length > maxValueLength ? undefined : column.type.parse(text, column.options);
  if (value === undefined || value === null) throw invalidParameter(parameter);
  return value;
};

const parseValues = (column: SourceColumn, text: string, parameter: string): ColumnValue[] => {
  const values = splitValues(text);
  if (values.length > maxInValues) throw invalidParameter(parameter);
  return padded(values.map((value) => parseValue(column, value, parameter)));
};

const prefixValues = (prefix: string): string[] => {
  const end = afterPrefix(prefix);
  return end === undefined ? [prefix] : [prefix, end];
};

/** Reads the text of one filter. Throws the problem `invalid_parameter`, naming `parameter`. */
export const parseFilter = (
  column: SourceColumn,
  operator: FilterOperator,
  text: string,
  parameter: string,
): Filter => {
  const values = (of: readonly ColumnValue[]): Filter => ({ column, operator, values: of, negated: false });
  switch (operator) {
    case 'null':
      if (text !== 'true' && text !== 'false') throw invalidParameter(parameter);
      return { column, operator, values: [], negated: text === 'false' };
    case 'in':
      return values(parseValues(column, text, parameter));
    case 'like':
    case 'starts_with':
      // A part of a value need not be a value of the type, so it is taken as it is.
      if (text.length > maxValueLength) throw invalidParameter(parameter);
      return values(operator === 'like' ? [foldAscii(text)] : prefixValues(text));
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return values([parseValue(column, text, parameter)]);
  }
};

/** A filter without its values: all that its SQL depends on. */
export interface FilterShape {
  readonly column: SourceColumn;
  readonly operator: FilterOperator;
  /** How many values it compares with. */
  readonly count: number;
  readonly negated: boolean;
  readonly steps: readonly RelationStep[] | undefined;
}

export const filterShape = ({ column, operator, values, negated, steps }: Filter): FilterShape => ({
  column,
  operator,
  count: values.length,
  negated,
  steps,
});

/** Whether a field without a value meets the condition. */
const meetsNone = ({ operator, negated }: FilterShape): boolean =>
  operator === 'ne' || (operator === 'null' && !negated);

/** The condition of one filter on the row `t`; `bound` answers the SQL of its n-th value. */
export const filterCondition = (
  filter: FilterShape,
  joining: Joining,
  bound: (index: number) => Fragment,
): Fragment => {
  const condition = (row: string): Fragment => rowCondition(filter, joining.dialect, row, bound);
  return filter.steps === undefined
    ? condition(rowAlias)
    : pathCondition(filter.steps, rowAlias, condition, meetsNone(filter), joining);
};

const rowCondition = (
  { column, operator, count, negated }: FilterShape,
  dialect: Dialect,
  row: string,
  bound: (index: number) => Fragment,
): Fragment => {
  const value = storedValue(column, dialect, row);
  switch (operator) {
    case 'null':
      return negated ? sql`${value} is not null` : sql`${value} is null`;
    case 'in':
      return sql`${value} in (${join(Array.from({ length: count }, (_, index) => bound(index)))})`;
    case 'like':
      return dialect.contains(value, bound(0));
    case 'starts_with':
      // A range instead of a function: an index on the column serves it.
      return count === 1
        ? sql`${value} >= ${bound(0)}`
        : sql`(${value} >= ${bound(0)} and ${value} < ${bound(1)})`;
    case 'eq':
      return sql`${value} = ${bound(0)}`;
    case 'ne':
      // Null is not equal to any value, so `ne` finds it: `eq` and `ne` together are all rows.
      return sql`${value} is distinct from ${bound(0)}`;
    case 'gt':
      return sql`${value} > ${bound(0)}`;
    case 'gte':
      return sql`${value} >= ${bound(0)}`;
    case 'lt':
      return sql`${value} < ${bound(0)}`;
    case 'lte':
      return sql`${value} <= ${bound(0)}`;
  }
};
