import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { createApplication } from '../../src/app/application.ts';
import { tokenLifetime } from '../../src/auth/jwt.ts';
import { testIo } from '../../src/cli/test-io.ts';
import { withOperations } from '../../src/cli/transfer/opened.ts';
import { exportPerson } from '../../src/cli/transfer/person-command.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { commonPassword, type Service, type TestUser, useService } from '../support/service.ts';

/** Users who delete themselves, and values that leave the database for good. */

const noteFields = {
  text: field.string({ required: true, max: 200 }),
  user_id: field.owner(),
};
const cardFields = {
  label: field.string({ max: 50 }),
  person: field.reference('User', { onDelete: 'cascade' }),
};
const billFields = { payer: field.reference('User', { required: true, onDelete: 'restrict' }) };
const remarkFields = { by: field.reference('User', { onDelete: 'null' }) };

const application = createApplication({
  config: { accounts: { remove: true, rename: true } },
  resources: [
    defineResource('Note', {
      fields: noteFields,
      ownership: true,
      history: true,
      events: true,
      trash: true,
      search: ['text'],
    }),
    defineResource('Card', { fields: cardFields, history: true }),
    defineResource('Bill', { fields: billFields }),
    defineResource('Remark', { fields: remarkFields }),
  ],
  migrations: {
    '0001': {
      up: async (db, dialect) => {
        await createTable(db, dialect, 'notes', { fields: noteFields, search: ['text'] });
        await createTable(db, dialect, 'cards', { fields: cardFields });
        await createTable(db, dialect, 'bills', { fields: billFields });
        await createTable(db, dialect, 'remarks', { fields: remarkFields });
      },
    },
  } satisfies Migrations,
});

const times = { jobTimes: { poll: 100 } } as const;
const me = '/api/v1/auth/me';

const restsOf = (service: Service, text: string): string[] => {
  const url = service.env['DATABASE_URL'] ?? '';
  const folder = dirname(url.replace(/^sqlite:/, ''));
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(folder, entry.name)).includes(text))
    .map(({ name }) => name);
};

