import type { ColumnValue } from '../fields/field.ts';
import type { SqlValue } from './database.ts';
import { filterShape } from './filters.ts';
import type { ListParameters } from './list-parameters.ts';
import { isRowComparison, reversed, type Sort } from './sort.ts';
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

/** Whether the page is the one before its cursor: its rows are found from there backwards. */
export const isBackward = ({ paging }: ListParameters): boolean =>
  paging.kind === 'after' && paging.before === true;

/** The order in which the rows of a page are found, from its cursor on. */
export const walkOf = (parameters: ListParameters): Sort =>
  isBackward(parameters) ? reversed(parameters.sort) : parameters.sort;

/** The text that tells shapes apart. Names may hold any character, so they are never just joined. */
export const shapeKey = ({ rows, searched, parameters }: Shape): string => {
  const { fields, sort, filters, search, paging } = parameters;
  return JSON.stringify([
    rows,
    fields,
    search === undefined ? null : searched,
    sort.map(({ column, descending }) => [column.name, descending]),
    filters.map(filterShape),
    paging.kind === 'page' ? paging.numbered : isBackward(parameters) ? 'before' : paging.kind,
    cursorValues(parameters).map((value) => value === null),
  ]);
};

/** Where in the array of a request's values each kind of them begins; the row filter's come first. */
export const layoutOf = ({ rows, parameters }: Shape) => {
  const filters = rows.length;
  const search = filters + parameters.filters.reduce((sum, { values }) => sum + values.length, 0);
  const cursor = search + 1;
  const limit = cursor + cursorValues(parameters).length;
  const [offset, total, rowBytes, until] = [limit + 1, limit + 2, limit + 3, limit + 4];
  const from = until + parameters.sort.length;
  return { filters, search, cursor, limit, offset, total, rowBytes, until, from };
};

/**
 * The values of a request but for those of its row filter. `rowBytes`: most bytes of a row answered in one piece; the
 * null before it stands for a total that is not known yet.
 */
export const requestValues = (parameters: ListParameters, limit: number, rowBytes: number): SqlValue[] => [
  ...parameters.filters.flatMap(({ values }) => values),
  parameters.search ?? null,
  ...cursorValues(parameters),
  limit,
  skippedRows(parameters),
  null,
  rowBytes,
];

/** Rows before the page. */
export const skippedRows = ({ paging }: ListParameters): number =>
  paging.kind === 'page' ? (paging.page - 1) * paging.perPage : 0;

/** The text that tells apart what is counted: the conditions with their values, the row filter's aside. */
export const countKey = ({ rows, searched, parameters: { filters, search } }: Shape): string =>
  JSON.stringify([
    rows,
    filters.map((filter) => [filterShape(filter), filter.values]),
    search ?? null,
    search === undefined ? null : searched,
  ]);

/** Whether the rows are read along one index in its own order, so that a limit bounds the work. */
const walksIndex = ({ source, parameters }: Shape): boolean => {
  const { sort, paging } = parameters;
  const [first, second] = sort;
  if (first === undefined || !source.indexed.has(first.column.name)) return false;
  // Ties in an index are in ascending order of the key: in the other one they would have to be sorted.
  if (sort.length > 2 || (second !== undefined && second.descending !== first.descending)) return false;
  const nulls = cursorValues(parameters).map((value) => value === null);
  return paging.kind !== 'after' || isRowComparison(walkOf(parameters), nulls);
};

/** Whether the key itself is asked for: then what matches is few, and counted at once. */
const namesKey = ({ source, rows, parameters }: Shape): boolean =>
  rows.includes(source.key) ||
  parameters.filters.some(
    ({ column, operator }) => column.name === source.key && (operator === 'eq' || operator === 'in'),
  );

/**
 * Whether an index bounds the rows of a page, however many the table has: rows found by key, rows of one indexed value
 * in the order of the key, or a walk along an index. Rows that a page number skips, and the total, come on top.
 */
export const hasBoundedRows = (shape: Shape): boolean => {
  const { source, rows, parameters } = shape;
  if (namesKey(shape)) return true;
  const equalities = [
    ...rows,
    ...parameters.filters.map(({ column, operator }) => (operator === 'eq' ? column.name : '')),
  ];
  if (parameters.search !== undefined || equalities.length > 1) return false;
  const [equality] = equalities;
  if (equality === undefined) return walksIndex(shape);
  return source.indexed.has(equality) && parameters.sort.length === 1;
};

/** Whether an index bounds everything that the statement looks at. A count looks at everything that matches. */
export const isBounded = (shape: Shape): boolean =>
  namesKey(shape) || (shape.parameters.paging.kind !== 'page' && hasBoundedRows(shape));

/** Whether nothing but the order is asked for: every row of the source is answered. */
export const isWhole = ({ rows, parameters }: Shape): boolean =>
  rows.length === 0 && parameters.filters.length === 0 && parameters.search === undefined;
