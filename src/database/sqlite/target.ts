/** SQLite database by its URL: its file, and how it is opened, migrated, copied and rehearsed. */

import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ServiceNames } from '../service-names.ts';
import type { DatabaseTarget, TargetKind } from '../target.ts';
import { lostLog } from './lost-log.ts';
import { type SqliteFile, temporaryFile } from './temporary.ts';

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const targetOf = (file: SqliteFile, names: ServiceNames): DatabaseTarget => {
  if (names.schema !== undefined)
    throw new TypeError(
      `serviceTables: "${names.prefix}" names a schema, and SQLite has none: end it in "_" instead of "."`,
    );
  const { path, temporary } = file;
  const isEmpty = (): boolean => sizeOf(path) === 0;
  return {
    dialect: async () => (await import('./dialect.ts')).sqliteDialectWith(names),
    names,
    withNames: (others) => targetOf(file, others),
    telemetryName: 'sqlite',
    file: temporary ? undefined : resolve(path),
    place: path,
    isEmpty,
    // The log may hold what is not in the file yet.
    hasRemains: () => sizeOf(`${path}-wal`) > 0,
    lostWrites: () => lostLog(path),
    open: async (options) => {
      const { openSqlite } = await import('./database.ts');
      return openSqlite(file, { ...options, names });
    },
    migrationDriver: async () => (await import('./migration-dialect.ts')).sqliteMigrationDialect(path, names),
    isLockedOut: async (error) => (await import('./errors.ts')).isBusy(error),
    rehearse: async (work) => {
      const { copySchema, onScratch } = await import('./scratch.ts');
      return onScratch(names, work, (scratch) => {
        if (!isEmpty()) copySchema(path, scratch, names);
      });
    },
    snapshot: async (work) => {
      const { onSqliteSnapshot } = await import('./snapshot.ts');
      return onSqliteSnapshot(path, names, work);
    },
    copier: async () => {
      const { sqliteCopier } = await import('./copier.ts');
      return sqliteCopier(path, names, (copy) => targetOf({ path: copy, temporary: false }, names));
    },
    load: async (work) => {
      const { onSqliteLoader } = await import('./load.ts');
      return onSqliteLoader(path, names, work);
    },
  };
};

const inMemory = 'sqlite::memory:';

/** `sqlite:PATH`; what begins with a colon is the name of no file. */
const withPath = /^sqlite:(?<path>[^:\0][^\0]*)$/s;

export const sqliteFileUrl = (path: string): string => `sqlite:${path}`;

export const sqliteTargets: TargetKind = {
  forms: ['sqlite:PATH', inMemory],
  alone: (url) =>
    url === inMemory
      ? 'each process would have a database of its own: set DATABASE_URL=sqlite:PATH'
      : undefined,
  reads: (url) => url === inMemory || withPath.test(url),
  target: (url, names) => {
    const path = withPath.exec(url)?.groups?.['path'];
    return targetOf(path === undefined ? temporaryFile() : { path, temporary: false }, names);
  },
  createTemporary: async (_url, folder) => {
    const directory = await mkdtemp(join(folder, 'database-'));
    return {
      url: sqliteFileUrl(join(directory, 'test.db')),
      remove: () => rm(directory, { recursive: true, force: true }),
    };
  },
};
