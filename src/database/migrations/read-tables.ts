/** The tables of a database as migrations see them: the service's own by the names that describe them. */

import type { Dialect } from '../dialect.ts';
import type { Ask, ColumnShape, IndexedColumn, IndexShape, Tables } from '../introspection.ts';
import type { ServiceNames } from '../service-names.ts';
import { isSearchTable, searchTable } from './names.ts';

const group = <T>(rows: readonly T[], keyOf: (row: T) => string): ReadonlyMap<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [row]);
    else known.push(row);
  }
  return groups;
};

const indexShapes = (rows: readonly IndexedColumn[]): IndexShape[] =>
  [...group(rows, ({ index }) => index)].flatMap(([name, parts]) => {
    const columns = parts.flatMap(({ column }) => column ?? []);
    return columns.length === parts.length
      ? [{ name, columns, unique: parts.every(({ unique }) => unique) }]
      : [];
  });

/** Rows of the catalogue with the described names of their tables, without tables of others that have such a name. */
const described =
  (names: ServiceNames) =>
  <Row extends { readonly table: string }>(rows: readonly Row[]): readonly Row[] =>
    rows.flatMap((row) => {
      const table = names.described(row.table);
      return table === undefined ? [] : [table === row.table ? row : { ...row, table }];
    });

/** A column whose reference has the described name of its table; that of another program has none of ours. */
const refersTo =
  (names: ServiceNames) =>
  <Column extends Pick<ColumnShape, 'references'>>(column: Column): Column => {
    const { references } = column;
    if (references === undefined) return column;
    const table = names.described(references.table) ?? `another program's ${references.table}`;
    return table === references.table ? column : { ...column, references: { ...references, table } };
  };

/**
 * Every table of the database (of the current schema), by name. Tables of words are part of those whose words they
 * hold. The service's own have the names that describe them.
 */
export const readTables = async (
  ask: Ask,
  { names, schema: { introspection } }: Dialect,
): Promise<Tables> => {
  const describe = described(names);
  const columns = group(
    describe(await introspection.columns(ask)).map(refersTo(names)),
    ({ table }) => table,
  );
  const indexes = group(describe(await introspection.indexes(ask)), ({ table }) => table);
  const searches = new Map(
    (await introspection.searches(ask)).map((found): [string, string[]] => [
      found.table,
      JSON.parse(found.columns),
    ]),
  );
  return new Map(
    [...columns]
      .filter(([name]) => !isSearchTable(name))
      .map(([name, list]) => [
        name,
        {
          name,
          columns: new Map(list.map(({ table: _, ...column }) => [column.name, column])),
          indexes: indexShapes(indexes.get(name) ?? []),
          search: searches.get(searchTable(name)),
        },
      ]),
  );
};
