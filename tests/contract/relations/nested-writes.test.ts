import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { Problem } from '../../../src/kernel/problem.ts';
import type { Scope } from '../../../src/model/scope.ts';
import { defineEndpoint } from '../../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';
import { heard, item, migrations, purchase, resources } from './purchases.ts';

type Row = { readonly id: number } & Readonly<Record<string, unknown>>;
type Refused = { readonly errors: readonly { readonly field: string; readonly rule: string }[] };

const errorsOf = (data: unknown): readonly string[] =>
  (data as Refused).errors.map(({ field, rule }) => `${field} ${rule}`);

/** The code that a test runs with the caller's scope. */
let work: (scope: Scope) => Promise<JsonObject>;

const endpoint = defineEndpoint({
  method: 'POST',
  path: '/work',
  auth: ['jwt'],
  handle: (scope) => work(scope),
});

describeEachDatabase('records within a body', (databases) => {
  const service = useService(databases, { application: { resources, migrations, endpoints: [endpoint] } });
  let named = 0;
  const number = (): string => {
    named += 1;
    return `n${named}`;
  };

  const post = (token: TestUser, body: object, query = '', headers = {}) =>
    service.request<Row>('POST', `/api/v1/purchases${query}`, { token, body: { purchase: body }, headers });
  const patch = (token: TestUser, id: number, body: object, query = '', headers = {}) =>
    service.request<Row>('PATCH', `/api/v1/purchases/${id}${query}`, {
      token,
      body: { purchase: body },
      headers,
    });
  const make = (token: TestUser, path: string, singular: string, body: object) =>
    service.ok<Row>('POST', `/api/v1/${path}`, { token, body: { [singular]: body } });
  const itemsOf = async (token: TestUser, id: number): Promise<Row[]> => {
    const { data } = await service.request<Row[]>('GET', `/api/v1/items?filter[purchase_id]=${id}`, {
      token,
    });
    return data;
  };
  const stage = async () => {
    heard.length = 0;
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    const article = await make(ann, 'articles', 'article', { name: 'tea' });
    const other = await make(ann, 'articles', 'article', { name: 'cup' });
    return { ann, ben, article, other };
  };
  /** Ann's purchase with two items. */
  const bought = async (ann: TestUser, items: readonly object[] = [{ quantity: 1 }, { quantity: 2 }]) => {
    const { status, data, text } = await post(ann, { number: number(), items }, '?include=items');
    expect(status, text).toBe(201);
    heard.length = 0;
    return data as Row & { readonly number: string; readonly items: readonly Row[] };
  };

  it('records within a body are created with it and answered in the same round trip', async () => {
    const { ann, article } = await stage();
    const items = [
      { article_id: article.id, quantity: 2, granted: 7, parts: [{ name: 'a' }, { name: 'b' }] },
      { quantity: 3, purchase_id: 999, unknown: 1 },
    ];
    const { status, data } = await post(ann, { number: number(), items }, '?include=items.parts');
    expect(status).toBe(201);
    const [first, second] = data['items'] as Row[];
    expect(first).toMatchObject({ article_id: article.id, quantity: 2, granted: null });
    expect(first?.['parts']).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    expect(second).toMatchObject({ purchase_id: data.id, quantity: 3, parts: [] });
    expect(await itemsOf(ann, data.id)).toMatchObject([{ quantity: 2 }, { quantity: 3 }]);
  });

  it('records within a body are changed, deleted and added with it; what is not named stays', async () => {
    const { ann } = await stage();
    const { id, items } = await bought(ann, [{ quantity: 1 }, { quantity: 2 }, { quantity: 3 }]);
    const [one, two, three] = items;
    const body = { items: [{ quantity: 9 }, { id: two?.id, quantity: 8 }, { id: one?.id, _delete: true }] };
    const { status, data } = await patch(ann, id, body, '?include=items');
    expect(status).toBe(200);
    expect(data['items']).toMatchObject([
      { id: two?.id, quantity: 8 },
      { id: three?.id, quantity: 3 },
      { quantity: 9 },
    ]);
    expect(await patch(ann, id, { items: [] }, '?include=items')).toMatchObject({
      status: 200,
      data: { items: [{}, {}, {}] },
    });
  });

  it('records within a body run their hooks between the statement of their record and its own beforeCommit', async () => {
    const { ann } = await stage();
    const { id, items } = await bought(ann);
    heard.length = 0;
    const changed = await patch(ann, id, {
      number: number(),
      items: [{ quantity: 50 }, { id: items[0]?.id, quantity: 5 }, { id: items[1]?.id, _delete: true }],
    });
    // A hook of an item has changed the purchase: the answer knows.
    expect(changed).toMatchObject({ status: 200, data: { total: 50 } });
    expect(heard.filter((what) => !what.includes('after'))).toEqual([
      'purchase beforeSave update',
      'item beforeCommit destroy',
      'item beforeSave update -',
      'item beforeCommit update',
      'item beforeSave create of',
      'item beforeCommit create',
      // The hook's own update of the purchase.
      'purchase beforeSave update',
      'purchase beforeCommit update 5 50',
      'purchase beforeCommit update 5 50',
    ]);
    await expect.poll(() => heard.filter((what) => what.includes('after'))).toHaveLength(5);
    const tag = changed.headers['etag'];
    const again = await service.request('GET', `/api/v1/purchases/${id}`, {
      token: ann,
    });
    expect(String(tag).split('-')[0]).toBe(String(again.headers['etag']).split('-')[0]);
  });

  it('records within a body are refused at once, every message under its place and nothing written', async () => {
    const { ann, article } = await stage();
    const { number: taken, id, items } = await bought(ann);
    const wrong = [
      { quantity: 0 },
      { quantity: 'x', article_id: 999_999 },
      7,
      { id: 3, quantity: 1 },
      { _delete: true },
      { quantity: 1, _delete: 'yes' },
      {
        quantity: 1,
        parts: [{ name: 'ok' }, {}, { name: 'ok', children: [{ name: 'far too long a name' }] }],
      },
    ];
    const before = await service.request('GET', '/api/v1/items', { token: ann });
    const created = await post(ann, { number: taken, items: wrong, remarks: null });
    expect(created.status).toBe(422);
    expect(errorsOf(created.data)).toEqual([
      'number unique',
      'items.0.quantity minimum',
      'items.1.article_id reference',
      'items.1.quantity type',
      'items.2 type',
      'items.3.id reference',
      'items.4.id required',
      'items.5._delete type',
      'items.6.parts.1.name required',
      'items.6.parts.2.children.0.name max_length',
      'remarks type',
    ]);
    const hers = await bought(ann);
    const updated = await patch(ann, id, {
      number: '',
      items: [
        { id: items[0]?.id, quantity: 0 },
        { id: hers.items[0]?.id, quantity: 4 },
        { id: 999_999, _delete: true },
        { id: items[1]?.id, article_id: article.id },
        { id: items[1]?.id, _delete: true },
        { article_id: article.id, quantity: 13 },
        { id: null, quantity: 1 },
      ],
    });
    expect(updated.status).toBe(422);
    expect(errorsOf(updated.data)).toEqual([
      'number required',
      'items.0.quantity minimum',
      'items.1.id reference',
      'items.2.id reference',
      'items.4.id duplicate',
      'items.5.article_id unique',
      'items.5.quantity custom',
      'items.6.id reference',
    ]);
    const after = (await service.request<Row[]>('GET', '/api/v1/items', { token: ann })).data;
    expect(after.filter(({ purchase_id }) => purchase_id !== hers.id)).toEqual(before.data);
    expect(heard.filter((what) => what.includes('after'))).toEqual([]);
  });

  it('records within a body free their unique values for one another', async () => {
    const { ann, article, other } = await stage();
    const { id, items } = await bought(ann, [
      { quantity: 1, article_id: article.id, code: number() },
      { quantity: 2, article_id: other.id },
    ]);
    const [one, two] = items;
    const swapped = await patch(
      ann,
      id,
      {
        items: [
          { quantity: 7, article_id: other.id },
          { id: two?.id, article_id: article.id, code: one?.['code'] },
          { id: one?.id, _delete: true, quantity: 0 },
        ],
      },
      '?include=items',
    );
    expect(swapped.status, swapped.text).toBe(200);
    expect(swapped.data['items']).toMatchObject([
      { id: two?.id, article_id: article.id, code: one?.['code'] },
      { article_id: other.id, quantity: 7 },
    ]);
    // The message names the field of the pair that the body can name.
    const twice = await patch(ann, id, { items: [{ quantity: 1, article_id: other.id }] });
    expect(errorsOf(twice.data)).toEqual(['items.0.article_id unique']);
    const both = [1, 2].map((quantity) => ({ quantity, article_id: article.id }));
    expect(errorsOf((await post(ann, { number: number(), items: both })).data)).toEqual([
      'items.1.article_id unique',
    ]);
  });

  it('records within a body stay with their record, whatever the body says, and are moved by their own endpoint', async () => {
    const { ann } = await stage();
    const [one, two] = [await bought(ann), await bought(ann)];
    const [item] = one.items;
    const named = { items: [{ id: item?.id, purchase_id: two.id, quantity: 6 }] };
    expect((await patch(ann, one.id, named)).status).toBe(200);
    expect(await itemsOf(ann, one.id)).toMatchObject([{ quantity: 6 }, { quantity: 2 }]);
    await service.ok('PATCH', `/api/v1/items/${item?.id}`, {
      token: ann,
      body: { item: { purchase_id: two.id } },
    });
    expect(errorsOf((await patch(ann, one.id, named)).data)).toEqual(['items.0.id reference']);
  });

  it('records within a body are held to the policy of their own endpoints, by the same method of authentication', async () => {
    const { ann, ben } = await stage();
    const { id, items } = await bought(ann);
    const remarks = [{ text: 'hello' }];
    expect((await post(ann, { number: number(), remarks })).status).toBe(403);
    expect((await post(ann, { number: number(), remarks: [], items: [] })).status).toBe(201);
    const admin = await service.admin();
    await service.ok('POST', '/admin/roles', { token: admin, body: { role: { name: 'talker' } } });
    await service.ok('PUT', '/admin/permissions/talker/Remark/create', { token: admin });
    const talker = await service.createUser(['talker']);
    const made = await post(talker, { number: number(), remarks });
    expect(made.status).toBe(201);
    const gone = { remarks: [{ id: 1, _delete: true }] };
    expect((await patch(talker, made.data.id, gone)).status).toBe(403);
    const { key } = await service.createKey(ann);
    const byKey = (body: object) =>
      service.request('PATCH', `/api/v1/purchases/${id}`, { key, body: { purchase: body } });
    expect((await byKey({ items: [{ quantity: 4 }, { id: items[0]?.id, quantity: 4 }] })).status).toBe(200);
    expect((await byKey({ items: [{ quantity: 4 }, { id: items[0]?.id, _delete: true }] })).status).toBe(403);
    // Parts are not written by a key, and what is read only is not written at all.
    expect((await byKey({ items: [{ quantity: 4, parts: [{ name: 'x' }] }] })).status).toBe(403);
    expect((await patch(ann, id, { read_only: [{ text: 'x' }] })).status).toBe(200);
    expect((await patch(ben, id, { items: [{ quantity: 1 }] })).status).toBe(404);
    expect(await itemsOf(ann, id)).toHaveLength(3);
    const hold = await make(ann, 'holds', 'hold', { item_id: items[0]?.id });
    expect((await patch(ann, id, { items: [{ id: items[0]?.id, _delete: true }] })).status).toBe(409);
    expect(hold.id).toBeGreaterThan(0);
  });

  it('records within a body are written by administrators in their area, with the fields that are theirs', async () => {
    const { ann } = await stage();
    const { id, items } = await bought(ann);
    const token = await service.admin();
    const body = {
      purchase: {
        rebate: 5,
        items: [{ id: items[0]?.id, granted: 6 }, { quantity: 3 }],
        remarks: [{ text: 'seen' }],
      },
    };
    const path = `/admin/records/purchases/${id}?include=items,remarks`;
    const { status, data } = await service.request<Row>('PATCH', path, { token, body });
    expect(status).toBe(200);
    expect(data).toMatchObject({
      rebate: 5,
      items: [{ granted: 6 }, {}, { quantity: 3 }],
      remarks: [{ text: 'seen' }],
    });
    const created = await service.request('POST', '/admin/records/purchases', {
      token,
      body: { purchase: { number: number(), items: [{ quantity: 1 }] } },
    });
    expect(created.status).toBe(201);
  });

  it('raise the version of their record, which guards them by If-Match', async () => {
    const { ann } = await stage();
    const { id, items } = await bought(ann);
    const read = await service.request('GET', `/api/v1/purchases/${id}`, { token: ann });
    const guard = { 'If-Match': String(read.headers['etag']) };
    const change = (quantity: number) =>
      patch(ann, id, { items: [{ id: items[0]?.id, quantity }] }, '', guard);
    const first = await change(5);
    expect([first.status, (await change(6)).status]).toEqual([200, 412]);
    expect(first.headers['etag']).toMatch(/^"2-/);
    expect(await itemsOf(ann, id)).toMatchObject([{ quantity: 5 }, { quantity: 2 }]);
  });

  it('records within a body are written once with an Idempotency-Key', async () => {
    const { ann } = await stage();
    const body = { number: number(), items: [{ quantity: 1 }] };
    const headers = { 'idempotency-key': number() };
    const answers = await Promise.all([1, 2, 3].map(() => post(ann, body, '?include=items', headers)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(await itemsOf(ann, answers[0]?.data.id ?? 0)).toHaveLength(1);
  });

  it('records within a body stand in the records of a batch, and count there', async () => {
    const { ann } = await stage();
    const { id, items } = await bought(ann);
    const batch = (body: object) =>
      service.request<Row>('POST', '/api/v1/purchases/batch', { token: ann, body });
    const good = {
      create: [{ number: number(), items: [{ quantity: 1 }] }],
      update: [{ id, items: [{ id: items[0]?.id, quantity: 4 }] }],
    };
    const { status, data } = await batch(good);
    expect(status).toBe(200);
    expect(await itemsOf(ann, (data['created'] as Row[])[0]?.id ?? 0)).toHaveLength(1);
    const bad = await batch({
      create: [
        { number: number(), items: [{ quantity: 0 }, {}] },
        { number: number(), items: [{}] },
      ],
      update: [{ id, items: [{ id: 999_999, _delete: true }] }],
    });
    expect(errorsOf(bad.data)).toEqual([
      'update.0.items.0.id reference',
      'create.0.items.0.quantity minimum',
      'create.0.items.1.quantity required',
      'create.1.items.0.quantity required',
    ]);
    const many = Array.from({ length: 6 }, () => ({
      number: number(),
      items: Array.from({ length: 200 }, () => ({ quantity: 1 })),
    }));
    expect((await batch({ create: many })).status).toBe(413);
  });

  it('records within a body are no more than 200 of a relation, 1,000 in all, and three levels deep', async () => {
    const { ann } = await stage();
    const times = (length: number, each: object) => Array.from({ length }, () => each);
    const tooMany = await post(ann, { number: number(), items: times(201, { quantity: 1 }) });
    expect([tooMany.status, errorsOf(tooMany.data)]).toEqual([422, ['items max_items']]);
    const full = await post(ann, { number: number(), items: times(200, { quantity: 1 }) });
    expect(full.status).toBe(201);
    expect(await itemsOf(ann, full.data.id)).toHaveLength(200);
    const parts = times(170, { name: 'x' });
    const large = await post(ann, { number: number(), items: times(6, { quantity: 1, parts }) });
    expect(large.status).toBe(413);
    const deep = (children: object[]) =>
      post(ann, { number: number(), items: [{ quantity: 1, parts: [{ name: 'p', children }] }] });
    expect((await deep([{ name: 'c' }])).status).toBe(201);
    const deeper = await deep([{ name: 'c', children: [{ name: 'd' }] }]);
    expect(errorsOf(deeper.data)).toEqual(['items.0.parts.0.children.0.children too_deep']);
  });

  it('records within a body are refused with what the beforeCommit of their record says of them', async () => {
    const { ann } = await stage();
    const { status, data } = await post(ann, { number: number(), items: [{ quantity: 99 }] });
    expect([status, errorsOf(data)]).toEqual([422, ['number custom']]);
    expect(
      (await post(ann, { number: 'odd', items: [{ quantity: 0 }, { quantity: 13 }] })).data,
    ).toMatchObject({
      errors: [{ field: 'number' }, { field: 'items.0.quantity' }],
    });
  });

  it('records within a body are written in code by the same operations, and leave no half behind where an error is caught', async () => {
    const { ann } = await stage();
    const runs = (does: typeof work) => {
      work = does;
      return service.request('POST', '/api/v1/work', { token: ann, body: {} });
    };
    const done = await runs(async ({ records }) => {
      const made = await records(purchase).create({ number: number(), items: [{ quantity: 1 }] });
      const [first] = await records(item).list({ filter: { purchase_id: made.id } });
      const entries = [{ id: first?.id ?? 0, quantity: 4, granted: 6 }, { quantity: 2 }];
      await records('Purchase').update(made.id, { items: entries });
      const items = await records(item).list({ filter: { purchase_id: made.id } });
      return { items: items.map(({ quantity, granted }) => [quantity, granted]) };
    });
    expect(done).toMatchObject({
      status: 200,
      data: {
        items: [
          [4, null],
          [2, null],
        ],
      },
    });
    // The application itself writes, whatever the caller may not write.
    const bySystem = await runs(async ({ asSystem }) => {
      const { records } = asSystem('a gift');
      const items = [{ quantity: 1, granted: 9 }];
      return records(purchase).create({ number: number(), items, remarks: [{ text: 'x' }] });
    });
    const id = Number((bySystem.data as Row).id);
    const token = await service.admin();
    const path = `/admin/records/purchases/${id}?include=items,remarks`;
    expect(await service.ok('GET', path, { token })).toMatchObject({
      items: [{ granted: 9 }],
      remarks: [{ text: 'x' }],
    });
    // Beside them may stand what was noted meanwhile of a key that came from elsewhere.
    const ofRecords = '/admin/audit?page=1&per_page=3&sort=-id&filter[action][starts_with]=record.';
    const audit = await service.ok<Row[]>('GET', ofRecords, { token });
    expect(audit.map(({ action }) => action)).toEqual(Array(3).fill('record.create'));
    const before = await service.ok<Row[]>('GET', '/api/v1/purchases', { token: ann });
    const caught = await runs(({ transaction }) =>
      transaction(async ({ records }) => {
        await records(purchase).create({ number: number() });
        try {
          await records(purchase).create({ number: number(), items: [{ quantity: 1 }, { quantity: 13 }] });
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
        }
        return {};
      }),
    );
    expect([caught.status, errorsOf(caught.data)]).toEqual([422, ['items.1.quantity custom']]);
    expect(await service.ok('GET', '/api/v1/purchases', { token: ann })).toEqual(before);
  });

  it('records within a body need no reading of their record, and the writing of what names it', async () => {
    const admin = await service.admin();
    await service.ok('POST', '/admin/roles', { token: admin, body: { role: { name: 'filer' } } });
    const grant = (entry: string) =>
      service.ok('PUT', `/admin/permissions/filer/${entry}/create`, { token: admin });
    await grant('Folder');
    const token = await service.createUser(['filer']);
    const file = (body: object, by = token) =>
      service.request<Row>('POST', '/api/v1/folders', {
        token: by,
        body: { folder: { name: 'f', ...body } },
      });
    const sheets = [{ title: 'one' }];
    expect((await file({ sheets })).status).toBe(403);
    await grant('Sheet');
    const made = await file({ sheets });
    expect(made.status).toBe(201);
    expect((await service.request('GET', `/api/v1/folders/${made.data.id}`, { token })).status).toBe(403);
    const found = `/admin/records/sheets?filter[folder_id]=${made.data.id}`;
    expect(await service.ok('GET', found, { token: admin })).toMatchObject(sheets);
    // A seal of no folder is anybody's to make, one within a folder is not.
    expect((await file({ seals: [{ name: 's' }] })).status).toBe(403);
    const sealed = await file({ seals: [{ name: 's' }] }, admin);
    expect(sealed.status).toBe(201);
    const folders = await service.ok<Row[]>('GET', '/admin/records/folders', { token: admin });
    expect(folders.map(({ id }) => id)).toEqual([made.data.id, sealed.data.id]);
  });

  it('records within a body tell no hook of what stands within a record that is refused', async () => {
    const { ann } = await stage();
    const body = { number: '', items: [{ quantity: 1, parts: [{ name: 'p' }, {}] }] };
    const refused = await post(ann, body);
    expect(errorsOf(refused.data)).toEqual(['number required', 'items.0.parts.1.name required']);
    expect(heard).toEqual([]);
  });
});
