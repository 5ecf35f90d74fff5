import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const makePrivate = (path: string): void => {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode !== undefined && (mode & 0o077) !== 0) chmodSync(path, 0o600);
};

/**
 * Makes the database file readable for its owner only before SQLite first opens it: SQLite gives `-wal` and `-shm`
 * the mode of the database. Missing directories are made 0700; those that exist are left as they are.
 */
export const preparePrivateFile = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  for (const suffix of ['', '-wal', '-shm', '-journal']) makePrivate(`${path}${suffix}`);
};
