/** One writer at a time across processes: a lock that the operating system releases when its owner dies. */

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '../kernel/error-message.ts';
import { codeOf } from './credential-files.ts';
import { VaultError } from './vault-error.ts';

const sqliteBusy = 5;
const retryMilliseconds = 20;

/**
 * Creates the file with mode 0600; SQLite would make it readable for all. Opened and closed within one turn of the
 * event loop: closing any descriptor of a file drops the POSIX locks that the process holds on it, so this must not
 * touch an existing file.
 */
const createPrivately = (path: string): void => {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
};

/** The acquired lock, undefined while another holder has it. */
const tryLock = (path: string): DatabaseSync | undefined => {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return undefined;
    throw new VaultError(`${path}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
};

/**
 * Runs `task` while no other process or caller runs one under the same path. The lock is the operating system's,
 * taken through SQLite on an empty file: it ends with its holder in every case, so there are no stale locks and no
 * reused process ids to detect. The file is never removed: removing it while it is held would allow two locks.
 * @param waitMilliseconds how long to wait for another holder. Throws `VaultError` after that.
 */
export const withLock = async <T>(
  path: string,
  task: () => Promise<T>,
  waitMilliseconds = 10_000,
): Promise<T> => {
  createPrivately(path);
  const deadline = performance.now() + waitMilliseconds;
  let lock = tryLock(path);
  while (lock === undefined) {
    if (performance.now() >= deadline) throw new VaultError(`${path} is held by another command: try again`);
    await delay(retryMilliseconds);
    lock = tryLock(path);
  }
  try {
    return await task();
  } finally {
    lock.close();
  }
};
