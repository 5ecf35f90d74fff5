/** Compiles each shape of a list once, and binds the values of a request to its statements. */

import type { Dialect } from '../../database/dialect.ts';
import type { SourceTimes } from '../../database/source.ts';
import type { Statement } from '../../database/statement.ts';
import type { ColumnValue } from '../../fields/field.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { isLight, noRowLimit, rowsExaminedInline } from '../relations/include.ts';
import type { SourceView } from '../view.ts';
import {
  countKey,
  filtersOnRelations,
  hasBoundedRows,
  isBounded,
  isUnfiltered,
  type ListArguments,
  type ListParameters,
  type ListShape,
  type ShapeRows,
  shapeKey,
  shapeOf,
  withDepth,
} from './parameters.ts';
import {
  countStatement,
  countsKept,
  keysStatement,
  pageStatement,
  placesOf,
  startsBehindKeys,
  streamStatement,
} from './statements.ts';

/** Most rows of an unpaged response in one piece; more are streamed. */
export const maxWholeRows = 1000;

/** Most bytes of long columns of a response in one piece, which takes some milliseconds to make. */
export const maxPieceBytes = 4 * 1024 * 1024;

/** A compiled shape: its statements, and the bounds on their work. It has no values of any request. */
export interface ListPlan {
  readonly shape: ListShape;
  readonly page: Statement<ListArguments>;
  /** The page of a small table, which examines all matching rows; see `countsKept`. */
  readonly pageKept: Statement<ListArguments> | undefined;
  /** The page without its total. */
  readonly pageUncounted: Statement<ListArguments>;
  /** The same behind the key of an earlier row; see `startsBehindKeys`. */
  readonly pageBehind: Statement<ListArguments> | undefined;
  /** The count alone. */
  readonly count: Statement<ListArguments>;
  /** The SQL that reads all on which the total depends, and the keys behind which pages start. */
  readonly depends: string;
  readonly stream: Statement<ListArguments>;
  readonly places: 'key' | 'lines' | undefined;
  /** True if an index bounds the work of `page`, whatever the size of the table. */
  readonly bounded: boolean;
  /** True if an index bounds the rows of the page, without its offset and total. */
  readonly boundedRows: boolean;
  /** True if the page has a total. */
  readonly counted: boolean;
  /** True if every row of the source matches. */
  readonly unfiltered: boolean;
  /** True if filters examine other tables of any size. */
  readonly filtersOnRelations: boolean;
}

/** The values of a request, without those of its caller and the current time. */
export type RequestValues = Omit<ListArguments, 'rows' | keyof SourceTimes>;

/** A list request ready to run for any caller with the same view and the same columns in the row filter. */
export interface PreparedList {
  readonly plan: ListPlan;
  readonly parameters: ListParameters;
  readonly values: RequestValues;
  /** Key of its total, without the values of the row filter. */
  readonly counted: string;
}

const limitOf = ({ paging }: ListParameters): number =>
  paging.kind === 'all' ? maxWholeRows + 1 : paging.perPage;

/** Number of rows before the page. */
const offsetOf = ({ paging }: ListParameters): number =>
  paging.kind === 'page' ? (paging.page - 1) * paging.perPage : 0;

const none: readonly ColumnValue[] = [];

/** The values that a request binds. */
export const valuesOf = (parameters: ListParameters): RequestValues => {
  const { filters, search, paging } = parameters;
  const limit = limitOf(parameters);
  return {
    filters: filters.flatMap(({ values }) => values),
    search: search ?? null,
    cursor: paging.kind === 'after' ? paging.values : none,
    limit,
    offset: offsetOf(parameters),
    firsts: offsetOf(parameters) + limit + 1,
    pageEnd: offsetOf(parameters) + limit,
    // Each row's share of one piece.
    rowBytes: Math.floor(maxPieceBytes / limit),
    from: none,
    until: none,
    related: parameters.related ?? none,
    credential: null,
    reader: null,
    maxRowsExamined: isLight(limit, parameters.included) ? rowsExaminedInline(limit) : noRowLimit,
  };
};

/** Compiles list requests, each shape once. */
export class ListPlanner {
  readonly #dialect: Dialect;
  /** Plans, by the shape of a list. */
  readonly #plans = new BoundedCache<ListPlan>(200);

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  prepare(view: SourceView, rows: ShapeRows | undefined, parameters: ListParameters): PreparedList {
    const values = valuesOf(parameters);
    const shape = shapeOf(view, rows, parameters);
    const plan = this.#planOf(this.#dialect.misestimatesBoundLimit ? withDepth(shape, values) : shape);
    return { plan, parameters, values, counted: countKey(plan.shape, values) };
  }

  #planOf(shape: ListShape): ListPlan {
    return this.#plans.getOrMake(shapeKey(shape), () => ({
      shape,
      page: pageStatement(shape, this.#dialect),
      pageKept: countsKept(shape, this.#dialect) ? pageStatement(shape, this.#dialect, 'kept') : undefined,
      pageUncounted: pageStatement(shape, this.#dialect, 'uncounted'),
      pageBehind: startsBehindKeys(shape) ? pageStatement(shape, this.#dialect, 'behind') : undefined,
      count: countStatement(shape, this.#dialect),
      depends: (startsBehindKeys(shape) ? keysStatement : countStatement)(shape, this.#dialect).sql,
      stream: streamStatement(shape, this.#dialect),
      places: placesOf(shape, this.#dialect),
      bounded: isBounded(shape),
      boundedRows: hasBoundedRows(shape),
      counted: shape.total !== 'none',
      unfiltered: isUnfiltered(shape),
      filtersOnRelations: filtersOnRelations(shape),
    }));
  }
}
