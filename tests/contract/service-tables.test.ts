/** A service whose own tables have names of their own, beside tables of another program in the same database. */

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createApplication } from '../../src/app/application.ts';
import { readConfig } from '../../src/app/config.ts';
import { prepareDatabase, prepareEmptyDatabase } from '../../src/app/migrate.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { serviceNames, serviceTables } from '../../src/database/service-names.ts';
import { onlyPrefix } from '../../src/database/service-sets.ts';
import { databaseTarget } from '../../src/database/targets.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { moveDatabase } from '../../src/upkeep/backup/move/move.ts';
import { makeBackup, restoreBackup } from '../../src/upkeep/backup.ts';
import { type Databases, describeEachDatabase } from '../support/databases.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Service, startService } from '../support/service.ts';

const fields = {
  title: field.string({ required: true, unique: true }),
  parent: field.reference('Note', { onDelete: 'null' }),
  reader: field.reference('User', { onDelete: 'null' }),
  user_id: field.owner(),
};

const migrations: Migrations = {
  '0001_notes': { up: (db, dialect) => createTable(db, dialect, 'notes', { fields, search: ['title'] }) },
};

const applicationWith = (serviceTables: string | undefined) =>
  createApplication({
    migrations,
    config: serviceTables === undefined ? {} : { serviceTables },
    resources: [
      defineResource('Note', {
        fields,
        search: ['title'],
        history: true,
        trash: true,
        events: true,
        permissions: 'writes',
      }),
    ],
  });

/** Tables of another program, two of them under names that the service has by itself. */
const foreign = [
  'create table users (login varchar(20) primary key, secret text)',
  'create table roles (id integer primary key, role text)',
  'create table invoices (id integer primary key, payer varchar(20) references users (login))',
  'create index users_owner_id on users (secret)',
  "insert into users (login, secret) values ('ann', 'kept'), ('bob', null)",
  "insert into roles (id, role) values (7, 'accountant')",
  "insert into invoices (id, payer) values (1, 'ann')",
];

const makeForeign = async (databases: Databases, url: string): Promise<void> => {
  const database = await databases.open(url);
  for (const sql of foreign) await database.execute({ sql, parameters: [] });
  await database.close();
};

const rowsOf = async (databases: Databases, url: string, sql: string): Promise<readonly unknown[]> => {
  const database = await databases.open(url);
  const rows = await database.all({ sql, parameters: [] });
  await database.close();
  return rows;
};

/** Declarations and rows of the other program's tables. */
const foreignState = async (databases: Databases, url: string): Promise<string> => {
  const declared = {
    sqlite: `select type, name, tbl_name, sql from sqlite_master
      where tbl_name in ('users', 'roles', 'invoices') order by name`,
    postgres: `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull, c.relnatts,
        (select count(*) from pg_constraint k where k.conrelid = c.oid or k.confrelid = c.oid) as constraints,
        (select count(*) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as triggers,
        (select string_agg(pg_get_indexdef(x.indexrelid), ';' order by x.indexrelid) from pg_index x where x.indrelid = c.oid) as indexes
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      where c.relnamespace = 'public'::regnamespace and c.relname in ('users', 'roles', 'invoices') and c.relkind = 'r'
      order by 1, 2`,
  }[databases.dialect];
  const parts = [await rowsOf(databases, url, declared)];
  for (const table of ['users', 'roles', 'invoices'])
    parts.push(await rowsOf(databases, url, `select * from ${table} order by 1`));
  return JSON.stringify(parts);
};

const tablesIn = async (databases: Databases, url: string, schema = 'public'): Promise<readonly string[]> => {
  const sql = {
    sqlite: "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
    postgres: `select relname::text as name from pg_class where relkind = 'r' and relnamespace = to_regnamespace('${schema}') order by 1`,
  }[databases.dialect];
  return (await rowsOf(databases, url, sql)).map((row) => (row as { name: string }).name);
};

const isOfSearch = (name: string): boolean => name.startsWith('gatewright_search_');

const startWith = async (databases: Databases, url: string, serviceTables: string | undefined) => {
  const service = await startService(databases, {
    url,
    application: applicationWith(serviceTables),
    env: { WEBHOOK_PRIVATE: '1' },
  });
  onTestFinished(() => service.close());
  return service;
};

