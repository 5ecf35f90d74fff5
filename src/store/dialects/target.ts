import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export interface SqliteTarget {
  readonly dialect: 'sqlite';
  readonly path: string;
  /** The file and its directory go when the database is closed, or when the process exits. */
  readonly temporary: boolean;
}

export interface PostgresTarget {
  readonly dialect: 'postgres';
  readonly url: string;
}

/** Which database is meant. Made once and given to the migrations and to `openDatabase` alike. */
export type DatabaseTarget = SqliteTarget | PostgresTarget;

const temporary = new Set<string>();
const removeAll = (): void => {
  for (const directory of temporary) rmSync(directory, { recursive: true, force: true });
  temporary.clear();
};

const temporaryTarget = (): SqliteTarget => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-'));
  if (temporary.size === 0) process.once('exit', removeAll);
  temporary.add(directory);
  return { dialect: 'sqlite', path: join(directory, 'temporary.db'), temporary: true };
};

/** Removes the files of a temporary database; does nothing for any other. */
export const removeTemporary = (target: SqliteTarget): void => {
  const directory = dirname(target.path);
  if (!target.temporary || !temporary.delete(directory)) return;
  rmSync(directory, { recursive: true, force: true });
  if (temporary.size === 0) process.off('exit', removeAll);
};

/** The file that holds the database between two starts; undefined where no file of ours does. */
export const lastingFile = (target: DatabaseTarget): string | undefined =>
  target.dialect === 'sqlite' && !target.temporary ? resolve(target.path) : undefined;

/**
 * Reads `sqlite:PATH`, `sqlite::memory:` (a temporary file, made here) or `postgres://…`. Throws an Error that says
 * what is accepted, without the text given: it may hold a password.
 */
export const databaseTarget = (url: string): DatabaseTarget => {
  if (url === 'sqlite::memory:') return temporaryTarget();
  if (/^postgres(?:ql)?:\/\//i.test(url)) {
    if (!URL.canParse(url)) throw new Error('The database URL starts with postgres:// but is no valid URL');
    return { dialect: 'postgres', url };
  }
  const path = /^sqlite:(?<path>[^\0]+)$/s.exec(url)?.groups?.['path'];
  if (path === undefined || path.startsWith(':')) {
    throw new Error('The database URL must be sqlite:PATH, sqlite::memory: or postgres://user@host/name');
  }
  return { dialect: 'sqlite', path, temporary: false };
};
