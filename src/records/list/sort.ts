/** The order of a list: parsing of `sort`, ORDER BY, and the conditions of a cursor. */

import type { Dialect } from '../../database/dialect.ts';
import { keyColumnsOf, type Source, type SourceColumn, storedValue } from '../../database/source.ts';
import { type Fragment, join, sql } from '../../database/statement.ts';
import type { ColumnValue } from '../../fields/field.ts';
import { isPath, pathColumn, RelatedReader, type RelationStep, readPath } from '../relations/related.ts';
import { mostBytes, type SourceView } from '../view.ts';
import { invalidParameter, unusableField } from './query-string.ts';

export interface SortTerm {
  readonly column: SourceColumn;
  readonly descending: boolean;
  /** True if rows may have null: nulls come first ascending, last descending. */
  readonly nullable: boolean;
  /** Relations that lead to the column; absent for a column of the row itself. */
  readonly steps?: readonly RelationStep[];
}

/** A total order: it has the columns of the source's key, which break ties. */
export type Sort = readonly SortTerm[];

/**
 * Most terms of one `sort`.
 * @limit Lists | terms of `sort` | count | 400
 */
const maxTerms = 8;

const term = (source: Source, column: SourceColumn, descending: boolean): SortTerm => ({
  column,
  descending,
  // The migrations make columns of required fields NOT NULL.
  nullable: column.name !== source.key && column.options.required !== true,
});

/** The default order of a list: by its key. */
export const defaultSort = (source: Source): Sort =>
  keyColumnsOf(source).map((column) => term(source, column, false));

const hasColumn = (terms: Sort, { name }: SourceColumn): boolean =>
  terms.some(({ column }) => column.name === name);

/** A term by a field of a related record, of which there is at most one for each row. */
const pathTerm = (view: SourceView, name: string, descending: boolean, reader: RelatedReader): SortTerm => {
  const path = readPath(view.source, view.fields, name, reader);
  const column = pathColumn(path, name);
  if (column === undefined || !column.type.sortable) throw unusableField(name);
  return { column, descending, nullable: true, steps: path.steps };
};

/** Parses `-created_at,title,customer.name`. @throws Problem `invalid_parameter`, `unusable_field` */
export const parseSort = (view: SourceView, text: string, reader = new RelatedReader()): Sort => {
  const { source, usable } = view;
  const terms: SortTerm[] = [];
  const seen = new Set<string>();
  const key = keyColumnsOf(source);
  // The key breaks every tie, so terms after it have no effect.
  const isTotal = (): boolean => key.every((column) => hasColumn(terms, column));
  for (const part of text.split(',')) {
    const descending = part.startsWith('-');
    const name = descending ? part.slice(1) : part;
    if (name === '' || seen.has(name) || seen.size >= maxTerms) throw invalidParameter('sort');
    seen.add(name);
    if (isPath(name)) {
      const related = pathTerm(view, name, descending, reader);
      if (!isTotal()) terms.push(related);
      continue;
    }
    const column = usable.get(name);
    if (column === undefined || !column.type.sortable) throw unusableField(name);
    for (const each of column.parts ?? [column])
      if (!isTotal() && !hasColumn(terms, each)) terms.push(term(source, each, descending));
  }
  return [...terms, ...defaultSort(source).filter(({ column }) => !hasColumn(terms, column))];
};

/** The opposite order. */
export const reversed = (sort: Sort): Sort => sort.map((each) => ({ ...each, descending: !each.descending }));

/** The order as text: `-created_at,id`. */
export const sortSignature = (sort: Sort): string =>
  sort.map(({ column, descending }) => (descending ? `-${column.name}` : column.name)).join(',');

/** The terms of ORDER BY. */
export const orderBy = (sort: Sort, dialect: Dialect): Fragment =>
  join(
    sort.map(({ column, descending, nullable }) =>
      dialect.ordered(storedValue(column, dialect), descending, nullable),
    ),
  );

/** Most bytes of the sort values of a row in a cursor, which must fit into URLs and headers. */
const mostPlaceBytes = 8 * 1024 + 256;

/**
 * True if cursors are possible in this order: the sort values of every row are short enough. Unlimited texts are not.
 */
export const isSeekable = (sort: Sort): boolean =>
  sort.reduce((sum, { column }) => sum + mostBytes(column), 0) <= mostPlaceBytes;

interface Comparison {
  readonly equal: Fragment;
  /** Undefined if no value of this column comes after it. */
  readonly after: Fragment | undefined;
  /** A plain range that contains `equal` and `after`, so that an index can begin there; undefined if there is none. */
  readonly range: Fragment | undefined;
}

const compare = (term: SortTerm, isNull: boolean, value: Fragment, bound: Fragment): Comparison => {
  if (isNull)
    return {
      equal: sql`${value} is null`,
      after: term.descending ? undefined : sql`${value} is not null`,
      range: term.descending ? sql`${value} is null` : undefined,
    };
  const beyond = term.descending ? sql`${value} < ${bound}` : sql`${value} > ${bound}`;
  const nullsFollow = term.descending && term.nullable;
  return {
    equal: sql`${value} = ${bound}`,
    after: nullsFollow ? sql`(${beyond} or ${value} is null)` : beyond,
    range: nullsFollow ? undefined : term.descending ? sql`${value} <= ${bound}` : sql`${value} >= ${bound}`,
  };
};

