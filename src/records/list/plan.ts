import type { Dialect } from '../../database/dialect.ts';
import type { SourceTimes } from '../../database/source.ts';
import type { Statement } from '../../database/statement.ts';
import type { ColumnValue } from '../../fields/field.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { isLight, lookAtAll, lookAtOnce } from '../relations/include.ts';
import type { SourceView } from '../view.ts';
import {
  countKey,
  hasBoundedRows,
  isBounded,
  isWhole,
  type ListArguments,
  type ListParameters,
  type ListShape,
  looksElsewhere,
  type ShapeRows,
  shapeKey,
  shapeOf,
  withDepth,
} from './parameters.ts';
import { countStatement, countsKept, pageStatement, placesOf, streamStatement } from './statements.ts';

/** Rows that an answer without paging holds in one piece; more are streamed. */
export const maxWholeRows = 1000;

/** Bytes of long columns that an answer holds in one piece: it takes some milliseconds to make. */
export const maxPieceBytes = 4 * 1024 * 1024;

/** A shape compiled: its statements and what is known of their work. It holds nothing of any request. */
export interface ListPlan {
  readonly shape: ListShape;
  readonly page: Statement<ListArguments>;
  /** The same for a table that is not large, where the page looks through all rows that match; see `countsKept`. */
  readonly pageKept: Statement<ListArguments> | undefined;
  /** The same without its total. */
  readonly pageUncounted: Statement<ListArguments>;
  /** The count alone: what it reads is what a total depends on. */
  readonly count: Statement<ListArguments>;
  readonly stream: Statement<ListArguments>;
  readonly places: 'key' | 'lines' | undefined;
  /** Whether an index bounds the work of `page`, however large the table is. */
  readonly bounded: boolean;
  /** Whether one bounds the rows of the page, those that it skips and the total aside. */
  readonly boundedRows: boolean;
  /** Whether the page comes with a total. */
  readonly counted: boolean;
  /** Whether every row of the source is asked for. */
  readonly whole: boolean;
  /** Whether other tables are looked through, however large these are. */
  readonly looksElsewhere: boolean;
}

/** The values of a request, but for those that are its caller's or this moment's. */
export type RequestValues = Omit<ListArguments, 'rows' | keyof SourceTimes>;

/** A list request ready to run for any caller with the same view and the same columns in the row filter. */
export interface PreparedList {
  readonly plan: ListPlan;
  readonly parameters: ListParameters;
  readonly values: RequestValues;
  /** Names what is counted, but for the values of the row filter. */
  readonly counted: string;
}

const limitOf = ({ paging }: ListParameters): number =>
  paging.kind === 'all' ? maxWholeRows + 1 : paging.perPage;

/** Rows before the page. */
const offsetOf = ({ paging }: ListParameters): number =>
  paging.kind === 'page' ? (paging.page - 1) * paging.perPage : 0;

const none: readonly ColumnValue[] = [];

/** What a request binds. */
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
    // A row's share of what a piece may hold.
    rowBytes: Math.floor(maxPieceBytes / limit),
    from: none,
    until: none,
    related: parameters.related ?? none,
    credential: null,
    looked: isLight(limit, parameters.included) ? lookAtOnce(limit) : lookAtAll,
  };
};

/** Compiles list requests, each shape once: a repeated one builds no SQL. */
export class ListPlanner {
  readonly #dialect: Dialect;
  /** By the shape of a list; the source is fixed and values are bound. */
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
      count: countStatement(shape, this.#dialect),
      stream: streamStatement(shape, this.#dialect),
      places: placesOf(shape, this.#dialect),
      bounded: isBounded(shape),
      boundedRows: hasBoundedRows(shape),
      counted: shape.paging.kind === 'page',
      whole: isWhole(shape),
      looksElsewhere: looksElsewhere(shape),
    }));
  }
}
