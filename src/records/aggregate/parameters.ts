import type { SourceColumn } from '../../database/source.ts';
import {
  type Bucket,
  bucketsOf,
  isGroupable,
  type Measure,
  measures,
  measuresOf,
} from '../../fields/aggregates.ts';
import { type ListParameters, parseConditions, parsePaging, sortOut } from '../list/parameters.ts';
import { invalidParameter, parseQueryString, sharedQuery, unusableField } from '../list/query-string.ts';
import { defaultSort } from '../list/sort.ts';
import { type Related, RelatedReader } from '../relations/related.ts';
import { mostBytes, type SourceView } from '../view.ts';

/** What groups go by: a field, or the span of time in which its value lies. */
export interface GroupKey {
  /** Key of the answer: `status`, `created_at_day`. */
  readonly name: string;
  readonly column: SourceColumn;
  readonly bucket: Bucket | undefined;
}

/** What is computed of a field for each group. */
export interface GroupMeasure {
  /** Key of the answer: `sum_amount`. */
  readonly name: string;
  readonly column: SourceColumn;
  readonly measure: Measure;
}

/** One term of `sort`: a key of the answer. */
export interface SortedKey {
  readonly name: string;
  readonly descending: boolean;
}

/** A request for groups, checked and in terms of the source's own columns. */
export interface AggregateParameters {
  readonly keys: readonly GroupKey[];
  readonly counted: boolean;
  readonly measured: readonly GroupMeasure[];
  /** As it was asked for; the keys decide what is left. */
  readonly sort: readonly SortedKey[];
  /** How far local time is ahead of UTC, as both databases read an interval: `480 minutes`. */
  readonly shift: string;
  /** Which records count, and which page of groups is answered. */
  readonly list: ListParameters;
}

/** Fields of one `group`, `sum`, `avg`, `min` or `max`. */
const maxFields = 8;

/** Bytes that the values of one group may have at most: there are a thousand in an answer. */
const mostGroupBytes = 8 * 1024 + 256;

const known: ReadonlySet<string> = new Set([
  'group',
  'count',
  ...measures,
  'offset',
  'sort',
  'q',
  'page',
  'per_page',
  '_',
]);

/** The parts of a parameter, none of them twice; none where it is not there. */
const partsOf = (single: ReadonlyMap<string, string>, name: string): readonly string[] => {
  const text = single.get(name);
  if (text === undefined) return [];
  const parts = text.split(',');
  if (parts.includes('') || parts.length > maxFields || new Set(parts).size < parts.length)
    throw invalidParameter(name);
  return parts;
};

const columnOf = (view: SourceView, field: string): SourceColumn => {
  const column = view.usable.get(field);
  if (column === undefined) throw unusableField(field);
  return column;
};

/** `status`, or `created_at:day`. */
const parseKey = (view: SourceView, text: string): GroupKey => {
  const [field = '', unit, rest] = text.split(':');
  const column = columnOf(view, field);
  if (!isGroupable(column.type)) throw unusableField(field);
  if (unit === undefined) return { name: field, column, bucket: undefined };
  const bucket = bucketsOf(column.type).find((each) => each === unit);
  if (bucket === undefined || rest !== undefined) throw invalidParameter('group');
  return { name: `${field}_${bucket}`, column, bucket };
};

const parseMeasured = (view: SourceView, single: ReadonlyMap<string, string>): GroupMeasure[] =>
  measures.flatMap((measure) =>
    partsOf(single, measure).map((field) => {
      const column = columnOf(view, field);
      if (!measuresOf(column.type).includes(measure)) throw invalidParameter(measure);
      return { name: `${measure}_${field}`, column, measure };
    }),
  );

/** A flag is there or not; `true` and `false` are how generated clients say so. */
const parseCounted = (text: string | undefined): boolean => {
  if (text === undefined || text === 'false') return false;
  if (text !== '' && text !== 'true') throw invalidParameter('count');
  return true;
};

/** `+08:00`, of which a query string makes a blank the plus. */
const parseOffset = (text = 'Z'): string => {
  const match = /^(?:Z|([ +-])([01]\d|2[0-3]):([0-5]\d))$/.exec(text);
  if (match === null) throw invalidParameter('offset');
  const [, sign, hours = '0', minutes = '0'] = match;
  const ahead = Number(hours) * 60 + Number(minutes);
  return `${sign === '-' ? -ahead : ahead} minutes`;
};

const parseSort = (single: ReadonlyMap<string, string>, names: ReadonlySet<string>): SortedKey[] => {
  const terms = partsOf(single, 'sort').map((part) => {
    const descending = part.startsWith('-');
    return { name: descending ? part.slice(1) : part, descending };
  });
  const sorted = new Set(terms.map(({ name }) => name));
  if (sorted.size < terms.length || terms.some(({ name }) => !names.has(name)))
    throw invalidParameter('sort');
  return terms;
};

/** Refuses what a thousand groups would be too long with. */
const checkBytes = (keys: readonly GroupKey[], measured: readonly GroupMeasure[]): void => {
  const held = [
    ...keys.filter(({ bucket }) => bucket === undefined).map(({ column }) => ({ column, of: 'group' })),
    ...measured
      .filter(({ measure }) => measure === 'min' || measure === 'max')
      .map(({ column, measure }) => ({ column, of: measure })),
  ];
  held.reduce((before, { column, of }) => {
    const bytes = before + mostBytes(column);
    if (bytes > mostGroupBytes) throw invalidParameter(of);
    return bytes;
  }, 0);
};

/** What a group has, in the order of the answer. */
export const groupFields = ({
  keys,
  counted,
  measured,
}: Pick<AggregateParameters, 'keys' | 'counted' | 'measured'>): readonly string[] => [
  ...keys.map(({ name }) => name),
  ...(counted ? ['count'] : []),
  ...measured.map(({ name }) => name),
];

/** Two that are called the same could not both be answered, and nothing at all is no question. */
const distinct = (names: readonly string[]): ReadonlySet<string> => {
  const set = new Set(names);
  if (names.length === 0 || set.size < names.length) throw invalidParameter('group');
  return set;
};

/**
 * Reads the raw query string (without `?`) of a request for groups. Everything that is not understood is refused with
 * the problem `invalid_parameter`, every field outside the view with `unusable_field`, whether it exists or not.
 */
export const parseAggregateParameters = (
  view: SourceView,
  raw: string,
  maxPerPage: number,
  related?: Related,
): AggregateParameters => {
  const { single, filters, shared } = sortOut(parseQueryString(raw), known);
  const keys = partsOf(single, 'group').map((text) => parseKey(view, text));
  const counted = parseCounted(single.get('count'));
  const measured = parseMeasured(view, single);
  const names = distinct(groupFields({ keys, counted, measured }));
  checkBytes(keys, measured);
  const sort = defaultSort(view.source);
  const paging = parsePaging(single, sort, maxPerPage);
  const reader = new RelatedReader(related);
  const conditions = parseConditions(view, single, filters, reader);
  return {
    keys,
    counted,
    measured,
    sort: parseSort(single, names),
    shift: parseOffset(single.get('offset')),
    list: {
      ...conditions,
      included: [],
      related: reader.used ? reader.values : undefined,
      fields: [],
      sort,
      // Groups are told by number only.
      paging: paging.kind === 'page' ? { ...paging, numbered: true } : paging,
      shared: sharedQuery(shared),
    },
  };
};
