import type { SqlValue } from '../../database/database.ts';
import type { Source } from '../../database/source.ts';
import type { ColumnValue } from '../../fields/field.ts';
import { fieldsPath, type Include, includeKey, readIncludes } from '../relations/include.ts';
import {
  isPath,
  type Related,
  RelatedReader,
  type RelationStep,
  readPath,
  stepKey,
} from '../relations/related.ts';
import type { RowReach } from '../rows/reach.ts';
import type { SourceView } from '../view.ts';
import {
  type Filter,
  type FilterShape,
  filterShape,
  foldAscii,
  maxValueLength,
  parseFilter,
} from './filters.ts';
import {
  invalidParameter,
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
} from './sort.ts';

type Paging =
  | { readonly kind: 'all' }
  | {
      readonly kind: 'page';
      readonly page: number;
      readonly perPage: number;
      /** Whether the caller counts pages, or must; else the next page is given by cursor. */
      readonly numbered: boolean;
    }
  /** The rows behind the one with these sort values, or those `before` it; without values the first, or the last. */
  | {
      readonly kind: 'after';
      readonly perPage: number;
      readonly values: readonly ColumnValue[];
      readonly before?: true;
    };

/** A list request, checked and in terms of the source's own columns. */
export interface ListParameters {
  /** Fields to answer, in the order of the view. */
  readonly fields: readonly string[];
  readonly sort: Sort;
  readonly filters: readonly Filter[];
  /** What `q` looks for, folded; undefined where nothing is searched. */
  readonly search: string | undefined;
  readonly paging: Paging;
  /** Related records in the answer of each. */
  readonly included: readonly Include[];
  /** Values by which related records are held to the caller's reach; undefined where none are named. */
  readonly related: readonly SqlValue[] | undefined;
  /** The parameters that every page shares, as links begin with them. */
  readonly shared: string;
}

export const defaultPerPage = 20;
const maxFilters = 32;
const ofLists: ReadonlySet<string> = new Set([
  ...['page', 'per_page', 'after', 'sort', 'q', 'fields', '_', 'include'],
]);
const filterName = /^filter\[([^[\]]+)\](?:\[([^[\]]+)\])?$/;

/** The parameters by name; an unknown or repeated one is refused, as a list that ignores it answers too much. */
interface Sorted {
  readonly single: ReadonlyMap<string, string>;
  readonly filters: readonly QueryParameter[];
  /** `fields[lines]`, by the path. */
  readonly chosen: ReadonlyMap<string, string>;
  readonly shared: readonly string[];
}

const isPaging = (name: string): boolean => name === 'page' || name === 'per_page' || name === 'after';

/** Tells filters and the other parameters apart, of which those in `singles` are known. */
export const sortOut = (parameters: readonly QueryParameter[], singles: ReadonlySet<string>): Sorted => {
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
    // Brackets cannot be part of the names, so the two cannot run into one another.
    const identity = `${field}[${operatorName}]`;
    if (operator === undefined || seen.has(identity)) throw invalidParameter(name);
    seen.add(identity);
    const filter = parseFilter(column, operator, value, name);
    return path === undefined ? filter : { ...filter, steps: path.steps };
  });
};

const parseFields = (view: SourceView, text: string | undefined): readonly string[] => {
  if (text === undefined) return view.fields;
  const wanted = new Set<string>();
  for (const name of text.split(',')) {
    if (name === '' || wanted.has(name)) throw invalidParameter('fields');
    if (!view.fields.includes(name)) throw unusableField(name);
    wanted.add(name);
  }
  return view.fields.filter((name) => wanted.has(name));
};

/** A positive whole number of at most twelve digits. */
export const parseCount = (name: string, text: string, max: number): number => {
  const count = /^[1-9]\d{0,11}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (count > max) throw invalidParameter(name);
  return count;
};

