import { postgresTargets } from './postgres/target.ts';
import { sqliteFileUrl, sqliteTargets } from './sqlite/target.ts';
import type { DatabaseTarget, Rehearsal, TargetKind } from './target.ts';

/** Every kind of database, in the order in which they are offered. */
const kinds: readonly TargetKind[] = [sqliteTargets, postgresTargets];

const list = (texts: readonly string[]): string =>
  [texts.slice(0, -1).join(', '), ...texts.slice(-1)].join(' or ');

/** Forms of URLs that are accepted, as a clause. */
export const databaseUrlForms = list(kinds.flatMap(({ forms }) => forms));

/** What a service asks for that shall not meet another program's tables, as a clause. */
export const placeOfItsOwn = ['a database of its own', ...kinds.flatMap(({ apart }) => apart ?? [])].join(
  ', or ',
);

/** The database of who names none. @param file where it is kept */
export const defaultDatabaseUrl = sqliteFileUrl;

export const isDatabaseUrl = (url: string): boolean => kinds.some((kind) => kind.reads(url));

/**
 * Reads a URL; a temporary database gets its file here.
 * @throws Error that says what is accepted, without the text given: it may hold a password
 */
export const databaseTarget = (url: string): DatabaseTarget => {
  const kind = kinds.find((each) => each.reads(url));
  if (kind === undefined) throw new Error(`The database URL must be ${databaseUrlForms}`);
  return kind.target(url);
};

/** A database with nothing in it, for the time of some work, whatever database the service has. */
export const onEmptyDatabase = async <T>(work: (rehearsal: Rehearsal) => Promise<T>): Promise<T> => {
  const { onScratch } = await import('./sqlite/scratch.ts');
  return onScratch(work);
};
