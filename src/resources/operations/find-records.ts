/**
 * Finds a few records by words across the lists that a caller may read.
 *
 * The cost is bounded, whatever the size of the table: a table of up to `newestRows` rows is searched as a whole. In
 * a larger one the newest rows are searched, and all rows by id and by prefixes of indexed fields. A full-text search
 * has all rows of its table, whatever their number.
 */

import type { DeferredCaller } from '../../database/database.ts';
import type { Source, SourceColumn } from '../../database/source.ts';
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
  /** Template of a record's name, if there is one, and a further field. */
  readonly display: string | undefined;
  readonly alias?: string;
}

export interface FoundRecord {
  readonly id: number;
  readonly name: string;
  /** The value of the second field, if it adds to the name. */
  readonly alias: string | null;
}

export interface FoundInList {
  readonly records: readonly FoundRecord[];
  /** True if more of the searched rows match. */
  readonly more: boolean;
  /** True if every row was searched. */
  readonly whole: boolean;
}

interface Row {
  readonly id: number;
  readonly [field: string]: unknown;
}

/** An id as a person writes it: `17`, `#17`. */
const idIn = (words: string): number | undefined => {
  const [, digits] = /^#?([1-9]\d{0,14})$/.exec(words) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const recordOf = ({ display, alias }: Findable, row: Row): FoundRecord => {
  const name = display === undefined ? '' : (displayName(display, row) ?? '');
  const other = alias === undefined ? '' : text(row[alias]);
  return {
    id: row.id,
    name: name === '' ? other || `#${row.id}` : name,
    alias: name === '' || other === '' || other === name ? null : other,
  };
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

/** Searches a list within a grant. */
export const findRecords = async (
  findable: Findable,
  grant: Grant,
  words: string,
  by: DeferredCaller,
): Promise<FoundInList> => {
  const { list, display = '', alias, source } = findable;
  const fields = ['id', ...displayFields(display), alias].filter(
    (name) => name !== undefined && grant.readable.includes(name),
  );
  const read = async (conditions: Readonly<Record<string, string>>): Promise<Row[]> => {
    const ranked = source.search !== undefined && 'q' in conditions;
    const page = { fields: fields.join(','), per_page: String(foundAtOnce + 1) };
    const order = ranked ? {} : { sort: '-id', after: '' };
    const query = new URLSearchParams({ ...page, ...order, ...conditions }).toString();
    return (await listedRows(await list(grant, { query, path: '', by }))) as Row[];
  };
  const id = idIn(words);
  const searchable =
    source.search === undefined
      ? grant.readable.some((name) => isSearched(source.columns.get(name)))
      : source.search.columns.some((name) => grant.readable.includes(name));
  const [newest] = await read({ per_page: '1' });
  if (newest === undefined) return { records: [], more: false, whole: true };
  const from = newest.id - newestRows + 1;
  const whole = from <= 1 || !searchable || source.search !== undefined;
  const found = await Promise.all([
    id === undefined ? [] : read({ 'filter[id]': String(id) }),
    searchable ? read(whole ? { q: words } : { q: words, 'filter[id][gte]': String(from) }) : [],
    ...(whole && source.search === undefined ? [] : prefixFields(findable, grant)).map((field) =>
      read({ [`filter[${field}][starts_with]`]: words, sort: field }),
    ),
  ]);
  const rows = [...new Map(found.flat().map((row) => [row.id, row])).values()];
  return {
    records: rows.slice(0, foundAtOnce).map((row) => recordOf(findable, row)),
    more: rows.length > foundAtOnce,
    whole,
  };
};
