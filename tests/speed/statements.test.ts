import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Application, loadApplication } from '../../src/app/application.ts';
import type { Query } from '../../src/database/database.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { SqliteConnection } from '../../src/database/sqlite/connection.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeDatabase } from '../support/databases.ts';
import { type Service, startService, type TestUser, useService } from '../support/service.ts';

/** Keeps the statements that SQLite runs while a test runs. */
const watch = (statements: string[]): void => {
  beforeEach(() => {
    statements.length = 0;
    for (const method of ['all', 'get', 'run'] as const) {
      const original = SqliteConnection.prototype[method];
      vi.spyOn(SqliteConnection.prototype, method).mockImplementation(function (
        this: SqliteConnection,
        query: Query,
      ) {
        // Once a second the service asks by itself whether the database is still the same. Remembered totals follow
        // commits by a counter in memory.
        if (!/gatewright_database|^pragma data_version$/.test(query.sql)) statements.push(query.sql);
        return original.call(this, query) as never;
      });
    }
  });
  afterEach(() => vi.restoreAllMocks());
};

/** The regression gate that is no timing: statements per request, authentication included. */
describeDatabase('sqlite', 'statements per request', (databases) => {
  const statements: string[] = [];
  let service: Service;
  let token: TestUser;
  let key = '';

  beforeAll(async () => {
    const application: Application = await loadApplication('examples/newsroom');
    service = await startService(databases, { application });
    token = await service.admin();
    ({ key } = await service.createKey(token));
    for (const title of ['a', 'b', 'c'])
      await service.request('POST', '/api/v1/notes', { token, body: { note: { title } } });
    await service.request('POST', '/api/v1/orders', { token, body: { order: { number: 'N-1', amount: 1 } } });
    return () => service.close();
  });

  watch(statements);

  const asked = async (method: string, path: string, body?: unknown, credentials: object = { token }) => {
    // Once before: what is compiled or estimated at first use does not count.
    await service.request(method, path, { ...credentials, body });
    const counts: number[] = [];
    // Counters are written by a timer, which may fall into one of them.
    for (let round = 0; round < 3; round += 1) {
      statements.length = 0;
      const { status } = await service.request(method, path, { ...credentials, body });
      expect(status).toBeLessThan(300);
      counts.push(statements.length);
    }
    return Math.min(...counts);
  };

  it.each([
    ['detail by token', 'GET', '/api/v1/notes/1', 2],
    ['list of everything', 'GET', '/api/v1/notes', 2],
    ['page with total', 'GET', '/api/v1/notes?page=1&per_page=2', 2],
    ['page with cursor links', 'GET', '/api/v1/notes?per_page=2', 2],
    ['filtered and sorted', 'GET', '/api/v1/notes?sort=-title&filter[title][like]=a&q=b', 2],
    ['isolated detail', 'GET', '/api/v1/orders/1', 2],
    ['public list', 'GET', '/api/v1/articles', 1],
    ['current user', 'GET', '/api/v1/auth/me', 1],
    ['users', 'GET', '/api/v1/users', 2],
    ['users with what they prove', 'GET', '/admin/users?page=1&filter[second_factor]=none', 2],
    ['health', 'GET', '/api/v1/health', 0],
  ])('%s: %s %s takes at most %i statements', async (_name, method, path, most) => {
    expect(await asked(method, path)).toBeLessThanOrEqual(most);
  });

  it('a detail by key takes no more than one by token, whatever the key is restricted to', async () => {
    expect(await asked('GET', '/api/v1/orders/1', undefined, { key })).toBeLessThanOrEqual(2);
    const restrictions = { scopes: ['orders:read'], limit: { max: 1_000, window: '1h' }, quota: 100_000 };
    const body = { api_key: { name: 'restricted', ...restrictions } };
    const { key: restricted } = await service.ok<{ key: string }>('POST', '/api/v1/api_keys', {
      token,
      body,
    });
    expect(await asked('GET', '/api/v1/orders/1', undefined, { key: restricted })).toBeLessThanOrEqual(2);
  });

  it('a former secret takes one more', async () => {
    const rotated = await service.createKey(token);
    const path = `/api/v1/api_keys/${rotated.id}/rotate`;
    const { key: present } = await service.ok<{ key: string }>('POST', path, {
      token,
      body: { overlap: 60 },
    });
    expect(await asked('GET', '/api/v1/orders/1', undefined, { key: present })).toBeLessThanOrEqual(2);
    expect(await asked('GET', '/api/v1/orders/1', undefined, { key: rotated.key })).toBeLessThanOrEqual(3);
  });

  it('a key that was revoked costs as one that never was: a look-up among present and former secrets', async () => {
    const gone = await service.createKey(token);
    await service.ok('DELETE', `/api/v1/api_keys/${gone.id}`, { token });
    for (const each of [gone.key, 'f'.repeat(64)]) {
      statements.length = 0;
      expect((await service.get('/api/v1/orders/1', { key: each })).status).toBe(401);
      expect(statements).toEqual([
        expect.stringContaining('from api_keys k'),
        expect.stringContaining('from gatewright_former_secrets f'),
      ]);
    }
  });

  it('a create and an update take at most 3 statements, whatever has to be unique', async () => {
    expect(await asked('POST', '/api/v1/notes', { note: { title: 'new' } })).toBeLessThanOrEqual(2);
    expect(await asked('PATCH', '/api/v1/notes/2', { note: { title: 'newer' } })).toBeLessThanOrEqual(2);
    expect(await asked('PATCH', '/api/v1/orders/1', { order: { number: 'N-2' } })).toBeLessThanOrEqual(3);
  });

  describe('plans', () => {
    it('scan no table that a request did not ask to be scanned', async () => {
      const paths = [
        '/api/v1/notes/1',
        '/api/v1/orders/1',
        '/api/v1/notes?per_page=2',
        '/api/v1/articles',
        '/api/v1/api_keys',
      ];
      for (const path of paths) await asked('GET', path);
      const reader = new SqliteConnection(service.server.config.databaseUrl.replace('sqlite:', ''), 'reader');
      try {
        for (const sql of new Set(statements)) {
          const plan = reader.all<{ detail: string }>({ sql: `explain query plan ${sql}`, parameters: [] });
          const details = plan.map(({ detail }) => detail).join('; ');
          // A caller's own keys are those of two indexes, and few: results are read whole, and their order is made.
          const ownKeys = sql.includes('gatewright_former_secrets');
          const made = `t$|t;|page\\b${ownKeys ? '|s;|\\(subquery-\\d+\\)|CONSTANT ROW' : ''}`;
          expect(details, sql).not.toMatch(new RegExp(`SCAN (?!t USING (COVERING )?INDEX|${made})`));
          if (!ownKeys) expect(details, sql).not.toContain('TEMP B-TREE');
        }
      } finally {
        reader.close();
      }
    });
  });
});