const parseAfter = (text: string, sort: Sort, perPage: number): Paging => {
  // Without a value it begins a walk by cursor.
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

const parseSearch = (text: string | undefined): string | undefined => {
  if (text === undefined || text === '') return undefined;
  if (text.length > maxValueLength) throw invalidParameter('q');
  return foldAscii(text);
};

/** Which rows are asked for. */
export const parseConditions = (
  view: SourceView,
  single: ReadonlyMap<string, string>,
  filters: readonly QueryParameter[],
  reader: RelatedReader,
): Pick<ListParameters, 'filters' | 'search'> => ({
  filters: parseFilters(view, filters, reader),
  search: parseSearch(single.get('q')),
});

/**
 * Reads the raw query string (without `?`) of a list request. Everything that is not understood is refused with the
 * problem `invalid_parameter`, every field outside the view with `unusable_field`, whether it exists or not.
 */
export const parseListParameters = (
  view: SourceView,
  raw: string,
  maxPerPage: number,
  related?: Related,
): ListParameters => {
  const { single, filters, chosen, shared } = sortOut(parseQueryString(raw), ofLists);
  const reader = new RelatedReader(related);
  const conditions = parseConditions(view, single, filters, reader);
  const sortText = single.get('sort');
  const sort = sortText === undefined ? defaultSort(view.source) : parseSort(view, sortText, reader);
  const paging = parsePaging(single, sort, maxPerPage);
  const included = readIncludes(view.source, view.fields, single.get('include'), chosen, reader);
  // Of all records there may be any number, each with a thousand others.
  if (included.length > 0 && paging.kind === 'all') throw invalidParameter('include');
  return {
    fields: parseFields(view, single.get('fields')),
    sort,
    ...conditions,
    paging,
    included,
    related: reader.used ? reader.values : undefined,
    shared: sharedQuery(shared),
  };
};

/** How the rows of an answer are chosen from those that match. */
type ShapePaging =
  | { readonly kind: 'all' }
  /** `within`: the page ends within so many rows from the first one on; absent where the statement does not say. */
  | { readonly kind: 'page'; readonly numbered: boolean; readonly within?: number }
  /** Behind a cursor, or before it; `nulls` tells which of its values are null, and is empty at the very start. */
  | { readonly kind: 'after'; readonly before: boolean; readonly nulls: readonly boolean[] };

/** A row filter without its values. */
export type ShapeRows = Pick<RowReach, 'terms' | 'key'>;

const everyRow: ShapeRows = { terms: [], key: '' };

/** A list request without its values: all that its SQL depends on. It serves every caller with the same view. */
export interface ListShape {
  readonly source: Source;
  /** Conditions of the row filter. */
  readonly rows: ShapeRows;
  /** Fields to answer, in their order. */
  readonly fields: readonly string[];
  readonly sort: Sort;
  readonly filters: readonly FilterShape[];
  /** Columns that `q` looks into; undefined where nothing is searched. */
  readonly searched: readonly string[] | undefined;
  readonly paging: ShapePaging;
  /** Related records in the answer of each row. */
  readonly included: readonly Include[];
}

/** The values of a list statement, by the names under which it takes them. */
export type ListArguments = {
  /** Of the row filter. */
  readonly rows: readonly SqlValue[];
  /** Of all filters, one behind the other. */
  readonly filters: readonly SqlValue[];
  readonly search: SqlValue;
  readonly cursor: readonly SqlValue[];
  readonly limit: number;
  readonly offset: number;
  /** Rows of the page, those before it, and one behind it. */
  readonly firsts: number;
  /** Bytes in long columns up to which a row is answered in one piece. */
  readonly rowBytes: number;
  /** Sort values of the first and the last row between which rows are streamed. */
  readonly from: readonly SqlValue[];
  readonly until: readonly SqlValue[];
  /** Rows that a relation may look at for each record. */
  readonly looked: number;
  /** Of the rows to which relations lead. */
  readonly related: readonly SqlValue[];
  /** The moment, for sources that ask for it. */
  readonly now: SqlValue;
  readonly monthAgo: SqlValue;
  /** The session by which it is asked for, for sources that mark it. */
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
  const searchable = [...usable.values()].filter(({ type }) => type.searchable);
  return {
    source,
    rows,
    fields,
    sort,
    filters: filters.map(filterShape),
    searched: search === undefined ? undefined : searchable.map(({ name }) => name),
    paging: pagingShape(parameters),
    included,
  };
};

/** Rows within which pages are looked for: few numbers, as each makes a statement. Deeper pages are worth a plan of their own. */
const depths = [64, 256, 1024, 4096, 16_384, 65_536];

/**
 * The shape of a page of which the statement says how deep it lies, so that one plan serves all pages up to there. Only
 * where nothing else comes with the request on which the best plan depends.
 */
export const withDepth = (
  shape: ListShape,
  { limit, offset }: Pick<ListArguments, 'limit' | 'offset'>,
): ListShape => {
  const { paging, included } = shape;
  const within = depths.find((depth) => depth >= offset + limit);
  if (paging.kind !== 'page' || within === undefined || !isWhole(shape) || included.length > 0) return shape;
  return { ...shape, paging: { ...paging, within } };
};

const stepsKey = (steps: readonly RelationStep[] | undefined) => steps?.map(stepKey) ?? null;

const filterKey = ({ column, operator, count, negated, steps }: FilterShape) => [
  column.name,
  operator,
  count,
  negated,
  stepsKey(steps),
];

/** The text that tells shapes of one source apart. Names may hold any character, so they are never just joined. */
export const shapeKey = ({ rows, fields, sort, filters, searched, paging, included }: ListShape): string =>
  JSON.stringify([
    rows.key,
    fields,
    searched ?? null,
    sort.map(({ column, descending, steps }) => [column.name, descending, stepsKey(steps)]),
    filters.map(filterKey),
    paging,
    includeKey(included),
  ]);

/** The text that tells apart what is counted: the conditions with their values, those of the row filter aside. */
export const countKey = (
  { rows, filters, searched }: ListShape,
  values: Pick<ListArguments, 'filters' | 'search' | 'related'>,
): string =>
  JSON.stringify([
    rows.key,
    filters.map(filterKey),
    values.filters,
    values.search,
    searched ?? null,
    values.related,
  ]);

/** Whether the page is the one before its cursor: its rows are found from there backwards. */
export const isBackward = ({ paging }: Pick<ListShape, 'paging'>): boolean =>
  paging.kind === 'after' && paging.before;

/** The order in which the rows of a page are found, from its cursor on. */
export const walkOf = (shape: ListShape): Sort => (isBackward(shape) ? reversed(shape.sort) : shape.sort);

/** Which values of the cursor are null; empty where there is none. */
export const cursorNulls = ({ paging }: ListShape): readonly boolean[] =>
  paging.kind === 'after' ? paging.nulls : [];

/** Whether the rows are read along one index in its own order, so that a limit bounds the work. */
const walksIndex = (shape: ListShape): boolean => {
  const { source, sort, paging } = shape;
  const [first, second] = sort;
  if (first === undefined || !source.indexed.has(first.column.name)) return false;
  // Ties in an index are in ascending order of the key: in the other one they would have to be sorted.
  if (sort.length > 2 || (second !== undefined && second.descending !== first.descending)) return false;
  return paging.kind !== 'after' || isRowComparison(walkOf(shape), paging.nulls);
};

/** Whether the key itself is asked for: then what matches is few, and counted at once. */
const namesKey = ({ source, rows, filters }: ListShape): boolean =>
  rows.terms.includes(source.key) ||
  filters.some(
    ({ column, operator }) => column.name === source.key && (operator === 'eq' || operator === 'in'),
  );

/** Whether other tables are looked through for the rows that match: how many these are does not bound it. */
export const looksElsewhere = ({ filters }: Pick<ListShape, 'filters'>): boolean =>
  filters.some(({ steps }) => steps !== undefined);

/**
 * Whether an index bounds the rows of a page, however many the table has: rows found by key, rows of one indexed value
 * in the order of the key, or a walk along an index. Rows that a page number skips, and the total, come on top.
 */
export const hasBoundedRows = (shape: ListShape): boolean => {
  const { source, rows, filters, searched, sort } = shape;
  if (looksElsewhere(shape)) return false;
  if (namesKey(shape)) return true;
  const equalities = [
    // A rule is found by index as well, but how many rows it takes to find a page depends on the caller.
    ...rows.terms.map((term) => (typeof term === 'string' ? term : '')),
    ...filters.map(({ column, operator }) => (operator === 'eq' ? column.name : '')),
  ];
  if (searched !== undefined || equalities.length > 1) return false;
  const [equality] = equalities;
  if (equality === undefined) return walksIndex(shape);
  return source.indexed.has(equality) && sort.length === 1;
};

/** Whether an index bounds everything that the statement looks at. A count looks at everything that matches. */
export const isBounded = (shape: ListShape): boolean =>
  hasBoundedRows(shape) && (shape.paging.kind !== 'page' || namesKey(shape));

/** Whether nothing but the order is asked for: every row of the source is answered. */
export const isWhole = ({ rows, filters, searched }: ListShape): boolean =>
  rows.terms.length === 0 && filters.length === 0 && searched === undefined;
