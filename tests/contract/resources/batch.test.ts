import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { own } from '../../../src/model/row-rule.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

const partFields = {
  sku: field.string({ required: true, max: 10, unique: true }),
  stock: field.integer({ min: 0 }),
  user_id: field.owner(),
};
const lineFields = { part: field.reference('Part', { required: true }), note: field.string({ max: 10 }) };

/** The calls of the hooks, in their order. */
let heard: string[] = [];

const part = defineResource('Part', {
  fields: partFields,
  auth: { create: ['jwt', 'api_key'], update: ['jwt'], destroy: ['jwt'] },
  ownership: true,
  isolation: { read: 'everyone', write: own() },
  hooks: {
    beforeSave: ({ action, values, addError }) => {
      heard.push(`before ${action} ${values.sku ?? ''}`);
      if (values.stock === 13) addError('stock', 'Not thirteen');
    },
    beforeCommit: ({ action, id }) => void heard.push(`within ${action} ${id > 0}`),
    afterCommit: ({ action }) => void heard.push(`after ${action}`),
  },
});
const line = defineResource('Line', { fields: lineFields });
const guarded = defineResource('Guarded', {
  fields: { name: field.string({ max: 10 }) },
  plural: 'guarded',
  permissions: 'writes',
});

const strapFields = { guarded: field.reference('Guarded', { required: true, anyone: true }) };
const strap = defineResource('Strap', { fields: strapFields });

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'parts', { fields: partFields });
      await createTable(db, dialect, 'lines', { fields: lineFields, references: { part: 'parts' } });
      await createTable(db, dialect, 'guarded', { fields: { name: field.string({ max: 10 }) } });
      await createTable(db, dialect, 'straps', { fields: strapFields, references: { guarded: 'guarded' } });
    },
  },
};

interface Written {
  readonly created: { readonly id: number; readonly sku: string }[];
  readonly updated: { readonly id: number; readonly stock: number }[];
  readonly deleted: number;
  readonly errors?: { readonly field: string; readonly rule: string }[];
}