/** A rule takes no statement of its own: it is a condition of the one that reads or writes. */
describeDatabase('sqlite', 'statements under row rules', (databases) => {
  const statements: string[] = [];
  let service: Service;
  let token: TestUser;

  beforeAll(async () => {
    service = await startService(databases, { application: await loadApplication('examples/teams') });
    token = await service.createUser();
    const made = (path: string, body: object) =>
      service.ok<{ id: number }>('POST', `/api/v1/${path}`, { token, body });
    const { id: company_id } = await made('companies', { company: { name: 'Roofs' } });
    await made('articles', { article: { title: 'First', body: 'One', company_id } });
    await made('tickets', { ticket: { title: 'First', body: 'One', company_id } });
    return () => service.close();
  });

  watch(statements);

  it.each([
    ['list', 'GET', '/api/v1/tickets', undefined, 2],
    ['page with total', 'GET', '/api/v1/tickets?page=1&per_page=2&sort=-title', undefined, 2],
    ['page with relations', 'GET', '/api/v1/tickets?page=1&include=user,company,comments', undefined, 2],
    ['detail', 'GET', '/api/v1/tickets/1', undefined, 2],
    ['create', 'POST', '/api/v1/articles', { article: { title: 'x', body: 'x', company_id: 1 } }, 3],
    ['update', 'PATCH', '/api/v1/articles/1', { article: { title: 'y' } }, 2],
    ['update that moves', 'PATCH', '/api/v1/articles/1', { article: { company_id: 1 } }, 3],
  ])(
    'statements under row rules stay within their number: %s: %s %s',
    async (_name, method, path, body, most) => {
      await service.request(method, path, { token, body });
      statements.length = 0;
      const { status } = await service.request(method, path, { token, body });
      expect(status).toBeLessThan(300);
      expect(statements.length).toBeLessThanOrEqual(most);
    },
  );
});

/** Values that `beforeCommit` sets take one statement, and a hook that sets none takes none. */
describeDatabase('sqlite', 'statements of a hook that sets', (databases) => {
  const statements: string[] = [];
  const fields = { note: field.string(), label: field.string() };
  const memo = defineResource('Memo', {
    fields,
    hooks: {
      beforeCommit: ({ after, set }) => {
        if (after?.note === 'labelled') set({ label: `M-${after.id}` });
      },
    },
  });
  const migrations: Migrations = {
    '0001_memos': { up: (db, dialect) => createTable(db, dialect, 'memos', { fields }) },
  };
  const service = useService(databases, { application: { resources: [memo], migrations } });

  watch(statements);

  it.each(['POST', 'PATCH'])('a hook that sets takes no more statements in a %s', async (method) => {
    const token = await service.createUser();
    await service.request('POST', '/api/v1/memos', { token, body: { memo: {} } });
    const path = method === 'POST' ? '/api/v1/memos' : '/api/v1/memos/1';
    const written = async (note: string): Promise<number> => {
      const ask = () => service.request(method, path, { token, body: { memo: { note } } });
      await ask();
      statements.length = 0;
      expect((await ask()).status).toBeLessThan(300);
      return statements.filter((each) => each.includes('"memos"')).length;
    };
    expect(await written('labelled')).toBe((await written('plain')) + 1);
  });
});
