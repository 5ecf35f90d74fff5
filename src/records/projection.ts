import { columnOf, renderedValue, rowAlias, storedValue } from '../database/column.ts';
import type { Dialect } from '../database/dialect.ts';
import type { Source, SourceColumn } from '../database/source.ts';
import { type Fragment, join, sql } from '../database/statement.ts';

/** Values of up to this many bytes make no page too large. */
const lightBytes = 4096;

/**
 * One row's JSON text: compact, keys in the order of `fields`, byte for byte the same on every database. It needs no
 * FROM of its own, so it serves SELECT and RETURNING alike. `row` names the row where that is not the alias `t`.
 */
export const projection = (
  source: Source,
  fields: readonly string[],
  dialect: Dialect,
  row = rowAlias,
): Fragment =>
  fields.length === 0
    ? sql`'{}'`
    : dialect.objectText(
        fields.map((name) => ({ name, value: renderedValue(columnOf(source, name), dialect, row) })),
      );

/** Most bytes that a value of a column has where it is compared or answered as the column keeps it. */
export const mostBytes = ({ type, options }: SourceColumn): number => type.indexBytes?.(options) ?? 16;

/**
 * The bytes that a row holds in those columns that may be long; null or 0 for none, undefined where none may.
 */
export const longBytes = (columns: readonly SourceColumn[], dialect: Dialect): Fragment | undefined => {
  const long = columns.filter((column) => column.render === undefined && mostBytes(column) > lightBytes);
  const lengths = long.map((column) => dialect.octets(storedValue(column, dialect)));
  const [only, second] = lengths;
  if (second === undefined) return only;
  return join(
    lengths.map((length) => sql`coalesce(${length}, 0)`),
    ' + ',
  );
};
