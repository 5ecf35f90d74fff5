import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The file of a database. */
export interface SqliteFile {
  readonly path: string;
  /** The file and its directory go when the database is closed, or when the process exits. */
  readonly temporary: boolean;
}

const temporary = new Set<string>();
const removeAll = (): void => {
  for (const directory of temporary) rmSync(directory, { recursive: true, force: true });
  temporary.clear();
};

/** A file in a new directory of its own. */
export const temporaryFile = (): SqliteFile => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-'));
  if (temporary.size === 0) process.once('exit', removeAll);
  temporary.add(directory);
  return { path: join(directory, 'temporary.db'), temporary: true };
};

/** Removes a temporary file; does nothing for any other. */
export const removeTemporary = (file: SqliteFile): void => {
  const directory = dirname(file.path);
  if (!file.temporary || !temporary.delete(directory)) return;
  rmSync(directory, { recursive: true, force: true });
  if (temporary.size === 0) process.off('exit', removeAll);
};
