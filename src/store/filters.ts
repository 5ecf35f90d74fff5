import type { ColumnValue, Dialect, FilterOperator } from '../fields/field.ts';
import { invalidParameter } from './query-string.ts';
import type { SourceColumn } from './source.ts';
import { columnSql } from './sql.ts';

/** One condition of a list request: `filter[column][operator]=…`, its values as the column takes them. */
export interface Filter {
  readonly column: SourceColumn;
  readonly operator: FilterOperator;
  /** Bound in the order of the placeholders; none for `null`. */
  readonly values: readonly ColumnValue[];
  /** For `null`: whether the column must be null or must not. */
  readonly negated: boolean;
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

/** SQL of "contains, ASCII case-insensitive"; the needle comes folded. No pattern language, so nothing to escape. */
export const containsSql = (value: string, needle: string, dialect: Dialect): string =>
  dialect === 'sqlite'
    ? `instr(lower(${value}), ${needle}) > 0`
    : `strpos(lower((${value}) collate "C"), ${needle}) > 0`;

/** SQL of one filter; `bind` answers the placeholder of its n-th value. */
export const filterSql = (filter: Filter, dialect: Dialect, bind: (index: number) => string): string => {
  const value = columnSql(filter.column, dialect);
  switch (filter.operator) {
    case 'null':
      return `${value} is ${filter.negated ? 'not ' : ''}null`;
    case 'in':
      return `${value} in (${filter.values.map((_, index) => bind(index)).join(', ')})`;
    case 'like':
      return containsSql(value, bind(0), dialect);
    case 'starts_with':
      // A range instead of a function: an index on the column serves it.
      return filter.values.length === 1
        ? `${value} >= ${bind(0)}`
        : `(${value} >= ${bind(0)} and ${value} < ${bind(1)})`;
    case 'eq':
      return `${value} = ${bind(0)}`;
    case 'ne':
      // Null is not equal to any value, so `ne` finds it: `eq` and `ne` together are all rows.
      return `${value} is distinct from ${bind(0)}`;
    case 'gt':
      return `${value} > ${bind(0)}`;
    case 'gte':
      return `${value} >= ${bind(0)}`;
    case 'lt':
      return `${value} < ${bind(0)}`;
    case 'lte':
      return `${value} <= ${bind(0)}`;
  }
};

/** What tells the SQL of two filters apart; values do not. */
export const filterShape = (filter: Filter): readonly (string | number | boolean)[] => [
  filter.column.name,
  filter.operator,
  filter.values.length,
  filter.negated,
];
