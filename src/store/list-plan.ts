import type { Dialect } from '../fields/field.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import type { Query, SqlValue } from './database.ts';
import type { ListParameters, View } from './list-parameters.ts';
import { pageStatement, places, type Statement, streamStatement, toQuery } from './query.ts';
import {
  countKey,
  hasBoundedRows,
  isBounded,
  isWhole,
  requestValues,
  type Shape,
  shapeKey,
} from './shape.ts';

/** Rows that an answer without paging holds in one piece; more are streamed. */
export const maxWholeRows = 1000;

/** Bytes of long columns that an answer holds in one piece: it takes some milliseconds to make. */
export const maxPieceBytes = 4 * 1024 * 1024;

/** A shape compiled: its SQL and what is known of its work. */
interface Plan {
  readonly shape: Shape;
  readonly page: Statement;
  readonly stream: Statement;
  readonly places: 'key' | 'lines' | undefined;
  /** Whether an index bounds the work of `page`, however large the table is. */
  readonly bounded: boolean;
  /** Whether one bounds the rows of the page, those that it skips and the total aside. */
  readonly boundedRows: boolean;
  /** Whether every row of the source is asked for. */
  readonly whole: boolean;
}

/** A list request ready to run for any caller with the same view and the same columns in the row filter. */
export interface PreparedList extends Plan {
  readonly parameters: ListParameters;
  /** Names what is counted, but for the values of the row filter. */
  readonly counted: string;
  /** Values behind those of the row filter; the last two are a known total, or null, and `rowBytes`. */
  readonly values: readonly SqlValue[];
  /** Bytes up to which a row is answered in one piece with its page: its share of what a piece may hold. */
  readonly rowBytes: number;
  /** The statement of the page as it is, where no row filter adds values. */
  readonly query: Query | undefined;
}

const limitOf = ({ paging }: ListParameters): number =>
  paging.kind === 'all' ? maxWholeRows + 1 : paging.perPage;

/** Compiles list requests, each shape once: a repeated one builds no SQL. */
export class ListPlanner {
  readonly #dialect: Dialect;
  readonly #plans = new BoundedCache<Plan>('listPlans');

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  prepare(view: View, rows: readonly string[], parameters: ListParameters): PreparedList {
    const plan = this.#planOf(view, rows, parameters);
    const limit = limitOf(parameters);
    const rowBytes = Math.floor(maxPieceBytes / limit);
    const values = requestValues(parameters, limit, rowBytes);
    const query = rows.length === 0 ? toQuery(plan.page, values) : undefined;
    const counted = countKey({ ...plan.shape, parameters });
    return { ...plan, parameters, counted, values, rowBytes, query };
  }

  #planOf({ source, usable }: View, rows: readonly string[], parameters: ListParameters): Plan {
    const searched = [...usable.values()].filter(({ type }) => type.searchable).map(({ name }) => name);
    const shape: Shape = { source, rows, searched, parameters };
    const key = shapeKey(shape);
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const plan: Plan = {
      shape,
      page: pageStatement(shape, this.#dialect),
      stream: streamStatement(shape, this.#dialect),
      places: places(shape),
      bounded: isBounded(shape),
      boundedRows: hasBoundedRows(shape),
      whole: isWhole(shape),
    };
    this.#plans.set(key, plan);
    return plan;
  }
}