/** True if a row comparison `(a, b) > (x, y)` expresses the order: one direction, and no nulls that it would drop. */
export const isRowComparison = (sort: Sort, nulls: readonly boolean[]): boolean =>
  !nulls.includes(true) &&
  (sort.every(({ descending }) => !descending) ||
    sort.every(({ descending, nullable }) => descending && !nullable));

/**
 * The condition that a row comes after the one with these sort values. `nulls` says which of the values are null;
 * `bound` returns the SQL of the n-th value.
 */
export const comesAfter = (
  sort: Sort,
  nulls: readonly boolean[],
  dialect: Dialect,
  bound: (index: number) => Fragment,
): Fragment => {
  const terms = sort.map((term, index) => ({
    term,
    value: storedValue(term.column, dialect),
    bound: term.column.form?.operand?.(bound(index)) ?? bound(index),
    isNull: nulls[index] === true,
  }));
  if (isRowComparison(sort, nulls)) {
    const row = (of: readonly Fragment[]): Fragment => (of.length === 1 ? join(of) : sql`(${join(of)})`);
    const [values, bounds] = [row(terms.map(({ value }) => value)), row(terms.map((each) => each.bound))];
    return sort[0]?.descending ? sql`${values} < ${bounds}` : sql`${values} > ${bounds}`;
  }
  const comparisons = terms.map((each) => compare(each.term, each.isNull, each.value, each.bound));
  const branches = comparisons.flatMap(({ after }, index) =>
    after === undefined
      ? []
      : [sql`(${join([...comparisons.slice(0, index).map(({ equal }) => equal), after], ' and ')})`],
  );
  const either = sql`(${join(branches, ' or ')})`;
  const range = comparisons[0]?.range;
  return range === undefined ? either : sql`${range} and ${either}`;
};

/**
 * A cursor names the row after which a page begins: base64url of the JSON array `[sort, value…, key]`, the values as in
 * responses. With `<` before the sort it names the row before which a page ends; without values that is the last page.
 * Orders with long values have no cursors (`isSeekable`). It is not signed: its values are only compared with columns
 * that the caller may sort and filter by, so a forged one reveals no more than a filter, and the row filter still
 * holds.
 */
interface Cursor {
  readonly values: readonly ColumnValue[];
  readonly before?: true | undefined;
}

/** The rows to which a cursor leads: those after its own row, or those before it. */
type Direction = 'after' | 'before';

/** Most characters of a cursor: with the path of its list it fits into a Link header. */
export const maxCursorLength = 11_500;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const parseArray = (text: string): unknown[] | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const decodeText = (cursor: string): string | undefined => {
  if (cursor.length > maxCursorLength || !/^[\w-]+$/.test(cursor)) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  // Only the canonical encoding is accepted: the decoder would ignore extra bits.
  if (bytes.toString('base64url') !== cursor) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
};

/** Parses one value of a column; undefined if it is not valid. */
const columnValue = (sort: Sort, index: number, value: unknown): ColumnValue | undefined => {
  const term = sort[index];
  if (term === undefined) return undefined;
  if (value === null) return term.nullable ? null : undefined;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const text = String(value);
  if (!text.isWellFormed() || text.includes('\0')) return undefined;
  return term.column.type.parse(text, term.column.options) ?? undefined;
};

/** Parses the sort values of a row as the database rendered them; undefined if one is not valid. */
export const placeOf = (sort: Sort, values: readonly unknown[]): readonly ColumnValue[] | undefined => {
  if (values.length !== sort.length) return undefined;
  const decoded: ColumnValue[] = [];
  for (const [index, value] of values.entries()) {
    const parsed = columnValue(sort, index, value);
    if (parsed === undefined) return undefined;
    decoded.push(parsed);
  }
  return decoded;
};

/** Parses a cursor; undefined if it is damaged or was made for another order. */
export const decodeCursor = (cursor: string, sort: Sort): Cursor | undefined => {
  const text = decodeText(cursor);
  const array = text === undefined ? undefined : parseArray(text);
  if (array === undefined) return undefined;
  const [order, ...rendered] = array;
  const backward = order === signature(sort, 'before');
  if (!backward && order !== signature(sort, 'after')) return undefined;
  if (backward && rendered.length === 0) return { values: [], before: true };
  const values = placeOf(sort, rendered);
  return values && { values, before: backward ? true : undefined };
};

const signature = (sort: Sort, direction: Direction): string =>
  direction === 'before' ? `<${sortSignature(sort)}` : sortSignature(sort);

/**
 * Makes the cursor of the row with these sort values.
 * @throws Problem `invalid_parameter` if escapes make it too long, as the rows after it could not be reached
 */
export const encodeCursor = (
  sort: Sort,
  values: readonly unknown[],
  direction: Direction = 'after',
): string => {
  const cursor = Buffer.from(JSON.stringify([signature(sort, direction), ...values])).toString('base64url');
  if (cursor.length > maxCursorLength) throw invalidParameter('sort');
  return cursor;
};

/** Parses the last (or first) line of sort values that the database returned, each a JSON array without line feeds. */
export const parsePlace = (places: string, which: 'last' | 'first' = 'last'): unknown[] => {
  const line = which === 'last' ? places.slice(places.lastIndexOf('\n') + 1) : places.split('\n', 1)[0];
  const values = parseArray(line ?? '');
  if (values === undefined) throw new Error('the database returned sort values that are not an array');
  return values;
};
