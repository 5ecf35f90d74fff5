/** Parses and validates a list request, and names its shape: the part of it on which the SQL depends. */

import type { SqlValue } from '../../database/database.ts';
import type { Source, SourceColumn } from '../../database/source.ts';
import type { ColumnValue, FilterOperator } from '../../fields/field.ts';
import { mostWords, searchWords } from '../../kernel/search-words.ts';
import type { KeyParts } from '../key-parts.ts';
import { fieldsPath, type Include, includeKey, readIncludes } from '../relations/include.ts';
import {
  isPath,
  type Related,
  RelatedReader,
  type RelationStep,
  readPath,
  stepKey,
} from '../relations/related.ts';
import { everyRow, type RowReach } from '../rows/reach.ts';
import type { SourceView } from '../view.ts';
import type { PlainParameterName } from './plain-parameters.ts';
import {
  type FieldFilter,
  foldAscii,
  invalidParameter,
  maxValueLength,
  parseFilter,
  parseQueryString,
  type QueryParameter,
  sharedQuery,
  unusableField,
} from './query-string.ts';
import {
  decodeCursor,
  defaultSort,
  isRowComparison,
  isSeekable,
  parseSort,
  reversed,
  type Sort,
  type SortTerm,
} from './sort.ts';

type Paging =
  | { readonly kind: 'all' }
  | {
      readonly kind: 'page';
      readonly page: number;
      readonly perPage: number;
      /** True if links are page numbers; else they are cursors. */
      readonly numbered: boolean;
    }
  /** Rows after the one with these sort values, or those `before` it; without values, the first or the last rows. */
  | {
      readonly kind: 'after';
      readonly perPage: number;
      readonly values: readonly ColumnValue[];
      readonly before?: true | undefined;
    };

/**
 * The number of matching records that a page tells: all of them, those up to `countedRows`, or none. Lists without
 * pages, and pages by cursor, tell none.
 */
const countings = ['exact', 'estimate', 'none'] as const;
type Counting = (typeof countings)[number];

/**
 * Most records that an estimated total counts.
 * @limit Lists | records counted for `total=estimate` | count | follow, and `X-Total-Count-Relation` is `gte`
 */
export const countedRows = 10_000;

/** A condition of a list request, on a column of the row itself or of related records. */
export interface Filter extends FieldFilter {
  /** Relations that lead to the column; absent for a column of the row itself. */
  readonly steps?: readonly RelationStep[];
}

/** A list request, validated and in terms of the source's columns. */
export interface ListParameters {
  /** Requested fields, in the order of the view; the version last. */
  readonly fields: readonly string[];
  readonly sort: Sort;
  readonly filters: readonly Filter[];
  /**
   * The text of `q`, folded; of a source with full-text search its words, separated by spaces. Undefined without a
   * search.
   */
  readonly search: string | undefined;
  /** True if the best match of a full-text search comes first; otherwise `sort` is the order. */
  readonly ranked: boolean;
  readonly paging: Paging;
  readonly total: Counting;
  /** Related records to include with each record. */
  readonly included: readonly Include[];
  /** Values of the reaches on related records; undefined if the request names none. */
  readonly related: readonly SqlValue[] | undefined;
  /** The parameters that the links of all pages share, as the beginning of a query string. */
  readonly shared: string;
}

/** The request for every record, without any parameter and any field: groups of records begin with it. */
export const wholeList = (source: Source): ListParameters => ({
  fields: [],
  sort: defaultSort(source),
  filters: [],
  search: undefined,
  ranked: false,
  paging: { kind: 'all' },
  total: 'none',
  included: [],
  related: undefined,
  shared: '',
});

export const defaultPerPage = 20;
/** @limit Lists | filters of a request | count | 400 */
const maxFilters = 32;

/** The parameters of a list, besides `filter[…]` and `fields[…]`. */
export type ListParameterName = PlainParameterName | 'sort' | 'q' | 'include' | '_';

/** The member of the request that each parameter decides: the compiler names a parameter that nothing reads. */
const decided = {
  page: 'paging',
  per_page: 'paging',
  after: 'paging',
  total: 'total',
  fields: 'fields',
  sort: 'sort',
  q: 'search',
  include: 'included',
  // Callers send it with a new value, so that no cache on the way responds.
  _: undefined,
} satisfies Readonly<Record<ListParameterName, keyof ListParameters | undefined>>;

