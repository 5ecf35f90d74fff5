import type { DeferredCaller } from '../database/database.ts';
import type { Source, SourceColumn } from '../database/source.ts';
import type { Grant } from '../policy/grant.ts';
import { type List, listedRows } from '../records/list/list.ts';
import { isSeekable } from '../records/list/sort.ts';

/**
 * Finds a few records by words, for whoever does not know in which list they are. What it costs is bounded, however large
 * the table is: all of it is looked through only where it is no larger than `newestRows`, else the newest records are, and
 * the whole by number and by the beginnings of fields with an index.
 */

/** Records that are looked through, from the newest on: 40 ms of a million on SQLite, 60 on PostgreSQL. */
export const newestRows = 50_000;

/** Records of one list that are answered. */
export const foundAtOnce = 5;

/** Fields with an index whose beginnings are compared. */
const maxLed = 3;

/** A list that is searched, and what of its records is told. */
export interface Findable {
  readonly list: List;
  readonly source: Source;
  /** The readable field that names a record, if one does, and one that says more. */
  readonly named: string | undefined;
  readonly alias?: string;
}

export interface FoundRecord {
  readonly id: number;
  readonly name: string;
  /** What more is said of it than its name. */
  readonly alias: string | null;
}

export interface FoundInList {
  readonly records: readonly FoundRecord[];
  /** Whether there are further ones among those that were looked through. */
  readonly more: boolean;
  /** Whether every record was looked through. */
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

const recordOf = ({ named, alias }: Findable, row: Row): FoundRecord => {
  const name = named === undefined ? '' : text(row[named]);
  const other = alias === undefined ? '' : text(row[alias]);
  return {
    id: row.id,
    name: name === '' ? other || `#${row.id}` : name,
    alias: name === '' || other === '' || other === name ? null : other,
  };
};

const isSearched = (column: SourceColumn | undefined): column is SourceColumn =>
  column?.comparable !== false && column?.type.searchable === true;

/** Fields that are searched anyhow, and by whose beginnings an index leads. */
const ledFields = ({ source }: Findable, { readable }: Grant): readonly string[] =>
  readable
    .map((name) => source.columns.get(name))
    .filter(isSearched)
    .filter((column) => source.indexed.has(column.name) && column.type.operators.includes('starts_with'))
    .filter((column) => isSeekable([{ column, descending: false, nullable: true }]))
    .slice(0, maxLed)
    .map(({ name }) => name);

/** What somebody finds in a list whose records they may read as the grant says. */
export const findRecords = async (
  findable: Findable,
  grant: Grant,
  words: string,
  by: DeferredCaller,
): Promise<FoundInList> => {
  const { list, named, alias, source } = findable;
  const told = ['id', named, alias].filter((name) => name !== undefined && grant.readable.includes(name));
  const read = async (conditions: Readonly<Record<string, string>>): Promise<Row[]> => {
    const asked = { fields: told.join(','), sort: '-id', per_page: String(foundAtOnce + 1), after: '' };
    const query = new URLSearchParams({ ...asked, ...conditions }).toString();
    return (await listedRows(await list(grant, { query, path: '', by }))) as Row[];
  };
  const id = idIn(words);
  const searchable = grant.readable.some((name) => isSearched(source.columns.get(name)));
  const [newest] = await read({ per_page: '1' });
  if (newest === undefined) return { records: [], more: false, whole: true };
  const from = newest.id - newestRows + 1;
  const whole = from <= 1 || !searchable;
  const found = await Promise.all([
    id === undefined ? [] : read({ 'filter[id]': String(id) }),
    searchable ? read({ q: words, ...(whole ? {} : { 'filter[id][gte]': String(from) }) }) : [],
    ...(whole ? [] : ledFields(findable, grant)).map((field) =>
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
