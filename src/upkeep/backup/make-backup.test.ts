import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  debianPrograms,
  hasDebianPostgres,
  startDebianPostgres,
} from '../../../tests/support/debian-postgres.ts';
import { createPostgresDatabase } from '../../../tests/support/postgres.ts';
import { createThings, emptyThing, insertThings } from '../../../tests/support/things.ts';
import { applyMigrations } from '../../app/migrate.ts';
import { run } from '../../cli/test-io.ts';
import type { Database } from '../../database/database.ts';
import { openDatabase } from '../../database/open.ts';
import { createStoredFigures } from '../../database/stored-figures.ts';
import { tableChecksums } from '../../database/table-checksum.ts';
import { databaseTarget } from '../../database/targets.ts';
import { restoreBackup } from './restore.ts';

const things = Array.from({ length: 500 }, (_, index) => ({
  ...emptyThing,
  id: index + 1,
  title: `thing ${index}`,
  body: 'some text '.repeat(20),
}));

const exec = (database: Database, sql: string): Promise<unknown> => database.execute({ sql, parameters: [] });

interface Place {
  readonly name: string;
  readonly here: boolean;
  begin(): Promise<void>;
  /** URL of an empty place. */
  fresh(directory: string): Promise<string>;
  /** Names of what a verification has left. */
  left(): Promise<readonly string[]>;
}

let count = 0;
const files: Place = {
  name: 'sqlite',
  here: true,
  begin: async () => {},
  fresh: async (directory) => {
    count += 1;
    return `sqlite:${join(directory, `place-${count}`, 'place.db')}`;
  },
  left: async () => [],
};

const server: Awaited<ReturnType<typeof startDebianPostgres>>[] = [];
const serverUrl = (): string => server[0]?.url ?? '';
const ask = async (url: string, sql: string): Promise<{ readonly name: string }[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
};
const debian: Place = {
  name: 'postgres',
  here: hasDebianPostgres || process.env['CI'] !== undefined,
  begin: async () => {
    if (server.length === 0) server.push(await startDebianPostgres());
  },
  fresh: () => createPostgresDatabase(serverUrl()),
  left: async () => {
    const sql = `select datname as name from pg_database where datname like 'gatewright_verify_%'`;
    return (await ask(serverUrl(), sql)).map(({ name }) => name);
  },
};

afterAll(() => server[0]?.remove());

