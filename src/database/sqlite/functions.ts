import type { DatabaseSync } from 'node:sqlite';

/** The JSON of a double, which SQLite itself writes with 17 digits, `.0` and two digits of an exponent. */
export const jsonNumber = 'gatewright_json_number';

/**
 * Gives a connection the functions that the dialect's statements call. No schema may: other programs open the file, and
 * an older release.
 */
export const addFunctions = (database: DatabaseSync): void =>
  database.function(jsonNumber, { deterministic: true, directOnly: true }, (value) =>
    value === null ? null : JSON.stringify(value),
  );
