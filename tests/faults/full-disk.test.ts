import { execFileSync } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApplication } from '../../src/app/application.ts';
import { run } from '../../src/cli/test-io.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { postgresAt } from '../support/databases.ts';
import { createPostgres } from '../support/postgres.ts';
import { scrape } from '../support/scrape.ts';
import { Service, type TestUser } from '../support/service.ts';
import { createSmallDisk, hasSmallDisks, type SmallDisk } from '../support/small-disk.ts';

/** A database on a small disk: its URL, and what removes it. */
interface Place {
  readonly url: string;
  remove(): Promise<void>;
}

const places: Readonly<Record<'sqlite' | 'postgres', (disk: SmallDisk) => Promise<Place>>> = {
  sqlite: async ({ path }) => ({ url: `sqlite:${join(path, 'test.db')}`, remove: async () => {} }),
  // The tables are on the small disk, the server's log of transactions is not.
  postgres: async ({ path }) => {
    const server = await createPostgres();
    await server.start();
    const folder = join(path, 'tables');
    await mkdir(folder);
    const { uid } = await stat(server.directory);
    execFileSync('chown', [String(uid), folder]);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`create tablespace small location '${folder}'`);
    await client.query('create database small tablespace small');
    await client.end();
    const url = new URL(server.url);
    url.pathname = '/small';
    return { url: url.href, remove: server.remove };
  },
};

const fields = { text: field.text({ required: true }) };

const application = createApplication({
  resources: [defineResource('Paper', { fields })],
  migrations: {
    '0001_papers': { up: (db, dialect) => createTable(db, dialect, 'papers', { fields }) },
  },
});

// Continuous integration runs as root.
if (hasSmallDisks || process.env['CI'] !== undefined)
  for (const dialect of ['sqlite', 'postgres'] as const)
    describe(`a disk that is full (${dialect})`, () => {
      let disk: SmallDisk;
      let place: Place;
      let service: Service;
      let token: TestUser;

      beforeEach(async () => {
        disk = await createSmallDisk(48);
        place = await places[dialect](disk);
        service = new Service(
          { ...postgresAt(() => place.url), dialect },
          {
            application,
            env: { METRICS_PORT: '0' },
          },
        );
        await service.start();
        token = await service.admin();
      }, 60_000);
      afterEach(async () => {
        await service?.close();
        await place?.remove();
        await disk?.close();
      });

      const create = async (): Promise<number> =>
        (await service.post('/api/v1/papers', { token, body: { paper: { text: 'x'.repeat(6_000) } } }))
          .status;
      const ready = async (): Promise<number> => (await service.get('/api/v1/health?ready')).status;
      const metric = async () => (await scrape(service.server.metricsPort)).value('gatewright_ready');

      it('the service is not ready from the first write that a full disk refuses until one that takes room succeeds', {
        timeout: 60_000,
      }, async () => {
        expect([await create(), await ready(), await metric()]).toEqual([201, 200, 1]);
        await disk.fill();
        await expect.poll(create, { interval: 0, timeout: 20_000 }).toBe(503);
        expect(await ready()).toBe(503);
        // A scrape may give a text that is a moment old.
        await expect.poll(metric).toBe(0);
        // The checks alone, some of which are small writes that find room in what there is, do not make it ready.
        const until = performance.now() + 3_000;
        while (performance.now() < until) {
          expect(await ready()).toBe(503);
          expect((await service.get('/api/v1/papers?per_page=1', { token })).status).toBe(200);
        }
        expect([await create(), await ready(), await metric()]).toEqual([503, 503, 0]);
        await disk.empty();
        await expect.poll(ready, { timeout: 5_000 }).toBe(200);
        expect(await create()).toBe(201);
        await expect.poll(metric, { timeout: 5_000 }).toBe(1);
      });
    });

if (hasSmallDisks || process.env['CI'] !== undefined)
  describe('a start on a disk that is full (sqlite)', () => {
    let disk: SmallDisk;
    let path: string;
    const services: Service[] = [];

    const start = (): Promise<Service> => {
      const service = new Service(
        { ...postgresAt(() => `sqlite:${path}`), dialect: 'sqlite' },
        { application },
      );
      services.push(service);
      return service.start();
    };
    const close = async (): Promise<void> => {
      for (const service of services.splice(0)) await service.close();
    };

    beforeEach(async () => {
      disk = await createSmallDisk(16);
      path = join(disk.path, 'test.db');
      await start();
    });
    afterEach(async () => {
      await close();
      await disk?.close();
    });

    it('serves reads, and is not ready until there is room', { timeout: 60_000 }, async () => {
      // SQLite keeps the files beside the database while a connection is open, as after a process that was killed.
      using _open = new DatabaseSync(path);
      _open.exec('begin; select count(*) from users');
      await close();
      await disk.fill();
      const service = await start();
      const token = await service.admin();
      expect(service.lines.join()).toContain(`${path}-service: database or disk is full`);
      const ready = async (): Promise<number> => (await service.get('/api/v1/health?ready')).status;
      expect((await service.get('/api/v1/papers', { token })).status).toBe(200);
      expect(await ready()).toBe(503);
      await disk.empty();
      await expect.poll(ready, { timeout: 5_000 }).toBe(200);
    });

    it('names the file where SQLite cannot open it, and so does every command', async () => {
      const [service] = services;
      await close();
      await disk.fill();
      await expect(start()).rejects.toThrow(path);
      const env = { ...service?.env, CREDENTIALS_FILE: join(disk.path, 'a.age') };
      const said = async (...argv: string[]): Promise<string> => (await run(argv, { env })).stderr;
      expect(await said('backup', join(disk.path, 'copy'))).toContain('copy.part: database or disk is full');
      expect(await said('app', 'create', 'shop')).toContain(`${disk.path}/a.age.lock: `);
    });
  });
