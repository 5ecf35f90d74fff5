import type { Dialect } from '../dialect.ts';
import type { Ask, IndexedColumn, IndexShape, Tables } from '../introspection.ts';
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

/**
 * Every table of the database (of the current schema), by name. Tables of words are part of those whose words they
 * hold.
 */
export const readTables = async (ask: Ask, { schema: { introspection } }: Dialect): Promise<Tables> => {
  const columns = group(await introspection.columns(ask), ({ table }) => table);
  const indexes = group(await introspection.indexes(ask), ({ table }) => table);
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
