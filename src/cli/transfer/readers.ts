/** Parses the records of an import, in CSV or JSON lines. */

import { type Cell, CellError, csvCells } from '../../kernel/csv-cells.ts';
import { parseExact } from '../../kernel/exact-json.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import { unescapeFormulas } from '../../kernel/formulas.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import type { ModelField } from '../../model/resource.ts';
import type { ImportLine } from '../../resources/operations.ts';
import { CommandError } from '../io.ts';
import type { Frame } from './frames.ts';
import type { ImportFields } from './import-fields.ts';

/** Parses a record; undefined for a blank line. */
export type ReadLine = (frame: Frame) => ImportLine | undefined;

const notUtf8 = 'it is not UTF-8';

const wrong = (message: string, field = ''): FieldError => ({ field, rule: 'custom', message });

/** A line that cannot be parsed. */
export const unreadable = (number: number, message: string): ImportLine => ({
  number,
  values: {},
  errors: [wrong(message)],
});

/** The cells, or the mistake in them. */
const cellsOf = ({ text }: Frame): Cell[] | string => {
  if (text === undefined) return notUtf8;
  try {
    return csvCells(text);
  } catch (error) {
    if (error instanceof CellError) return error.message;
    throw error;
  }
};

/** Delimiters that other programs use. */
const separatorHint = (cells: readonly Cell[]): string =>
  cells.length === 1 && /[;\t|]/.test(cells[0] ?? '') ? ' (the cells of CSV are separated by commas)' : '';

/** The fields of the columns; undefined for a skipped column. */
const columnsOf = (fields: ImportFields, head: Frame): readonly (ModelField | undefined)[] => {
  const cells = cellsOf(head);
  const fail = (message: string): never => {
    throw new CommandError(`line ${head.line}, the names of the fields: ${message}`);
  };
  if (typeof cells === 'string') return fail(cells);
  const seen = new Set<string>();
  const columns = cells.map((cell) => {
    const name = cell ?? '';
    if (name === '') return fail('a column has no name');
    if (seen.has(name)) return fail(`"${name}" stands there twice`);
    seen.add(name);
    const role = fields.role(name);
    if (role.kind === 'unknown') return fail(role.message + separatorHint(cells));
    return role.kind === 'written' ? role.field : undefined;
  });
  if (fields.by !== undefined && !seen.has(fields.by)) return fail(`there is no column "${fields.by}"`);
  return columns;
};

/** The value of a cell for a body, without the prefix that protects spreadsheets. */
const readCell = (cell: Cell, { type }: ModelField): Json =>
  cell === null ? null : type.fromText(cell.includes("'") ? unescapeFormulas(cell) : cell);

/**
 * Parses the lines of CSV after its header. A line of only commas, as spreadsheets write them behind the last row, is
 * no record: `onEmptyLine` is called with the first one.
 * @throws CommandError if the header names unknown fields
 */
export const csvReader = (
  fields: ImportFields,
  head: Frame,
  onEmptyLine: (line: number) => void,
): ReadLine => {
  const columns = columnsOf(fields, head);
  let isReported = false;
  return (frame) => {
    if (frame.text === '') return undefined;
    const cells = cellsOf(frame);
    if (typeof cells === 'string') return unreadable(frame.line, cells);
    if (cells.length !== columns.length)
      return unreadable(frame.line, `it has ${cells.length} cells, and the first line ${columns.length}`);
    if (cells.length > 1 && cells.every((cell) => cell === null)) {
      if (!isReported) onEmptyLine(frame.line);
      isReported = true;
      return undefined;
    }
    const values: Record<string, Json> = {};
    for (const [place, field] of columns.entries())
      if (field !== undefined) values[field.name] = readCell(cells[place] ?? null, field);
    return { number: frame.line, values, errors: [] };
  };
};

const parsed = (text: string): Json | undefined => {
  try {
    return parseExact(text) as Json;
  } catch {
    return undefined;
  }
};

/** Parses JSON lines: an object on each line. */
export const jsonReader =
  (fields: ImportFields): ReadLine =>
  ({ line, text }) => {
    if (text === undefined) return unreadable(line, notUtf8);
    if (text.trim() === '') return undefined;
    const record = parsed(text);
    if (record === undefined || !isJsonObject(record)) return unreadable(line, 'it is not a JSON object');
    const values: Record<string, Json> = {};
    const errors: FieldError[] = [];
    for (const [name, value] of Object.entries(record)) {
      const role = fields.role(name);
      if (role.kind === 'unknown') errors.push(wrong(role.message, name.slice(0, 60)));
      if (role.kind === 'written') values[name] = value;
    }
    return { number: line, values, errors };
  };
