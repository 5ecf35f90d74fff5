import type { Dialect } from '../fields/field.ts';
import type { Source, SourceColumn } from './source.ts';
import { columnSql, quoteName, quoteText, renderedSql, rowAlias, rowToJson } from './sql.ts';

/** Columns of one `json_object`: builds of SQLite take 127 arguments of a function, newer ones 1,000. */
const columnsPerObject = 50;

/** Values of up to this many bytes make no page too large. */
const lightBytes = 4096;

/** The column of a source; asking for one that it does not have is a mistake of this program. */
export const columnOf = (source: Source, name: string): SourceColumn => {
  const column = source.columns.get(name);
  if (column === undefined) throw new Error(`source ${source.name} has no column ${name}`);
  return column;
};

const sqliteObject = (columns: readonly SourceColumn[], row: string): string =>
  `json_object(${columns.map((column) => `${quoteText(column.name)}, ${renderedSql(column, 'sqlite', row)}`).join(', ')})`;

/** `{…}` and `{…}` joined as one object: all but the last lose their `}`, all but the first their `{`. */
const sqliteProjection = (columns: readonly SourceColumn[], row: string): string => {
  const objects: string[] = [];
  for (let start = 0; start < columns.length; start += columnsPerObject)
    objects.push(sqliteObject(columns.slice(start, start + columnsPerObject), row));
  if (objects.length === 1) return objects.join('');
  const last = objects.length - 1;
  return `(${objects
    .map((object, index) => {
      // A negative length counts backwards: everything before the last character, computed once.
      const open = index === last ? object : `substr(${object}, -1, -2000000000)`;
      return index === 0 ? open : `substr(${open}, 2)`;
    })
    .join(" || ',' || ")})`;
};

const postgresProjection = (columns: readonly SourceColumn[], row: string): string => {
  const list = columns.map(
    (column) => `${renderedSql(column, 'postgres', row)} as ${quoteName(column.name)}`,
  );
  return rowToJson(list.join(', '));
};

/**
 * An SQL expression of one row's JSON text: compact, keys in the order of `fields`, byte for byte the same on both
 * databases. It needs no FROM of its own, so it serves SELECT and RETURNING alike. `row` is the SQL name of the row
 * where that is not the alias `t`.
 */
export const projectionSql = (
  source: Source,
  fields: readonly string[],
  dialect: Dialect,
  row = rowAlias,
): string => {
  const columns = fields.map((name) => columnOf(source, name));
  if (columns.length === 0) return `'{}'`;
  return dialect === 'sqlite' ? sqliteProjection(columns, row) : postgresProjection(columns, row);
};

const isLight = (column: SourceColumn, bytes: number): boolean =>
  column.render !== undefined || (column.type.indexBytes?.(column.options) ?? 0) <= bytes;

/** Neither database reads a long value to tell its length. */
const octets = (column: SourceColumn, dialect: Dialect): string =>
  dialect === 'sqlite'
    ? `octet_length(${columnSql(column, dialect)})`
    : `octet_length((${columnSql(column, dialect)})::text)::bigint`;

/**
 * SQL of the bytes (or null for none) that a row holds in those columns that may hold more than `bytes` each;
 * undefined where none may.
 */
export const heavyBytesSql = (
  columns: readonly SourceColumn[],
  dialect: Dialect,
  bytes = lightBytes,
): string | undefined => {
  const heavy = columns.filter((column) => !isLight(column, bytes));
  if (heavy.length === 0) return undefined;
  const lengths = heavy.map((column) => octets(column, dialect));
  return lengths.length === 1
    ? lengths.join()
    : lengths.map((length) => `coalesce(${length}, 0)`).join(' + ');
};
