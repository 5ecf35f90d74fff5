import { expect, it, onTestFinished, vi } from 'vitest';
import {
  alterTable,
  createTable,
  dropTable,
  renameTable,
} from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { many } from '../../src/model/relation.ts';
import { createTrash } from '../../src/records/trash/trash.ts';
import { forgetRecord } from '../../src/upkeep/forget.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Service, startService, type TestUser, useService } from '../support/service.ts';

const crateFields = { name: field.string({ required: true, max: 40 }) };
const shelfFields = { name: field.string({ required: true, max: 40 }) };
const boxFields = {
  label: field.string({ required: true, max: 40, unique: true }),
  price: field.decimal({ scale: 2 }),
  extra: field.json(),
  crate: field.reference('Crate', { onDelete: 'cascade' }),
  shelf: field.reference('Shelf', { onDelete: 'null' }),
  user_id: field.owner(),
};
const itemFields = {
  serial: field.string({ max: 40, unique: true }),
  box: field.reference('Box', { required: true, onDelete: 'cascade' }),
  twin: field.reference('Item', { onDelete: 'null' }),
  name: field.string({ required: true, max: 40 }),
};
const tagFields = {
  text: field.string({ required: true, max: 40 }),
  box: field.reference('Box', { onDelete: 'null' }),
};
const receiptFields = { box: field.reference('Box', { required: true }) };

/** The calls of the hooks, in their order, and a box that they refuse. */
const hookCalls: string[] = [];
const refused = { label: '' };

/** An item whose end has another one put into another box. */
const rescued = { by: 0, item: 0, to: 0 };

const crate = defineResource('Crate', {
  fields: crateFields,
  relations: { boxes: many('Box', { by: 'crate', write: true }) },
});
const shelf = defineResource('Shelf', { fields: shelfFields, plural: 'shelves' });
const box = defineResource('Box', {
  fields: boxFields,
  plural: 'boxes',
  auth: ['jwt', 'api_key'],
  isolation: true,
  ownership: true,
  trash: true,
  history: true,
  events: true,
  relations: { items: many('Item', { by: 'box', write: true }) },
  hooks: {
    beforeCommit: ({ action, restored, id, after, addError }) => {
      hookCalls.push(`${restored ? 'restoring ' : ''}${action} Box ${id}`);
      if (action === 'create' && after?.label === refused.label) addError('label', 'Not this one');
    },
    afterCommit: ({ action, restored, id }) => {
      hookCalls.push(`after ${restored ? 'restoring ' : ''}${action} Box ${id}`);
    },
  },
});
const item = defineResource('Item', {
  fields: itemFields,
  hooks: {
    beforeCommit: async ({ action, restored, id, records }) => {
      hookCalls.push(`${restored ? 'restoring ' : ''}${action} Item ${id}`);
      if (action === 'destroy' && id === rescued.by)
        await records('Item').update(rescued.item, { box_id: rescued.to });
    },
  },
});
const tag = defineResource('Tag', { fields: tagFields, history: true });
const guarded = defineResource('Guarded', {
  fields: crateFields,
  plural: 'guarded',
  permissions: 'writes',
  trash: true,
});
const ledger = defineResource('Ledger', {
  fields: crateFields,
  permissions: 'writes',
  trash: true,
  history: true,
});
const receipt = defineResource('Receipt', { fields: receiptFields });

const migrations: Migrations = {
  '0001_boxes': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'crates', { fields: crateFields });
      await createTable(db, dialect, 'guarded', { fields: crateFields });
      await createTable(db, dialect, 'ledgers', { fields: crateFields });
      await createTable(db, dialect, 'shelves', { fields: shelfFields });
      const references = { crate: 'crates', shelf: 'shelves', box: 'boxes', twin: 'items' };
      await createTable(db, dialect, 'boxes', { fields: boxFields, references });
      await createTable(db, dialect, 'items', { fields: itemFields, references });
      await createTable(db, dialect, 'tags', { fields: tagFields, references });
      await createTable(db, dialect, 'receipts', { fields: receiptFields, references });
    },
  },
};

type Row = { readonly id: number } & Readonly<Record<string, unknown>>;

