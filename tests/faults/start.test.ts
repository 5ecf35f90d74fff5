import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import { dialectOf } from '../../src/database/dialects.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { readTables } from '../../src/database/migrations/read-tables.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { type Databases, describeDatabase, describeEachDatabase } from '../support/databases.ts';
import { freePort } from '../support/postgres.ts';
import { Service, type ServiceOptions, startService } from '../support/service.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ family }) => family === 'IPv6'),
);

const query = (text: string) => ({ sql: text, parameters: [] });

const book = defineResource('Book', { fields: { title: field.string({ required: true }) } });

const books: Migrations = {
  '0001_books': {
    up: (db, dialect) => createTable(db, dialect, 'books', { fields: { title: field.string() } }),
  },
};

/** Names of the tables of a database; a file that is not there, or empty, has none and is not made. */
const tablesOf = async (databases: Databases, url: string): Promise<string[]> => {
  const path = url.slice('sqlite:'.length);
  if (databases.dialect === 'sqlite' && (!existsSync(path) || statSync(path).size === 0)) return [];
  const database = await databases.open(url);
  try {
    return [...(await readTables((text) => database.all(query(text)), dialectOf(databases.dialect))).keys()];
  } finally {
    await database.close();
  }
};

const refusalOf = async (databases: Databases, options: ServiceOptions): Promise<string> => {
  const service = new Service(databases, options);
  try {
    await service.start();
  } catch (error) {
    return String(error);
  } finally {
    await service.close();
  }
  throw new Error('it started');
};

describeEachDatabase('a start that is refused', (databases) => {
  const production = { NODE_ENV: 'production' };
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatewright-start-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const failing: Migrations = {
    ...books,
    '0002_broken': { up: async (db) => void (await sql`insert into nowhere values (1)`.execute(db)) },
  };
  const twice = () => Promise.resolve();
  it.each<[string, RegExp, Omit<ServiceOptions, 'url'>]>([
    ['a secret', /no JWT secret/, { env: { ...production, JWT_SECRET: '' } }],
    [
      'an administrator whose password may not be shown',
      /set ADMIN_PASSWORD/,
      { env: { ...production, ADMIN_PASSWORD: '' } },
    ],
    ['a good password', /ADMIN_PASSWORD: /, { env: { ADMIN_PASSWORD: 'password' } }],
    ['a good name', /ADMIN_USERNAME: /, { env: { ADMIN_USERNAME: 'a@b' } }],
    [
      'a migration of a model',
      /Book: the database has no table books/,
      { application: { resources: [book] } },
    ],
    ['a migration that works', /Migration 0002_broken failed/, { application: { migrations: failing } }],
    ['migrations with MIGRATE=off', /migrations are pending: 0001_baseline/, { env: { MIGRATE: 'off' } }],
  ])('a start that is refused for want of %s has written nothing', async (_what, message, options) => {
    const url = await databases.create();
    const env = { DATA_DIR: directory, ...options.env };
    expect(await refusalOf(databases, { ...options, url, env })).toMatch(message);
    expect(await tablesOf(databases, url)).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
    await twice();
  });

  it('because of damaged credentials, a damaged secret or a taken port has written nothing', async () => {
    const url = await databases.create();
    const credentials = join(directory, 'broken.age');
    writeFileSync(credentials, 'no age file');
    const data = join(directory, 'data');
    const env = { DATA_DIR: data, CREDENTIALS_FILE: credentials, CREDENTIALS_KEY_FILE: join(directory, 'k') };
    expect(await refusalOf(databases, { url, env })).toMatch(/broken\.age|k/);
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    try {
      const address = taken.address();
      const port = typeof address === 'object' && address !== null ? String(address.port) : '';
      expect(await refusalOf(databases, { url, env: { DATA_DIR: data, PORT: port } })).toMatch(/EADDRINUSE/);
    } finally {
      taken.close();
    }
    expect(existsSync(data)).toBe(false);
    writeFileSync(join(directory, 'jwt_secret'), 'cut off');
    const damaged = { DATA_DIR: directory, JWT_SECRET: '' };
    expect(await refusalOf(databases, { url, env: damaged })).toMatch(/jwt_secret is damaged/);
    expect(await tablesOf(databases, url)).toEqual([]);
  });

  it.each(['127.0.0.1', '0.0.0.0', ...(hasIpv6 ? ['::'] : [])])(
    'because of a port that another program has on %s has written nothing',
    async (host) => {
      const taken = createServer().listen(0, host);
      onTestFinished(() => void taken.close());
      await once(taken, 'listening');
      const { port } = taken.address() as AddressInfo;
      const data = join(directory, 'data');
      const env = { DATA_DIR: data, PORT: String(port), HOST: host };
      expect(await refusalOf(databases, { url: await databases.create(), env })).toContain(
        `EADDRINUSE: address already in use ${host}:${port}`,
      );
      expect(existsSync(data)).toBe(false);
    },
  );

  it('because of a migration says its cause and its statement, in one line of the command line too', async () => {
    const url = await databases.create();
    const message = await refusalOf(databases, { url, application: { migrations: failing } });
    expect(message).toMatch(
      /^MigrationError: Migration 0002_broken failed: .*nowhere.*, in the statement: insert into nowhere values \(1\)$/,
    );
  });

  it('because of tables of another program names all of them and what to do', async () => {
    const url = await databases.create();
    const database = await databases.open(url);
    for (const name of ['users', 'audit', 'migrations', 'other'])
      await database.execute(query(`create table ${name} (a integer)`));
    await database.close();
    const message = await refusalOf(databases, { url });
    expect(message).toContain('tables audit, migrations, users');
    expect(message).toContain('a database of its own');
    expect(await tablesOf(databases, url)).toEqual(['audit', 'migrations', 'other', 'users']);
    const command = await run(['migrate'], { env: { DATABASE_URL: url, DATA_DIR: directory } });
    expect([command.status, command.stderr]).toEqual([
      1,
      expect.stringContaining('tables audit, migrations'),
    ]);
  });

  it('leaves a database that is in use as it is', async () => {
    const url = await databases.create();
    await (await startService(databases, { url })).close();
    const before = await tablesOf(databases, url);
    const migrations = { '0001_books': books['0001_books'] ?? { up: twice } };
    const other = defineResource('Order', { fields: { n: field.integer() } });
    const application = { resources: [book, other], migrations };
    expect(await refusalOf(databases, { url, application })).toMatch(
      /Order: the database has no table orders/,
    );
    expect(await tablesOf(databases, url)).toEqual(before);
  });
});

