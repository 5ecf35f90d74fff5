import { expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { createHistory, createVersionPurge } from '../../src/records/history/history.ts';
import { createTrash } from '../../src/records/trash/trash.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const folderFields = { name: field.string({ required: true, max: 20 }) };
const paperFields = {
  title: field.string({ required: true, max: 20 }),
  price: field.decimal({ scale: 2 }),
  done: field.boolean({ default: false }),
  extra: field.json(),
  secret: field.string({ max: 20 }),
  folder: field.reference('Folder', { onDelete: 'null' }),
  reviewer: field.reference('User'),
  user_id: field.owner(),
};
const sheetFields = {
  paper: field.reference('Paper', { required: true, onDelete: 'cascade' }),
  number: field.integer({ required: true }),
};

/** The change of the hook to a paper of this title while it is written. */
const marked = 'marked';

const folder = defineResource('Folder', { fields: folderFields });
const paper = defineResource('Paper', {
  fields: paperFields,
  views: { detail: ['id', 'title', 'price', 'done', 'extra', 'folder_id', 'reviewer_id', 'user_id'] },
  auth: ['jwt', 'api_key'],
  isolation: true,
  ownership: true,
  history: true,
  hooks: {
    beforeCommit: async ({ action, id, after, records, addError }) => {
      if (action === 'create' && after?.title === marked)
        await records('Paper').update(id, { title: 'by hook' });
      if (after?.title === 'never') addError('title', 'Never');
    },
  },
});
const sheet = defineResource('Sheet', { fields: sheetFields, history: true });

const migrations: Migrations = {
  '0001_papers': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'folders', { fields: folderFields });
      await createTable(db, dialect, 'papers', { fields: paperFields, references: { folder: 'folders' } });
      await createTable(db, dialect, 'sheets', { fields: sheetFields, references: { paper: 'papers' } });
    },
  },
};

type Values = Readonly<Record<string, unknown>> | null;
interface Version {
  readonly version: number;
  readonly action: string;
  readonly at: string;
  readonly actor: Readonly<Record<string, unknown>>;
  readonly before: Values;
  readonly after: Values;
}