describeEachDatabase('erasure', (databases) => {
  const service = useService(databases, { application, times, env: { LOCALE: 'en' } });
  let second: Service;
  let root: TestUser;
  beforeAll(async () => {
    second = await service.secondInstance();
    root = await service.admin();
  });
  const freshUser = async (): Promise<TestUser> => {
    const user = await service.createUser();
    const { data } = await service.login(user.username, user.password);
    return { ...user, token: data.token };
  };
  const removeMe = (user: TestUser, body?: object) =>
    service.request('DELETE', me, { token: user.token, ...(body === undefined ? {} : { body }) });

  it('lets users change their own name, and nothing else', async () => {
    const user = await freshUser();
    const body = { user: { name: 'Ann Lee', username: 'other', roles: ['admin'] } };
    const changed = await service.ok('PATCH', me, { token: user.token, body });
    expect(changed).toMatchObject({
      id: user.id,
      name: 'Ann Lee',
      username: user.username,
      roles: ['viewer'],
    });
    expect(await second.ok('GET', me, { token: user.token })).toMatchObject({ name: 'Ann Lee' });
    const long = { user: { name: 'x'.repeat(201) } };
    expect((await service.request('PATCH', me, { token: user.token, body: long })).status).toBe(422);
  });

  it('deletes the account with its password, and reports what went and what stays', async () => {
    const user = await freshUser();
    await service.ok('POST', '/api/v1/cards', {
      token: root,
      body: { card: { label: 'c', person_id: user.id } },
    });
    await service.ok('POST', '/api/v1/remarks', { token: root, body: { remark: { by_id: user.id } } });
    const forecast = await service.ok<{ references: object[] }>('GET', `${me}/references`, {
      token: user.token,
    });
    expect(forecast.references).toMatchObject([
      { model: 'Card', on_delete: 'cascade', count: 1 },
      { model: 'Remark', on_delete: 'null', count: 1 },
    ]);
    expect((await removeMe(user, { password: 'wrong' })).json.code).toBe(40_105);
    const { status, data } = await removeMe(user, { password: commonPassword });
    expect(status).toBe(200);
    expect(data.removed).toContainEqual({ kind: 'user', model: 'User', field: null, count: 1, more: false });
    expect(data.removed).toContainEqual({
      kind: 'records',
      model: 'Card',
      field: 'person_id',
      count: 1,
      more: false,
    });
    expect(data.kept).toContainEqual(
      expect.objectContaining({ model: 'Remark', reason: 'reference_cleared' }),
    );
    expect(data.kept).toContainEqual(expect.objectContaining({ model: 'Card', reason: 'former_values' }));
    expect(data.kept).toContainEqual(expect.objectContaining({ kind: 'logs', reason: 'facts' }));
    for (const each of [service, second])
      expect((await each.get(me, { token: user.token })).json.code).toBe(40_101);
    expect((await service.login(user.username, user.password)).status).toBe(401);
    expect(await service.ok<object[]>('GET', '/api/v1/cards', { token: root })).toEqual([]);
  });

  it('takes the place of the password only for a sign-in of the last 5 minutes', async () => {
    const user = await freshUser();
    const issued = service.server.services.tokens.issue(user.id, service.clock.unix() + tokenLifetime - 2);
    const byCode = await service.request('DELETE', me, { token: issued });
    expect(byCode.json.code).toBe(40_105);
    service.clock.advance(6 * 60);
    const late = await removeMe(user);
    expect(late.json).toMatchObject({ code: 40_306, message: expect.stringContaining('5 minutes') });
    const { data } = await service.login(user.username, user.password);
    expect((await removeMe({ ...user, token: data.token })).status).toBe(200);
  });

  it('refuses with the names of the models whose records keep the user, and deletes nothing', async () => {
    const user = await freshUser();
    await service.ok('POST', '/api/v1/bills', { token: root, body: { bill: { payer_id: user.id } } });
    const refused = await removeMe(user, { password: commonPassword });
    expect(refused.json).toMatchObject({ code: 40_918, message: expect.stringMatching(/: Bill$/) });
    expect((await service.get(me, { token: user.token })).status).toBe(200);
  });

  it('keeps the last super_admin', async () => {
    const refused = await service.request('DELETE', me, { token: root, body: { password: commonPassword } });
    expect(refused.json.code).toBe(40_905);
  });

  it('removes names and addresses from the audit log, and keeps the facts', async () => {
    const user = await freshUser();
    await service.ok('POST', '/api/v1/api_keys', {
      token: user.token,
      body: { api_key: { name: 'zq key' } },
    });
    await service.ok('POST', '/api/v1/notes', { token: user.token, body: { note: { text: 'mine' } } });
    expect((await removeMe(user, { password: commonPassword })).status).toBe(200);
    const { database } = service.server.services;
    const named = async () =>
      (
        await Promise.all(
          [
            'audit',
            'gatewright_history',
            'gatewright_events',
            'gatewright_revoked_keys',
            'gatewright_jobs',
          ].map(async (table) => {
            const rows = await database.all({ sql: `select * from ${table}`, parameters: [] });
            return JSON.stringify(rows).includes(user.username) ? [table] : [];
          }),
        )
      ).flat();
    await expect.poll(named, { timeout: 20_000 }).toEqual([]);
    const lines = await service.ok<{ action: string }[]>('GET', `/admin/audit?filter[actor_id]=${user.id}`, {
      token: root,
    });
    expect(lines.map(({ action }) => action)).toEqual(expect.arrayContaining(['user.delete', 'key.create']));
  });

  it('finishes nothing that a deleted user has begun', async () => {
    const user = await freshUser();
    const asked = [
      removeMe(user, { password: commonPassword }),
      ...Array.from({ length: 8 }, (_, n) =>
        (n % 2 === 0 ? service : second).request('POST', '/api/v1/api_keys', {
          token: user.token,
          body: { api_key: { name: `k${n}` } },
        }),
      ),
      service.login(user.username, user.password),
      second.request('POST', '/api/v1/notes', { token: user.token, body: { note: { text: 'late' } } }),
    ];
    const answers = await Promise.all(asked);
    expect(answers[0]?.status).toBe(200);
    for (const { status } of answers.slice(1)) expect(status).toBeLessThan(500);
    const { database } = service.server.services;
    for (const table of ['api_keys', 'sessions', 'gatewright_account_links']) {
      const sql = `select count(*) as n from ${table} where user_id = ${user.id}`;
      expect(Number((await database.get<{ n: number }>({ sql, parameters: [] }))?.n)).toBe(0);
    }
  });

  it('code that acts for the system deletes users in its own transaction', async () => {
    const user = await freshUser();
    const scope = service.server.services.systemScope('test');
    await expect(
      scope.transaction(async ({ records }) => {
        await records('User').remove(user.id);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect((await service.get(me, { token: user.token })).status).toBe(200);
    await scope.transaction(({ records }) => records('User').remove(user.id));
    expect((await service.get(me, { token: user.token })).json.code).toBe(40_101);
    await expect(scope.records('User').remove(user.id)).rejects.toMatchObject({
      problem: 'record_not_found',
    });
  });

  it('forgets a record in the administration area and in code', async () => {
    const user = await freshUser();
    const secret = `zqforget${user.id}`;
    const body = { note: { text: `my ${secret} text` } };
    const { id } = await service.ok<{ id: number }>('POST', '/api/v1/notes', { token: user.token, body });
    await service.ok('DELETE', `/api/v1/notes/${id}`, { token: user.token });
    expect(
      (await service.request('POST', `/admin/records/notes/${id}/forget`, { token: user.token })).status,
    ).toBe(403);
    const isFile = service.env['DATABASE_URL']?.startsWith('sqlite:') === true;
    if (isFile) expect(restsOf(service, secret)).not.toEqual([]);
    const forgotten = await service.ok('POST', `/admin/records/notes/${id}/forget`, { token: root });
    expect(forgotten).toMatchObject({ versions: 2, trash: 1 });
    const again = service.request('POST', '/admin/records/notes/999999/forget', { token: root });
    expect((await again).json.code).toBe(40_400);
    const scope = service.server.services.systemScope('erasure');
    expect(await scope.records('Note').forget(id)).toMatchObject({ versions: 2, trash: 0 });
    const history = await service.ok<object[]>('GET', `/admin/audit?filter[action]=record.forget`, {
      token: root,
    });
    expect(history.length).toBeGreaterThan(0);
    if (isFile)
      await expect.poll(() => restsOf(service, secret), { timeout: 60_000, interval: 250 }).toEqual([]);
  });

  it('exports everything of a person, and no secret', async () => {
    const user = await freshUser();
    await service.ok('POST', '/api/v1/api_keys', {
      token: user.token,
      body: { api_key: { name: 'zq own key' } },
    });
    await service.ok('POST', '/api/v1/notes', { token: user.token, body: { note: { text: 'zq my note' } } });
    const { io, written } = testIo({ env: service.env });
    const asked = { path: '-', username: user.username, json: false };
    await withOperations(
      io,
      (opened) => exportPerson(io, asked, opened),
      async () => service.application,
    );
    const { stdout } = written();
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const kinds = new Set(lines.map(({ kind }) => kind));
    expect([...kinds]).toEqual(
      expect.arrayContaining(['user', 'role', 'api_key', 'record', 'version', 'history', 'event', 'audit']),
    );
    expect(lines.find(({ kind }) => kind === 'record')).toMatchObject({
      model: 'Note',
      record: { text: 'zq my note' },
    });
    const { database } = service.server.services;
    for (const sql of [
      `select password_hash as v from users where id = ${user.id}`,
      'select key_hash as v from api_keys',
    ])
      for (const { v } of await database.all<{ v: string }>({ sql, parameters: [] }))
        expect(stdout).not.toContain(v);
    expect(stdout).not.toContain('argon2');
  });
});

describeEachDatabase('a service without the option accounts', (databases) => {
  const service = useService(databases, { env: { LOCALE: 'en' } });

  it('an unset option opens no endpoint on the own account', async () => {
    const { token } = await service.createUser();
    for (const method of ['DELETE', 'PATCH'])
      expect((await service.request(method, me, { token, body: { user: { name: 'x' } } })).json.code).toBe(
        40_500,
      );
    expect((await service.get(`${me}/references`, { token })).json.code).toBe(40_401);
  });
});
