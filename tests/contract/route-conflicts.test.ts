import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadApplication } from '../../src/app/application.ts';
import { pendingMigrations } from '../../src/app/migrate.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { databaseTarget } from '../../src/database/targets.ts';
import { field } from '../../src/fields/define.ts';
import type { HttpMethod } from '../../src/http/endpoint.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type ServiceOptions, startService } from '../support/service.ts';

const endpoint = (method: HttpMethod, path: string) =>
  defineEndpoint({ method, path, auth: [], handle: () => null });

const fields = { title: field.string() };
const resource = {
  resources: [defineResource('Note', { fields })],
  migrations: {
    notes: {
      up: (db, dialect) => createTable(db, dialect, 'notes', { fields }),
    } satisfies Migration,
  },
};

/** The same module, wherever the file is that imports it. */
const service = JSON.stringify(new URL('../../src/index.ts', import.meta.url).href);

const code = (path: string): string =>
  `import { defineEndpoint } from ${service};\nexport default defineEndpoint({ method: 'GET', path: '${path}', handle: () => null });\n`;

describeEachDatabase('two endpoints with one method and path', (databases) => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatewright-conflicts-'));
    await mkdir(join(folder, 'endpoints'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The reason why the service does not start. */
  const refusal = async (application: ServiceOptions['application'] = {}, url?: string): Promise<string> => {
    try {
      await using started = await startService(databases, {
        application,
        ...(url === undefined ? {} : { url }),
      });
      return `it answers on ${started.port}`;
    } catch (error) {
      return String(error);
    }
  };

  it.each<[string, ReturnType<typeof endpoint>, string]>([
    ['of the service', endpoint('POST', '/auth/login'), 'POST /api/v1/auth/login of the service, '],
    ['of a resource', endpoint('GET', '/notes/:number'), 'GET /api/v1/notes/:id of the resource Note, '],
    [
      'of a resource, by the other word',
      endpoint('PUT', '/notes/:id'),
      'PATCH /api/v1/notes/:id of the resource Note, ',
    ],
    ['of metadata', endpoint('GET', '/meta/Note'), 'GET /api/v1/meta/Note of the service, '],
  ])('no start: one %s', async (_name, own, named) => {
    const text = await refusal({ ...resource, endpoints: [own] });
    expect(text).toContain(named);
    expect(text).toContain(`${own.method} /api/v1${own.path} of the application`);
  });

  it('no start: both of the application, naming their files', async () => {
    const [one, two] = [join(folder, 'endpoints', 'a.js'), join(folder, 'endpoints', 'b.js')];
    await writeFile(one, code('/reports/:id'));
    await writeFile(two, code('/reports/:year'));
    expect(await refusal(await loadApplication(folder))).toContain(
      `GET /api/v1/reports/:id of ${one}, GET /api/v1/reports/:year of ${two}`,
    );
    await rm(two);
    await writeFile(join(folder, 'endpoints', 'a.mjs'), code('/others'));
    await expect(loadApplication(folder)).rejects.toThrow('another file is called a, with another ending');
  });

  describe('no start, and the database is as it was:', () => {
    const taken = { ...resource, endpoints: [endpoint('GET', '/notes/:number')] };
    const pendingIn = (url: string) => pendingMigrations(databaseTarget(url), resource);

    it('a new database is as it was where two endpoints conflict', async () => {
      const url = await databases.create();
      const before = await pendingIn(url);
      expect(await refusal(taken, url)).toContain('two endpoints for one method and path');
      expect(before).toContain('notes');
      expect(await pendingIn(url)).toEqual(before);
    });

    it('a database in which something is pending is as it was where two endpoints conflict', async () => {
      const url = await databases.create();
      expect(await refusal({}, url)).toContain('it answers on');
      expect(await refusal(taken, url)).toContain('two endpoints for one method and path');
      expect(await pendingIn(url)).toEqual(['notes']);
    });

    it('one in which nothing is pending', async () => {
      const url = await databases.create();
      expect(await refusal(resource, url)).toContain('it answers on');
      const database = await databases.open(url);
      const entries = () => database.all({ sql: 'select model from permission_entries', parameters: [] });
      await database.write((transaction) =>
        transaction.run({ sql: 'delete from permission_entries', parameters: [] }),
      );
      expect(await refusal(taken, url)).toContain('two endpoints for one method and path');
      expect(await entries()).toEqual([]);
      // The first line that a start writes.
      expect(await refusal(resource, url)).toContain('it answers on');
      expect(await entries()).not.toEqual([]);
    });
  });

  describe('is none:', () => {
    it.each([
      ['another method', endpoint('POST', '/auth/me')],
      ['a path that a parameter of another would match', endpoint('GET', '/notes/latest')],
      ['a path that is longer', endpoint('GET', '/notes/:id/lines')],
    ])('%s is no conflict of two endpoints', async (_name, own) => {
      expect(await refusal({ ...resource, endpoints: [own] })).toContain('it answers on');
    });
  });
});