const listParameterNames: ReadonlySet<string> = new Set(Object.keys(decided));
const filterName = /^filter\[([^[\]]+)\](?:\[([^[\]]+)\])?$/;

/**
 * The parameters by kind. Unknown and repeated ones are refused, as ignoring a filter would return too many records.
 */
interface GroupedParameters {
  readonly single: ReadonlyMap<string, string>;
  readonly filters: readonly QueryParameter[];
  /** Values of `fields[lines]`, by the path. */
  readonly chosen: ReadonlyMap<string, string>;
  readonly shared: readonly string[];
}

const isPaging = (name: string): boolean => name === 'page' || name === 'per_page' || name === 'after';

/** Groups parameters by kind; those that are no filters must be in `singles`. @throws Problem `invalid_parameter` */
export const groupParameters = (
  parameters: readonly QueryParameter[],
  singles: ReadonlySet<string>,
): GroupedParameters => {
  const single = new Map<string, string>();
  const filters: QueryParameter[] = [];
  const chosen = new Map<string, string>();
  const shared: string[] = [];
  for (const parameter of parameters) {
    const { name, value, raw } = parameter;
    const path = singles.has('include') ? fieldsPath(name) : undefined;
    if (name.startsWith('filter[')) filters.push(parameter);
    else if (path !== undefined && !chosen.has(path)) chosen.set(path, value);
    else if (!singles.has(name) || single.has(name)) throw invalidParameter(name);
    else single.set(name, value);
    if (!isPaging(name) && name !== '_') shared.push(raw);
  }
  return { single, filters, chosen, shared };
};

const parseFilters = (
  view: SourceView,
  parameters: readonly QueryParameter[],
  reader: RelatedReader,
): Filter[] => {
  const seen = new Set<string>();
  return parameters.map(({ name, value }) => {
    const [, field, operatorName = 'eq'] = filterName.exec(name) ?? [];
    if (field === undefined || seen.size >= maxFilters) throw invalidParameter(name);
    const path = isPath(field) ? readPath(view.source, view.fields, field, reader) : undefined;
    const column = path?.column ?? view.usable.get(field);
    if (column === undefined) throw unusableField(field);
    const operator = column.type.operators.find((each) => each === operatorName);
    // Names contain no brackets, so that the identity is unambiguous.
    const identity = `${field}[${operatorName}]`;
    if (operator === undefined || seen.has(identity)) throw invalidParameter(name);
    seen.add(identity);
    const filter = parseFilter(column, operator, value, name);
    return path === undefined ? filter : { ...filter, steps: path.steps };
  });
};

const parseFields = (view: SourceView, text: string | undefined): readonly string[] => {
  if (text === undefined) return view.fields;
  const fields = [...view.fields, ...(view.source.further?.keys() ?? [])];
  const wanted = new Set<string>();
  for (const name of text.split(',')) {
    if (name === '' || wanted.has(name)) throw invalidParameter('fields');
    if (!fields.includes(name)) throw unusableField(name);
    wanted.add(name);
  }
  return fields.filter((name) => wanted.has(name));
};

/** Parses a positive integer of at most twelve digits. @throws Problem `invalid_parameter` */
export const parseCount = (name: string, text: string, max: number): number => {
  const count = /^[1-9]\d{0,11}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (count > max) throw invalidParameter(name);
  return count;
};

const parseAfter = (text: string, sort: Sort, perPage: number): Paging => {
  // An empty value asks for the first page by cursor.
  const cursor = text === '' ? { values: [] } : decodeCursor(text, sort);
  if (cursor === undefined || !isSeekable(sort)) throw invalidParameter('after');
  return { ...cursor, kind: 'after', perPage };
};

export const parsePaging = (single: ReadonlyMap<string, string>, sort: Sort, maxPerPage: number): Paging => {
  const [page, size, after] = [single.get('page'), single.get('per_page'), single.get('after')];
  const perPage =
    size === undefined ? Math.min(defaultPerPage, maxPerPage) : parseCount('per_page', size, maxPerPage);
  if (after !== undefined) {
    if (page !== undefined) throw invalidParameter('after');
    return parseAfter(after, sort, perPage);
  }
  if (page === undefined && size === undefined) return { kind: 'all' };
  return {
    kind: 'page',
    page: page === undefined ? 1 : parseCount('page', page, 1e12),
    perPage,
    numbered: page !== undefined || !isSeekable(sort),
  };
};

