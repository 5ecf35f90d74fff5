import type { ColumnValue } from '../fields/field.ts';
import type { SqlValue } from './database.ts';
import { filterShape } from './filters.ts';
import type { ListParameters } from './list-parameters.ts';
import { isRowComparison } from './sort.ts';
import type { Source } from './source.ts';

/** A list request without its values: all that its SQL depends on. */
export interface Shape {
  readonly source: Source;
  /** Columns of the row filter, compared for equality. */
  readonly rows: readonly string[];
  /** Columns that `q` looks into. */
  readonly searched: readonly string[];
  readonly parameters: ListParameters;
}

/** Sort values of the row that the page comes after; none where it begins at the start. */
export const cursorValues = ({ paging }: ListParameters): readonly ColumnValue[] =>
  paging.kind === 'after' ? paging.values : [];

/** The text that tells shapes apart. Names may hold any character, so they are never just joined. */
export const shapeKey = ({ rows, searched, parameters }: Shape): string => {
  const { fields, sort, filters, search, paging } = parameters;
  return JSON.stringify([
    rows,
    fields,
    search === undefined ? null : searched,
    sort.map(({ column, descending }) => [column.name, descending]),
    filters.map(filterShape),
    paging.kind === 'page' ? paging.numbered : paging.kind,
    cursorValues(parameters).map((value) => value === null),
  ]);
};

/** Where in the array of a request's values each kind of them begins; the row filter's come first. */
export const layoutOf = ({ rows, parameters }: Shape) => {
  const filters = rows.length;
  const search = filters + parameters.filters.reduce((sum, { values }) => sum + values.length, 0);
  const cursor = search + 1;
  const limit = cursor + cursorValues(parameters).length;
  return { filters, search, cursor, limit, offset: limit + 1, rowBytes: limit + 2, until: limit + 3 };
};

/** The values of a request but for those of its row filter. `rowBytes`: most bytes of a row answered in one piece. */
export const requestValues = (parameters: ListParameters, limit: number, rowBytes: number): SqlValue[] => [
  ...parameters.filters.flatMap(({ values }) => values),
  parameters.search ?? null,
  ...cursorValues(parameters),
  limit,
  parameters.paging.kind === 'page' ? (parameters.paging.page - 1) * parameters.paging.perPage : 0,
  rowBytes,
];

/** Whether the rows are read along one index in its own order, so that a limit bounds the work. */
const walksIndex = ({ source, parameters }: Shape): boolean => {
  const { sort, paging } = parameters;
  const [first, second] = sort;
  if (first === undefined || !source.indexed.has(first.column.name)) return false;
  // Ties in an index are in ascending order of the key: in the other one they would have to be sorted.
  if (sort.length > 2 || (second !== undefined && second.descending !== first.descending)) return false;
  const nulls = cursorValues(parameters).map((value) => value === null);
  return paging.kind !== 'after' || isRowComparison(sort, nulls);
};

/**
 * Whether an index bounds the rows that the statement looks at, however many the table has: rows found by key, rows
 * of one indexed value in the order of the key, or a walk along an index. A count looks at everything that matches.
 */
export const isBounded = (shape: Shape): boolean => {
  const { source, rows, parameters } = shape;
  const equalities = [...rows];
  for (const { column, operator } of parameters.filters) {
    if (column.name === source.key && (operator === 'eq' || operator === 'in')) return true;
    equalities.push(operator === 'eq' ? column.name : '');
  }
  if (equalities.includes(source.key)) return true;
  if (parameters.search !== undefined || parameters.paging.kind === 'page' || equalities.length > 1)
    return false;
  const [equality] = equalities;
  if (equality === undefined) return walksIndex(shape);
  return source.indexed.has(equality) && parameters.sort.length === 1;
};

/** Whether nothing but the order is asked for: every row of the source is answered. */
export const isWhole = ({ rows, parameters }: Shape): boolean =>
  rows.length === 0 && parameters.filters.length === 0 && parameters.search === undefined;