describeEachDatabase('the first start', (databases) => {
  it('listens on its port once, to serve: what a probe accepts would be lost', async () => {
    const port = await freePort();
    const listen = vi.spyOn(Server.prototype, 'listen');
    onTestFinished(() => listen.mockRestore());
    const service = await startService(databases, { env: { PORT: String(port) } });
    const ports = listen.mock.calls.map(([first]) =>
      typeof first === 'object' && first !== null && 'port' in first ? first.port : first,
    );
    expect(ports.filter((one) => Number(one) === port)).toHaveLength(1);
    await service.close();
  });

  it('the first start of several instances with administrators of different names makes one', async () => {
    const url = await databases.create();
    const names = ['ann', 'bob', 'cid', 'dee'];
    const services = await Promise.all(
      names.map((name) =>
        startService(databases, {
          url,
          env: { ADMIN_USERNAME: name, ADMIN_EMAIL: `${name}@example.com`, JWT_SECRET: 'x'.repeat(32) },
        }),
      ),
    );
    try {
      const made = services.flatMap(({ server }) => server.firstAdmin?.username ?? []);
      const database = await databases.open(url);
      const rows = await database.all<{ username: string }>(query('select username from users'));
      expect(rows.map(({ username }) => username)).toEqual(made);
      expect(made).toHaveLength(1);
    } finally {
      for (const service of services) await service.close();
    }
  }, 60_000);

  it('the first start in production takes the password of ADMIN_PASSWORD, and the next one needs none', async () => {
    const url = await databases.create();
    const env = { NODE_ENV: 'production', CREDENTIALS_KEY: '' };
    const first = await startService(databases, { url, env });
    expect(first.server.firstAdmin).toEqual({ username: 'root', password: undefined });
    await first.close();
    const next = await startService(databases, { url, env: { ...env, ADMIN_PASSWORD: '' } });
    expect(next.server.firstAdmin).toBeUndefined();
    await next.close();
  });
});