const parseTotal = (text: string | undefined, paging: Paging): Counting => {
  const total = countings.find((each) => each === (text ?? 'exact'));
  if (total === undefined) throw invalidParameter('total');
  return paging.kind === 'page' ? total : 'none';
};

const parseSearch = ({ search }: Source, text: string | undefined): string | undefined => {
  if (text === undefined || text === '') return undefined;
  if (text.length > maxValueLength) throw invalidParameter('q');
  if (search === undefined) return foldAscii(text);
  const words = searchWords(text);
  if (words.length > mostWords) throw invalidParameter('q');
  return words.join(' ');
};

/** Parses the filters and the search. */
export const parseConditions = (
  view: SourceView,
  single: ReadonlyMap<string, string>,
  filters: readonly QueryParameter[],
  reader: RelatedReader,
): Pick<ListParameters, 'filters' | 'search'> => ({
  filters: parseFilters(view, filters, reader),
  search: parseSearch(view.source, single.get('q')),
});

/**
 * Parses the raw query string (without `?`) of a list request.
 * @throws Problem `invalid_parameter`; `unusable_field` for every field outside the view, whether it exists or not
 */
export const parseListParameters = (
  view: SourceView,
  raw: string,
  maxPerPage: number,
  related?: Related,
): ListParameters => {
  const { single, filters, chosen, shared } = groupParameters(parseQueryString(raw), listParameterNames);
  const reader = new RelatedReader(related);
  const conditions = parseConditions(view, single, filters, reader);
  const sortText = single.get('sort');
  const sort = sortText === undefined ? defaultSort(view.source) : parseSort(view, sortText, reader);
  // A page after a cursor needs an order by values of the records.
  const ranked =
    view.source.search !== undefined &&
    conditions.search !== undefined &&
    sortText === undefined &&
    !single.has('after');
  const parsed = parsePaging(single, sort, maxPerPage);
  const paging: Paging = ranked && parsed.kind === 'page' ? { ...parsed, numbered: true } : parsed;
  const included = readIncludes(view.source, view.fields, single.get('include'), chosen, reader);
  // Without paging there may be any number of records, each with a thousand related ones.
  if (included.length > 0 && paging.kind === 'all') throw invalidParameter('include');
  return {
    fields: parseFields(view, single.get('fields')),
    sort,
    ranked,
    ...conditions,
    paging,
    total: parseTotal(single.get('total'), paging),
    included,
    related: reader.used ? reader.values : undefined,
    shared: sharedQuery(shared),
  };
};

/** Literal bound on the rows up to the end of the page; absent if the statement has none. */
interface Depth {
  readonly within?: number;
}

/** Paging as far as the SQL depends on it. */
type ShapePaging =
  | { readonly kind: 'all' }
  | ({ readonly kind: 'page'; readonly numbered: boolean } & Depth)
  /** After a cursor, or before it. `nulls` says which of its values are null; it is empty for the first page. */
  | ({ readonly kind: 'after'; readonly before: boolean; readonly nulls: readonly boolean[] } & Depth);

/** A row filter without its values. */
export type ShapeRows = Pick<RowReach, 'terms' | 'key'>;

/** A filter without its values: everything that its SQL depends on. */
export interface FilterShape {
  readonly column: SourceColumn;
  readonly operator: FilterOperator;
  /** Number of values. */
  readonly count: number;
  readonly negated: boolean;
  readonly steps: readonly RelationStep[] | undefined;
}

export const filterShape = ({ column, operator, values, negated, steps }: Filter): FilterShape => ({
  column,
  operator,
  count: values.length,
  negated,
  steps,
});

/** The members of a request on which its SQL depends: all but those that are nothing but values. */
type ShapedMembers = {
  readonly [Member in Exclude<keyof ListParameters, 'search' | 'related' | 'shared'>]: unknown;
};

/** A list request without its values: everything that its SQL depends on. Callers with the same view share it. */
export interface ListShape extends ShapedMembers {
  readonly source: Source;
  /** Conditions of the row filter. */
  readonly rows: ShapeRows;
  /** Requested fields, in their order. */
  readonly fields: readonly string[];
  readonly sort: Sort;
  readonly filters: readonly FilterShape[];
  /** Columns that `q` searches; undefined without a search. */
  readonly searched: readonly string[] | undefined;
  /** True if the best match comes first. */
  readonly ranked: boolean;
  readonly paging: ShapePaging;
  readonly total: Counting;
  /** Related records to include with each row. */
  readonly included: readonly Include[];
}

