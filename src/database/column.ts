import type { Dialect } from './dialect.ts';
import type { Source, SourceColumn } from './source.ts';
import { type Fragment, identifier } from './statement.ts';

/** How a source's rows are called in every statement that lists or shows them. */
export const rowAlias = 't';

/** The column of a source; asking for one that it does not have is a mistake of this program. */
export const columnOf = (source: Source, of: string): SourceColumn => {
  const column = source.columns.get(of);
  if (column === undefined) throw new Error(`source ${source.name} has no column ${of}`);
  return column;
};

const computed = (column: SourceColumn, row: string): Error =>
  new Error(`column ${column.name} is computed, so it is no column of ${row}`);

/**
 * The value of a column. `row` names the row where it is not the alias `t`: SQLite's RETURNING knows the table's own
 * name only. A computed column is written over `t`, so it cannot be had there.
 */
export const storedValue = (column: SourceColumn, dialect: Dialect, row = rowAlias): Fragment => {
  if (column.expression === undefined) return identifier(row, column.name);
  if (row !== rowAlias) throw computed(column, row);
  return column.expression(dialect);
};

/** Whether a column's value is rendered as JSON as it is. */
export const isPlain = ({ type }: SourceColumn, dialect: Dialect): boolean =>
  dialect.columns[type.column].render === undefined;

/** The value of a column that is compared, rendered as JSON in the form that its type parses. */
export const comparedValue = (column: SourceColumn, dialect: Dialect, row = rowAlias): Fragment => {
  const value = storedValue(column, dialect, row);
  const { type, options } = column;
  return dialect.columns[type.column].render?.(value, type.scale?.(options) ?? 0) ?? value;
};

/** A timestamp as text, in the form of the API, whatever the database keeps it as. */
export const timeText = ({ columns }: Dialect, value: Fragment): Fragment =>
  columns.timestamp.render?.(value, 0) ?? value;

/** A column rendered as JSON for the answer. */
export const renderedValue = (column: SourceColumn, dialect: Dialect, row = rowAlias): Fragment => {
  return column.render === undefined ? comparedValue(column, dialect, row) : column.render(dialect, row);
};
