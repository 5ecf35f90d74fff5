/** Reading files of CSV and of JSON lines. */

import { type Cell, CellError, csvCells } from '../../../src/kernel/csv-cells.ts';
import { exactJson } from '../exact.ts';

/** Maximum size of a file for this page, in bytes; `gatewright import` takes any size. */
export const maxBytes = 20 * 1024 * 1024;

/** A line of a file: its values by column, or the reason why it cannot be read. */
export interface FileLine {
  readonly line: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly flaw?: string;
}

export interface FileContent {
  /** True for CSV, whose cells have no types. */
  readonly texts: boolean;
  readonly columns: readonly string[];
  readonly lines: readonly FileLine[];
  /** Numbers of lines that contain only commas and are no records. */
  readonly emptyLines: readonly number[];
}

interface Cut {
  readonly line: number;
  readonly text: string;
}

/** Records of CSV: an end of line within quotes belongs to its record. */
const csvRecords = (text: string): Cut[] => {
  const records: Cut[] = [];
  let begun: string[] = [];
  let quotes = 0;
  for (const [index, part] of text.split('\n').entries()) {
    begun.push(part);
    quotes += part.split('"').length - 1;
    if (quotes % 2 !== 0) continue;
    const whole = begun.join('\n').replace(/\r$/, '');
    if (whole !== '') records.push({ line: index + 2 - begun.length, text: whole });
    begun = [];
    quotes = 0;
  }
  if (begun.length > 0)
    records.push({ line: text.split('\n').length + 1 - begun.length, text: begun.join('\n') });
  return records;
};

const cellsOf = (text: string): Cell[] | string => {
  try {
    return csvCells(text);
  } catch (error) {
    if (error instanceof CellError) return error.message;
    throw error;
  }
};

const readCsv = (text: string): FileContent => {
  const [head, ...records] = csvRecords(text);
  const cells = head === undefined ? [] : cellsOf(head.text);
  const columns = typeof cells === 'string' ? [] : cells.map((cell) => cell ?? '');
  const emptyLines: number[] = [];
  const lines = records.flatMap(({ line, text: record }): FileLine[] => {
    const found = cellsOf(record);
    if (typeof found === 'string') return [{ line, values: {}, flaw: found }];
    // Spreadsheets write lines of commas after the last row.
    if (found.length > 1 && found.every((cell) => cell === null)) {
      emptyLines.push(line);
      return [];
    }
    if (found.length !== columns.length)
      return [{ line, values: {}, flaw: `${found.length} ≠ ${columns.length}` }];
    return [{ line, values: Object.fromEntries(columns.map((name, place) => [name, found[place] ?? null])) }];
  });
  return { texts: true, columns, lines, emptyLines };
};

const readJson = (text: string): FileContent => {
  const columns = new Set<string>();
  const lines = text.split('\n').flatMap((part, index): FileLine[] => {
    if (part.trim() === '') return [];
    const line = index + 1;
    try {
      const record: unknown = exactJson.parse(part);
      if (typeof record !== 'object' || record === null || Array.isArray(record))
        return [{ line, values: {}, flaw: 'JSON' }];
      for (const name of Object.keys(record)) columns.add(name);
      return [{ line, values: { ...record } }];
    } catch {
      return [{ line, values: {}, flaw: 'JSON' }];
    }
  });
  return { texts: false, columns: [...columns], lines, emptyLines: [] };
};

/** Reads CSV, whose first line names the columns, or JSON lines. */
export const readFile = async (file: File): Promise<FileContent> => {
  const text = (await file.text()).replace(/^\uFEFF/, '');
  return text.trimStart().startsWith('{') ? readJson(text) : readCsv(text);
};
