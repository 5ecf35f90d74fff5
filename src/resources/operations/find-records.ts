/**
 * Finds a few records by words across the lists that a caller may read.
 *
 * The cost is bounded, whatever the size of the table: a table of up to `newestRows` rows is searched as a whole. In
 * a larger one the newest rows are searched, and all rows by id and by prefixes of indexed fields. A full-text search
 * has all rows of its table, whatever their number.
 */

import type { DeferredCaller } from '../../database/database.ts';
import type { Source, SourceColumn } from '../../database/source.ts';
import type { RecordId, RecordKey } from '../../fields/key.ts';
import { folded } from '../../kernel/search-words.ts';
import { displayFields, displayName } from '../../model/display.ts';
import type { Grant } from '../../policy/grant.ts';
import { isSeekable, type List, listedRows } from '../../records/list.ts';

/** Most rows that are searched, the newest first: 40 ms in a table of a million on SQLite, 60 on PostgreSQL. */
export const newestRows = 50_000;

/** Most records of one list in a result. */
export const foundAtOnce = 5;

/** Most indexed fields whose prefixes are compared. */
const maxPrefixFields = 3;

/** A list that can be searched, with the fields that describe its records. */
export interface Findable {
  readonly list: List;
  readonly source: Source;
  /** How its records are named. */
  readonly key: RecordKey;
  /** Template of a record's name, if there is one, and a further field. */
  readonly display: string | undefined;
  readonly alias?: string;
}

export interface FoundRecord {
  readonly id: RecordId;
  readonly name: string;
  /** The value of the second field, if it adds to the name. */
  readonly alias: string | null;
  /** The part of another field that has the words, if neither the name nor the alias has them. */
  readonly match: string | null;
}

export interface FoundInList {
  readonly records: readonly FoundRecord[];
  /** True if more of the searched rows match. */
  readonly more: boolean;
  /** True if every row was searched. */
  readonly whole: boolean;
}

interface Row {
  readonly id: RecordId;
  readonly [field: string]: unknown;
}

/** An id as a person writes it: `17`, `#17`. */
const idIn = (words: string, key: RecordKey): RecordId | undefined => key.parse(words.replace(/^#/, ''));

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const nameOf = ({ display, alias }: Findable, row: Row): Pick<FoundRecord, 'name' | 'alias'> => {
  const name = display === undefined ? '' : (displayName(display, row) ?? '');
  const other = alias === undefined ? '' : text(row[alias]);
  return {
    name: name === '' ? other || `#${row.id}` : name,
    alias: name === '' || other === '' || other === name ? null : other,
  };
};

/** Characters of a value that an excerpt shows before and after the words. */
const besideWords = 24;

const excerpt = (value: string, at: number, length: number): string => {
  const [from, to] = [Math.max(0, at - besideWords), at + length + besideWords];
  const part = value.slice(from, to).replaceAll(/\s+/g, ' ').trim();
  return `${from > 0 ? '…' : ''}${part}${to < value.length ? '…' : ''}`;
};

/** The part of the first value that has the words, or one of them; null if no value has any. */
const matchIn = (values: readonly string[], words: string): string | null => {
  for (const wanted of new Set([words, ...words.split(/\s+/)])) {
    const sought = folded(wanted);
    for (const value of values) {
      const at = folded(value).indexOf(sought);
      if (at >= 0) return excerpt(value, at, wanted.length);
    }
  }
  return null;
};

/** A found record. `searched` are the fields in which the words were searched. */
const recordOf = (findable: Findable, row: Row, searched: readonly string[], words: string): FoundRecord => {
  const { name, alias } = nameOf(findable, row);
  const isNamed = idIn(words, findable.key) === row.id || matchIn([name, alias ?? ''], words) !== null;
  const values = searched.map((field) => text(row[field]));
  return { id: row.id, name, alias, match: isNamed ? null : matchIn(values, words) };
};

const isSearched = (column: SourceColumn | undefined): column is SourceColumn =>
  column?.comparable !== false && column?.type.searchable === true;

/** Searchable fields whose prefixes an index finds. */
const prefixFields = ({ source }: Findable, { readable }: Grant): readonly string[] =>
  readable
    .map((name) => source.columns.get(name))
    .filter(isSearched)
    .filter((column) => source.indexed.has(column.name) && column.type.operators.includes('starts_with'))
    .filter((column) => isSeekable([{ column, descending: false, nullable: true }]))
    .slice(0, maxPrefixFields)
    .map(({ name }) => name);

/** The fields in which a list is searched for a caller. */
const searchedFields = ({ search, columns }: Source, { readable }: Grant): readonly string[] =>
  search === undefined
    ? readable.filter((name) => isSearched(columns.get(name)))
    : search.fields.filter((name) => readable.includes(name));

/** The id of the last row before the newest ones; undefined in a table that has no more. */
const lastBefore = async (
  { key, list }: Findable,
  grant: Grant,
  newest: RecordId,
  by: DeferredCaller,
): Promise<RecordId | undefined> => {
  if (key.before !== undefined) return key.before(newest, newestRows);
  const page = { per_page: '1', page: String(newestRows + 1), total: 'none' };
  const query = new URLSearchParams({ fields: 'id', sort: '-id', ...page }).toString();
  const [row] = (await listedRows(await list(grant, { query, path: '', by }))) as Row[];
  return row?.id;
};

/** Searches a list within a grant. */
export const findRecords = async (
  findable: Findable,
  grant: Grant,
  words: string,
  by: DeferredCaller,
): Promise<FoundInList> => {
  const { key, list, display = '', alias, source } = findable;
  const searched = searchedFields(source, grant);
  const fields = new Set(
    ['id', ...displayFields(display), alias, ...searched].filter(
      (name) => name !== undefined && grant.readable.includes(name),
    ),
  );
  const read = async (conditions: Readonly<Record<string, string>>): Promise<Row[]> => {
    const ranked = source.search !== undefined && 'q' in conditions;
    const page = { fields: [...fields].join(','), per_page: String(foundAtOnce + 1) };
    const order = ranked ? {} : { sort: '-id', after: '' };
    const query = new URLSearchParams({ ...page, ...order, ...conditions }).toString();
    return (await listedRows(await list(grant, { query, path: '', by }))) as Row[];
  };
  const id = idIn(words, key);
  const searchable = searched.length > 0;
  const [newest] = await read({ per_page: '1' });
  if (newest === undefined) return { records: [], more: false, whole: true };
  const before = await lastBefore(findable, grant, newest.id, by);
  const whole = before === undefined || !searchable || source.search !== undefined;
  const found = await Promise.all([
    id === undefined ? [] : read({ 'filter[id]': key.format(id) }),
    searchable ? read(whole ? { q: words } : { q: words, 'filter[id][gt]': key.format(before) }) : [],
    ...(whole && source.search === undefined ? [] : prefixFields(findable, grant)).map((field) =>
      read({ [`filter[${field}][starts_with]`]: words, sort: field }),
    ),
  ]);
  const rows = [...new Map(found.flat().map((row) => [row.id, row])).values()];
  return {
    records: rows.slice(0, foundAtOnce).map((row) => recordOf(findable, row, searched, words)),
    more: rows.length > foundAtOnce,
    whole,
  };
};
