import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApplication } from '../../src/app/application.ts';
import { applyMigrations } from '../../src/app/migrate.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { openDatabase } from '../../src/database/open.ts';
import { databaseTarget } from '../../src/database/targets.ts';
import { field } from '../../src/fields/define.ts';
import { makeBackup, restoreBackup } from '../../src/upkeep/backup.ts';
import { debianPrograms, hasDebianPostgres, startDebianPostgres } from '../support/debian-postgres.ts';
import { createPostgresDatabase } from '../support/postgres.ts';

const rowsOf = async (url: string, sql: string): Promise<readonly unknown[]> => {
  const database = await openDatabase(url);
  try {
    return await database.all({ sql, parameters: [] });
  } finally {
    await database.close();
  }
};

const fields = { title: field.string({ required: true }), reader: field.reference('User') };

const application = createApplication({
  migrations: {
    '0001_notes': { up: (db, dialect) => createTable(db, dialect, 'notes', { fields, search: ['title'] }) },
  },
});

const working = () => ({
  signal: new AbortController().signal,
  programs: debianPrograms,
  onProgress: () => {},
});

describe.skipIf(!hasDebianPostgres)('a backup of a service whose tables have other names', () => {
  it.each([
    ['app_', '', 'app_database', 'public'],
    ['gatewright.', '', 'gatewright.database', 'public'],
    ['gatewright.', 'shop', 'gatewright.database', 'shop'],
  ])('%s with search_path "%s" is restored with them', async (prefix, schema, table, current) => {
    const server = await startDebianPostgres();
    onTestFinished(() => server.remove());
    const placeOf = async (): Promise<string> => {
      const url = await createPostgresDatabase(server.url);
      if (schema === '') return url;
      const database = await openDatabase(url);
      await database.execute({ sql: `create schema ${schema}`, parameters: [] });
      await database.close();
      return `${url}?options=-c%20search_path%3D${schema}`;
    };
    const url = await placeOf();
    await applyMigrations(databaseTarget(url, prefix), application);
    const seed = await openDatabase(url);
    const at = 'now(), now(), 1';
    await seed.execute({
      sql: `insert into notes (title, created_at, updated_at, version) values ('kept', ${at})`,
      parameters: [],
    });
    await seed.execute({ sql: 'create table users (login text primary key)', parameters: [] });
    await seed.close();
    const directory = await mkdtemp(join(tmpdir(), 'gatewright-service-tables-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const file = join(directory, 'saved.backup');
    const target = databaseTarget(url, prefix);
    const now = new Date().toISOString();
    const options = { version: 'test', verifyOn: target, force: false, now };
    const manifest = await makeBackup(target, file, { ...working(), ...options });
    expect(manifest).toMatchObject({ serviceTables: prefix, database: expect.any(String), schema: current });
    const empty = await placeOf();
    // The manifest says the names: no configuration is needed.
    await restoreBackup(databaseTarget(empty), file, { ...working(), major: 1 });
    expect(await rowsOf(empty, `select id from ${table}`)).toEqual([{ id: manifest.database }]);
    expect(await rowsOf(empty, 'select title from notes')).toEqual([{ title: 'kept' }]);
    expect(await rowsOf(empty, 'select login from users')).toEqual([]);
    // A second restore finds what it would put there, and changes nothing.
    await restoreBackup(databaseTarget(empty), file, { ...working(), major: 1 });
  });
});
