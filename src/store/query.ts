import type { Dialect } from '../fields/field.ts';
import { type Clauses, clausesOf, scopeSql, whereSql } from './clauses.ts';
import type { Query, SqlValue } from './database.ts';
import { columnOf, heavyBytesSql, projectionSql } from './projection.ts';
import { isBackward, layoutOf, type Shape } from './shape.ts';
import { reversed, type Sort, seekSql } from './sort.ts';
import type { Source } from './source.ts';
import { columnSql, comparedSql, Placeholders } from './sql.ts';

/** SQL text, and for each of its placeholders the position of the value in the array that a request brings. */
export interface Statement {
  readonly sql: string;
  readonly slots: readonly number[];
}

export const toQuery = ({ sql, slots }: Statement, values: readonly SqlValue[]): Query => ({
  sql,
  parameters: slots.map((slot) => {
    const value = values[slot];
    if (value === undefined) throw new Error(`value ${slot} is missing for: ${sql}`);
    return value;
  }),
});

/** The one row that answers a list request. */
export interface PageRow {
  /** The JSON array of the rows, without those too large for one piece: as text, or as bytes in UTF-8. */
  readonly json: string | Uint8Array;
  /** Rows that were found, where all are asked for. */
  readonly rows?: number;
  /** Bytes that the largest row holds in long columns; null without rows, absent where no column is long. */
  readonly widest?: number | null;
  /** Places of the rows in the order (see `places`); null without rows. */
  readonly place?: number | string | null;
  /** That of the first row, where places are keys and a cursor was given. */
  readonly first?: number | string | null;
  /** All rows that match, on whatever page. */
  readonly total?: number;
  /** 1 where rows follow the page, or stand before one that is found backwards. */
  readonly more?: number | null;
}

interface Words {
  readonly join: string;
  /**
   * A long JSON text as it leaves the database. SQLite's texts are UTF-8, which is also what is sent: as bytes it is
   * not decoded and encoded again, a third of the time of a large page.
   */
  readonly answer: (json: string) => string;
  readonly lineFeed: string;
  readonly array: (values: readonly string[]) => string;
}

const words: Readonly<Record<Dialect, Words>> = {
  sqlite: {
    join: 'group_concat',
    answer: (json) => `cast(${json} as blob)`,
    lineFeed: 'char(10)',
    array: (values) => `json_array(${values.join(', ')})`,
  },
  postgres: {
    join: 'string_agg',
    answer: (json) => json,
    lineFeed: 'chr(10)',
    array: (values) => `json_build_array(${values.join(', ')})::text`,
  },
};

/** Bytes of long sort values in a place; a row that has more is named by its key only. */
const maxPlaceBytes = 1024;

/** SQL of a row's place in the order: a JSON array of its sort values, or of its key alone where they are long. */
const placeSql = (sort: Sort, dialect: Dialect): string => {
  const { array } = words[dialect];
  const columns = sort.map(({ column }) => column);
  const values = columns.map((column) => comparedSql(column, dialect));
  const bytes = heavyBytesSql(columns, dialect, maxPlaceBytes);
  return bytes === undefined
    ? array(values)
    : `case when ${bytes} > ${maxPlaceBytes} then ${array(values.slice(-1))} else ${array(values)} end`;
};

/**
 * How the places of a page's rows are told: by `key`, of which the greatest (or, descending, the least) is the
 * page's last, or as `lines` of JSON arrays in the order of the rows. Undefined where no cursor is to be made.
 */
export const places = ({ parameters: { paging, sort } }: Shape): 'key' | 'lines' | undefined => {
  if (paging.kind === 'all' || (paging.kind === 'page' && paging.numbered)) return undefined;
  return sort.length === 1 && sort[0]?.column.type.render === undefined ? 'key' : 'lines';
};

/** What a page tells besides its rows: where it ends, how many match in all, whether any follow. */
const extrasSql = (shape: Shape, clauses: Clauses, dialect: Dialect, bind: Placeholders) => {
  const { sort, paging } = shape.parameters;
  const { from, matching, following, walk } = clauses;
  const { join, lineFeed } = words[dialect];
  const [inner, outer]: [string[], string[]] = [[], []];
  const told = places(shape);
  if (told === 'lines') {
    inner.push(`${placeSql(sort, dialect)} as row_place`);
    outer.push(`${join}(row_place, ${lineFeed}) as place`);
  } else if (told === 'key') {
    inner.push(`${columnSql(columnOf(shape.source, shape.source.key), dialect)} as row_place`);
    const [first, last] = sort[0]?.descending ? ['max', 'min'] : ['min', 'max'];
    outer.push(`${last}(row_place) as place`);
    if (paging.kind === 'after') outer.push(`${first}(row_place) as first`);
  }
  if (paging.kind === 'page') {
    // Counted only where the request does not bring a total that still holds.
    const count = `(select count(*)${from}${whereSql(matching)})`;
    outer.push(`coalesce(${bind.of(layoutOf(shape).total)}, ${count}) as total`);
  }
  if (paging.kind === 'after') {
    const skip = bind.of(layoutOf(shape).limit);
    outer.push(`(select 1${from}${whereSql(following)}${walk} limit 1 offset ${skip}) as more`);
  }
  return { inner, outer };
};

const heavySql = ({ source, parameters }: Shape, dialect: Dialect): string | undefined =>
  heavyBytesSql(
    parameters.fields.map((name) => columnOf(source, name)),
    dialect,
  );

