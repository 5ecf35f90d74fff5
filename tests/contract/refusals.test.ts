import { expect, it, vi } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { movableClock } from '../support/clock.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';

const open = { title: field.string({ required: true }) };
const owned = { ...open, user_id: field.owner() };
const leaf = defineResource('Leaf', { fields: open, plural: 'leaves', permissions: 'writes' });
const diary = defineResource('Diary', { fields: owned, plural: 'diaries', isolation: true });

const application = {
  resources: [leaf, diary],
  migrations: {
    '0001_both': {
      up: async (db, dialect) => {
        await createTable(db, dialect, leaf.table, { fields: open });
        await createTable(db, dialect, diary.table, { fields: owned });
      },
    } satisfies Migration,
  },
};

interface Refusal {
  readonly refusals: number;
  readonly caller_kind: string;
  readonly caller_id: string;
  readonly caller_name: string;
  readonly method: string;
  readonly path: string;
  readonly code: number;
}

const listed = async (service: Service, query = ''): Promise<Refusal[]> =>
  service.ok<Refusal[]>('GET', `/admin/refusals${query}`, { token: await service.admin() });

const body = { leaf: { title: 'x' } };

describeEachDatabase('recent refusals', (databases) => {
  it('recent refusals show who, what and why; alike ones are counted, also those of another instance; no query, no stranger', async () => {
    await using service = await startService(databases, { application });
    const second = await service.secondInstance();
    const user = await service.createUser(['viewer']);
    for (const instance of [service, second, second])
      expect((await instance.post('/api/v1/leaves?token=secret', { token: user, body })).status).toBe(403);
    // The pending lines of another instance are written with its next batch.
    await second.server.services.refusals.flush();
    expect((await service.post('/api/v1/leaves', { body })).status).toBe(401);
    expect((await service.get('/api/v1/leaves', { token: user })).status).toBe(200);
    expect((await service.get('/admin/users', { token: user })).status).toBe(403);
    const found = await listed(service);
    expect(
      found.map(({ refusals, caller_kind, caller_id, method, path, code }) => [
        ...[refusals, caller_kind, caller_id, method, path, code],
      ]),
    ).toEqual(
      expect.arrayContaining([
        [3, 'user', String(user.id), 'POST', '/api/v1/leaves', 40300],
        [1, 'user', String(user.id), 'GET', '/admin/users', 40300],
      ]),
    );
    expect(found).toHaveLength(2);
    expect(JSON.stringify(found)).not.toContain('secret');
    expect(await listed(service, '?filter[method]=GET')).toHaveLength(1);
  });

  it('a record that row rules answer as missing is one, an id that never was is none', async () => {
    await using service = await startService(databases, { application });
    const [owner, other] = [await service.createUser(), await service.createUser()];
    const mine = await service.ok<{ id: number }>('POST', '/admin/records/diaries', {
      token: await service.admin(),
      body: { diary: { title: 'hers', user_id: owner.id } },
    });
    for (const each of [mine.id, mine.id + 1_000, 'x'])
      expect((await service.get(`/api/v1/diaries/${each}`, { token: other })).status).toBe(404);
    const found = await listed(service);
    expect(found.map(({ path, code }) => [path, code])).toEqual([[`/api/v1/diaries/${mine.id}`, 40400]]);
  });

  it('recent refusals are grouped by caller, endpoint and code, the most frequent first', async () => {
    const clock = movableClock();
    await using service = await startService(databases, { application, clock });
    const [ann, ben] = [await service.createUser(['viewer']), await service.createUser(['viewer'])];
    // One cause: three paths, in two hours.
    for (const id of [1, 2, 3]) await service.delete(`/api/v1/leaves/${id}`, { token: ann });
    clock.advance(3_600);
    await service.delete('/api/v1/leaves/1', { token: ann });
    for (let count = 0; count < 2; count += 1) await service.post('/api/v1/leaves', { token: ben, body });
    const token = await service.admin();
    const causes = await service.ok<(Refusal & { route: string; requests: Refusal[] })[]>(
      'GET',
      '/admin/refusals/causes',
      { token },
    );
    expect(
      causes.map(({ refusals, caller_name, method, route, code }) => [
        ...[refusals, caller_name, method, route, code],
      ]),
    ).toEqual([
      [4, ann.username, 'DELETE', '/api/v1/leaves/:id', 40300],
      [2, ben.username, 'POST', '/api/v1/leaves', 40300],
    ]);
    expect(causes[0]?.requests.map(({ path, refusals }) => [path, refusals])).toEqual([
      ['/api/v1/leaves/1', 2],
      ...[2, 3].map((id) => [`/api/v1/leaves/${id}`, 1]),
    ]);
  });

  it('a batch of missing records is looked up by one statement', async () => {
    await using service = await startService(databases, { application });
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    const entry = { diary: { title: 'x' } };
    const { id } = await service.ok<{ id: number }>('POST', '/api/v1/diaries', { token: ann, body: entry });
    const { database, refusals } = service.server.services;
    await refusals.flush();
    for (let missing = 0; missing < 20; missing += 1)
      await service.get(`/api/v1/diaries/${id + missing}`, { token: ben });
    await service.post('/api/v1/leaves', { token: ben, body });
    const reads = [vi.spyOn(database, 'get'), vi.spyOn(database, 'all')];
    await refusals.flush();
    const looks = reads.flatMap((spy) => spy.mock.calls).filter(([{ sql }]) => sql.includes('diaries'));
    for (const spy of reads) spy.mockRestore();
    expect(looks).toHaveLength(1);
    const paths = (await listed(service)).map(({ path, code }) => `${path} ${code}`);
    expect(paths.filter((path) => path.includes('diaries'))).toEqual([`/api/v1/diaries/${id} 40400`]);
  });

  it('what one caller can fill is bounded, and a day later it is gone', async () => {
    const clock = movableClock();
    await using service = await startService(databases, { application, clock });
    const user = await service.createUser();
    for (let count = 0; count < 130; count += 1)
      await service.delete(`/api/v1/leaves/${count + 1}`, { token: user });
    const rows = await service.get('/admin/refusals?page=1&per_page=1', { token: await service.admin() });
    expect(rows.headers['x-total-count']).toBe('100');
    const left = () =>
      service.server.services.database.all({ sql: 'select id from gatewright_refusals', parameters: [] });
    clock.advance(23 * 3_600);
    await service.server.services.refusals.sweep();
    expect(await left()).toHaveLength(100);
    clock.advance(2 * 3_600);
    await service.server.services.refusals.sweep();
    expect(await left()).toEqual([]);
  });

  it('credentials that are over or do not fit are somebody’s, and are never kept themselves', async () => {
    const clock = movableClock();
    await using service = await startService(databases, { application, clock, apps: ['shop'] });
    const user = await service.createUser(['viewer']);
    const ends = new Date(clock.now() + 3_600_000).toISOString();
    const { key } = await service.createKey(user, ends);
    const token = await service.tokenOf(user.id);
    const path = '/api/v1/users';
    clock.advance(25 * 3_600);
    for (const credentials of [{ key }, { key }, { token }])
      expect((await service.get(path, credentials)).status).toBe(401);
    const signed = service.sign('shop', '{}');
    const headers = { ...signed, 'X-Signature': '0'.repeat(64) };
    const unknown = { ...headers, 'X-App-Id': 'nobody' };
    for (const each of [headers, unknown])
      expect((await service.post('/api/v1/payment', { body: '{}', headers: each })).status).toBe(401);
    // Neither a stranger's key, nor a token that somebody else signed, is anybody's.
    const forged = `${token.slice(0, -6)}AAAAAA`;
    for (const credentials of [{ key: 'f'.repeat(64) }, { token: forged }, {}])
      expect((await service.get(path, credentials)).status).toBe(401);

    const found = await listed(service);
    const shown = found.map(({ refusals, caller_kind, caller_name, code, path: asked }) =>
      [refusals, caller_kind, caller_name, code, asked].join(' '),
    );
    expect(shown.toSorted()).toEqual([
      `1 application shop 40103 /api/v1/payment`,
      `1 user ${user.username} 40101 ${path}`,
      `2 api_key ${user.username} 40102 ${path}`,
    ]);
    const stored = await service.server.services.database.all({
      sql: 'select * from gatewright_refusals',
      parameters: [],
    });
    for (const secret of [key, token, forged, headers['X-Signature']])
      expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it('strangers who guess keys do not crowd out other refusals', async () => {
    const clock = movableClock();
    await using service = await startService(databases, { application, clock });
    const user = await service.createUser(['viewer']);
    const { refusals } = service.server.services;
    const request = { method: 'GET', path: '/api/v1/users', params: {} };
    for (let guess = 0; guess < 2_000; guess += 1)
      refusals.recordClaim(
        { kind: 'api_key', hash: String(guess).padStart(64, '0') },
        { ...request, address: `10.0.0.${guess % 5}` },
        40102,
      );
    refusals.recordClaim({ kind: 'user', id: user.id }, { ...request, address: '10.0.1.1' }, 40101);
    expect((await listed(service)).map(({ caller_id, code }) => [caller_id, code])).toEqual([
      [String(user.id), 40101],
    ]);
  });

  it('an explanation says which role gives the right', async () => {
    await using service = await startService(databases, { application });
    const token = await service.admin();
    await service.ok('POST', '/admin/roles', { token, body: { role: { name: 'editor' } } });
    const user = await service.createUser(['viewer', 'editor']);
    const path = `/admin/explain?user_id=${user.id}&method=POST&path=/api/v1/leaves`;
    const grants = async () => {
      const { steps } = await service.ok<{ steps: { rule: string; grants?: unknown }[] }>('GET', path, {
        token,
      });
      return steps.find(({ rule }) => rule === 'permission')?.grants;
    };
    const said = (allowed: boolean) => ({
      model: 'Leaf',
      action: 'create',
      roles: [
        { role: 'editor', allowed },
        { role: 'viewer', allowed: false },
      ],
    });
    expect(await grants()).toEqual(said(false));
    await service.ok('PUT', '/admin/permissions/editor/Leaf/create', { token });
    expect(await grants()).toEqual(said(true));
  });
});
