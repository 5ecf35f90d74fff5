import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import type { DialectName, OpenDatabase } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { DatabaseOptions } from '../../src/database/target.ts';
import { createPostgresDatabase, dropPostgresDatabase } from './postgres.ts';
import { withStoredNames } from './stored-names.ts';
import { makeOwnTables } from './template.ts';

/**
 * `serviceTables` of every service under test that says none, from `TEST_SERVICE_TABLES`: any file of tests runs with it.
 * The SQL of tests gets the stored names (`stored-names.ts`); commands on an application's folder stay without a prefix.
 */
export const testedServiceTables: string | undefined = process.env['TEST_SERVICE_TABLES'] || undefined;

/** Databases for the tests of one `describe`; everything is closed and removed when they are over. */
export interface Databases {
  readonly dialect: DialectName;
  /** The number of workers of a service, which take its requests in turn; 1 unless given. */
  readonly workers?: number;
  /** A fresh, empty database; returns its URL, under which it may be opened several times. */
  create(): Promise<string>;
  /**
   * A fresh database for a start of the service: a copy of one that has the service's own tables, for a copy costs less
   * than the migrations.
   */
  createForStart(): Promise<string>;
  /** Opens the database of the URL, or a fresh one. */
  open(url?: string, options?: DatabaseOptions): Promise<OpenDatabase>;
}

/** The one database of a server that the test starts and stops by itself. */
export const postgresAt = (url: () => string): Databases => ({
  dialect: 'postgres',
  create: () => Promise.resolve(url()),
  createForStart: () => Promise.resolve(url()),
  open: () => Promise.reject(new Error('a test of a whole service opens no database by itself')),
});

type Cleanup = () => Promise<unknown>;

const fromBroker = async (path: '/' | '/template'): Promise<string> => {
  const response = await fetch(new URL(path, inject('postgresBroker')));
  const text = await response.text();
  if (!response.ok) throw new Error(`PostgreSQL did not start: ${text}`);
  return text;
};

const createSqlite = async (cleanups: Cleanup[], content?: Uint8Array): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-test-'));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'test.db');
  if (content !== undefined) await writeFile(file, content);
  return `sqlite:${file}`;
};

/** The file of a database that has the service's own tables; made once for each process. */
let sqliteTemplate: Promise<Uint8Array> | undefined;

const createSqliteTemplate = async (): Promise<Uint8Array> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-template-'));
  const file = join(directory, 'template.db');
  await makeOwnTables(`sqlite:${file}`);
  const content = await readFile(file);
  await rm(directory, { recursive: true });
  return content;
};

const createSqliteForStart = async (cleanups: Cleanup[]): Promise<string> => {
  sqliteTemplate ??= createSqliteTemplate();
  return createSqlite(cleanups, await sqliteTemplate);
};

const createPostgres = async (cleanups: Cleanup[], template?: string): Promise<string> => {
  const server = await fromBroker('/');
  const url = await createPostgresDatabase(server, template);
  cleanups.push(() => dropPostgresDatabase(server, url));
  return url;
};

/** Describes the same behaviour of one database. */
export const describeDatabase = (
  dialect: DialectName,
  name: string,
  tests: (databases: Databases) => void,
  workers = 1,
): void => {
  const variant = workers > 1 ? `${dialect}, ${workers} workers` : dialect;
  describe(`${name} (${variant})`, () => {
    const cleanups: Cleanup[] = [];
    const create = () => (dialect === 'sqlite' ? createSqlite(cleanups) : createPostgres(cleanups));
    // The server starts here, not on the time of the first test.
    beforeAll(async () => {
      if (dialect === 'postgres') await fromBroker('/');
    });
    afterAll(async () => {
      // Last made, first gone: connections before the database that they are connected to.
      for (const cleanup of cleanups.toReversed()) await cleanup();
    });
    tests({
      dialect,
      workers,
      create,
      createForStart: async () =>
        dialect === 'sqlite'
          ? createSqliteForStart(cleanups)
          : createPostgres(cleanups, await fromBroker('/template')),
      open: async (url, options) => {
        const database = await openDatabase(url ?? (await create()), options);
        cleanups.push(() => database.close());
        return withStoredNames(database, testedServiceTables);
      },
    });
  });
};

const chosen = process.env['TEST_DATABASE'];

/** Both; mutation tests, which run a test hundreds of times, name the one that costs less. */
const tested = (['sqlite', 'postgres'] as const).filter((dialect) => (chosen ?? dialect) === dialect);

/** Describes what must hold on both databases; with `TEST_DATABASE=workers`, for two workers on one SQLite file. */
export const describeEachDatabase = (name: string, tests: (databases: Databases) => void): void => {
  if (chosen === 'workers') describeDatabase('sqlite', name, tests, 2);
  for (const dialect of tested) describeDatabase(dialect, name, tests);
};