/**
 * The columns of the page's rows. Those before a cursor are found backwards and then put in order. PostgreSQL computes
 * columns of the rows that an OFFSET skips as well, so there the rows are chosen first: what is dear to render is
 * rendered for the page only, however deep it lies.
 */
const windowSql = (shape: Shape, clauses: Clauses, columns: readonly string[], dialect: Dialect): string => {
  const { from, following, order, walk, window } = clauses;
  const rows = `${from}${whereSql(following)}${walk}${window()}`;
  // The limit once more: without it neither planner need keep the order.
  if (isBackward(shape.parameters))
    return `select ${columns.join(', ')} from (select t.*${rows}) as t${order}${window()}`;
  return dialect === 'postgres' && shape.parameters.paging.kind === 'page'
    ? `select ${columns.join(', ')} from (select t.*${rows}) as t`
    : `select ${columns.join(', ')}${rows}`;
};

/**
 * The statement whose single row is the answer. The rows are aggregated in the order of the sub-select: its LIMIT
 * forbids both planners to drop or move its ORDER BY, and nothing stands between the two that could reorder.
 */
export const pageStatement = (shape: Shape, dialect: Dialect): Statement => {
  const { source, parameters } = shape;
  const bind = new Placeholders(dialect);
  const clauses = clausesOf(shape, dialect, bind);
  const json = projectionSql(source, parameters.fields, dialect);
  const bytes = heavySql(shape, dialect);
  const extras = extrasSql(shape, clauses, dialect, bind);
  const inner = [...extras.inner];
  const { join, answer } = words[dialect];
  const array = `'[' || coalesce(${join}(row_json, ','), '') || ']'`;
  const outer = [`${answer(array)} as json`, ...extras.outer];
  if (bytes === undefined) inner.push(`${json} as row_json`);
  else {
    const tooLarge = `${bytes} > ${bind.of(layoutOf(shape).rowBytes)}`;
    inner.push(`case when ${tooLarge} then null else ${json} end as row_json`, `${bytes} as row_bytes`);
    outer.push('max(row_bytes) as widest');
  }
  if (parameters.paging.kind === 'all') outer.push('count(*) as rows');
  return {
    sql: `select ${outer.join(', ')} from (${windowSql(shape, clauses, inner, dialect)}) as page`,
    slots: bind.slots,
  };
};

/** The bytes that the rows of a page hold in long columns, in one row `bytes`; for shapes that have such columns. */
export const weightStatement = (shape: Shape, dialect: Dialect): Statement => {
  const bind = new Placeholders(dialect);
  const clauses = clausesOf(shape, dialect, bind);
  const rows = windowSql(shape, clauses, [`${heavySql(shape, dialect) ?? '0'} as row_bytes`], dialect);
  return { sql: `select sum(row_bytes) as bytes from (${rows}) as page`, slots: bind.slots };
};

/** The rows one by one: those of the page, or all. */
export const streamStatement = (shape: Shape, dialect: Dialect): Statement => {
  const { source, parameters } = shape;
  const bind = new Placeholders(dialect);
  const clauses = clausesOf(shape, dialect, bind);
  const json = `${projectionSql(source, parameters.fields, dialect)} as json`;
  const { from, following, order } = clauses;
  const sql =
    parameters.paging.kind === 'all'
      ? `select ${json}${from}${whereSql(following)}${order}`
      : windowSql(shape, clauses, [json], dialect);
  return { sql, slots: bind.slots };
};

/** Which of the sort values of the rows at the ends of a page are null; absent where that end is open. */
export interface Ends {
  readonly last: readonly boolean[];
  readonly first?: readonly boolean[] | undefined;
}

/**
 * The rows of a page one by one between places that were told before, so that the cursors that were given with it and
 * the rows agree whatever was written in between. The values of the last place follow those of the request, and those
 * of the first place these.
 */
export const streamBetweenStatement = (shape: Shape, { last, first }: Ends, dialect: Dialect): Statement => {
  const { source, parameters } = shape;
  const bind = new Placeholders(dialect);
  const { from, following, order } = clausesOf(shape, dialect, bind);
  const at = layoutOf(shape);
  const { sort } = parameters;
  const beyond = seekSql(sort, last, dialect, (index) => bind.of(at.until + index));
  const conditions = [...following, `(${beyond}) is not true`];
  if (first !== undefined) {
    const short = seekSql(reversed(sort), first, dialect, (index) => bind.of(at.from + index));
    conditions.push(`(${short}) is not true`);
  }
  const json = projectionSql(source, parameters.fields, dialect);
  return { sql: `select ${json} as json${from}${whereSql(conditions)}${order}`, slots: bind.slots };
};

/** The place of the row with a key, within the caller's scope. Values: the row filter's, then the key. */
export const anchorStatement = (
  source: Source,
  rows: readonly string[],
  sort: Sort,
  dialect: Dialect,
): Statement => {
  const bind = new Placeholders(dialect);
  const key = `${columnSql(columnOf(source, source.key), dialect)} = ${bind.of(rows.length)}`;
  const conditions = [...scopeSql(source, rows, dialect, bind), key];
  const values = sort.map(({ column }) => comparedSql(column, dialect));
  return {
    sql: `select ${words[dialect].array(values)} as place from ${source.from(dialect)} as t${whereSql(conditions)}`,
    slots: bind.slots,
  };
};
