/** Lists as CSV (RFC 4180, UTF-8): the head line and the lines of records, made from JSON text piece by piece. */

import { ExactNumber, exactText, parseExact } from '../kernel/exact-json.ts';
import { escapeFormulas } from '../kernel/formulas.ts';
import type { Json, JsonObject } from '../kernel/json.ts';

/** The media type of RFC 4180 in UTF-8; the first line has the names of the fields. */
export const csvType = 'text/csv; charset=utf-8; header=present';

export interface CsvColumn {
  readonly name: string;
  /** True if every value is written as JSON text, a text too: else `1` and `"1"` were the same. */
  readonly json: boolean;
}

/**
 * Cells that have to stand in quotes: those that the format names, and separators of other spreadsheets, an empty text,
 * which would be no value, and blanks at an end, which are often taken off.
 */
const needsQuotes = /["\r\n,;|\t]|^$|^\s|\s$/;

const textCell = (text: string): string => {
  const safe = escapeFormulas(text);
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** No value is nothing between two commas. */
const cellOf = (value: Json, json: boolean): string => {
  if (value === null) return '';
  if (json || (typeof value === 'object' && !(value instanceof ExactNumber)))
    return textCell(exactText(value));
  // A number that PostgreSQL writes with more digits than JavaScript.
  if (value instanceof ExactNumber) return String(Number(value.text));
  return typeof value === 'string' ? textCell(value) : String(value);
};

/** A line of one empty cell would be an empty line, which most readers leave out. */
const lineOf = (cells: readonly string[]): string => `${cells.join(',') || '""'}\r\n`;

/** The head line. */
export const csvHead = (columns: readonly CsvColumn[]): string =>
  lineOf(columns.map(({ name }) => textCell(name)));

/** The lines of records. */
export const csvLines = (columns: readonly CsvColumn[], records: readonly JsonObject[]): string => {
  let lines = '';
  for (const record of records)
    lines += lineOf(columns.map(({ name, json }) => cellOf(record[name] ?? null, json)));
  return lines;
};

/** The whole file piece by piece, of records that come as texts of JSON joined by commas. */
export async function* csvPieces(
  columns: readonly CsvColumn[],
  chunks: AsyncIterator<string>,
): AsyncGenerator<string> {
  try {
    let head = csvHead(columns);
    for (let chunk = await chunks.next(); chunk.done !== true; chunk = await chunks.next()) {
      yield head + csvLines(columns, parseExact(`[${chunk.value}]`) as JsonObject[]);
      head = '';
    }
    if (head !== '') yield head;
  } finally {
    await chunks.return?.();
  }
}
