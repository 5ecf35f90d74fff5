import { createHash } from 'node:crypto';

/** Bytes of a name that PostgreSQL keeps; it cuts what is longer, and two cut names may be one. */
const longest = 63;

const bounded = (base: string, suffix: string): string => {
  if (Buffer.byteLength(base) + suffix.length <= longest) return base + suffix;
  const hash = createHash('sha256').update(base).digest('hex').slice(0, 8);
  let start = base.slice(0, longest - suffix.length - hash.length - 1);
  // A name that a model says may have letters of several bytes.
  while (Buffer.byteLength(start) + suffix.length + hash.length + 1 > longest) start = start.slice(0, -1);
  return `${start.toWellFormed()}_${hash}${suffix}`;
};

/** A unique index is called `<table>_<column>_unique`: by its name a violation tells which field it was. */
export const indexName = (table: string, columns: readonly string[], unique: boolean): string =>
  bounded([table, ...columns].join('_'), unique ? '_unique' : '');

/** Name of a foreign key, as PostgreSQL itself would choose it. */
export const foreignKeyName = (table: string, column: string): string =>
  bounded(`${table}_${column}`, '_fkey');

/** Name of the key of a reference with `same`. */
export const sameKeyName = (table: string, column: string): string => bounded(`${table}_${column}`, '_same');

/** Trigger that raises a record's version when this reference of it becomes null. */
export const nulledTriggerName = (table: string, column: string): string =>
  bounded(`${table}_${column}`, '_nulled');

/** Columns that an index is called by: the id that ends the index of one field is not among them. */
const namingColumns = (columns: readonly string[]): readonly string[] =>
  columns.length === 2 && columns[1] === 'id' ? columns.slice(0, 1) : columns;

/** The name of the table with the words of a table's full-text search. */
export const searchTable = (table: string): string => bounded(`${searchPrefix}${table}`, '');

const searchPrefix = 'gatewright_search_';

/** True if a table holds the words of another one, from which they follow. */
export const isSearchTable = (name: string): boolean => name.startsWith(searchPrefix);

interface Index {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** The name of an index once its table or columns have other names; one that was called otherwise keeps its name. */
export const followingName = (
  { name, columns, unique }: Index,
  before: string,
  after: string,
  rename: (column: string) => string = (column) => column,
): string => {
  const naming = namingColumns(columns);
  return name === indexName(before, naming, unique) ? indexName(after, naming.map(rename), unique) : name;
};