describe.each([files, debian].filter(({ here }) => here))('a backup ($name)', (place) => {
  let directory: string;
  let env: Record<string, string>;
  let source: string;

  /** A command of this process; the password of the database stands in nothing that it says. */
  const command = async (words: readonly string[], url = source, more: Record<string, string> = {}) => {
    const answer = await run([...words], { env: { ...env, DATABASE_URL: url, ...more } });
    const { password } = new URL(url.replace(/^sqlite:/, 'file://'));
    if (password !== '') expect(answer.stdout + answer.stderr).not.toContain(password);
    return answer;
  };

  const said = async (words: readonly string[], url?: string): Promise<string> => {
    const { status, stdout, stderr } = await command(words, url);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    return stderr.trim().replaceAll(directory, '');
  };

  const contentOf = (url: string) => databaseTarget(url).snapshot((snapshot) => tableChecksums(snapshot));

  /** The metric of the last successful backup, in seconds; undefined before the first one. */
  const sinceBackup = async (url: string): Promise<number | undefined> => {
    const database = await openDatabase(url);
    const figures = await createStoredFigures(database)();
    await database.close();
    return figures.find(({ name }) => name === 'backup_last_success_seconds')?.samples[0]?.value;
  };

  const changeByte = async (file: string, at: number): Promise<void> => {
    const handle = await open(file, 'r+');
    const byte = Buffer.alloc(1);
    await handle.read(byte, 0, 1, at);
    await handle.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at);
    await handle.close();
  };

  beforeAll(async () => {
    await place.begin();
    directory = await mkdtemp(join(tmpdir(), 'gatewright-backup-'));
    env = {
      DATA_DIR: join(directory, 'data'),
      PATH: process.env['PATH'] ?? '',
      CREDENTIALS_FILE: join(directory, 'credentials.age'),
      CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
    };
    source = await place.fresh(directory);
    await applyMigrations(databaseTarget(source), { migrations: {} });
    const database = await openDatabase(source);
    await createThings(database);
    await insertThings(database, things);
    await exec(database, `create table counted (id ${database.dialect.schema.own.id}, a integer)`);
    await exec(database, 'insert into counted (a) values (1), (2), (3)');
    await exec(database, 'delete from counted where a = 3');
    await exec(database, 'create table children (thing integer references things (id))');
    await exec(database, 'insert into children values (1), (2)');
    await database.close();
  });

  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  let file: string;
  beforeEach(() => {
    count += 1;
    file = join(directory, `copy-${count}`);
  });

  it('a backup is whole, private, described, and restores what was copied, as which it is remembered', async () => {
    const before = await contentOf(source);
    expect(await sinceBackup(source)).toBeUndefined();
    const made = await command(['backup', file, '--verify', '--json']);
    expect(await sinceBackup(source)).toBeLessThan(60);
    expect(made).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^not in it: .*credentials\.age/m),
    });
    const result = JSON.parse(made.stdout);
    expect(result).toMatchObject({ file, verified: true, bytes: (await stat(file)).size });
    expect(result.tables).toMatchObject({ things: 500, children: 2, users: 0 });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(`${file}.json`)).mode & 0o777).toBe(0o600);
    const names = await readdir(directory);
    expect(names.filter((name) => name.includes('.part'))).toEqual([]);
    const manifest = JSON.parse(await readFile(`${file}.json`, 'utf8'));
    expect(manifest).toMatchObject({
      format: 'gatewright-backup',
      migrations: { gatewright_migrations: expect.arrayContaining(['0001_baseline']) },
      tables: before,
    });
    expect(await place.left()).toEqual([]);
    const empty = await place.fresh(directory);
    const restored = await command(['restore', file], empty);
    expect(restored).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('restored and verified in'),
    });
    expect(await contentOf(empty)).toEqual(before);
    const known = await readFile(join(directory, 'data', 'databases.json'), 'utf8').catch(
      () => '{"databases":[]}',
    );
    const { file: there } = databaseTarget(empty);
    expect(JSON.parse(known).databases.filter((name: string) => name === there)).toEqual(
      there === undefined ? [] : [there],
    );
    // The next id is none that was given before.
    const database = await openDatabase(empty);
    await exec(database, 'insert into counted (a) values (4)');
    const last = { sql: 'select max(id) as id from counted', parameters: [] };
    expect(await database.get(last)).toEqual({ id: 4 });
    await database.close();
  });

  it('takes no place that is taken: of a file, of a part, of a manifest, of a database', async () => {
    await writeFile(file, 'mine');
    expect(await said(['backup', file])).toMatch(/copy-\d+ exists, and is not a backup$/);
    expect(await said(['backup', file, '--force'])).toMatch(/copy-\d+ exists, and is not a backup$/);
    expect(await readFile(file, 'utf8')).toBe('mine');
    await rm(file);
    await writeFile(`${file}.json`, '{"mine":1}');
    expect(await said(['backup', file])).toMatch(/copy-\d+\.json is in the way, and belongs to no backup$/);
    await rm(`${file}.json`);
    await mkdir(`${file}.part`);
    await writeFile(join(`${file}.part`, 'mine'), '');
    expect(await said(['backup', file])).toMatch(
      /\.part is in the way, and no command has left it there: move it$/,
    );
    await rm(`${file}.part`, { recursive: true });
    expect((await command(['backup', file])).status).toBe(0);
    expect(await said(['backup', file])).toMatch(/copy-\d+ exists: take another name, or --force$/);
    const before = await readFile(`${file}.json`, 'utf8');
    expect((await command(['backup', file, '--force'])).status).toBe(0);
    expect(await readFile(`${file}.json`, 'utf8')).not.toBe(before);
    expect((await command(['restore', '--verify', file])).status).toBe(0);
    const database = await openDatabase(source);
    await exec(database, 'insert into children values (3)');
    expect(await said(['restore', file])).toMatch(
      /: (?:a backup is restored into an empty place only|make an empty one)$|make an empty one/,
    );
    await exec(database, 'delete from children where thing = 3');
    await database.close();
    expect(await contentOf(source)).toMatchObject({ children: { rows: 2 }, things: { rows: 500 } });
  });

  // Nothing of it differs between databases.
  if (place === files)
    it('killed between its two names is recognised by its manifest, old or new', async () => {
      await command(['backup', file]);
      const old = await readFile(file);
      const database = await openDatabase(source);
      await exec(database, `update things set title = 'newer' where id = 1`);
      await database.close();
      await command(['backup', file, '--force']);
      await writeFile(file, old);
      expect((await command(['restore', '--verify', file])).status).toBe(0);
      const empty = await place.fresh(directory);
      await command(['restore', file], empty);
      const restored = await openDatabase(empty);
      expect(await restored.get({ sql: 'select title from things where id = 1', parameters: [] })).toEqual({
        title: 'thing 0',
      });
      await restored.close();
      // The next one knows which of the two it replaces.
      expect((await command(['backup', file, '--force'])).status).toBe(0);
      expect((await command(['restore', '--verify', file])).status).toBe(0);
    });

  it('a backup with a changed byte, a cut end, another manifest or none is found, before anything is made of it', async () => {
    await command(['backup', file]);
    const { size } = await stat(file);
    const manifest = await readFile(`${file}.json`, 'utf8');
    const empty = await place.fresh(directory);
    for (const at of [30, Math.floor(size / 2), size - 1]) {
      await changeByte(file, at);
      expect(await said(['restore', '--verify', file])).toMatch(
        /is damaged: its SHA-256 is not that of its manifest$/,
      );
      expect(await said(['restore', file], empty)).toMatch(/is damaged: its SHA-256/);
      await changeByte(file, at);
    }
    await changeByte(file, 0);
    expect(await said(['restore', file], empty)).toMatch(
      /is not a copy of the kind of database that DATABASE_URL names/,
    );
    await changeByte(file, 0);
    const data = await readFile(file);
    await writeFile(file, data.subarray(0, -1));
    expect(await said(['restore', file], empty)).toMatch(/has \d+ bytes and not \d+: it is damaged$/);
    await writeFile(file, data);
    for (const [text, message] of [
      ['', /is not a manifest of a backup$/],
      [
        '{"format":"gatewright-backup","formatVersion":2,"version":"9.0.0"}',
        /was written by version 9\.0\.0 of the service: restore with that$/,
      ],
      [
        manifest.replace('"major": 0', '"major": 7'),
        /is of a database of version 7 of the service, and this is version 0: restore it with that version$/,
      ],
      [manifest.replace('"major": 0', '"major": "x"'), /\.json is damaged$/],
    ] as const) {
      await writeFile(`${file}.json`, text);
      expect(await said(['restore', file], empty)).toMatch(message);
    }
    // A checksum of one table that is another one's: what was restored is taken away again.
    const { things: of } = JSON.parse(manifest).tables;
    await writeFile(`${file}.json`, manifest.replace(of.sha256, '0'.repeat(64)));
    for (const words of [
      ['restore', file],
      ['restore', '--verify', file],
    ])
      expect(await said(words, empty)).toMatch(
        /what was restored is not what was copied: things has rows with other values$/,
      );
    await rm(`${file}.json`);
    expect(await said(['restore', file], empty)).toMatch(/\.json is missing: it belongs to the backup/);
    await writeFile(`${file}.json`, manifest);
    expect(await place.left()).toEqual([]);
    expect((await command(['restore', file], empty)).status).toBe(0);
  });

  it('a backup that cannot be written or read says so in one line and leaves nothing', async () => {
    expect(await said(['backup', join(directory, 'nowhere', 'copy')])).toMatch(/cannot write here: ENOENT/);
    expect(await said(['restore', join(directory, 'nowhere')])).toMatch(/there is no backup \/nowhere$/);
    const { status, stderr } = await command(['backup', file, '--verify-url', source]);
    expect([status, stderr]).toEqual([
      2,
      'gatewright: backup: --verify-url goes with --verify (gatewright backup --help)\n',
    ]);
    expect((await command(['backup', file, '--verify', '--verify-url', 'x'])).status).toBe(2);
    expect(await readdir(directory).then((names) => names.filter((name) => file.endsWith(name)))).toEqual([]);
  });

  it('replaces what a killed one has left, and does not wait for one that is running', async () => {
    await mkdir(`${file}.part`);
    await writeFile(join(`${file}.part`, 'gatewright.lock'), '');
    await writeFile(join(`${file}.part`, 'copy'), 'half of it');
    expect((await command(['backup', file])).status).toBe(0);
    const [first, second] = await Promise.all([
      command(['backup', `${file}-both`]),
      command(['backup', `${file}-both`]),
    ]);
    expect([first.status, second.status].toSorted()).toEqual([0, 1]);
    expect(first.stderr + second.stderr).toContain('another command works in');
  });
});

