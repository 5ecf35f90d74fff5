import { beforeEach, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import type { HookPrincipal } from '../../../src/model/resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { useService } from '../../support/service.ts';

const fields = {
  title: field.string({ required: true, max: 20 }),
  slug: field.string({ max: 30, unique: true }),
  price: field.integer({ min: 0 }),
  note: field.text(),
  user_id: field.owner(),
};

interface HookCall {
  readonly action: string;
  readonly id: number | undefined;
  readonly values: object;
  readonly principal: HookPrincipal;
  readonly record?: object;
}

/** The calls of the hooks, and their behaviour in a test. */
const calls: { before: HookCall[]; after: HookCall[] } = { before: [], after: [] };
/** The gates of the saves of twins, one after the other. */
let gates: (() => Promise<void>)[] = [];
let committed: (event: HookCall) => void | Promise<void> = () => {};

const product = defineResource('Product', {
  fields,
  auth: ['jwt', 'api_key', 'signature'],
  restricted: ['note'],
  ownership: true,
  hooks: {
    beforeSave: async ({ action, id, values, principal, addError }) => {
      calls.before.push({ action, id, values: { ...values }, principal });
      await Promise.resolve();
      if (values.title === 'twin') await gates.shift()?.();
      if (values.title === 'throw') throw new Error('the hook broke: secret detail');
      if (values.title === 'refuse') {
        addError('title', 'Title: not today');
        addError('price', 'Price: ask again');
      }
      if (values.title === 'too dear') values.price = -1;
      if (values.title === 'wrong type') Object.assign(values, { price: 'many' });
      if (values.title === 'given away') Object.assign(values, { user_id: 1 });
      if (values.title?.startsWith('sets '))
        Object.assign(values, { [values.title.slice('sets '.length)]: 77 });
      if (typeof values.title === 'string' && values.title.includes(' '))
        values.slug = values.title.replaceAll(' ', '-');
      if (values.price === 5) values.note = 'cheap';
    },
    afterCommit: ({ action, id, record, values, principal }) => {
      const event = { action, id, record, values, principal };
      calls.after.push(event);
      return committed(event);
    },
  },
});

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const memoFields = {
  text: field.string({ required: true }),
  price: field.decimal({ scale: 2 }),
  done: field.boolean(),
  user_id: field.owner(),
};

/** Its callers see next to nothing of it; the hook receives everything. */
const memo = defineResource('Memo', {
  fields: memoFields,
  ownership: true,
  views: { detail: ['id'] },
  hooks: {
    afterCommit: ({ action, id, record, values, principal }) =>
      void calls.after.push({ action, id, record, values, principal }),
  },
});

const migrations = {
  '0001_products': {
    up: async (db: Parameters<typeof createTable>[0], dialect: 'sqlite' | 'postgres') =>
      createTable(db, dialect, product.table, { fields }),
  },
  '0002_memos': {
    up: async (db: Parameters<typeof createTable>[0], dialect: 'sqlite' | 'postgres') =>
      createTable(db, dialect, memo.table, { fields: memoFields }),
  },
};

const path = '/api/v1/products';

describeEachDatabase('hooks of a resource', (databases) => {
  const service = useService(databases, {
    application: { resources: [product, memo], migrations },
    apps: ['shop'],
  });
  const rows = () =>
    service.server.services.database.all<Record<string, unknown>>({
      sql: 'select id, title, slug, price, note, user_id, version from products order by id',
      parameters: [],
    });
  const post = async (values: object, token = service.admin()) =>
    service.post(path, { token: await token, body: { product: values } });

  beforeEach(() => {
    calls.before = [];
    calls.after = [];
    committed = () => {};
  });

  it('beforeSave receives the values and their caller, and may change the values', async () => {
    const user = await service.createUser();
    const answer = await post(
      { title: 'a red thing', price: 5, note: 'ignored', user_id: 1 },
      Promise.resolve(user),
    );
    expect(answer.data).toMatchObject({
      title: 'a red thing',
      slug: 'a-red-thing',
      note: 'cheap',
      user_id: user.id,
    });
    expect(calls.before).toEqual([
      {
        action: 'create',
        id: undefined,
        values: { title: 'a red thing', price: 5 },
        principal: { kind: 'user', id: user.id, username: user.username, roles: ['viewer'] },
      },
    ]);
    const id = Number(answer.data['id']);
    const changed = await service.request('PATCH', `${path}/${id}`, {
      token: user,
      body: { product: { title: 'a blue thing' } },
    });
    expect(changed.data).toMatchObject({ title: 'a blue thing', slug: 'a-blue-thing', price: 5 });
    expect(calls.before.at(-1)).toMatchObject({ action: 'update', id, values: { title: 'a blue thing' } });
  });

  it('knows an application by its app_id', async () => {
    const body = JSON.stringify({ product: { title: 'signed' } });
    expect((await service.post(path, { body, headers: service.sign('shop', body) })).status).toBe(201);
    expect(calls.before[0]?.principal).toEqual({ kind: 'application', appId: 'shop' });
    expect(calls.after[0]?.principal).toEqual({ kind: 'application', appId: 'shop' });
  });

  it('a message that it adds is a validation message, and nothing is written', async () => {
    const before = await rows();
    const answer = await post({ title: 'refuse' });
    expect([answer.status, answer.json.message]).toEqual([422, 'Title: not today, Price: ask again']);
    expect(answer.data).toMatchObject({ errors: [{ field: 'title' }, { field: 'price' }] });
    expect([await rows(), calls.after]).toEqual([before, []]);
  });

  it('what it leaves is validated once more, uniqueness included', async () => {
    const before = await rows();
    for (const title of ['too dear', 'wrong type'])
      expect((await post({ title })).data).toMatchObject({ errors: [{ field: 'price' }] });
    expect((await post({ title: 'a blue thing' })).data).toMatchObject({
      errors: [{ field: 'slug', rule: 'unique' }],
    });
    expect(await rows()).toEqual(before);
  });

  it('hooks of a resource cannot take over what the server and the rules set', async () => {
    const user = await service.createUser();
    const answer = await post({ title: 'given away' }, Promise.resolve(user));
    expect(answer.data['user_id']).toBe(user.id);
  });

  it('setting a name that no field has is a 500, with nothing written', async () => {
    const before = await rows();
    expect((await post({ title: 'sets bogus' })).status).toBe(500);
    expect(await rows()).toEqual(before);
    expect((await post({ title: 'sets id' })).data['id']).not.toBe(77);
  });

  it('a hook is not asked about a body with mistakes, nor about a record that is not there', async () => {
    expect((await post({ price: 1 })).status).toBe(422);
    const token = await service.admin();
    const body = { product: { title: 'x' } };
    expect((await service.request('PATCH', `${path}/999999`, { token, body })).status).toBe(404);
    const [{ id } = { id: 0 }] = await rows();
    const headers = { 'If-Match': '"99-saved"' };
    expect((await service.request('PATCH', `${path}/${id}`, { token, body, headers })).status).toBe(412);
    expect(calls.before).toEqual([]);
  });

  it('throwing is a 500 that says nothing, with nothing written, and is logged', async () => {
    const before = await rows();
    const headers = { 'Idempotency-Key': 'hook-throws' };
    const token = await service.admin();
    const answer = await service.post(path, { token, headers, body: { product: { title: 'throw' } } });
    expect([answer.status, answer.json.code]).toEqual([500, 50000]);
    expect(answer.text).not.toContain('secret detail');
    const [{ id } = { id: 0 }] = before;
    const update = await service.request('PATCH', `${path}/${id}`, {
      token,
      body: { product: { title: 'throw' } },
    });
    expect([update.status, await rows(), calls.after]).toEqual([500, before, []]);
    expect(service.lines.some((line) => line.includes('secret detail'))).toBe(true);
    // Nothing was kept either: the key is free for a request that succeeds.
    expect((await service.post(path, { token, headers, body: { product: { title: 'well' } } })).status).toBe(
      201,
    );
  });

  it('afterCommit runs once the record is durable: another connection sees it', async () => {
    const elsewhere = await databases.open(service.env['DATABASE_URL']);
    const seen = new Promise((resolve, reject) => {
      committed = async ({ id }) => {
        const read = elsewhere.all({ sql: `select title from products where id = ${id}`, parameters: [] });
        await read.then(resolve, reject);
      };
    });
    expect((await post({ title: 'durable' })).status).toBe(201);
    expect(await seen).toEqual([{ title: 'durable' }]);
    expect(calls.after).toMatchObject([{ action: 'create', values: { title: 'durable' } }]);
  });

  it('afterCommit receives the whole record, whatever its caller sees, of a delete too', async () => {
    const user = await service.createUser();
    const created = await service.post('/api/v1/memos', {
      token: user,
      body: { memo: { text: 'first', price: '12.5' } },
    });
    expect([created.status, Object.keys(created.data)]).toEqual([201, ['id']]);
    const id = Number(created.data['id']);
    const one = `/api/v1/memos/${id}`;
    await service.ok('PATCH', one, { token: user, body: { memo: { done: true } } });
    expect((await service.delete('/api/v1/memos/99999', { token: user })).status).toBe(404);
    await service.ok('DELETE', one, { token: user });
    const record = {
      ...{ id, text: 'first', price: '12.50', done: null, user_id: user.id },
      ...{ created_at: timestamp, updated_at: timestamp },
    };
    const principal = { kind: 'user', id: user.id, username: user.username, roles: ['viewer'] };
    // The values are as they are returned, however they were sent.
    const values = { text: 'first', price: '12.50' };
    await expect.poll(() => calls.after).toHaveLength(3);
    expect(calls.after).toEqual([
      { action: 'create', id, record, values, principal },
      { action: 'update', id, record: { ...record, done: true }, values: { done: true }, principal },
      { action: 'destroy', id, record: { ...record, done: true }, values: {}, principal },
    ]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('after: broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('after: broken'))],
  ] as const)('afterCommit that %s is only logged: the record stays', async (_, broken) => {
    committed = broken;
    service.lines.length = 0;
    const answer = await post({ title: 'stays' });
    expect(answer.status).toBe(201);
    await expect.poll(() => service.lines.some((line) => line.includes('after: broken'))).toBe(true);
    expect((await rows()).at(-1)).toMatchObject({ title: 'stays', id: answer.data['id'] });
  });

  it('a request that finds its twin written meanwhile answers as the twin did, although the value is taken now', async () => {
    const token = await service.admin();
    const request = {
      token,
      headers: { 'Idempotency-Key': 'twins' },
      body: { product: { title: 'twin', slug: 'twin' } },
    };
    let open: () => void = () => {};
    let reached: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const waiting = new Promise<void>((resolve) => {
      reached = resolve;
    });
    gates = [
      async () => {
        reached();
        await gate;
      },
    ];
    const slow = service.post(path, request);
    await waiting;
    const fast = await service.post(path, request);
    open();
    expect(fast.status).toBe(201);
    expect([(await slow).status, (await slow).text]).toEqual([201, fast.text]);
    expect(calls.after).toHaveLength(1);
  });

  it('afterCommit does not hold up the answer, and does not run for a replayed request', async () => {
    let release: () => void = () => {};
    committed = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    const token = await service.admin();
    const request = {
      token,
      headers: { 'Idempotency-Key': 'after-once' },
      body: { product: { title: 'once' } },
    };
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => service.post(path, request)));
    release();
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(calls.after).toHaveLength(1);
  });
});
