import type { Dialect } from '../fields/field.ts';
import { columnOf } from './projection.ts';
import { invalidParameter, unusableField } from './query-string.ts';
import type { Source, SourceColumn } from './source.ts';
import { columnSql } from './sql.ts';

export interface SortTerm {
  readonly column: SourceColumn;
  readonly descending: boolean;
  /** Whether rows may hold null: nulls come first ascending, last descending. */
  readonly nullable: boolean;
}

/** A total order: the last term is the key of the source, which breaks ties. */
export type Sort = readonly SortTerm[];

/** Terms of one `sort`. */
const maxTerms = 8;

const term = (source: Source, column: SourceColumn, descending: boolean): SortTerm => ({
  column,
  descending,
  // The migrations make columns of required fields NOT NULL.
  nullable: column.name !== source.key && column.options.required !== true,
});

const keyTerm = (source: Source): SortTerm => term(source, columnOf(source, source.key), false);

/** The order of a list for which none is asked. */
export const defaultSort = (source: Source): Sort => [keyTerm(source)];

/** Reads `-created_at,title`; only columns in `usable` can be sorted by. */
export const parseSort = (source: Source, usable: ReadonlyMap<string, SourceColumn>, text: string): Sort => {
  const terms: SortTerm[] = [];
  const seen = new Set<string>();
  for (const part of text.split(',')) {
    const descending = part.startsWith('-');
    const name = descending ? part.slice(1) : part;
    if (name === '' || seen.has(name) || seen.size >= maxTerms) throw invalidParameter('sort');
    seen.add(name);
    const column = usable.get(name);
    if (column === undefined || !column.type.sortable) throw unusableField(name);
    // The key decides every tie, so nothing behind it has an effect.
    if (terms.at(-1)?.column.name !== source.key) terms.push(term(source, column, descending));
  }
  return terms.at(-1)?.column.name === source.key ? terms : [...terms, keyTerm(source)];
};

/** The same rows from the last to the first. */
export const reversed = (sort: Sort): Sort => sort.map((each) => ({ ...each, descending: !each.descending }));

/** The order as text: `-created_at,id`. */
export const sortSignature = (sort: Sort): string =>
  sort.map(({ column, descending }) => (descending ? `-${column.name}` : column.name)).join(',');

const directions: Readonly<Record<Dialect, (term: SortTerm) => string>> = {
  // SQLite takes null for the least value, which is the order that the service promises.
  sqlite: ({ descending }) => (descending ? ' desc' : ''),
  postgres: ({ descending, nullable }) =>
    `${descending ? ' desc' : ''}${nullable ? (descending ? ' nulls last' : ' nulls first') : ''}`,
};

/** What follows ORDER BY. */
export const orderSql = (sort: Sort, dialect: Dialect): string =>
  sort.map((each) => columnSql(each.column, dialect) + directions[dialect](each)).join(', ');

interface Comparison {
  readonly equal: string;
  /** Undefined where nothing of this column comes after the value. */
  readonly after: string | undefined;
  /** A plain range that `equal` and `after` lie in, so that an index can begin there; undefined where none is. */
  readonly range: string | undefined;
}

const compare = (term: SortTerm, isNull: boolean, value: string, parameter: () => string): Comparison => {
  if (isNull)
    return {
      equal: `${value} is null`,
      after: term.descending ? undefined : `${value} is not null`,
      range: term.descending ? `${value} is null` : undefined,
    };
  const sign = term.descending ? '<' : '>';
  const beyond = `${value} ${sign} ${parameter()}`;
  const nullsFollow = term.descending && term.nullable;
  return {
    equal: `${value} = ${parameter()}`,
    after: nullsFollow ? `(${beyond} or ${value} is null)` : beyond,
    range: nullsFollow ? undefined : `${value} ${sign}= ${parameter()}`,
  };
};

/** Whether `(a, b) > (x, y)` says it: all in one direction, and no null where a comparison would lose it. */
export const isRowComparison = (sort: Sort, nulls: readonly boolean[]): boolean =>
  !nulls.includes(true) &&
  (sort.every(({ descending }) => !descending) ||
    sort.every(({ descending, nullable }) => descending && !nullable));

/**
 * The condition "comes after the row with these sort values". `nulls` tells which of the values are null; `bind`
 * answers the placeholder of the n-th value.
 */
export const seekSql = (
  sort: Sort,
  nulls: readonly boolean[],
  dialect: Dialect,
  bind: (index: number) => string,
): string => {
  const values = sort.map(({ column }) => columnSql(column, dialect));
  if (isRowComparison(sort, nulls)) {
    const sign = sort[0]?.descending ? '<' : '>';
    const places = values.map((_, index) => bind(index));
    return values.length === 1
      ? `${values.join('')} ${sign} ${places.join('')}`
      : `(${values.join(', ')}) ${sign} (${places.join(', ')})`;
  }
  const comparisons = sort.map((term, index) =>
    compare(term, nulls[index] === true, values[index] ?? '', () => bind(index)),
  );
  const branches = comparisons.flatMap(({ after }, index) =>
    after === undefined
      ? []
      : [`(${[...comparisons.slice(0, index).map(({ equal }) => equal), after].join(' and ')})`],
  );
  const range = comparisons[0]?.range;
  return `${range === undefined ? '' : `${range} and `}(${branches.join(' or ')})`;
};