describeEachDatabase('history', (databases) => {
  const service = useService(databases, { application: { resources: [folder, paper, sheet], migrations } });

  const create = (token: TestUser, body: object, path = 'papers', singular = 'paper') =>
    service.ok<{ id: number }>('POST', `/api/v1/${path}`, { token, body: { [singular]: body } });
  const change = (token: TestUser, id: number, body: object) =>
    service.ok('PATCH', `/api/v1/papers/${id}`, { token, body: { paper: body } });
  const versions = (token: TestUser, path: string) => service.ok<Version[]>('GET', path, { token });
  const history = (token: TestUser, id: number) => versions(token, `/api/v1/papers/${id}/history`);
  const titles = (found: readonly Version[]) =>
    found.map(({ version, action, before, after }) => [version, action, before?.['title'], after?.['title']]);

  it('keeps every version with who made it, newest first', async () => {
    const ann = await service.createUser();
    const { id } = await create(ann, {
      title: 'one',
      price: '1.50',
      extra: { a: [1, true, null] },
      secret: 's',
    });
    await change(ann, id, { title: 'two', done: true });
    const { id: keyId, key } = await service.createKey(ann);
    const body = { paper: { title: 'three' } };
    await service.ok('PATCH', `/api/v1/papers/${id}`, { key, body });
    const found = await history(ann, id);
    expect(titles(found)).toEqual([
      [3, 'update', 'two', 'three'],
      [2, 'update', 'one', 'two'],
      [1, 'create', undefined, 'one'],
    ]);
    const user = { kind: 'user', id: String(ann.id), name: ann.username, key: null, reason: null };
    expect(found.map(({ actor }) => actor)).toEqual([{ ...user, key: keyId }, user, user]);
    expect(found[1]?.after).toEqual({
      ...{ id, title: 'two', price: '1.50', done: true, extra: { a: [1, true, null] } },
      ...{ folder_id: null, reviewer_id: null, user_id: ann.id },
    });
    expect(found[2]?.before).toBeNull();
    expect(found[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('shows what the caller may read now, and only where they reach the record', async () => {
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    const { id } = await create(ann, { title: 'one', secret: 'hidden' });
    const [kept] = await history(ann, id);
    expect(kept?.after).not.toHaveProperty('secret');
    const status = async (path: string, token?: TestUser) =>
      (await service.request('GET', path, token === undefined ? {} : { token })).status;
    expect(await status(`/api/v1/papers/${id}/history`, ben)).toBe(404);
    expect(await status(`/api/v1/papers/${id}/history`)).toBe(401);
    expect(await status('/api/v1/papers/999/history', ann)).toBe(404);
    expect(await status('/api/v1/papers/x/history', ann)).toBe(404);
    expect(await status(`/api/v1/folders/1/history`, ann)).toBe(404);
    expect(await status(`/admin/records/papers/${id}/history`, ann)).toBe(403);
    const [whole] = await versions(await service.admin(), `/admin/records/papers/${id}/history`);
    expect(whole?.after).toMatchObject({ secret: 'hidden', user_id: ann.id });
    await service.ok('DELETE', `/api/v1/papers/${id}`, { token: ann });
    expect(await status(`/api/v1/papers/${id}/history`, ann)).toBe(404);
    const gone = await versions(await service.admin(), `/admin/records/papers/${id}/history`);
    expect(titles(gone)).toEqual([
      [2, 'destroy', 'one', undefined],
      [1, 'create', undefined, 'one'],
    ]);
  });

  it('comes by pages', async () => {
    const ann = await service.createUser();
    const { id } = await create(ann, { title: 't0' });
    for (let n = 1; n < 25; n += 1) await change(ann, id, { title: `t${n}` });
    const path = `/api/v1/papers/${id}/history`;
    const first = await service.request<Version[]>('GET', path, { token: ann });
    expect(first.data.map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, n) => 25 - n));
    expect(first.headers['x-total-count']).toBe('25');
    expect(first.headers['link']).toContain('rel="next"');
    const last = await service.request<Version[]>('GET', `${path}?page=3&per_page=12`, { token: ann });
    expect(last.data.map(({ version }) => version)).toEqual([1]);
    for (const wrong of ['page=0', 'per_page=1001', 'sort=id', 'filter[version]=1', 'page=1&page=2'])
      expect((await service.request('GET', `${path}?${wrong}`, { token: ann })).status).toBe(400);
  });

  it('keeps nothing of what was undone, and what hooks write as versions of their own', async () => {
    const ann = await service.createUser();
    const { id } = await create(ann, { title: marked });
    expect(titles(await history(ann, id))).toEqual([
      [2, 'update', marked, 'by hook'],
      [1, 'create', undefined, marked],
    ]);
    const refused = await service.request('PATCH', `/api/v1/papers/${id}`, {
      token: ann,
      body: { paper: { title: 'never' } },
    });
    expect(refused.status).toBe(422);
    expect(await history(ann, id)).toHaveLength(2);
  });

  it('keeps what comes by a batch, a cascade, and a reference that becomes null', async () => {
    const ann = await service.createUser();
    const token = await service.admin();
    const { id: folderId } = await create(ann, { name: 'f' }, 'folders', 'folder');
    const { id } = await create(ann, { title: 'one', folder_id: folderId });
    const { id: sheetId } = await create(ann, { paper_id: id, number: 1 }, 'sheets', 'sheet');
    await service.ok('DELETE', `/api/v1/folders/${folderId}`, { token: ann });
    const ben = await service.createUser();
    await service.ok('PATCH', `/admin/records/papers/${id}`, {
      token,
      body: { paper: { reviewer_id: ben.id } },
    });
    await service.ok('DELETE', `/admin/users/${ben.id}`, { token });
    const [released, , nulled] = await history(ann, id);
    expect(released).toMatchObject({
      ...{ version: 4, action: 'update', after: { reviewer_id: null } },
      // Ann may read neither the administrator nor ben.
      actor: { kind: 'user', id: null, name: null, key: null, reason: null },
    });
    const [whole] = await versions(token, `/admin/records/papers/${id}/history`);
    expect(whole?.actor).toMatchObject({ name: token.username, reason: `onDelete: User ${ben.id}` });
    expect(nulled).toMatchObject({
      ...{ version: 2, action: 'update' },
      ...{ before: { folder_id: folderId }, after: { folder_id: null } },
      actor: { kind: 'user', id: String(ann.id), reason: `onDelete: Folder ${folderId}` },
    });
    await service.ok('POST', '/api/v1/papers/batch', {
      token: ann,
      body: { update: [{ id, title: 'two' }] },
    });
    expect((await history(ann, id))[0]).toMatchObject({ version: 5, after: { title: 'two' } });
    await service.ok('DELETE', `/api/v1/papers/${id}`, { token: ann });
    const [gone] = await versions(token, `/admin/records/sheets/${sheetId}/history`);
    expect(gone).toMatchObject({
      ...{ version: 2, action: 'destroy', before: { number: 1 }, after: null },
      actor: { reason: `onDelete: Paper ${id}` },
    });
  });

  it('gives a record back what it was, as an update like any other', async () => {
    const ann = await service.createUser();
    const token = await service.admin();
    const { id } = await create(ann, { title: 'one', price: '9.99', secret: 'a' });
    await change(ann, id, { title: 'two', price: null });
    const path = `/admin/records/papers/${id}/restore`;
    const restore = (version: unknown, headers = {}, as = token) =>
      service.request('POST', path, { token: as, body: { version } as object, headers });
    expect((await restore(1, {}, ann)).status).toBe(403);
    expect((await restore(7)).status).toBe(422);
    expect((await restore('1')).status).toBe(422);
    expect((await restore(1, { 'if-match': '"1-detail"' })).status).toBe(412);
    const restored = await restore(1, { 'if-match': '"2-detail"' });
    expect(restored).toMatchObject({ status: 200, data: { title: 'one', price: '9.99', secret: 'a' } });
    const [kept] = await history(ann, id);
    expect(kept).toMatchObject({
      version: 3,
      action: 'update',
      before: { title: 'two' },
      after: { title: 'one' },
    });
    expect(kept?.actor).toMatchObject({ kind: 'user', name: null });
    const [whole] = await versions(token, `/admin/records/papers/${id}/history`);
    expect(whole?.actor).toMatchObject({ kind: 'user', name: token.username });
    await service.ok('DELETE', `/api/v1/papers/${id}`, { token: ann });
    expect((await restore(1)).status).toBe(404);
  });

  it('history is stated in the metadata', async () => {
    const ann = await service.createUser();
    const meta = await service.ok<{ endpoints: { action: string; path: string }[] }>(
      'GET',
      '/api/v1/meta/Paper',
      {
        token: ann,
      },
    );
    expect(meta.endpoints).toContainEqual(
      expect.objectContaining({ action: 'history', method: 'GET', path: '/api/v1/papers/:id/history' }),
    );
    expect(meta.endpoints.find(({ action }) => action === 'detail')?.path).toBe('/api/v1/papers/:id');
  });
});

describeEachDatabase('HISTORY_DAYS', (databases) => {
  const service = useService(databases, {
    application: { resources: [folder, paper, sheet], migrations },
    env: { HISTORY_DAYS: '5' },
  });

  it('removes older versions, a few at a time, and never the latest one of a record', async () => {
    const token = await service.admin();
    const { database, systemScope } = service.server.services;
    const day = 86_400;
    const ids: number[] = [];
    for (const title of ['changed', 'left', 'gone'])
      ids.push(
        (await service.ok<{ id: number }>('POST', '/api/v1/papers', { token, body: { paper: { title } } }))
          .id,
      );
    const [changed, left, gone] = ids;
    const change = (title: string) =>
      systemScope('a test').records('Paper').update(Number(changed), { title });
    await change('twice');
    await service.ok('DELETE', `/api/v1/papers/${gone}`, { token });
    service.clock.advance(4 * day);
    await change('thrice');
    service.clock.advance(2 * day);
    const kept = async () =>
      (
        await database.all<{ record_id: number; version: number }>({
          sql: 'select record_id, version from gatewright_history order by id',
          parameters: [],
        })
      ).map(({ record_id, version }) => [Number(record_id), Number(version)]);
    const all = [
      [changed, 1],
      [left, 1],
      [gone, 1],
      [changed, 2],
      [gone, 2],
      [changed, 3],
    ];
    expect(await kept()).toEqual(all);
    let steps = 0;
    const pause = async (): Promise<void> => {
      steps += 1;
    };
    const purge = createVersionPurge(database);
    expect(await purge(service.clock.now() - 7 * day * 1_000, pause, 2)).toBe(0);
    expect([steps, await kept()]).toEqual([3, all]);
    // The service's own job does it.
    const id = await systemScope('a test').jobs.add('purge-history', {});
    const sql = `select state from gatewright_jobs where id = ${id}`;
    await expect.poll(() => database.get({ sql, parameters: [] }), { timeout: 10_000 }).toBeUndefined();
    expect(await kept()).toEqual([
      [left, 1],
      [gone, 2],
      [changed, 3],
    ]);
    // None of the remaining ones is removed, however old.
    expect(await purge(service.clock.now() + 900 * day * 1_000, pause)).toBe(0);
    service.clock.advance(-6 * day);
  });
});

describeEachDatabase('gatewright forget', (databases) => {
  const service = useService(databases);

  it('removes values for good, and keeps that they were there', async () => {
    const { database } = service.server.services;
    const history = createHistory(database, 'Article');
    const actor = { kind: 'user', id: '1', name: 'ann', key: null, reason: null };
    const version = { at: service.clock.now(), actor, before: null };
    await database.write(async (transaction) => {
      for (const record of [5, 6])
        await history.keep(transaction, [
          { ...version, record, version: 1, action: 'create', after: '{"title":"private"}' },
        ]);
    });
    const { stdout } = await service.command('forget', 'Article', '5');
    expect(stdout).toContain('forgot 1 version of Article 5');
    const forgotten = await history.at(5, 1);
    expect(forgotten).toMatchObject({ version: 1, action: 'create', actor, before: null, after: null });
    expect((await history.at(6, 1))?.after).toEqual({ title: 'private' });
    const path = '/admin/audit?filter[action]=record.forget';
    expect(await service.ok<object[]>('GET', path, { token: await service.admin() })).toMatchObject([
      { actor_kind: 'command line', target_kind: 'Article', target_id: '5', detail: { versions: 1 } },
    ]);
    await database.write((transaction) =>
      createTrash(database).keep(transaction, [
        {
          ...{ kind: 'first', bundle: 'b', at: service.clock.now(), actor },
          ...{ model: 'Article', id: 5, version: 2, record: '{"title":"private"}' },
        },
      ]),
    );
    const both = (await service.command('forget', 'Article', '5')).stdout;
    expect(both).toContain('forgot 1 version and 1 record in the trash of Article 5');
    const left = "select 1 from gatewright_trash where model = 'Article'";
    expect(await database.all({ sql: left, parameters: [] })).toEqual([]);
    await expect(service.command('forget', 'Article', '12345')).rejects.toThrow('nothing is kept');
    await expect(service.command('forget', 'Article', ' x')).rejects.toThrow(' x is not an id');
  });
});
