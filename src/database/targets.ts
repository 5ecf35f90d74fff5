/** Every kind of database: a target by a URL, and the forms of the URLs. */

import { missingPackages } from '../kernel/optional-packages.ts';
import { postgresTargets } from './postgres/target.ts';
import { serviceNames } from './service-names.ts';
import { sqliteFileUrl, sqliteTargets } from './sqlite/target.ts';
import type { DatabaseTarget, TargetKind, TemporaryDatabase } from './target.ts';

/** Every kind of database, in the order in which they are offered. */
const kinds: readonly TargetKind[] = [sqliteTargets, postgresTargets];

const list = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : [texts.slice(0, -1).join(', '), ...texts.slice(-1)].join(' or ');

/** Forms of URLs that are accepted, as a clause. */
export const databaseUrlForms = list(kinds.flatMap(({ forms }) => forms));

/** The database to ask for so that a service shares no tables with another program, as a clause. */
export const separateDatabaseAdvice = [
  'a database of its own',
  ...kinds.flatMap(({ apart }) => apart ?? []),
].join(', or ');

/** The default database URL. @param file where it is kept */
export const defaultDatabaseUrl = sqliteFileUrl;

export const isDatabaseUrl = (url: string): boolean => kinds.some((kind) => kind.reads(url));

/** The expected form of a database URL, or the package that it needs; undefined where it has both. */
export const databaseUrlMistake = (url: string): string | undefined => {
  const kind = kinds.find((each) => each.reads(url));
  return kind === undefined ? databaseUrlForms : missingPackages(kind.packages ?? []);
};

/** Why only one process can serve a database, and what to do; undefined if many can. */
export const servedAlone = (url: string): string | undefined =>
  kinds.find((kind) => kind.reads(url))?.alone?.(url);

/** The expected form of the replica's URL; undefined where the given one has it. */
export const replicaUrlMistake = (url: string, replicaUrl: string): string | undefined => {
  const kind = kinds.find((each) => each.reads(url));
  if (kind?.replicaForms === undefined)
    return `nothing: only a DATABASE_URL of the form ${list(kinds.flatMap(({ replicaForms }) => replicaForms ?? []))} has replicas`;
  return kind.reads(replicaUrl) ? undefined : list(kind.replicaForms);
};

const kindOf = (url: string): TargetKind => {
  const kind = kinds.find((each) => each.reads(url));
  if (kind === undefined) throw new Error(`The database URL must be ${databaseUrlForms}`);
  const missing = missingPackages(kind.packages ?? []);
  if (missing !== undefined) throw new Error(`The database URL needs ${missing}`);
  return kind;
};

/**
 * Reads a URL; a temporary database gets its file here.
 * @throws Error that says what is accepted, without the text given: it may hold a password
 * @param serviceTables the option of the application
 */
export const databaseTarget = (url: string, serviceTables?: string): DatabaseTarget =>
  kindOf(url).target(url, serviceNames(serviceTables));

/** Makes an empty database of the kind that the URL names: on the same server, or as a file in the folder. */
export const createTemporaryDatabase = (url: string, folder: string): Promise<TemporaryDatabase> =>
  kindOf(url).createTemporary(url, folder);