describe('a backup of a file', () => {
  it('a backup of a file is one that the stock tool opens, and goes into no place with the log of another database', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gatewright-backup-'));
    const env = { DATA_DIR: join(directory, 'data'), DATABASE_URL: `sqlite:${join(directory, 'a.db')}` };
    try {
      expect((await run(['backup', join(directory, 'copy')], { env })).stderr).toMatch(
        /there is no database .*a\.db\n$/,
      );
      await applyMigrations(databaseTarget(env.DATABASE_URL), { migrations: {} });
      expect((await run(['backup', join(directory, 'copy')], { env })).status).toBe(0);
      if (spawnSync('sqlite3', ['--version']).status === 0)
        expect(
          execFileSync('sqlite3', ['-readonly', join(directory, 'copy'), 'select count(*) from roles'], {
            encoding: 'utf8',
          }),
        ).toBe('3\n');
      const there = { ...env, DATABASE_URL: `sqlite:${join(directory, 'b.db')}` };
      await writeFile(join(directory, 'b.db-wal'), 'of another');
      expect((await run(['restore', join(directory, 'copy')], { env: there })).stderr).toMatch(
        /b\.db-wal is left of a database that was here, and would be taken for a part of the restored one: move it/,
      );
      await rm(join(directory, 'b.db-wal'));
      expect((await run(['restore', join(directory, 'copy')], { env: there })).status).toBe(0);
      // A service that goes on with a file which was taken from it would not see the restored one.
      const database = await openDatabase(there.DATABASE_URL);
      database.claim?.('first');
      await rm(join(directory, 'b.db'));
      for (const suffix of ['-wal', '-shm']) await rm(join(directory, `b.db${suffix}`), { force: true });
      expect((await run(['restore', join(directory, 'copy')], { env: there })).stderr).toMatch(
        /a service runs on .*b\.db, which was taken from it: stop it/,
      );
      await database.close().catch(() => {});
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

const programs = async (directory: string, version: string): Promise<string> => {
  const path = join(directory, 'pg_dump');
  await writeFile(path, `#!/bin/sh\necho 'pg_dump (PostgreSQL) ${version}'\n`);
  await chmod(path, 0o755);
  return directory;
};

describe.runIf(debian.here)('a backup by the programs of the database', () => {
  let directory: string;
  beforeAll(async () => {
    await debian.begin();
    directory = await mkdtemp(join(tmpdir(), 'gatewright-backup-'));
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  const env = (url: string) => ({ DATA_DIR: join(directory, 'data'), DATABASE_URL: url });

  it('says which is missing or too old, and of what version it has to be', async () => {
    const url = await debian.fresh(directory);
    await applyMigrations(databaseTarget(url), { migrations: {} });
    const backup = async (folder: string): Promise<string> =>
      (await run(['backup', join(directory, 'x'), '--programs', folder], { env: env(url) })).stderr;
    expect(await backup(join(directory, 'none'))).toMatch(
      /^gatewright: there is no pg_dump in .*none: install PostgreSQL's client programs, or name their folder with --programs\n$/,
    );
    const major = /(\d+)\/bin/.exec(debianPrograms)?.[1];
    expect(await backup(await programs(directory, '9.6.24'))).toBe(
      `gatewright: pg_dump is version 9.6.24, and the server is version ${major}, which it cannot copy: install the client programs of version ${major} or newer, and name their folder with --programs\n`,
    );
    expect((await readdir(directory)).filter((name) => name.startsWith('x'))).toEqual([]);
  });

  it('keeps to the schema of the service, and restores into the same one', async () => {
    const base = new URL(await debian.fresh(directory));
    await ask(base.href, 'create table public.of_others (a integer)');
    await ask(base.href, 'create schema "My schema"');
    base.searchParams.set('options', '-c search_path="My\\ schema"');
    await applyMigrations(databaseTarget(base.href), { migrations: {} });
    const file = join(directory, 'schema');
    expect(
      await run(['backup', file, '--verify', '--programs', debianPrograms], { env: env(base.href) }),
    ).toMatchObject({ status: 0 });
    const other = await debian.fresh(directory);
    expect((await run(['restore', file], { env: env(other) })).stderr).toMatch(
      /the tables of this backup are in the schema My schema, and those of DATABASE_URL would be in public: name the same search_path/,
    );
    const target = new URL(other);
    target.searchParams.set('options', '-c search_path="My\\ schema"');
    expect(await run(['restore', file], { env: env(target.href) })).toMatchObject({ status: 0 });
    const tables = await ask(
      other,
      `select schemaname as name from pg_tables where tablename in ('users', 'of_others')`,
    );
    expect(tables).toEqual([{ name: 'My schema' }]);
  });

  it('drops what killed verifications have left, and no database that is at work', async () => {
    const url = await debian.fresh(directory);
    await applyMigrations(databaseTarget(url), { migrations: {} });
    const [stale, busy] = ['gatewright_verify_00000000000000aa', 'gatewright_verify_00000000000000bb'];
    for (const name of [stale, busy]) await ask(serverUrl(), `create database ${name}`);
    const holder = new pg.Client({ connectionString: serverUrl(), application_name: busy });
    await holder.connect();
    const file = join(directory, 'left');
    expect(await run(['backup', file, '--verify'], { env: env(url) })).toMatchObject({ status: 0 });
    expect(await debian.left()).toEqual([busy]);
    await holder.end();
    // A role that may not create databases gets an instruction.
    await ask(url, `create role plain login password 'plain secret' in role pg_read_all_data`);
    const plain = new URL(url);
    plain.username = 'plain';
    plain.password = 'plain secret';
    const answer = await run(['backup', `${file}-2`, '--verify'], { env: env(plain.href) });
    expect(answer.stderr).toMatch(
      /the role may not create the temporary database: alter role … createdb, or name another server with --verify-url/,
    );
    expect(
      await run(['backup', `${file}-2`, '--verify', '--verify-url', serverUrl()], { env: env(plain.href) }),
    ).toMatchObject({ status: 0 });
    expect(await debian.left()).toEqual([]);
  });

  it('takes up a restore that was killed behind its commit', async () => {
    const url = await debian.fresh(directory);
    await applyMigrations(databaseTarget(url), { migrations: {} });
    const file = join(directory, 'again');
    await run(['backup', file], { env: env(url) });
    const place = await debian.fresh(directory);
    for (const _ of ['once', 'again'])
      expect(await run(['restore', file], { env: env(place) })).toMatchObject({ status: 0 });
    await ask(place, `insert into roles (name, built_in, created_at) values ('x', false, now())`);
    expect((await run(['restore', file], { env: env(place) })).stderr).toMatch(
      /has tables already, which are not those of the backup \(.*roles has 4 rows and not 3\): make an empty one/,
    );
  });

  it('refuses to start on what was never compared, and is restored there again', async () => {
    const url = await debian.fresh(directory);
    await applyMigrations(databaseTarget(url), { migrations: {} });
    const file = join(directory, 'unverified');
    await run(['backup', file], { env: env(url) });
    const place = await debian.fresh(directory);
    const marked = `select to_regclass('gatewright_restoring') is not null`;
    const seen: string[] = [];
    await restoreBackup(databaseTarget(place), file, {
      major: 1,
      programs: debianPrograms,
      signal: new AbortController().signal,
      // While this waits the comparison does: where the process were killed now, this is what it would leave.
      onProgress: (doing) => {
        if (doing === 'compare' && seen.length === 0)
          seen.push(execFileSync(join(debianPrograms, 'psql'), [place, '-Atc', marked]).toString().trim());
      },
    });
    expect(seen).toEqual(['t']);
    expect((await run(['migrate'], { env: env(place) })).status).toBe(0);
    await ask(place, 'create table gatewright_restoring (since timestamptz)');
    await ask(place, `insert into roles (name, built_in, created_at) values ('x', false, now())`);
    expect((await run(['migrate'], { env: env(place) })).stderr).toMatch(
      /never compared with its backup: run the same `gatewright restore` again, or empty it/,
    );
    expect(await run(['restore', file], { env: env(place) })).toMatchObject({ status: 0 });
    expect(await ask(place, `select name from roles where name = 'x'`)).toEqual([]);
    expect((await run(['migrate'], { env: env(place) })).status).toBe(0);
  });
});
