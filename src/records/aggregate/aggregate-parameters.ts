/** Parses the query string of an aggregate: keys of groups, measures, sort, filters and the time zone. */

import type { SourceColumn } from '../../database/source.ts';
import {
  type Bucket,
  bucketsOf,
  isGroupable,
  type Measure,
  measures,
  measuresOf,
} from '../../fields/aggregates.ts';
import { en, fieldError } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { type ZoneOffsets, zoneOffsets } from '../../kernel/time-zone.ts';
import {
  groupParameters,
  type ListParameters,
  parseConditions,
  parsePaging,
  wholeList,
} from '../list/parameters.ts';
import { invalidParameter, parseQueryString, sharedQuery, unusableField } from '../list/query-string.ts';
import { defaultSort } from '../list/sort.ts';
import { type Related, RelatedReader } from '../relations/related.ts';
import { mostBytes, type SourceView } from '../view.ts';

/** A key of groups: a field, or the time bucket of its value. */
export interface GroupKey {
  /** Name in the response: `status`, `created_at_day`. */
  readonly name: string;
  readonly column: SourceColumn;
  readonly bucket: Bucket | undefined;
}

/** A value computed for each group from a field. */
export interface GroupMeasure {
  /** Name in the response: `sum_amount`. */
  readonly name: string;
  readonly column: SourceColumn;
  readonly measure: Measure;
}

/** One term of `sort`: a name of the response. */
export interface SortedKey {
  readonly name: string;
  readonly descending: boolean;
}

/** A request for groups, validated and in terms of the source's columns. */
export interface AggregateParameters {
  readonly keys: readonly GroupKey[];
  readonly counted: boolean;
  readonly measured: readonly GroupMeasure[];
  /** The requested order; the keys break ties. */
  readonly sort: readonly SortedKey[];
  /** Differences of local time from UTC. */
  readonly zone: ZoneOffsets;
  /** The conditions on records, and the page of groups. */
  readonly list: ListParameters;
}

/**
 * Most fields of one `group`, `sum`, `avg`, `min` or `max`.
 * @limit Lists | fields of each of `group`, `sum`, `avg`, `min`, `max` | count | 400
 */
const maxFields = 8;

/** Most bytes of the values of one group: a response may have a thousand groups. */
const mostGroupBytes = 8 * 1024 + 256;

const aggregateParameterNames: ReadonlySet<string> = new Set([
  'group',
  'count',
  ...measures,
  'offset',
  'zone',
  'sort',
  'q',
  'page',
  'per_page',
  '_',
]);

/** The distinct parts of a parameter; none if it is absent. */
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

/** Parses `status`, or `created_at:day`. */
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

/** Parses the flag `count`; generated clients send `true` or `false`. */
const parseCounted = (text: string | undefined): boolean => {
  if (text === undefined || text === 'false') return false;
  if (text !== '' && text !== 'true') throw invalidParameter('count');
  return true;
};

/** Parses `+08:00`; an unescaped plus of a query string arrives as a space. */
const parseOffset = (text = 'Z'): ZoneOffsets => {
  const match = /^(?:Z|([ +-])([01]\d|2[0-3]):([0-5]\d))$/.exec(text);
  if (match === null) throw invalidParameter('offset');
  const [, sign, hours = '0', minutes = '0'] = match;
  const ahead = Number(hours) * 3600 + Number(minutes) * 60;
  return { first: sign === '-' ? -ahead : ahead, changes: [] };
};

const refusedZone = (rule: 'time_zone' | 'zone_or_offset'): Problem =>
  new Problem('invalid_record', { errors: [fieldError(en, 'zone', 'zone', rule)] });

/** Parses `offset` or `zone`; the plus of `Etc/GMT+5` arrives as a space as well. */
const parseZone = (single: ReadonlyMap<string, string>): ZoneOffsets => {
  const [name, offset] = [single.get('zone'), single.get('offset')];
  if (name === undefined) return parseOffset(offset);
  if (offset !== undefined) throw refusedZone('zone_or_offset');
  const zone = zoneOffsets(name.replaceAll(' ', '+'));
  if (zone === undefined) throw refusedZone('time_zone');
  return zone;
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

/** Refuses fields whose values would make a thousand groups too long. */
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

/** Names of a group's values, in the order of the response. */
export const groupFields = ({
  keys,
  counted,
  measured,
}: Pick<AggregateParameters, 'keys' | 'counted' | 'measured'>): readonly string[] => {
  const names = keys.map(({ name }) => name);
  if (counted) names.push('count');
  return [...names, ...measured.map(({ name }) => name)];
};

/** The names as a set. @throws Problem `invalid_parameter` for a repeated name, or for none at all */
const distinct = (names: readonly string[]): ReadonlySet<string> => {
  const set = new Set(names);
  if (names.length === 0 || set.size < names.length) throw invalidParameter('group');
  return set;
};

/**
 * Parses the raw query string (without `?`) of a request for groups.
 * @throws Problem `invalid_parameter`; `unusable_field` for every field outside the view, whether it exists or not;
 * `invalid_record` for a zone that does not exist, or beside an offset
 */
export const parseAggregateParameters = (
  view: SourceView,
  raw: string,
  maxPerPage: number,
  related?: Related,
): AggregateParameters => {
  const { single, filters, shared } = groupParameters(parseQueryString(raw), aggregateParameterNames);
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
    zone: parseZone(single),
    list: {
      ...wholeList(view.source),
      ...conditions,
      related: reader.used ? reader.values : undefined,
      // Groups are paged by number only.
      paging: paging.kind === 'page' ? { ...paging, numbered: true } : paging,
      shared: sharedQuery(shared),
    },
  };
};