describeEachDatabase('trash', (databases) => {
  const service = useService(databases, {
    application: { resources: [crate, shelf, box, item, tag, receipt, guarded, ledger], migrations },
  });

  const create = (token: TestUser, path: string, singular: string, values: object) =>
    service.ok<Row>('POST', `/api/v1/${path}`, { token, body: { [singular]: values } });
  const newBox = (token: TestUser, values: object) => create(token, 'boxes', 'box', values);
  const remove = (token: TestUser, path: string) => service.ok('DELETE', `/api/v1/${path}`, { token });
  const restore = async (id: number, body?: object, path = 'boxes') =>
    service.request<Row>('POST', `/admin/records/${path}/${id}/restore`, {
      token: await service.admin(),
      ...(body === undefined ? {} : { body }),
    });
  const trashed = async (query = '', path = 'boxes') =>
    service.request<Row[]>('GET', `/admin/records/${path}?trashed=true${query}`, {
      token: await service.admin(),
    });
  const status = async (method: string, path: string, token: TestUser) =>
    (await service.request(method, path, { token })).status;

  it('takes a record out of sight and brings it back as it was', async () => {
    const ann = await service.createUser();
    const whole = await service.ok<Row>(
      'GET',
      `/api/v1/boxes/${
        (
          await newBox(ann, {
            ...{ label: 'first', price: '12.50', extra: { b: [1, null], a: 'x' } },
          })
        ).id
      }`,
      { token: ann },
    );
    const { id } = whole;
    await remove(ann, `boxes/${id}`);
    expect(await status('GET', `/api/v1/boxes/${id}`, ann)).toBe(404);
    expect(await service.ok('GET', '/api/v1/boxes', { token: ann })).toEqual([]);
    const { data, headers } = await trashed();
    expect(headers['x-total-count']).toBe('1');
    expect(data).toEqual([
      {
        ...whole,
        deleted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        deleted_by: { kind: 'user', id: String(ann.id), name: ann.username, key: null, reason: null },
        kept_until: expect.stringMatching(/Z$/),
      },
    ]);
    const millisecondsOf = (name: string): number => Date.parse(String(data[0]?.[name]));
    expect(millisecondsOf('kept_until') - millisecondsOf('deleted_at')).toBe(30 * 86_400_000);
    const one = await service.request('GET', `/admin/records/boxes/${id}?trashed=true`, {
      token: await service.admin(),
    });
    expect(one).toMatchObject({ status: 200, data: data[0], headers: { etag: '"2-trashed"' } });
    service.clock.advance(1);
    const back = await restore(id);
    expect(back).toMatchObject({ status: 200, headers: { etag: '"3-admin"' } });
    expect(back.data).toEqual({
      ...whole,
      updated_at: expect.not.stringMatching(String(whole['updated_at'])),
    });
    expect(await service.ok('GET', `/api/v1/boxes/${id}`, { token: ann })).toEqual(back.data);
    expect((await trashed()).data).toEqual([]);
    expect((await restore(id)).status).toBe(404);
    const versions = await service.ok<Row[]>('GET', `/api/v1/boxes/${id}/history`, { token: ann });
    expect(versions.map(({ version, action }) => [version, action])).toEqual([
      [3, 'create'],
      [2, 'destroy'],
      [1, 'create'],
    ]);
    const { database, events } = service.server.services;
    await events.settle();
    const sql = `select action, version from gatewright_events where model = 'Box' and record_id = ${id} order by id`;
    const happened = await database.all<Row>({ sql, parameters: [] });
    expect(happened.map(({ version, action }) => [Number(version), action])).toEqual([
      [1, 'create'],
      [2, 'destroy'],
      [3, 'create'],
    ]);
  });

  it('brings back what went along, and the references that were taken away', async () => {
    const ann = await service.createUser();
    const { id } = await newBox(ann, { label: 'whole', items: [{ name: 'a' }, { name: 'b' }] });
    const items = await service.ok<Row[]>('GET', `/api/v1/items?filter[box_id]=${id}`, { token: ann });
    const [a, b] = items;
    if (a === undefined || b === undefined) throw new Error('two items were made');
    const twin = (one: Row, other: Row) =>
      service.ok('PATCH', `/api/v1/items/${one.id}`, { token: ann, body: { item: { twin_id: other.id } } });
    // Each refers to the other, so neither can come first as it was.
    await twin(a, b);
    await twin(b, a);
    const [kept, other] = [
      await create(ann, 'tags', 'tag', { text: 'kept', box_id: id }),
      await create(ann, 'tags', 'tag', { text: 'moved', box_id: id }),
    ];
    const gone = await create(ann, 'tags', 'tag', { text: 'gone', box_id: id });
    const before = await service.ok<Row[]>('GET', `/api/v1/items?filter[box_id]=${id}`, { token: ann });
    hookCalls.length = 0;
    await remove(ann, `boxes/${id}`);
    expect(await service.ok('GET', `/api/v1/items?filter[box_id]=${id}`, { token: ann })).toEqual([]);
    const second = await newBox(ann, { label: 'second' });
    await service.ok('PATCH', `/api/v1/tags/${other.id}`, {
      token: ann,
      body: { tag: { box_id: second.id } },
    });
    await remove(ann, `tags/${gone.id}`);
    expect(hookCalls.filter((each) => each.startsWith('destroy'))).toEqual([
      `destroy Box ${id}`,
      `destroy Item ${a.id}`,
      `destroy Item ${b.id}`,
    ]);
    hookCalls.length = 0;
    service.clock.advance(1);
    expect((await restore(id, {})).status).toBe(200);
    expect(hookCalls).toEqual([
      `restoring create Item ${a.id}`,
      `restoring create Item ${b.id}`,
      `restoring create Box ${id}`,
      `after restoring create Box ${id}`,
    ]);
    hookCalls.length = 0;
    const third = await newBox(ann, { label: 'third' });
    expect(hookCalls).toEqual([`create Box ${third.id}`, `after create Box ${third.id}`]);
    const back = await service.ok<Row[]>('GET', `/api/v1/items?filter[box_id]=${id}`, { token: ann });
    const times = { updated_at: expect.any(String) };
    expect(back).toEqual(before.map((each) => ({ ...each, ...times })));
    const tags = await service.ok<Row[]>('GET', '/api/v1/tags', { token: ann });
    expect(tags.map(({ text, box_id }) => [text, box_id])).toEqual([
      ['kept', id],
      ['moved', second.id],
    ]);
    const versions = await service.ok<Row[]>('GET', `/api/v1/tags/${kept.id}/history`, { token: ann });
    expect(versions[0]).toMatchObject({
      ...{ version: 3, action: 'update', before: { box_id: null }, after: { box_id: id } },
      actor: { name: null, reason: `restore: Box ${id}` },
    });
    const left = await service.server.services.database.all({
      sql: 'select * from gatewright_trash where record_id in (select id from boxes)',
      parameters: [],
    });
    expect(left).toEqual([]);
  });

  it('takes what goes by a cascade by itself, with what goes along with that', async () => {
    const ann = await service.createUser();
    const token = await service.admin();
    const { id: crateId } = await create(ann, 'crates', 'crate', { name: 'c' });
    const one = await newBox(ann, { label: 'crated', crate_id: crateId, items: [{ name: 'a' }] });
    const two = await newBox(ann, { label: 'owned', items: [{ name: 'b' }, { name: 'c' }] });
    await remove(ann, `crates/${crateId}`);
    expect((await trashed()).data[0]).toMatchObject({
      ...{ id: one.id, deleted_by: { kind: 'user', reason: `onDelete: Crate ${crateId}` } },
    });
    const refusal = await restore(one.id);
    expect(refusal.status).toBe(422);
    expect(refusal.json.data).toMatchObject({ errors: [{ field: 'crate_id', rule: 'reference' }] });
    expect((await restore(999_999)).status).toBe(404);
    expect((await trashed()).data.map(({ id }) => id)).toContain(one.id);
    await remove(ann, `boxes/${two.id}`);
    expect((await restore(two.id)).status).toBe(200);
    const items = await service.ok<Row[]>('GET', `/api/v1/items?filter[box_id]=${two.id}`, { token: ann });
    expect(items.map(({ name }) => name)).toEqual(['b', 'c']);
    await service.ok('DELETE', `/api/v1/boxes/${two.id}`, { token });
  });

  it('says what keeps a record from coming back, and keeps it', async () => {
    const ann = await service.createUser();
    const shelfOne = await create(ann, 'shelves', 'shelf', { name: 's' });
    const items = [{ name: 'a', serial: 'S1' }, { name: 'b' }];
    const { id } = await newBox(ann, { label: 'taken', shelf_id: shelfOne.id, items });
    const before = await service.ok<Row[]>('GET', `/api/v1/items?filter[box_id]=${id}`, { token: ann });
    await remove(ann, `boxes/${id}`);
    // Whatever was unique is free, and whatever was there can go.
    const thief = await newBox(ann, { label: 'taken', items: [{ name: 'x', serial: 'S1' }] });
    await remove(ann, `shelves/${shelfOne.id}`);
    const refusal = await restore(id);
    expect(refusal.status).toBe(422);
    expect(refusal.json.data).toMatchObject({
      errors: [
        { field: 'label', rule: 'unique' },
        { field: `items.${before[0]?.id}.serial`, rule: 'unique' },
      ],
    });
    await remove(ann, `boxes/${thief.id}`);
    refused.label = 'taken';
    const hook = await restore(id);
    expect([hook.status, hook.text.includes('Not this one')]).toEqual([422, true]);
    refused.label = '';
    expect((await trashed()).data.map((each) => each.id)).toEqual(expect.arrayContaining([id, thief.id]));
    const back = await restore(id);
    expect(back).toMatchObject({ status: 200, data: { label: 'taken', shelf_id: null } });
    expect((await restore(thief.id)).status).toBe(422);
  });

  it('the trash is asked for by an administrator, in few ways', async () => {
    const ann = await service.createUser();
    const { id } = await newBox(ann, { label: 'asked' });
    const admin = await service.admin();
    const path = `/admin/records/boxes/${id}/restore`;
    const post = async (body: unknown, headers = {}) =>
      (await service.request('POST', path, { token: admin, body: body as object, headers })).status;
    expect((await restore(id)).status).toBe(404);
    expect((await restore(id, {})).status).toBe(404);
    await remove(ann, `boxes/${id}`);
    expect(await status('POST', path, ann)).toBe(403);
    expect((await service.request('POST', path)).status).toBe(401);
    expect(await post({ version: 1 })).toBe(404);
    expect(await post([])).toBe(400);
    expect(await post({}, { 'if-match': '"1-admin"' })).toBe(412);
    expect(await post({}, { 'if-match': '"2-trashed"' })).toBe(200);
    expect(await post({ version: 1 })).toBe(200);
    const { id: tagId } = await create(ann, 'tags', 'tag', { text: 't' });
    expect((await restore(tagId, {}, 'tags')).status).toBe(422);
    for (const wrong of ['trashed=false', 'trashed', 'trashed=true&trashed=true', 'trashed=true&sort=id'])
      expect(await status('GET', `/admin/records/boxes?${wrong}`, admin)).toBe(400);
    for (const wrong of ['filter[id]=1', 'q=a', 'after=', 'include=items', 'page=0', 'fields=id'])
      expect(await status('GET', `/admin/records/boxes?trashed=true&${wrong}`, admin)).toBe(400);
    expect(await status('GET', `/admin/records/boxes/${id}?trashed=true`, admin)).toBe(404);
    expect(await status('GET', `/admin/records/boxes/${id}?trashed=true&page=1`, admin)).toBe(400);
    expect(await status('GET', '/admin/records/tags?trashed=true', admin)).toBe(400);
    expect(await status('GET', `/admin/records/tags/${tagId}?trashed=true`, admin)).toBe(400);
    expect(await status('GET', '/api/v1/boxes?trashed=true', admin)).toBe(400);
    expect(await service.ok('GET', `/api/v1/boxes/${id}?trashed=true`, { token: ann })).toEqual(
      await service.ok('GET', `/api/v1/boxes/${id}`, { token: ann }),
    );
    expect(await status('POST', `/api/v1/boxes/${id}/restore`, admin)).toBe(404);
    const meta = await service.ok<Row>('GET', '/admin/meta/Box', { token: admin });
    expect(meta).toMatchObject({
      trash: true,
      endpoints: expect.arrayContaining([expect.objectContaining({ action: 'restore', method: 'POST' })]),
    });
  });

  it('takes part in every way of deleting, and comes by pages', async () => {
    const ann = await service.createUser();
    const token = await service.admin();
    const before = Number((await trashed()).headers['x-total-count']);
    const made: Row[] = [];
    for (let n = 0; n < 6; n += 1) made.push(await newBox(ann, { label: `way ${n}` }));
    const [batched, other, coded, managed, owned, bare] = made.map(({ id }) => id);
    await service.ok('POST', '/api/v1/boxes/batch', { token: ann, body: { delete: [batched, other] } });
    const { id: crateId } = await create(ann, 'crates', 'crate', { name: 'many' });
    await service.server.services.systemScope('tidy').records('Box').remove(Number(coded));
    await service.ok('DELETE', `/admin/records/boxes/${managed}`, { token });
    const patch = { box: { crate_id: crateId } };
    await service.ok('PATCH', `/api/v1/boxes/${owned}`, { token: ann, body: patch });
    const within = await newBox(ann, { label: 'within', crate_id: crateId });
    const inner = { crate: { boxes: [{ id: within.id, _delete: true }] } };
    await service.ok('PATCH', `/api/v1/crates/${crateId}`, { token: ann, body: inner });
    await remove(ann, `crates/${crateId}`);
    const scope = service.server.services.systemScope('tidy');
    const undone = scope.transaction(async (inner) => {
      await inner.records('Box').remove(Number(bare));
      throw new Error('not after all');
    });
    await expect(undone).rejects.toThrow();
    const first = await trashed('&page=1&per_page=2');
    expect(first.headers['x-total-count']).toBe(String(before + 6));
    expect(first.headers['link']).toContain('trashed=true');
    const found = [...first.data, ...(await trashed('&page=2&per_page=3')).data];
    const all = (await trashed('&per_page=6')).data;
    expect(all.map(({ id }) => id)).toEqual([owned, within.id, managed, coded, other, batched]);
    expect(found.slice(0, 2)).toEqual(all.slice(0, 2));
    expect(all[3]).toMatchObject({ deleted_by: { kind: 'system', reason: 'tidy' } });
    expect(await status('GET', `/api/v1/boxes/${bare}`, ann)).toBe(200);
  });

  it('leaves nothing for anybody else to find', async () => {
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    const { id: shelfId } = await create(ann, 'shelves', 'shelf', { name: 'secret' });
    await newBox(ann, { label: 'seen', shelf_id: shelfId, price: '1.00' });
    const asked = [
      ...['boxes', 'boxes?page=1&per_page=1', 'boxes?q=hidden', 'boxes?filter[label]=hidden'],
      ...['boxes?filter[items.name]=within', 'boxes?include=items&page=1', 'boxes?sort=-price&per_page=1'],
      ...[`boxes?filter[shelf_id]=${shelfId}`, 'boxes?filter[shelf.name]=secret', 'items', 'items?q=within'],
      ...[
        'boxes/aggregate?count&sum=price&group=shelf_id',
        'items/aggregate?count',
        'boxes?after=&per_page=9',
      ],
    ];
    const look = async () => {
      const answers = [];
      for (const token of [ann, ben, await service.admin()])
        for (const path of asked) {
          const { status: code, text, headers } = await service.get(`/api/v1/${path}`, { token });
          answers.push([path, code, text, headers['x-total-count'], headers['link'], headers['etag']]);
        }
      return answers;
    };
    const before = await look();
    const { id } = await newBox(ann, {
      label: 'hidden',
      shelf_id: shelfId,
      price: '2.00',
      items: [{ name: 'within' }],
    });
    const during = await look();
    expect(during).not.toEqual(before);
    await remove(ann, `boxes/${id}`);
    expect(await look()).toEqual(before);
    const ids = [`boxes/${id}`, `boxes/${id}/history`, `boxes/${id}?include=items`];
    for (const token of [ann, ben, await service.admin()])
      for (const path of ids) {
        const [there, never] = [path, path.replace(String(id), '987654')];
        const [a, b] = [
          await service.get(`/api/v1/${there}`, { token }),
          await service.get(`/api/v1/${never}`, { token }),
        ];
        expect([a.status, a.text]).toEqual([b.status, b.text]);
      }
    const refer = await service.request('POST', '/api/v1/tags', {
      token: ann,
      body: { tag: { text: 'x', box_id: id } },
    });
    expect(refer.status).toBe(422);
  });

  it('keeps a record that something else keeps', async () => {
    const ann = await service.createUser();
    const { id } = await newBox(ann, { label: 'held' });
    await create(ann, 'receipts', 'receipt', { box_id: id });
    expect(await status('DELETE', `/api/v1/boxes/${id}`, ann)).toBe(409);
    expect(await status('GET', `/api/v1/boxes/${id}`, ann)).toBe(200);
    expect(await status('GET', `/admin/records/boxes/${id}?trashed=true`, await service.admin())).toBe(404);
  });

  it('goes with its owner', async () => {
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    const { id } = await newBox(ann, { label: 'owned by ann' });
    await remove(ann, `boxes/${id}`);
    await service.ok('DELETE', `/admin/users/${ann.id}`, { token: await service.admin() });
    // The reference to the owner would have become null with them.
    expect(await restore(id)).toMatchObject({ status: 200, data: { user_id: null } });
    expect(await status('GET', `/api/v1/boxes/${id}`, ben)).toBe(404);
  });

  it('holds what comes in thousands, and gives it back in one piece', { timeout: 60_000 }, async () => {
    const ann = await service.createUser();
    const { id } = await newBox(ann, { label: 'full' });
    const items = Array.from({ length: 1000 }, (_, n) => ({ name: `item ${n}`, box_id: id }));
    await service.ok('POST', '/api/v1/items/batch', { token: ann, body: { create: items } });
    const before = await service.ok<Row[]>('GET', `/api/v1/items?filter[box_id]=${id}`, { token: ann });
    const timeless = (rows: readonly Row[]) => rows.map(({ updated_at: _at, ...rest }) => rest);
    await remove(ann, `boxes/${id}`);
    expect((await restore(id)).status).toBe(200);
    const after = await service.ok<Row[]>('GET', `/api/v1/items?filter[box_id]=${id}`, { token: ann });
    expect([after.length, timeless(after)]).toEqual([1000, timeless(before)]);
    const boxes = Array.from({ length: 999 }, (_, n) => ({ label: `of many ${n}` }));
    const { created } = await service.ok<{ created: Row[] }>('POST', '/api/v1/boxes/batch', {
      token: ann,
      body: { create: boxes },
    });
    const total = async () => Number((await trashed()).headers['x-total-count']);
    const there = await total();
    const ids = created.map((each) => each.id);
    await service.ok('POST', '/api/v1/boxes/batch', { token: ann, body: { delete: ids } });
    expect((await total()) - there).toBe(999);
    const refused = await service.request('POST', '/api/v1/boxes/batch', {
      token: ann,
      body: { delete: [id, ids[0]] },
    });
    expect([refused.status, (await total()) - there]).toEqual([422, 999]);
  });

  it('ends after its days, in small steps', async () => {
    const ann = await service.createUser();
    const trash = createTrash(service.server.services.database);
    while ((await trash.purge(service.clock.now() + 1, 500)) > 0);
    const items = [{ name: 'a' }, { name: 'b' }];
    const made: Row[] = [];
    for (const label of ['old 1', 'old 2', 'old 3']) made.push(await newBox(ann, { label, items }));
    await create(ann, 'tags', 'tag', { text: 'noted', box_id: made[0]?.id });
    for (const { id } of made) await remove(ann, `boxes/${id}`);
    service.clock.advance(10);
    const late = await newBox(ann, { label: 'late', items });
    await remove(ann, `boxes/${late.id}`);
    const cutoff = service.clock.now() - 5_000;
    const steps: number[] = [];
    for (;;) {
      const removed = await trash.purge(cutoff, 4);
      if (removed === 0) break;
      steps.push(removed);
      // The user who was removed first cannot be requested, so nothing comes back in parts.
      if (steps.length === 1) expect((await trashed()).data.map(({ id }) => id)).toEqual([late.id]);
    }
    expect(steps).toEqual([3, 4, 2, 1]);
    expect((await restore(Number(made[0]?.id))).status).toBe(404);
    expect((await restore(late.id)).status).toBe(200);
    // The service's own job does it by TRASH_DAYS.
    await remove(ann, `boxes/${late.id}`);
    const { database, systemScope } = service.server.services;
    const left = () => database.all({ sql: 'select id from gatewright_trash', parameters: [] });
    const purged = async () => {
      const id = await systemScope('a test').jobs.add('purge-trash', {});
      const sql = `select state from gatewright_jobs where id = ${id}`;
      const state = async () => (await database.get<Row>({ sql, parameters: [] }))?.['state'];
      // A finished job leaves no row; a failed one does.
      await expect.poll(state, { timeout: 10_000 }).toBeUndefined();
    };
    const day = 86_400;
    service.clock.advance(29 * day);
    await purged();
    expect(await left()).toHaveLength(3);
    service.clock.advance(2 * day);
    await purged();
    service.clock.advance(-31 * day);
    expect(await left()).toEqual([]);
  });

  it('forgets a record', async () => {
    const ann = await service.createUser();
    const items = [{ name: 'a' }, { name: 'b' }];
    const { id } = await newBox(ann, { label: 'forgotten', items });
    const [one, two] = await service.ok<Row[]>('GET', `/api/v1/items?filter[box_id]=${id}`, { token: ann });
    // Nothing can hold on to what went with a forgotten record.
    await service.ok('PATCH', `/api/v1/items/${two?.id}`, {
      token: ann,
      body: { item: { twin_id: one?.id } },
    });
    await remove(ann, `boxes/${id}`);
    const { database } = service.server.services;
    const forget = (model: string, of: number | undefined) =>
      forgetRecord(database, { model, id: of ?? 0 }, service.clock.now(), {
        ...{ principal: 'command line', address: null },
      });
    expect(await forget('Item', one?.id)).toEqual({ versions: 0, events: 0, deliveries: 0, trash: 1 });
    expect(await forget('Item', one?.id)).toEqual({ versions: 0, events: 0, deliveries: 0, trash: 0 });
    expect((await restore(id)).status).toBe(200);
    const left = await service.ok<Row[]>('GET', `/api/v1/items?filter[box_id]=${id}`, { token: ann });
    expect(left).toMatchObject([{ id: two?.id, twin_id: null }]);
    await remove(ann, `boxes/${id}`);
    expect(await forget('Box', id)).toMatchObject({ versions: 4, events: 4, trash: 2 });
    expect((await restore(id)).status).toBe(404);
    expect((await trashed()).data.map((each) => each.id)).not.toContain(id);
    const kept = await database.all({
      sql: `select * from gatewright_trash where model = 'Box' and record_id = ${id}`,
      parameters: [],
    });
    expect(kept).toEqual([]);
  });

  it('takes the permission to create', async () => {
    const clerk = await service.createUser(['admin']);
    const ann = await service.createUser();
    const token = await service.admin();
    const { id } = await create(token, 'guarded', 'guarded', { name: 'g' });
    await service.ok('DELETE', `/api/v1/guarded/${id}`, { token });
    const path = `/admin/records/guarded/${id}/restore`;
    expect(await status('POST', path, clerk)).toBe(403);
    await service.ok('PUT', '/admin/permissions/admin/Guarded/create', { token });
    expect(await status('POST', path, ann)).toBe(403);
    const answer = await service.request('POST', path, { token: clerk, body: { version: 1 } });
    expect([answer.status, answer.json.data]).toMatchObject([422, { errors: [{ field: 'version' }] }]);
    expect(await status('POST', path, clerk)).toBe(200);
  });

  it('takes the permission to create alone where versions are kept too, and a version that to update', async () => {
    const clerk = await service.createUser(['admin']);
    const token = await service.admin();
    const { id } = await create(token, 'ledgers', 'ledger', { name: 'l' });
    const path = `/admin/records/ledgers/${id}/restore`;
    const grant = (method: 'PUT' | 'DELETE', action: string) =>
      service.ok(method, `/admin/permissions/admin/Ledger/${action}`, { token });
    const toVersion = async () =>
      (await service.request('POST', path, { token: clerk, body: { version: 1 } })).status;
    await grant('PUT', 'update');
    expect(await toVersion()).toBe(200);
    await service.ok('DELETE', `/api/v1/ledgers/${id}`, { token });
    expect(await status('POST', path, clerk)).toBe(403);
    await grant('DELETE', 'update');
    await grant('PUT', 'create');
    expect(await status('POST', path, clerk)).toBe(200);
    expect(await toVersion()).toBe(403);
  });

  it('comes back once, however many ask for it at the same time', async () => {
    const ann = await service.createUser();
    const trash = createTrash(service.server.services.database);
    const items = [{ name: 'a' }, { name: 'b' }];
    const { id } = await newBox(ann, { label: 'wanted', items });
    for (let round = 0; round < 5; round += 1) {
      await remove(ann, `boxes/${id}`);
      const answers = await Promise.all([
        ...Array.from({ length: 4 }, () => restore(id)),
        trash.purge(service.clock.now() - 60_000, 500),
      ]);
      const codes = answers.slice(0, 4).map((each) => (typeof each === 'number' ? 0 : each.status));
      expect(codes.toSorted()).toEqual([200, 404, 404, 404]);
      const left = await service.ok<Row[]>('GET', `/api/v1/items?filter[box_id]=${id}`, { token: ann });
      expect(left.map(({ name }) => name)).toEqual(['a', 'b']);
    }
    // A record that is old enough goes or comes back, whole in either case.
    await remove(ann, `boxes/${id}`);
    const [back] = await Promise.all([restore(id), trash.purge(service.clock.now() + 60_000, 500)]);
    const left = await service.ok<Row[]>('GET', `/api/v1/items?filter[box_id]=${id}`, { token: ann });
    expect([back.status, left.length]).toEqual(back.status === 200 ? [200, 2] : [404, 0]);
  });

  it('costs no statement where there is none, and few for many records', async () => {
    const ann = await service.createUser();
    const { database } = service.server.services;
    const { id: boxId } = await newBox(ann, { label: 'counted' });
    const { id } = await create(ann, 'receipts', 'receipt', { box_id: boxId });
    const [execute, write] = [vi.spyOn(database, 'execute'), vi.spyOn(database, 'write')];
    onTestFinished(() => void vi.restoreAllMocks());
    await remove(ann, `receipts/${id}`);
    expect([execute.mock.calls.length, write.mock.calls.length]).toEqual([1, 0]);
    const [text] = execute.mock.calls.map(([query]) => query.sql);
    expect(text).toMatch(
      /^delete from "receipts" where "receipts"\."id" = \S+ returning "receipts"\."version" as version$/,
    );
    const counted: string[] = [];
    const actor = { kind: 'nobody', id: null, name: null, key: null, reason: null };
    await database.write((transaction) =>
      createTrash(database).keep(
        {
          ...{ get: transaction.get.bind(transaction), run: transaction.run.bind(transaction) },
          all: (query) => {
            counted.push(query.sql.slice(0, 12));
            return transaction.all(query);
          },
        },
        Array.from({ length: 1000 }, (_, n) => ({
          ...{ kind: 'along', bundle: 'none', at: 0, actor, model: 'Gone', id: n, version: 1, record: '{}' },
        })),
      ),
    );
    expect(counted.length).toBeLessThan(20);
  });

  it('the trash does not hold what a hook has kept from going', async () => {
    const ann = await service.createUser();
    const items = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    const { id } = await newBox(ann, { label: 'sinking', items });
    const other = await newBox(ann, { label: 'floating' });
    const inBox = (box: number) =>
      service.ok<Row[]>('GET', `/api/v1/items?filter[box_id]=${box}`, { token: ann });
    const [a, b] = await inBox(id);
    Object.assign(rescued, { by: b?.id, item: a?.id, to: other.id });
    await remove(ann, `boxes/${id}`);
    Object.assign(rescued, { by: 0 });
    expect((await inBox(other.id)).map(({ name }) => name)).toEqual(['a']);
    expect((await restore(id)).status).toBe(200);
    expect((await inBox(id)).map(({ name }) => name)).toEqual(['b', 'c']);
    expect((await inBox(other.id)).map(({ name }) => name)).toEqual(['a']);
  });
});