/** Writes and reads something of every kind. */
const useEverything = async (service: Service): Promise<void> => {
  const root = await service.admin();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  await service.ok('POST', '/admin/webhooks', {
    token: root,
    body: { webhook: { url: receiver.url, models: ['Note'], user_id: root.id } },
  });
  const note = { title: 'Grüße', reader_id: root.id };
  const { id } = await service.ok<{ id: number }>('POST', '/api/v1/notes', { token: root, body: { note } });
  const child = { title: 'child', parent_id: id };
  await service.ok('POST', '/api/v1/notes', { token: root, body: { note: child } });
  await service.ok('PATCH', `/api/v1/notes/${id}`, { token: root, body: { note: { title: 'Gruss' } } });
  const list = await service.get('/api/v1/notes?q=gruss', { token: root });
  expect([list.status, list.text]).toEqual([200, expect.stringContaining('Gruss')]);
  const shown = await service.get('/admin/records/notes?q=gruss', { token: root });
  expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('Gruss')]);
  const history = await service.get(`/api/v1/notes/${id}/history`, { token: root });
  expect([history.status, history.text]).toEqual([200, expect.stringContaining('Grüße')]);
  expect((await service.get('/api/v1/notes?filter[reader_id]=999999', { token: root })).status).toBe(200);
  const wrong = { token: root, body: { note: { title: 'x', reader_id: 999_999 } } };
  expect((await service.post('/api/v1/notes', wrong)).status).toBe(422);
  await service.ok('DELETE', `/api/v1/notes/${id}`, { token: root });
  await service.ok('POST', `/admin/records/notes/${id}/restore`, { token: root });
  const user = await service.createUser(['viewer']);
  const cookie = await service.signIn(user).catch(() => undefined);
  expect(cookie === undefined || cookie.length > 0).toBe(true);
  const { key } = await service.createKey(user);
  expect((await service.get('/api/v1/api_keys/current', { key })).status).toBe(200);
  await seeRevokedKey(service);
  const invitation = `/admin/users/${user.id}/invitation`;
  const { url } = await service.ok<{ url: string }>('POST', invitation, { token: root });
  const body = { token: new URL(url).hash.slice(1), password: 'a walnut by the river' };
  expect((await service.post('/admin/invitation', { body })).status).toBe(200);
  await expect.poll(() => receiver.received.length, { timeout: 15_000 }).toBeGreaterThan(2);
};

/** Has a request by a revoked key refused, which the list of refusals then shows with the name of its owner. */
const seeRevokedKey = async (service: Service): Promise<void> => {
  const token = await service.admin();
  const owner = await service.createUser(['viewer']);
  const { key } = await service.createKey(owner);
  await service.ok('DELETE', `/admin/users/${owner.id}`, { token });
  expect((await service.get('/api/v1/api_keys/current', { key })).status).toBe(401);
  const { status, text } = await service.get('/admin/refusals', { token });
  expect([status, text]).toEqual([200, expect.stringContaining(owner.username)]);
};

const pages = [
  '/admin/users',
  '/admin/roles',
  '/admin/api_keys',
  '/admin/sessions',
  '/admin/audit',
  '/admin/webhooks',
  '/admin/jobs',
  '/admin/schedules',
  '/admin/refusals',
  '/admin/stats',
  '/admin/service',
  '/admin/meta',
  '/admin/views',
  '/admin/permissions',
  '/admin/applications',
  '/admin/payments',
];

const working = () => ({ signal: new AbortController().signal, programs: undefined, onProgress: () => {} });

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'gatewright-service-tables-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
};

/** The tables of the service that a database has, by the names that describe them; no other names. */
const storedWith = (prefix: string): readonly string[] =>
  [...serviceTables]
    .map((table) => serviceNames(prefix).shown(table))
    .filter((name) => !/(?:moved|moving)$/.test(name))
    .sort();

