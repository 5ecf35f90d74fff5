import { hash } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue as SqlValue } from 'node:sqlite';
import { textRank } from '../../kernel/search-words.ts';

/** The JSON of a double, which SQLite itself writes with 17 digits, `.0` and two digits of an exponent. */
export const jsonNumber = 'gatewright_json_number';

/** The hash of the values of a row: see `Dialect.rowHash`. */
export const hashOfRow = 'gatewright_row_hash';

/** How well a text matches words that spaces separate; 0 for null. */
export const rankOfText = 'gatewright_text_rank';

/** The id of a key of several columns, from their values; null if one is null. */
export const idOfValues = 'gatewright_id';

/** The value at a place of such an id, as text; null for an id of fewer places. */
export const valueOfId = 'gatewright_id_value';

const idText = (...values: readonly SqlValue[]): string | null =>
  values.includes(null) ? null : values.map((value) => encodeURIComponent(String(value))).join(',');

const idValue = (id: SqlValue, place: SqlValue): string | null => {
  const spelled = String(id).split(',')[Number(place)];
  return spelled === undefined ? null : decodeURIComponent(spelled);
};

/** Each value with its type and length, so that no two rows have one text. */
const rowHash = (...values: readonly SqlValue[]): number => {
  const parts = values.map((value) => {
    const text = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
    return `${value === null ? 'null' : typeof value} ${text.length} ${text}`;
  });
  return Number.parseInt(hash('sha256', parts.join('\n'), 'hex').slice(0, 13), 16);
};

/**
 * Gives a connection the functions that the dialect's statements call. No schema may: other programs open the file, and
 * an older release.
 */
export const addFunctions = (database: DatabaseSync): void => {
  const options = { deterministic: true, directOnly: true };
  database.function(jsonNumber, options, (value) => (value === null ? null : JSON.stringify(value)));
  database.function(hashOfRow, { ...options, varargs: true, useBigIntArguments: true }, rowHash);
  database.function(idOfValues, { ...options, varargs: true, useBigIntArguments: true }, idText);
  database.function(valueOfId, options, idValue);
  database.function(rankOfText, options, (words, text) =>
    text === null ? 0 : textRank(String(words).split(' '), String(text)),
  );
};
