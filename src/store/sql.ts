import type { Dialect } from '../fields/field.ts';
import type { SourceColumn } from './source.ts';

/** A name as SQL text. Names come from the application's own definitions, yet a quote in one must not end it. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A text as an SQL literal, for texts of the application's own (keys of the JSON); values are bound instead. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** How a source's rows are called in every statement that lists or shows them. */
export const rowAlias = 't';

/**
 * A selection as the JSON text of one row, on PostgreSQL. A bare name there is that of a column first, also of one of
 * the statement around it, so the row has a name that no field can have.
 */
export const rowToJson = (selection: string): string =>
  `(select row_to_json(_row)::text from (select ${selection}) as _row)`;

/**
 * The value of a column. `row` is the SQL name of the row where it is not the alias `t`: SQLite's RETURNING knows the
 * table's own name only. A computed column is written over `t`, so it cannot be had there.
 */
export const columnSql = (column: SourceColumn, dialect: Dialect, row = rowAlias): string => {
  if (column.expression === undefined) return `${row}.${quoteName(column.name)}`;
  if (row !== rowAlias) throw new Error(`column ${column.name} is computed, so it is no column of ${row}`);
  return column.expression(dialect);
};

/** What is compared of a column, rendered as JSON in the form that its type parses. */
export const comparedSql = (column: SourceColumn, dialect: Dialect, row = rowAlias): string => {
  const value = columnSql(column, dialect, row);
  return column.type.render?.(value, column.options, dialect) ?? value;
};

/** A column rendered as JSON for the answer. */
export const renderedSql = (column: SourceColumn, dialect: Dialect, row = rowAlias): string => {
  if (column.render === undefined) return comparedSql(column, dialect, row);
  if (row !== rowAlias) throw new Error(`column ${column.name} is computed, so it is no column of ${row}`);
  return column.render(dialect);
};

/**
 * Hands out numbered placeholders, so that a condition that stands in a statement several times (rows, count, what
 * comes next) is bound once. Slots are positions in the array of values that a request brings.
 */
export class Placeholders {
  readonly #sign: string;
  readonly #slots: number[] = [];

  constructor(dialect: Dialect) {
    this.#sign = dialect === 'sqlite' ? '?' : '$';
  }

  of(slot: number): string {
    const known = this.#slots.indexOf(slot);
    return `${this.#sign}${known === -1 ? this.#slots.push(slot) : known + 1}`;
  }

  get slots(): readonly number[] {
    return this.#slots;
  }
}