describeEachDatabase('a database that a newer release has migrated', (databases) => {
  const later = async (statement: string): Promise<string> => {
    const url = await databases.create();
    await (
      await startService(databases, { url, application: { resources: [book], migrations: books } })
    ).close();
    const database = await databases.open(url);
    for (const table of ['gatewright_migrations', 'migrations'])
      await database.execute(
        query(`insert into ${table} (name, "timestamp") values ('9999_later', '2099-01-01T00:00:00.000Z')`),
      );
    await database.execute(query(statement));
    await database.close();
    return url;
  };
  const application = { resources: [book], migrations: books };

  it('serves an older version of the same major, which says so in its log', async () => {
    const url = await later('create table of_tomorrow (a integer)');
    for (const env of [{}, { MIGRATE: 'off' }] as Record<string, string>[]) {
      await using service = await startService(databases, { url, application, env });
      expect((await service.get('/api/v1/books', { token: await service.admin() })).status).toBe(200);
      expect(service.lines.join()).toContain('"later":["9999_later","9999_later"]');
    }
  });

  it('a newer database is refused where a later major has changed it', async () => {
    const url = await later('update gatewright_database set major = 7');
    expect(await refusalOf(databases, { url, application })).toMatch(/migrated by version 7 .* version 0/);
  });

  it('a newer database is refused where the models no longer fit', async () => {
    const url = await later('alter table books drop column title');
    expect(await refusalOf(databases, { url, application })).toMatch(
      /books\.title: the database has no such/,
    );
  });
});

describeDatabase('sqlite', 'DATA_DIR', (databases) => {
  let directory = '';
  let url = '';
  const file = () => url.slice('sqlite:'.length);
  const start = (env: Record<string, string> = {}) =>
    startService(databases, { url, env: { DATA_DIR: directory, ...env } });

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatewright-start-'));
    url = `sqlite:${join(directory, 'gatewright.db')}`;
    await (await start()).close();
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  describe('that once held a database', () => {
    it.each<[string, () => Promise<void> | void, RegExp]>([
      ['that is gone', () => rm(file()), /gatewright\.db is gone: .*NEW_DATABASE=1/],
      ['that is empty now', () => writeFileSync(file(), ''), /gatewright\.db is empty and was not/],
      [
        'that was replaced by one without its tables',
        async () => {
          await rm(file());
          const database = await databases.open(url);
          await database.execute(query('create table t (a integer)'));
          await database.close();
        },
        /gatewright\.db no longer holds what it held/,
      ],
    ])('%s: no start and no command makes a new one, unless NEW_DATABASE=1', async (_what, lose, message) => {
      await lose();
      const before = existsSync(file()) ? statSync(file()).size : undefined;
      await expect(start()).rejects.toThrow(message);
      const env = { DATA_DIR: directory, DATABASE_URL: url };
      for (const argv of [['migrate'], ['user', 'create', '--username', 'u', '--email', 'u@example.com']]) {
        const { status, stderr } = await run(argv, { env });
        expect([argv, status, stderr]).toEqual([argv, 1, expect.stringMatching(message)]);
      }
      expect(existsSync(file()) ? statSync(file()).size : undefined).toBe(before);
      const service = await start({ NEW_DATABASE: '1' });
      expect(service.server.firstAdmin).toMatchObject({ username: 'root' });
      await service.close();
      await (await start()).close();
    });
  });

  it('a check, a plan and an audit say that the database of the DATA_DIR is gone', async () => {
    await rm(file());
    const env = { DATA_DIR: directory, DATABASE_URL: url };
    for (const argv of [
      ['migrate', '--check'],
      ['migrate', '--plan'],
    ]) {
      const { status, stderr } = await run(argv, { env });
      expect([argv, status, stderr]).toEqual([argv, 1, expect.stringContaining('gatewright.db is gone')]);
    }
    expect((await run(['audit'], { env })).stderr).toContain('gatewright.db is gone');
    expect(existsSync(file())).toBe(false);
  });

  it('DATA_DIR may be moved as a whole', async () => {
    const moved = await mkdtemp(join(tmpdir(), 'gatewright-start-'));
    try {
      url = `sqlite:${join(moved, 'gatewright.db')}`;
      writeFileSync(join(moved, 'databases.json'), '{"databases":["gatewright.db"]}\n');
      const env = { DATA_DIR: moved };
      await expect(start(env)).rejects.toThrow('is gone');
    } finally {
      await rm(moved, { recursive: true, force: true });
    }
  });

  it('a start says that the file is gone where a DATA_DIR has only a log of SQLite', async () => {
    await rm(join(directory, 'databases.json'));
    await rm(file());
    writeFileSync(`${file()}-wal`, 'x'.repeat(4152));
    await expect(start()).rejects.toThrow('is gone');
  });
});
