import type { ColumnValue } from '../../fields/field.ts';
import { invalidParameter } from './query-string.ts';
import { type Sort, sortSignature } from './sort.ts';

/**
 * A cursor says after which row a page begins: base64url of the JSON array `[sort, value…, key]`, the values as they
 * are answered. With `<` before the sort it says before which row a page ends; with no values behind that, the page is
 * the last one. Orders of which a place may be long have none (`isSeekable`). It is not signed: its values are only compared with columns that the caller may sort and filter by,
 * so a forged one learns nothing that a filter would not tell, and grants nothing that the row filter withholds.
 */
export interface Cursor {
  readonly values: readonly ColumnValue[];
  readonly before?: true;
}

/** Which way a cursor leads: to the rows after its own, or to those before it. */
export type Direction = 'after' | 'before';

/** Characters of a cursor: with its list's path it stays below what a Link header holds. */
export const maxCursorLength = 11_500;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const parseArray = (text: string): unknown[] | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const decodeText = (cursor: string): string | undefined => {
  if (cursor.length > maxCursorLength || !/^[\w-]+$/.test(cursor)) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  // One spelling for one cursor: bits that the decoder drops are refused.
  if (bytes.toString('base64url') !== cursor) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
};

/** One value as the column takes it; undefined where it is no value of this column. */
const columnValue = (sort: Sort, index: number, value: unknown): ColumnValue | undefined => {
  const term = sort[index];
  if (term === undefined) return undefined;
  if (value === null) return term.nullable ? null : undefined;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const text = String(value);
  if (!text.isWellFormed() || text.includes('\0')) return undefined;
  return term.column.type.parse(text, term.column.options) ?? undefined;
};

/** The values that the database rendered for a row's place in the order, as columns take them. */
export const placeOf = (sort: Sort, values: readonly unknown[]): readonly ColumnValue[] | undefined => {
  if (values.length !== sort.length) return undefined;
  const decoded: ColumnValue[] = [];
  for (const [index, value] of values.entries()) {
    const parsed = columnValue(sort, index, value);
    if (parsed === undefined) return undefined;
    decoded.push(parsed);
  }
  return decoded;
};

/** Reads a cursor; undefined where it is none, is damaged, or was made for another order. */
export const decodeCursor = (cursor: string, sort: Sort): Cursor | undefined => {
  const text = decodeText(cursor);
  const array = text === undefined ? undefined : parseArray(text);
  if (array === undefined) return undefined;
  const [order, ...told] = array;
  const backward = order === signature(sort, 'before');
  if (!backward && order !== signature(sort, 'after')) return undefined;
  if (backward && told.length === 0) return { values: [], before: true };
  const values = placeOf(sort, told);
  return values && { values, ...(backward && { before: true }) };
};

const signature = (sort: Sort, direction: Direction): string =>
  direction === 'before' ? `<${sortSignature(sort)}` : sortSignature(sort);

/**
 * The cursor of the row with these values in the order.
 * @throws Problem `invalid_parameter` where escapes make it too long: a walk that ends there would not be whole
 */
export const encodeCursor = (
  sort: Sort,
  values: readonly unknown[],
  direction: Direction = 'after',
): string => {
  const cursor = Buffer.from(JSON.stringify([signature(sort, direction), ...values])).toString('base64url');
  if (cursor.length > maxCursorLength) throw invalidParameter('sort');
  return cursor;
};

/** The last (or first) of the places that the database told, one JSON array a line (JSON text holds no line feed). */
export const parsePlace = (places: string, which: 'last' | 'first' = 'last'): unknown[] => {
  const line = which === 'last' ? places.slice(places.lastIndexOf('\n') + 1) : places.split('\n', 1)[0];
  const values = parseArray(line ?? '');
  if (values === undefined) throw new Error('the database told a place that is no array');
  return values;
};