describeEachDatabase('serviceTables', (databases) => {
  const isPostgres = databases.dialect === 'postgres';

  it('everything works beside tables of another program, which stay as they are', async () => {
    const url = await databases.create();
    await makeForeign(databases, url);
    const before = await foreignState(databases, url);
    const service = await startWith(databases, url, 'app_');
    await useEverything(service);
    const root = await service.admin();
    for (const path of pages)
      expect([path, (await service.get(path, { token: root })).status]).toEqual([path, 200]);
    const found = await tablesIn(databases, url);
    const others = ['invoices', 'notes', 'roles', 'users'];
    expect(found.filter((name) => !isOfSearch(name))).toEqual([...storedWith('app_'), ...others].sort());
    expect(await foreignState(databases, url)).toBe(before);
  });

  it('a move gives the tables the names of the destination, and leaves those of other programs', async () => {
    const url = await databases.create();
    const before = await startWith(databases, url, undefined);
    const root = await before.admin();
    await before.ok('POST', '/api/v1/notes', {
      token: root,
      body: { note: { title: 'moved', reader_id: root.id } },
    });
    await before.close();
    const move = async (from: string, was: string | undefined, prefix: string): Promise<string> => {
      const to = await databases.create();
      const source = databaseTarget(from, was);
      const destination = databaseTarget(to, prefix);
      const config = readConfig({ DATA_DIR: await folder(), DATABASE_URL: from });
      const moved = await moveDatabase({
        source,
        destination,
        destinationName: 'elsewhere',
        now: Date.now(),
        prepare: (after) => prepareEmptyDatabase(config, applicationWith(prefix), destination, after),
        onProgress: () => {},
      });
      expect(Object.keys(moved.checksums)).toEqual(
        expect.arrayContaining(['users', 'notes', 'gatewright_database']),
      );
      return to;
    };
    const first = await move(url, undefined, 'app_');
    const second = await (async () => {
      await makeForeign(databases, first);
      const state = await foreignState(databases, first);
      const to = await move(first, 'app_', 'gatewright_');
      expect(await foreignState(databases, first)).toBe(state);
      return to;
    })();
    expect(await tablesIn(databases, second)).not.toContain('users');
    const after = await startWith(databases, second, 'gatewright_');
    const administrator = await after.admin();
    const { text } = await after.get('/admin/records/notes?q=moved', { token: administrator });
    expect(text).toContain('"moved"');
  });

  it('a start with another prefix than that of the tables is refused, and nothing is changed', async () => {
    const cases = [
      ['app_', undefined],
      [undefined, 'app_'],
      [undefined, 'gatewright_'],
      ['gatewright_', undefined],
      ['app_', 'shop_'],
    ] as const;
    for (const [first, second] of cases) {
      const url = await databases.create();
      await (await startWith(databases, url, first)).close();
      const before = await tablesIn(databases, url);
      const named = (prefix: string | undefined) =>
        prefix === undefined ? 'no serviceTables' : `serviceTables "${prefix}"`;
      const start = startService(databases, { url, application: applicationWith(second) });
      await expect(start).rejects.toThrow(
        `made with ${named(first)}, and gatewright.config.ts says ${named(second)}: nothing was changed`,
      );
      expect(await tablesIn(databases, url)).toEqual(before);
    }
  });

  it('the prefix of the only service is found', async () => {
    const url = await databases.create();
    await (await startWith(databases, url, 'shop_')).close();
    const found = await databaseTarget(url).snapshot(({ ask, dialect }) => onlyPrefix(ask, dialect));
    expect(found).toBe('shop_');
  });

  it('a later migration of the application changes its tables', async () => {
    const url = await databases.create();
    await (await startWith(databases, url, 'app_')).close();
    const target = databaseTarget(url, 'app_');
    const later = createApplication({
      config: { serviceTables: 'app_' },
      migrations: {
        ...migrations,
        '0002_papers': {
          up: (db, dialect) =>
            createTable(db, dialect, 'papers', {
              fields: { reader: field.reference('User', { onDelete: 'null' }) },
            }),
        },
      },
    });
    const config = readConfig({ DATA_DIR: await folder(), DATABASE_URL: url });
    const { applied } = await prepareDatabase(config, later, target);
    expect(applied).toEqual(['0002_papers']);
    const made = isPostgres
      ? `select pg_get_constraintdef(oid) as sql from pg_constraint where conrelid = 'papers'::regclass and contype = 'f'`
      : "select sql from sqlite_master where name = 'papers' and type = 'table'";
    expect(JSON.stringify(await rowsOf(databases, url, made))).toMatch(/references \\?"?app_users/i);
  });

  if (isPostgres) {
    it('a schema holds the tables, and the application’s stay where they were', async () => {
      const url = await databases.create();
      await makeForeign(databases, url);
      const before = await foreignState(databases, url);
      const service = await startWith(databases, url, 'gatewright.');
      await useEverything(service);
      const root = await service.admin();
      for (const path of pages)
        expect([path, (await service.get(path, { token: root })).status]).toEqual([path, 200]);
      const ours = storedWith('gatewright.').map((name) => name.replace('gatewright.', ''));
      expect(await tablesIn(databases, url, 'gatewright')).toEqual(ours.sort());
      const others = (await tablesIn(databases, url)).filter((name) => !isOfSearch(name));
      expect(others).toEqual(['invoices', 'notes', 'roles', 'users']);
      expect(await foreignState(databases, url)).toBe(before);
    });

    it('a schema that an administrator has made needs no right to make one', async () => {
      const url = await databases.create();
      const role = `service_${randomUUID().slice(0, 8)}`;
      const run = async (...statements: readonly string[]): Promise<void> => {
        const database = await databases.open(url);
        for (const sql of statements) await database.execute({ sql, parameters: [] });
        await database.close();
      };
      await run(`create role ${role} login password 'walnut'`);
      onTestFinished(() => run(`drop owned by ${role} cascade`, `drop role ${role}`));
      const limited = Object.assign(new URL(url), { username: role, password: 'walnut' }).href;
      await run(`grant usage, create on schema public to ${role}`);
      const prepare = async () =>
        prepareDatabase(
          readConfig({ DATA_DIR: await folder(), DATABASE_URL: limited }),
          applicationWith('gatewright.'),
          databaseTarget(limited, 'gatewright.'),
        );
      await expect(prepare()).rejects.toThrow('permission denied for database');
      await run(`create schema gatewright authorization ${role}`);
      expect((await prepare()).applied).toContain('0001_notes');
    });

    it('a schema is moved to tables with a prefix', async () => {
      const url = await databases.create();
      const service = await startWith(databases, url, 'gatewright.');
      const root = await service.admin();
      await service.ok('POST', '/api/v1/notes', { token: root, body: { note: { title: 'saved' } } });
      await service.close();
      const to = await databases.create();
      const destination = databaseTarget(to, 'app_');
      const config = readConfig({ DATA_DIR: await folder(), DATABASE_URL: url });
      await moveDatabase({
        source: databaseTarget(url, 'gatewright.'),
        destination,
        destinationName: 'elsewhere',
        now: Date.now(),
        prepare: (after) => prepareEmptyDatabase(config, applicationWith('app_'), destination, after),
        onProgress: () => {},
      });
      const moved = await startWith(databases, to, 'app_');
      const { text } = await moved.get('/api/v1/notes?q=saved', { token: await moved.admin() });
      expect(text).toContain('"saved"');
    });

    it('two services share a database, each with its own tables, and neither hears the other', async () => {
      const url = await databases.create();
      const first = await startService(databases, {
        url,
        application: createApplication({ config: { serviceTables: 'one_' } }),
      });
      onTestFinished(() => first.close());
      const beside = { url, application: createApplication({ config: { serviceTables: 'two_' } }) };
      await expect(startService(databases, beside)).rejects.toThrow(/start once with NEW_DATABASE=1$/);
      const second = await startService(databases, { ...beside, env: { NEW_DATABASE: '1' } });
      onTestFinished(() => second.close());
      const [one, two] = [await first.createUser(['viewer']), await second.createUser(['viewer'])];
      expect((await first.get('/api/v1/auth/me', { token: one })).status).toBe(200);
      expect((await second.get('/api/v1/auth/me', { token: two })).status).toBe(200);
      const users = await rowsOf(databases, url, 'select username from one_users order by id');
      expect(users).toEqual([{ username: 'root' }, { username: one.username }]);
      // A statement that one of them has compiled must not serve the other: both look up the owner of a revoked key.
      for (const service of [first, second]) await seeRevokedKey(service);
      const [a, b] = [serviceNames('one_'), serviceNames('two_')];
      expect(a.channel('gatewright_events')).not.toBe(b.channel('gatewright_events'));
      expect(a.lock(1n)).not.toBe(b.lock(1n));
      // A restart of either needs no word more.
      await first.close();
      await (
        await startService(databases, {
          url,
          application: createApplication({ config: { serviceTables: 'one_' } }),
        })
      ).close();
    });
  } else {
    // `pg_dump` of PostgreSQL has tests of its own: tests/faults/service-tables.test.ts.
    it('a backup is restored under its own names, and the restored service goes on', async () => {
      const url = await databases.create();
      const service = await startWith(databases, url, 'app_');
      const root = await service.admin();
      await service.ok('POST', '/api/v1/notes', { token: root, body: { note: { title: 'saved' } } });
      const file = join(await folder(), 'saved.backup');
      const target = databaseTarget(url, 'app_');
      const options = { version: 'test', verifyOn: target, force: false, now: new Date().toISOString() };
      const manifest = await makeBackup(target, file, { ...working(), ...options });
      expect(manifest).toMatchObject({ serviceTables: 'app_', database: expect.any(String) });
      const empty = await databases.create();
      // The manifest says the names: no configuration is needed.
      await restoreBackup(databaseTarget(empty), file, { ...working(), major: 1 });
      const restored = await startWith(databases, empty, 'app_');
      const again = await restored.admin();
      const { text } = await restored.get('/api/v1/notes?q=saved', { token: again });
      expect(text).toContain('"saved"');
      const wrong = makeBackup(databaseTarget(url), `${file}.2`, {
        ...working(),
        ...options,
        verifyOn: undefined,
      });
      await expect(wrong).rejects.toThrow(/serviceTables "app_".*no serviceTables/);
      expect(existsSync(`${file}.2`)).toBe(false);
    });

    it('a schema is refused on SQLite', async () => {
      const start = startService(databases, { application: applicationWith('gatewright.') });
      await expect(start).rejects.toThrow(
        /"gatewright\." names a schema, and SQLite has none: end it in "_"/,
      );
    });
  }
});
