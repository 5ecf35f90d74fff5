/** Private directory for unfinished files beside their destination, with a lock that ends with its process. */

import { closeSync, openSync } from 'node:fs';
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy, namingFile } from './sqlite/errors.ts';

/** An empty file in such a directory, locked by the process that works in it. */
const lockName = 'gatewright.lock';

const makePrivately = (path: string): void => {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
};

/**
 * Takes a lock of the operating system through SQLite; it ends with its process in any case.
 * @throws Error if another process has it
 */
const locked = (path: string, directory: string): DatabaseSync => {
  const lock = new DatabaseSync(join(path, lockName), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch (cause) {
    lock.close();
    if (!isBusy(cause)) throw namingFile(path, cause);
    throw new Error(`another command works in ${directory}: wait for its end`, { cause });
  }
};

/** Makes the directory, or takes over that of a killed process. */
const take = async (path: string): Promise<DatabaseSync> => {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw new Error(`cannot write here: ${error.message}`, { cause: error });
  });
  const entries = await readdir(path).catch(() => undefined);
  if (entries === undefined || (entries.length > 0 && !entries.includes(lockName)))
    throw new Error(`${path} is in the way, and no command has left it there: move it`);
  makePrivately(join(path, lockName));
  const lock = locked(path, path);
  for (const entry of entries)
    if (entry !== lockName) await rm(join(path, entry), { recursive: true, force: true });
  return lock;
};

/**
 * Runs some work with a directory (0700) for files that are renamed once they are complete. The directory is deleted
 * afterwards; that of a killed process is deleted by the next work under the same path.
 * @throws Error if another process works in it, or another file has its name
 */
export const inPartDirectory = async <T>(
  path: string,
  work: (directory: string) => Promise<T>,
): Promise<T> => {
  const lock = await take(path);
  try {
    return await work(path);
  } finally {
    await rm(path, { recursive: true, force: true }).catch(() => rmdir(path).catch(() => {}));
    lock.close();
  }
};
