import { columnOf, storedValue } from '../../database/column.ts';
import type { Dialect } from '../../database/dialect.ts';
import type { Source, SourceColumn } from '../../database/source.ts';
import { type Fragment, join, sql } from '../../database/statement.ts';
import { mostBytes } from '../projection.ts';
import { isPath, pathColumn, readPath } from '../relations/path.ts';
import { RelatedReader, type RelationStep } from '../relations/related.ts';
import type { SourceView } from '../view.ts';
import { invalidParameter, unusableField } from './query-string.ts';

export interface SortTerm {
  readonly column: SourceColumn;
  readonly descending: boolean;
  /** Whether rows may hold null: nulls come first ascending, last descending. */
  readonly nullable: boolean;
  /** Relations to the record whose field it is; absent for the row's own. */
  readonly steps?: readonly RelationStep[];
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

/** A term by a field of the record to which relations lead, one at most. */
const pathTerm = (view: SourceView, name: string, descending: boolean, reader: RelatedReader): SortTerm => {
  const path = readPath(view.source, view.fields, name, reader);
  const column = pathColumn(path, name);
  if (column === undefined || !column.type.sortable) throw unusableField(name);
  return { column, descending, nullable: true, steps: path.steps };
};

/** Reads `-created_at,title,customer.name`; of the row's own, only usable columns can be sorted by. */
export const parseSort = (view: SourceView, text: string, reader = new RelatedReader()): Sort => {
  const { source, usable } = view;
  const terms: SortTerm[] = [];
  const seen = new Set<string>();
  for (const part of text.split(',')) {
    const descending = part.startsWith('-');
    const name = descending ? part.slice(1) : part;
    if (name === '' || seen.has(name) || seen.size >= maxTerms) throw invalidParameter('sort');
    seen.add(name);
    if (isPath(name)) {
      const behind = pathTerm(view, name, descending, reader);
      if (terms.at(-1)?.column.name !== source.key) terms.push(behind);
      continue;
    }
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

/** What follows ORDER BY. */
export const orderBy = (sort: Sort, dialect: Dialect): Fragment =>
  join(
    sort.map(({ column, descending, nullable }) =>
      dialect.ordered(storedValue(column, dialect), descending, nullable),
    ),
  );

/** Bytes that the values of one place in an order may have: a cursor travels in URLs and headers. */
const mostPlaceBytes = 8 * 1024 + 256;

/** Whether the place of every row in this order is short enough for a cursor; texts without a limit are not. */
export const isSeekable = (sort: Sort): boolean =>
  sort.reduce((sum, { column }) => sum + mostBytes(column), 0) <= mostPlaceBytes;

interface Comparison {
  readonly equal: Fragment;
  /** Undefined where nothing of this column comes after the value. */
  readonly after: Fragment | undefined;
  /** A plain range that `equal` and `after` lie in, so that an index can begin there; undefined where none is. */
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

/** Whether `(a, b) > (x, y)` says it: all in one direction, and no null where a comparison would lose it. */
export const isRowComparison = (sort: Sort, nulls: readonly boolean[]): boolean =>
  !nulls.includes(true) &&
  (sort.every(({ descending }) => !descending) ||
    sort.every(({ descending, nullable }) => descending && !nullable));

/**
 * The condition "comes after the row with these sort values". `nulls` tells which of the values are null; `bound`
 * answers the SQL of the n-th value.
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
    bound: bound(index),
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