describeEachDatabase('what a model has become', (databases) => {
  const before = {
    called: field.string({ required: true }),
    old: field.integer(),
    size: field.integer(),
  };
  const after = {
    name: field.string({ required: true }),
    size: field.string({ max: 9 }),
    added: field.string({ default: 'new' }),
    plain: field.text(),
  };
  const demanding = {
    ...after,
    needed: field.string({ required: true, max: 20 }),
    // Another one of the name: it gets nothing that was the first one's.
    old: field.integer(),
  };
  const made: Migrations = {
    '0001': { up: async (db, dialect) => createTable(db, dialect, 'pots', { fields: before }) },
  };
  const changed: Migrations = {
    ...made,
    '0002': {
      up: async (db, dialect) => {
        const { added, plain } = after;
        const change = { size: { from: before.size, to: after.size } };
        const rename = { called: 'name' };
        await alterTable(db, dialect, 'pots', { rename, add: { added, plain }, change, drop: ['old'] });
      },
    },
  };
  const needy: Migrations = {
    ...changed,
    '0003': {
      up: async (db, dialect) => {
        const { needed, old } = demanding;
        await alterTable(db, dialect, 'pots', { add: { needed, old }, fill: { needed: 'x' } });
      },
    },
  };
  const renamed: Migrations = {
    ...needy,
    '0004': { up: async (db, dialect) => renameTable(db, dialect, 'pots', 'jars', { model: 'Jar' }) },
  };
  const dropped: Migrations = {
    ...renamed,
    '0005': {
      up: async (db, dialect) => {
        await dropTable(db, dialect, 'jars');
        await createTable(db, dialect, 'jars', { fields: demanding });
      },
    },
  };

  it('a record comes back as its model is now, or says why not', async () => {
    const pot = defineResource('Pot', { fields: before, trash: true });
    await using first = await startService(databases, {
      application: { resources: [pot], migrations: made },
    });
    const token = await first.admin();
    const ids: number[] = [];
    for (const values of [
      { called: 'one', old: 5 },
      { called: 'two', size: 7 },
      { called: 'three', old: 1 },
    ]) {
      const { id } = await first.ok<Row>('POST', '/api/v1/pots', { token, body: { pot: values } });
      ids.push(id);
      await first.ok('DELETE', `/api/v1/pots/${id}`, { token });
    }
    const restored = (service: Service, path: string, id: number | undefined) =>
      service.request<Row>('POST', `/admin/records/${path}/${id}/restore`, { token });
    const then = defineResource('Pot', { fields: after, trash: true });
    const second = await first.secondInstance({ application: { resources: [then], migrations: changed } });
    const back = await restored(second, 'pots', ids[0]);
    expect(back).toMatchObject({ status: 200, data: { name: 'one', size: null, added: 'new', plain: null } });
    expect(back.data).not.toHaveProperty('old');
    // A number is no text, and is not converted to one.
    const other = await restored(second, 'pots', ids[1]);
    expect([other.status, other.json.data]).toMatchObject([
      422,
      { errors: [{ field: 'size', rule: 'type' }] },
    ]);
    const asks = defineResource('Pot', { fields: demanding, trash: true });
    const third = await second.secondInstance({ application: { resources: [asks], migrations: needy } });
    const lacking = await restored(third, 'pots', ids[2]);
    expect([lacking.status, lacking.json.data]).toMatchObject([
      422,
      { errors: [{ field: 'needed', rule: 'required' }] },
    ]);
    const jar = defineResource('Jar', { fields: demanding, trash: true });
    const fourth = await third.secondInstance({ application: { resources: [jar], migrations: renamed } });
    // The samples are as they were: the description is that of records as they are.
    const headers = { authorization: `Bearer ${token.token}` };
    const listed = await fetch(`${fourth.origin}/admin/records/jars?trashed=true`, { headers });
    const { data } = (await listed.json()) as { data: Row[] };
    expect(data.map(({ id, name, size, old }) => [id, name, size, old])).toEqual([
      [ids[2], 'three', null, null],
      [ids[1], 'two', 7, null],
    ]);
    const fifth = await fourth.secondInstance({ application: { resources: [jar], migrations: dropped } });
    expect(await fifth.ok('GET', '/admin/records/jars?trashed=true', { token })).toEqual([]);
  });
});
