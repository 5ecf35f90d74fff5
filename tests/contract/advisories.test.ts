import { expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { startService, useService } from '../support/service.ts';

/** Advisories of other products whose class no other test excludes: docs/evidence/advisories.md lists all of them. */

const fields = {
  title: field.string({ required: true }),
  approved: field.boolean(),
  reward: field.decimal({ scale: 2 }),
};
const task = defineResource('Task', { fields, restricted: ['approved', 'reward'] });
const migrations: Migrations = {
  '0001_tasks': { up: (db, dialect) => createTable(db, dialect, 'tasks', { fields }) },
};

describeEachDatabase('what broke into other products', (databases) => {
  const service = useService(databases, { application: { resources: [task], migrations } });

  it('CVE-2024-47183: no id comes from a client', async () => {
    const root = await service.admin();
    const { id } = await service.ok<{ id: number }>('POST', '/api/v1/tasks', {
      token: root,
      body: { task: { id: 9_007_199_254_740_991, title: 'first' } },
    });
    const next = await service.ok<{ id: number }>('POST', '/api/v1/tasks', {
      token: root,
      body: { task: { title: 'second' } },
    });
    expect([id < 1_000, next.id]).toEqual([true, id + 1]);
    const user = await service.ok<{ id: number }>('POST', '/admin/users', {
      token: root,
      body: {
        user: { id: 1, username: 'chosen', email: 'chosen@example.com', password: 'correct horse staple' },
      },
    });
    expect(user.id).not.toBe(1);
  });

  it('CVE-2020-15223: a revocation whose row is not stored is no success', async () => {
    await using broken = await startService(databases);
    const user = await broken.createUser();
    const key = await broken.createKey(user);
    const { database } = broken.server.services;
    const refuse = (table: string): readonly string[] =>
      databases.dialect === 'sqlite'
        ? [
            `create trigger refuse_${table} before insert on ${table} begin select raise(abort, 'no space'); end`,
          ]
        : [
            `create or replace function refuse() returns trigger language plpgsql as $$ begin raise 'no space'; end $$`,
            `create trigger refuse_${table} before insert on ${table} for each row execute function refuse()`,
          ];
    for (const table of ['gatewright_revoked_tokens', 'gatewright_revoked_keys'])
      for (const sql of refuse(table)) await database.execute({ sql, parameters: [] });
    const [signOut, deletion] = [
      await broken.post('/api/v1/auth/logout', { token: user }),
      await broken.delete(`/api/v1/api_keys/${key.id}`, { token: user }),
    ];
    expect([signOut.status, deletion.status]).toEqual([500, 500]);
    const stillOpen = [{ token: user }, { key: key.key }].map((each) => broken.get('/api/v1/users', each));
    expect((await Promise.all(stillOpen)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('CVE-2013-3221, CVE-2026-29793: values of other types are no credentials', async () => {
    const values: readonly unknown[] = [
      null,
      true,
      1,
      '',
      [],
      ['admin'],
      {},
      { ne: '' },
      { $gt: '' },
      { regexp: '.*' },
    ];
    for (const value of values) {
      const user = await service.createUser();
      const bodies = [
        { account: value, password: user.password },
        { account: user.username, password: value },
      ];
      for (const body of bodies) {
        const { status, json } = await service.post('/api/v1/auth/login', { body });
        expect([401, 422], JSON.stringify(body)).toContain(status);
        expect(json).not.toHaveProperty('data.token');
      }
    }
  });

  it('CVE-2026-34574, CVE-2026-30938: no value passes the guard of restricted fields', async () => {
    const values: readonly unknown[] = [
      null,
      false,
      true,
      0,
      '',
      '0.00',
      [],
      {},
      { set: true },
      [{ approved: true }],
    ];
    for (const value of values) {
      const [root, user] = [await service.admin(), await service.createUser()];
      const { id } = await service.ok<{ id: number }>('POST', '/api/v1/tasks', {
        token: root,
        body: { task: { title: 'guarded', approved: true, reward: '5.00' } },
      });
      const path = `/api/v1/tasks/${id}`;
      const stored = await service.ok<object>('GET', path, { token: root });
      for (const body of [{ approved: value }, { reward: value }, { task: { approved: value } }])
        await service.request('PATCH', path, { token: user, body: { task: { title: 'guarded', ...body } } });
      expect(await service.ok('GET', path, { token: root })).toEqual({
        ...stored,
        updated_at: expect.any(String),
      });
      const created = await service.post<{ id: number }>('/api/v1/tasks', {
        token: user,
        body: { task: { title: 'made', approved: value, reward: value } },
      });
      expect(created.json.data).toMatchObject({ approved: null, reward: null });
    }
  });

  it('CVE-2026-44457, CVE-2024-45596: no cache keeps a response for another caller', async () => {
    const user = await service.createUser();
    for (const path of [
      '/api/v1/users',
      '/api/v1/auth/me',
      '/api/v1/tasks',
      '/api/v1/api_keys',
      '/api/v1/nothing',
    ])
      expect((await service.get(path, { token: user })).headers['cache-control'], path).toBe('no-store');
  });
});