/** The arguments of a list statement. */
export type ListArguments = {
  /** Values of the row filter. */
  readonly rows: readonly SqlValue[];
  /** Values of all filters, one after the other. */
  readonly filters: readonly SqlValue[];
  readonly search: SqlValue;
  readonly cursor: readonly SqlValue[];
  readonly limit: number;
  readonly offset: number;
  /** Number of rows up to the end of the page, plus one. */
  readonly firsts: number;
  /** The same without the one. */
  readonly pageEnd: number;
  /** Most bytes in long columns of a row in an unstreamed page. */
  readonly rowBytes: number;
  /** Sort values of the first and the last row of a stream. */
  readonly from: readonly SqlValue[];
  readonly until: readonly SqlValue[];
  /** Most rows that a relation may examine for each record. */
  readonly maxRowsExamined: number;
  /** Values of the reaches on related rows. */
  readonly related: readonly SqlValue[];
  /** The id of the user who reads, for masked sources. */
  readonly reader: SqlValue;
  /** The current time, for sources that use it. */
  readonly now: SqlValue;
  readonly monthAgo: SqlValue;
  /** The caller's session, for sources that mark it. */
  readonly credential: SqlValue;
};

const pagingShape = ({ paging }: ListParameters): ShapePaging => {
  if (paging.kind === 'all') return { kind: 'all' };
  if (paging.kind === 'page') return { kind: 'page', numbered: paging.numbered };
  const nulls = paging.values.map((value) => value === null);
  return { kind: 'after', before: paging.before === true, nulls };
};

/** The shape of a request by a caller with this view and this row filter. */
export const shapeOf = (
  { source, usable }: SourceView,
  rows: ShapeRows = everyRow,
  parameters: ListParameters,
): ListShape => {
  const { fields, sort, filters, search, included } = parameters;
  const searchable =
    source.search === undefined
      ? [...usable.values()].filter(({ type }) => type.searchable).map(({ name }) => name)
      : // Without words nothing matches.
        source.search.fields.filter((name) => search !== '' && usable.has(name));
  return {
    source,
    rows,
    fields,
    sort,
    filters: filters.map(filterShape),
    searched: search === undefined ? undefined : searchable,
    ranked: parameters.ranked && searchable.length > 0,
    paging: pagingShape(parameters),
    total: parameters.total,
    included,
  };
};

/** Literal bounds on the rows up to the end of a page; each makes a statement. Deeper pages are planned without one. */
const depths = [64, 256, 1024, 4096, 16_384, 65_536];

/**
 * The shape of a page with a literal bound on its depth, so that PostgreSQL keeps one plan for all pages up to that
 * depth: to plan such a statement takes it as long as to run it. Only for requests without filters and relations, on
 * whose values the best plan depends as well.
 */
export const withDepth = (
  shape: ListShape,
  { limit, offset }: Pick<ListArguments, 'limit' | 'offset'>,
): ListShape => {
  const { paging, included } = shape;
  const within = depths.find((depth) => depth >= offset + limit);
  if (paging.kind === 'all' || within === undefined || !isUnfiltered(shape) || included.length > 0)
    return shape;
  return { ...shape, paging: { ...paging, within } };
};

const stepsKey = (steps: readonly RelationStep[] | undefined) => steps?.map(stepKey);

const sortKey = ({ column, descending, steps }: SortTerm) =>
  ({
    column: column.name,
    descending,
    // The column decides it.
    nullable: undefined,
    steps: stepsKey(steps),
  }) satisfies KeyParts<SortTerm>;

const filterKey = ({ column, operator, count, negated, steps }: FilterShape) =>
  ({ column: column.name, operator, count, negated, steps: stepsKey(steps) }) satisfies KeyParts<FilterShape>;

/** Identifies the shape among those of its source. Names may contain any character, so JSON separates them. */
export const shapeKey = (shape: ListShape): string =>
  JSON.stringify({
    source: shape.source.mask,
    rows: shape.rows.key,
    fields: shape.fields,
    sort: shape.sort.map(sortKey),
    filters: shape.filters.map(filterKey),
    searched: shape.searched,
    ranked: shape.ranked,
    paging: shape.paging,
    total: shape.total,
    included: includeKey(shape.included),
  } satisfies KeyParts<ListShape>);

