import type { DatabaseSync } from 'node:sqlite';
import { textRank } from '../../kernel/search-words.ts';

/** The JSON of a double, which SQLite itself writes with 17 digits, `.0` and two digits of an exponent. */
export const jsonNumber = 'gatewright_json_number';

/** How well a text matches words that spaces separate; 0 for null. */
export const rankOfText = 'gatewright_text_rank';

/**
 * Gives a connection the functions that the dialect's statements call. No schema may: other programs open the file, and
 * an older release.
 */
export const addFunctions = (database: DatabaseSync): void => {
  const options = { deterministic: true, directOnly: true };
  database.function(jsonNumber, options, (value) => (value === null ? null : JSON.stringify(value)));
  database.function(rankOfText, options, (words, text) =>
    text === null ? 0 : textRank(String(words).split(' '), String(text)),
  );
};
