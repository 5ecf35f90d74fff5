import { copyFileSync, existsSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyMigrations } from '../../src/app/migrate.ts';
import { databaseTarget } from '../../src/database/targets.ts';
import { describeDatabase } from '../support/databases.ts';
import { type Service, startService, type TestUser } from '../support/service.ts';

/** Milliseconds within which a loss is noticed. */
const noticed = 5_000;

const createKey = (service: Service, token: TestUser, name: string) =>
  service.post('/api/v1/api_keys', { token, body: { api_key: { name } } });

/** Status of writes that begin one after the other, for as long as it takes until one is refused. */
const writeUntilRefused = async (service: Service, token: TestUser): Promise<number[]> => {
  const until = performance.now() + noticed;
  const statuses: number[] = [];
  do {
    const { status } = await createKey(service, token, 'late');
    statuses.push(status);
  } while (statuses.at(-1) !== 503 && performance.now() < until);
  return statuses;
};

/** The lines of the log about the loss; empty when there are none. */
const lossIn = (service: Service): string =>
  service.lines
    .filter((line) => line.includes('"level":50') && line.includes('the database is lost'))
    .join('');

describeDatabase('sqlite', 'a database file', (databases) => {
  let service: Service;
  let token: TestUser;
  let path = '';

  beforeEach(async () => {
    const url = await databases.create();
    path = url.slice('sqlite:'.length);
    service = await startService(databases, { url });
    token = await service.admin();
    for (let n = 0; n < 20; n += 1) expect((await createKey(service, token, 'early')).status).toBe(201);
  });
  afterEach(() => service.close());

  /** Another database of the service, as large as it gets by being migrated. */
  const another = async (): Promise<string> => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), { migrations: {} });
    return url.slice('sqlite:'.length);
  };
  const checkpoint = (): void => {
    const database = new DatabaseSync(path);
    database.exec('pragma wal_checkpoint(truncate)');
    database.close();
  };
  /** A backup, and after it what makes the file grow. */
  const olderCopy = async (): Promise<string> => {
    checkpoint();
    const copy = `${path}.backup`;
    const source = new DatabaseSync(path, { readOnly: true });
    await backup(source, copy);
    source.close();
    for (let n = 0; n < 200; n += 1) await createKey(service, token, 'x'.repeat(200));
    checkpoint();
    return copy;
  };

  const losses: Readonly<Record<string, readonly [string, () => Promise<void> | void]>> = {
    'is removed': ['was removed', () => rmSync(path)],
    'is moved away': ['was removed', () => renameSync(path, `${path}.elsewhere`)],
    'and its log are removed': [
      'was removed',
      () => {
        for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix);
      },
    ],
    'loses its log': ['test.db-wal was removed', () => rmSync(`${path}-wal`)],
    'gets another log': [
      'test.db-wal was',
      () => {
        copyFileSync(`${path}-wal`, `${path}-copy`);
        renameSync(`${path}-copy`, `${path}-wal`);
      },
    ],
    'is replaced by a file of the same name': [
      'was replaced by another file',
      async () => renameSync(await another(), path),
    ],
    'is emptied': ['was emptied', () => truncateSync(path, 0)],
    'is cut off behind its first page': ['was cut off', () => truncateSync(path, 4096)],
    'is cut off, with nothing in its log': [
      'was cut off',
      () => {
        checkpoint();
        truncateSync(path, 8192);
      },
    ],
    'is written over with text': ['holds another database', () => writeFileSync(path, 'x'.repeat(2_000_000))],
    'is written over with another database': [
      'test.db',
      async () => {
        const other = await another();
        // No smaller than what was there: nothing but its content tells.
        const database = new DatabaseSync(other);
        database.exec('create table filling (a); insert into filling values (zeroblob(1000000))');
        database.close();
        copyFileSync(other, path);
      },
    ],
    'is written over with an older copy of itself': [
      'test.db',
      async () => copyFileSync(await olderCopy(), path),
    ],
  };

  it.each(Object.entries(losses))(
    'a database file that %s takes no write any more, and says so',
    async (_what, [why, lose]) => {
      await lose();
      // No write that began afterwards is acknowledged.
      expect(await writeUntilRefused(service, token)).toEqual([503]);
      await expect.poll(() => lossIn(service), { timeout: noticed }).toContain(why);
      expect((await createKey(service, token, 'later')).json.code).toBe(50300);
      expect((await service.get('/api/v1/health?ready')).status).toBe(503);
      expect((await service.get('/api/v1/health')).status).toBe(200);
    },
  );

  it('a lost database file is noticed without any write', async () => {
    rmSync(path);
    await expect.poll(() => lossIn(service), { timeout: noticed }).not.toBe('');
    expect((await service.get('/api/v1/health?ready')).status).toBe(503);
  });

  it('a database file that is made smaller by VACUUM, or checkpointed by another process, stays what it is', async () => {
    for (let n = 0; n < 200; n += 1) await createKey(service, token, 'x'.repeat(200));
    const database = new DatabaseSync(path);
    database.exec('pragma secure_delete = off; delete from audit; vacuum; pragma wal_checkpoint(truncate)');
    database.close();
    expect((await createKey(service, token, 'after')).status).toBe(201);
    checkpoint();
    expect((await createKey(service, token, 'after')).status).toBe(201);
    expect((await service.get('/api/v1/health?ready')).status).toBe(200);
    expect(lossIn(service)).toBe('');
  });

  it('a database file that is gone is not created again by a thread that reads it', async () => {
    const { database } = service.server.services;
    rmSync(path);
    const unavailable = { problem: 'database_unavailable' };
    const count = { sql: 'select count(*) as n from users', parameters: [] };
    await expect(database.scan(count)).rejects.toMatchObject(unavailable);
    await expect(database.stream(count)).rejects.toMatchObject(unavailable);
    expect(existsSync(path)).toBe(false);
  });
});