/** The parts of a shape on which its total depends. */
const countedShape = ({ source, rows, filters, searched, ranked, total }: ListShape) =>
  ({
    source: source.mask,
    rows: rows.key,
    filters: filters.map(filterKey),
    searched,
    ranked,
    total,
    // A total is that of all pages, whatever each row shows.
    fields: undefined,
    sort: undefined,
    paging: undefined,
    included: undefined,
  }) satisfies KeyParts<ListShape>;

/** The values on which a total depends, without those of the caller, which the cache of totals adds. */
const countedValues = ({ filters, search, related }: CountedValues) =>
  ({
    filters,
    search,
    related,
    // Values of the caller.
    rows: undefined,
    reader: undefined,
    credential: undefined,
    // No total of a source that uses the time is cached.
    now: undefined,
    monthAgo: undefined,
    // Values of one page, or of the stream.
    cursor: undefined,
    limit: undefined,
    offset: undefined,
    firsts: undefined,
    pageEnd: undefined,
    rowBytes: undefined,
    from: undefined,
    until: undefined,
    maxRowsExamined: undefined,
  }) satisfies KeyParts<ListArguments>;

type CountedValues = Pick<ListArguments, 'filters' | 'search' | 'related'>;

/** Identifies a total: the conditions with their values, except for the values of the row filter. */
export const countKey = (shape: ListShape, values: CountedValues): string =>
  JSON.stringify([countedShape(shape), countedValues(values)]);

/** True if the page comes before its cursor: its rows are read backwards from there. */
export const isBackward = ({ paging }: Pick<ListShape, 'paging'>): boolean =>
  paging.kind === 'after' && paging.before;

/** The order in which the rows of a page are read, starting at its cursor. */
export const scanOrder = (shape: ListShape): Sort => (isBackward(shape) ? reversed(shape.sort) : shape.sort);

/** Tells for each value of the cursor whether it is null; empty without a cursor. */
export const cursorNulls = ({ paging }: ListShape): readonly boolean[] =>
  paging.kind === 'after' ? paging.nulls : [];

/** True if the rows are read in the order of one index, so that a limit bounds the work. */
export const walksIndex = (shape: ListShape): boolean => {
  const { source, sort, paging } = shape;
  const [first, second] = sort;
  if (first === undefined || !source.indexed.has(first.column.name)) return false;
  // Equal values of an index are in ascending order of the key; the opposite order would need a sort.
  if (sort.length > 2 || (second !== undefined && second.descending !== first.descending)) return false;
  return paging.kind !== 'after' || isRowComparison(scanOrder(shape), paging.nulls);
};

/** True if the request names keys: then few rows match, and counting them is cheap. */
const namesKey = ({ source, rows, filters }: ListShape): boolean =>
  rows.terms.includes(source.key) ||
  filters.some(
    ({ column, operator }) => column.name === source.key && (operator === 'eq' || operator === 'in'),
  );

/** True if filters examine other tables, so that the number of matching rows does not bound the work. */
export const filtersOnRelations = ({ filters }: Pick<ListShape, 'filters'>): boolean =>
  filters.some(({ steps }) => steps !== undefined);

/**
 * True if an index bounds the rows examined for a page, whatever the size of the table: rows found by key, rows of one
 * indexed value in the order of the key, or rows in the order of an index. The offset and the total are not included.
 */
export const hasBoundedRows = (shape: ListShape): boolean => {
  const { source, rows, filters, searched, sort } = shape;
  if (filtersOnRelations(shape)) return false;
  if (namesKey(shape)) return true;
  const equalities = [
    // A rule may use an index as well, but the number of rows examined for a page depends on the caller.
    ...rows.terms.map((term) => (typeof term === 'string' ? term : '')),
    ...filters.map(({ column, operator }) => (operator === 'eq' ? column.name : '')),
  ];
  if (searched !== undefined || equalities.length > 1) return false;
  const [equality] = equalities;
  if (equality === undefined) return walksIndex(shape);
  return source.indexed.has(equality) && sort.length === 1;
};

/** True if an index bounds all rows that the statement examines. A count examines all matching rows. */
export const isBounded = (shape: ListShape): boolean =>
  hasBoundedRows(shape) && (shape.paging.kind !== 'page' || namesKey(shape));

/** True if the request filters or searches. */
export const hasConditions = ({ filters, searched }: ListShape): boolean =>
  filters.length > 0 || searched !== undefined;

/** True if every row of the source matches. */
export const isUnfiltered = (shape: ListShape): boolean =>
  shape.rows.terms.length === 0 && !hasConditions(shape);