describeEachDatabase('a batch', (databases) => {
  const service = useService(databases, {
    application: { resources: [part, line, guarded, strap], migrations },
  });
  let named = 0;
  const sku = (): string => {
    named += 1;
    return `s${named}`;
  };

  const batch = (token: TestUser, body: object, headers = {}, path = 'parts') =>
    service.request<Written>('POST', `/api/v1/${path}/batch`, { token, body, headers });
  const parts = async (token: TestUser) =>
    (await service.request<{ id: number; sku: string; stock: number }[]>('GET', '/api/v1/parts', { token }))
      .data;
  const stage = async () => {
    heard = [];
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    const made = async (owner: TestUser, stock = 1) =>
      service.ok<{ id: number; sku: string }>('POST', '/api/v1/parts', {
        token: owner,
        body: { part: { sku: sku(), stock } },
      });
    return { ann, ben, made };
  };

  it('updates, deletes and creates in one transaction, each with its hooks', async () => {
    const { ann, made } = await stage();
    const [kept, gone] = [await made(ann), await made(ann)];
    heard = [];
    // A deleted record frees its value for a created one.
    const { status, data } = await batch(ann, {
      create: [{ sku: gone.sku, stock: 5 }, { sku: sku() }],
      update: [{ id: kept.id, stock: 7, unknown: 1 }],
      delete: [gone.id],
    });
    expect(status).toBe(200);
    expect(data).toMatchObject({
      created: [{ sku: gone.sku, stock: 5, user_id: ann.id }, { user_id: ann.id }],
      updated: [{ id: kept.id, stock: 7, sku: kept.sku }],
      deleted: 1,
    });
    expect(heard.filter((what) => !what.startsWith('after'))).toEqual([
      'before update ',
      'within update true',
      'within destroy true',
      `before create ${gone.sku}`,
      'within create true',
      expect.stringMatching('before create s'),
      'within create true',
    ]);
    await expect.poll(() => heard.filter((what) => what.startsWith('after'))).toHaveLength(4);
  });

  it('a batch is refused as a whole, with the messages of all records under their places', async () => {
    const { ann, ben, made } = await stage();
    const [mine, taken] = [await made(ann), await made(ben)];
    const before = await parts(ann);
    heard = [];
    const same = sku();
    const { status, data } = await batch(ann, {
      create: [
        { sku: sku() },
        { stock: -1 },
        { sku: taken.sku },
        { sku: same },
        { sku: same },
        { sku: sku(), stock: 13 },
      ],
      update: [
        { id: mine.id, stock: 2 },
        { id: 999_999, stock: 1 },
        { stock: 4 },
        { id: mine.id, sku: taken.sku },
      ],
      delete: [999_998, 'x'],
    });
    expect(status).toBe(422);
    expect(data.errors?.map(({ field: name, rule }) => `${name} ${rule}`)).toEqual([
      'update.1.id reference',
      'update.2.id reference',
      'update.3.sku unique',
      'delete.0.id reference',
      'delete.1.id reference',
      'create.1.sku required',
      'create.1.stock minimum',
      'create.2.sku unique',
      'create.4.sku unique',
      'create.5.stock custom',
    ]);
    expect(await parts(ann)).toEqual(before);
    expect(heard.filter((what) => what.startsWith('after'))).toEqual([]);
  });

  it('a batch is held to what its caller may write, and to the policy and methods of each action', async () => {
    const { ann, ben, made } = await stage();
    const his = await made(ben);
    const before = await parts(ann);
    for (const body of [{ update: [{ id: his.id, stock: 9 }] }, { delete: [his.id] }])
      expect((await batch(ann, { create: [{ sku: sku() }], ...body })).status).toBe(403);
    expect(await parts(ann)).toEqual(before);
    // The policy of every part comes before what any part is refused for.
    const root0 = await service.admin();
    if (
      !(await service.ok<{ name: string }[]>('GET', '/admin/roles', { token: root0 })).some(
        ({ name }) => name === 'clerk',
      )
    )
      await service.ok('POST', '/admin/roles', { token: root0, body: { role: { name: 'clerk' } } });
    for (const action of ['update', 'destroy'])
      await service.ok('PUT', `/admin/permissions/clerk/Guarded/${action}`, { token: root0 });
    const clerk = await service.createUser(['clerk']);
    const held = await service.ok<{ id: number }>('POST', '/admin/records/guarded', {
      token: await service.admin(),
      body: { guarded: { name: 'held' } },
    });
    const flawed = { create: [{ name: 'x' }], update: [{ id: held.id, name: 'far too long a name' }] };
    expect((await batch(clerk, { update: flawed.update }, {}, 'guarded')).status).toBe(422);
    expect((await batch(clerk, flawed, {}, 'guarded')).status).toBe(403);
    const referred = { create: [{ name: 'x' }], delete: [held.id] };
    await service.ok('POST', '/api/v1/straps', { token: ann, body: { strap: { guarded_id: held.id } } });
    expect((await batch(clerk, { delete: [held.id] }, {}, 'guarded')).json.code).toBe(40902);
    expect((await batch(clerk, referred, {}, 'guarded')).status).toBe(403);
    const { key } = await service.createKey(ann);
    const byKey = (body: object) =>
      service.request('POST', '/api/v1/parts/batch', { headers: { 'x-api-key': key }, body });
    expect((await byKey({ create: [{ sku: sku() }] })).status).toBe(200);
    expect((await byKey({ create: [{ sku: sku() }], delete: [his.id] })).status).toBe(403);
    expect((await service.request('POST', '/api/v1/parts/batch', { body: {} })).status).toBe(401);
    expect((await batch(ann, { create: [{ name: 'x' }] }, {}, 'guarded')).status).toBe(403);
    expect((await batch(ann, {}, {}, 'guarded')).data).toEqual({ created: [], updated: [], deleted: 0 });
    const root = await service.admin();
    expect((await batch(root, { create: [{ name: 'x' }] }, {}, 'guarded')).status).toBe(200);
    const inArea = { token: root, body: { update: [{ id: his.id, stock: 3 }] } };
    expect((await service.request('POST', '/admin/records/parts/batch', inArea)).status).toBe(200);
    const notHer = { token: ann, body: {} };
    expect((await service.request('POST', '/admin/records/parts/batch', notHer)).status).toBe(403);
  });

  it('a batch is 403 before 409, wherever in it the refusal stands', async () => {
    const { token } = await service.admin();
    const user = await service.createUser(['viewer']);
    const create = (path: string, name: string, values: object) =>
      service.ok<{ id: number }>('POST', `/api/v1/${path}`, { token, body: { [name]: values } });
    const held = await create('guarded', 'guarded', { name: 'held' });
    await create('straps', 'strap', { guarded_id: held.id });
    const answer = await service.post('/api/v1/guarded/batch', { token, body: { delete: [held.id] } });
    expect(answer.status).toBe(409);
    const foreign = await create('parts', 'part', { sku: 'foreign' });
    const mine = await service.ok<{ id: number }>('POST', '/api/v1/parts', {
      token: user,
      body: { part: { sku: 'mine' } },
    });
    await create('lines', 'line', { part_id: mine.id });
    const batch = (body: object) => service.post('/api/v1/parts/batch', { token: user, body });
    expect((await batch({ delete: [mine.id] })).status).toBe(409);
    expect((await batch({ delete: [mine.id, foreign.id] })).status).toBe(403);
    expect((await batch({ delete: [foreign.id, mine.id] })).status).toBe(403);
  });

  it('says what is wrong with its own form', async () => {
    const { ann } = await stage();
    const refused = async (body: object) => {
      const { status, json } = await batch(ann, body);
      return `${status} ${json.message}`;
    };
    expect(await refused({ creates: [] })).toMatch(/^400 .*creates/);
    expect(await refused({ create: {} })).toMatch(/^400 .*create/);
    expect(await refused({ create: [{ sku: sku() }, 7] })).toMatch(/^400 .*create\.1/);
    expect(await refused({ delete: Array.from({ length: 1001 }, () => 1) })).toMatch(/^413 .*1000/);
    const referred = await service.ok<{ id: number }>('POST', '/api/v1/parts', {
      token: ann,
      body: { part: { sku: sku() } },
    });
    await service.ok('POST', '/api/v1/lines', { token: ann, body: { line: { part_id: referred.id } } });
    expect((await batch(ann, { delete: [referred.id] })).status).toBe(409);
  });

  it('a batch with an Idempotency-Key is done once, and answered the same', async () => {
    const { ann } = await stage();
    const body = { create: [{ sku: sku() }, { sku: sku() }] };
    const headers = { 'idempotency-key': `k${sku()}` };
    const before = (await parts(ann)).length;
    const answers = await Promise.all([1, 2, 3].map(() => batch(ann, body, headers)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect((await parts(ann)).length).toBe(before + 2);
    expect((await batch(ann, { create: [] }, headers)).status).toBe(409);
  });

  it('a batch of a thousand records lets others have their turn', async () => {
    const { ann } = await stage();
    const create = Array.from({ length: 1000 }, () => ({ sku: sku() }));
    const waits: number[] = [];
    let over = false;
    const asking = (async () => {
      while (!over) {
        const asked = performance.now();
        await service.request('GET', '/api/v1/health');
        waits.push(performance.now() - asked);
        // Without a pause the requests would take the processor that the batch needs.
        await delay(2);
      }
    })();
    const started = performance.now();
    const { status, json } = await batch(ann, { create });
    const took = performance.now() - started;
    over = true;
    await asking;
    expect([status, json.data?.created.length]).toEqual([200, 1000]);
    // The answer itself is one piece of work; what is written before it is not.
    expect(Math.max(...waits)).toBeLessThan(took / 2 + 50);
  });
});
