import type { SqlValue } from '../../database/database.ts';
import type { ColumnValue } from '../../fields/field.ts';
import { fieldsPath, type Include, readIncludes } from '../relations/include.ts';
import { isPath, readPath } from '../relations/path.ts';
import { type Related, RelatedReader } from '../relations/related.ts';
import type { SourceView } from '../view.ts';
import { decodeCursor } from './cursor.ts';
import { type Filter, foldAscii, maxValueLength, parseFilter } from './filters.ts';
import { sharedQuery } from './links.ts';
import { invalidParameter, parseQueryString, type QueryParameter, unusableField } from './query-string.ts';
import { defaultSort, isSeekable, parseSort, type Sort } from './sort.ts';

export type Paging =
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
export interface Sorted {
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
