/** Errors of SQLite by meaning: busy, damaged, unwritable, violated constraint, unknown outcome. */

import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConstraintError, type ConstraintKind, TooLongError } from '../database.ts';
import { fenceMessage } from '../fence.ts';
import { databaseDamaged, databaseUnavailable, originalError } from '../problems.ts';

/** An error of node:sqlite: `errcode` is SQLite's extended result code (https://sqlite.org/rescode.html). */
export interface SqliteError extends Error {
  readonly errcode: number;
}

export const isSqliteError = (error: unknown): error is SqliteError =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';

const primaryCode = (error: SqliteError): number => error.errcode & 0xff;

/** SQLITE_BUSY: another connection holds the lock; the same statement may succeed a moment later. */
export const isBusy = (error: unknown): boolean => isSqliteError(error) && primaryCode(error) === 5;

/**
 * SQLITE_IOERR while the log was written or synced (IOERR_WRITE, IOERR_FSYNC, IOERR_DIR_FSYNC): SQLite takes the
 * transaction back, yet its end may be in the file already, where the next process that recovers the log finds it.
 */
const unfinished: ReadonlySet<number> = new Set([778, 1034, 1290]);

/** True if a failed COMMIT may still be durable after a crash. */
export const isCommitOutcomeUnknown = (error: unknown): boolean =>
  isSqliteError(error) && unfinished.has(error.errcode);

/** SQLITE_CONSTRAINT, with the table or the trigger in the extended code. */
const constraint = 19;

/** SQLITE_TOOBIG: a text is longer than the connection's limit. */
const tooBig = 18;

/** NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN, PROTOCOL, and BUSY that lasted. */
const outages: ReadonlySet<number> = new Set([5, 7, 8, 9, 10, 13, 14, 15]);

/** CORRUPT, NOTADB: no later attempt reads what the file does not have. */
const damages: ReadonlySet<number> = new Set([11, 26]);

/** Damage as a kind of IOERR, by the extended code: IOERR_READ, IOERR_DATA, IOERR_CORRUPTFS. */
const unreadable: ReadonlySet<number> = new Set([266, 8202, 8458]);

/** True if the error says that stored data is damaged, rather than that the file cannot be had at this moment. */
export const isDamage = (error: unknown): boolean => {
  const original = originalError(error);
  return isSqliteError(original) && (damages.has(primaryCode(original)) || unreadable.has(original.errcode));
};

/** READONLY, IOERR, FULL, CANTOPEN: every write meets them. */
const unwritable: ReadonlySet<number> = new Set([8, 10, 13, 14]);

export const isUnwritable = (error: unknown): boolean => {
  const original = originalError(error);
  return isSqliteError(original) && unwritable.has(primaryCode(original));
};

/** The system's code for a directory that cannot be written, such as EROFS; undefined if it can. */
export const whyUnwritable = (directory: string): string | undefined => {
  try {
    accessSync(directory, constants.W_OK);
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : undefined;
  }
};

/** Reasons why SQLite cannot write a file, by the system's code for its directory. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'its directory is missing',
  EROFS: 'its volume is read-only; copy the file and its -wal to another place',
  EACCES: 'this user may not write in its directory',
};

/** SQLite has to write beside a file even for reading it: locks and the index of the log. */
const hintOf = (path: string, error: SqliteError): string => {
  if (!isUnwritable(error)) return '';
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return ' (it is a directory)';
  const reason = reasons[whyUnwritable(dirname(resolve(path))) ?? ''];
  return ` (SQLite has to write there: ${reason ?? 'is the disk full?'})`;
};

/** SQLite names no file where it cannot open one. Any other error passes unchanged. */
export const namingFile = (path: string, error: unknown): unknown =>
  isSqliteError(error)
    ? new Error(`${path}: ${error.message}${hintOf(path, error)}`, { cause: error })
    : error;

const kinds: Readonly<Record<number, ConstraintKind>> = {
  787: 'foreign_key',
  1299: 'not_null',
  1555: 'unique',
  2067: 'unique',
  2579: 'unique',
};

const kindOf = (error: SqliteError): ConstraintKind =>
  kinds[error.errcode] ?? (error.message.startsWith('FOREIGN KEY') ? 'foreign_key' : 'check');

/** `UNIQUE constraint failed: orders.number, orders.user_id`, or `…: index 'orders_number_unique'`. */
const columnsOf = (message: string, tableOfIndex: (index: string) => string | undefined): string[] => {
  const named = message.slice(message.indexOf(': ') + 2);
  const index = /^index '(?<name>.*)'$/.exec(named)?.groups?.['name'];
  if (index === undefined) return named.split(', ').map((column) => column.slice(column.indexOf('.') + 1));
  const prefix = `${tableOfIndex(index) ?? ''}_`;
  return index.startsWith(prefix) && index.endsWith('_unique') ? [index.slice(prefix.length, -7)] : [];
};

/** The error that callers of the store see instead of one of SQLite; errors of any other kind pass unchanged. */
export const toDatabaseError = (
  error: unknown,
  tableOfIndex: (index: string) => string | undefined,
): unknown => {
  if (!isSqliteError(error)) return error;
  const code = primaryCode(error);
  if (isDamage(error)) return databaseDamaged(error);
  if (outages.has(code)) return databaseUnavailable(error);
  if (code === tooBig) return new TooLongError(error);
  if (code !== constraint) return error;
  if (error.message.startsWith(fenceMessage)) return databaseUnavailable(error);
  const kind = kindOf(error);
  return new ConstraintError(kind, kind === 'unique' ? columnsOf(error.message, tableOfIndex) : [], error);
};