describeDatabase('postgres', 'a database', (databases) => {
  const administer = async (url: string, ...statements: string[]): Promise<void> => {
    const server = new URL(url);
    server.pathname = '/postgres';
    const client = new pg.Client({ connectionString: server.href });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const nameOf = (url: string): string => new URL(url).pathname.slice(1);
  const endSessions = (name: string): string =>
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;

  describe('under a service', () => {
    let service: Service;
    let token: TestUser;
    let url = '';
    beforeEach(async () => {
      url = await databases.create();
      service = await startService(databases, { url });
      token = await service.admin();
      expect((await createKey(service, token, 'early')).status).toBe(201);
    });
    afterEach(() => service.close());

    const ready = async (): Promise<number> => (await service.get('/api/v1/health?ready')).status;

    it('a database that is emptied under a service takes no write any more, and says so', async () => {
      const database = await databases.open(url);
      await database.execute({ sql: 'drop schema public cascade', parameters: [] });
      await database.execute({ sql: 'create schema public', parameters: [] });
      await expect.poll(() => lossIn(service), { timeout: noticed }).toContain('it was emptied');
      expect((await createKey(service, token, 'late')).status).toBeGreaterThanOrEqual(500);
      expect(await ready()).toBe(503);
    });

    it('a database that another stands in the place of takes no write, until it is back', async () => {
      const name = nameOf(url);
      const replace = (from: string, to: string) => [
        `alter database ${from} with allow_connections false`,
        endSessions(from),
        `alter database ${from} rename to ${to}`,
        `alter database ${to} with allow_connections true`,
      ];
      await administer(url, ...replace(name, `${name}_old`), `create database ${name}`);
      await applyMigrations(databaseTarget(url), { migrations: {} });
      await expect
        .poll(() => lossIn(service), { timeout: noticed })
        .toContain('another one stands in its place');
      const key = await service.server.services.database
        .execute({ sql: `delete from roles where name = 'none'`, parameters: [] })
        .catch((error: unknown) => error);
      expect(key).toMatchObject({ problem: 'database_unavailable' });
      expect(await ready()).toBe(503);
      await administer(url, ...replace(name, `${name}_new`), ...replace(`${name}_old`, name));
      await expect.poll(ready, { timeout: noticed }).toBe(200);
      await expect
        .poll(async () => (await createKey(service, token, 'again')).status, { timeout: noticed })
        .toBe(201);
      expect(service.lines.join()).toContain('the database is the one of before again');
      await administer(url, `drop database ${name}_new`);
    });

    it('a database that is read-only is not ready, until it takes writes again', async () => {
      const setting = (value: string) =>
        administer(
          url,
          `alter database ${nameOf(url)} set default_transaction_read_only = ${value}`,
          endSessions(nameOf(url)),
        );
      await setting('on');
      await expect.poll(ready, { timeout: noticed }).toBe(503);
      expect((await service.get('/api/v1/health')).status).toBe(200);
      await setting('off');
      await expect.poll(ready, { timeout: noticed }).toBe(200);
    });
  });
});
