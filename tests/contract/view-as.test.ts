import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { own } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const order = {
  number: field.string({ required: true }),
  note: field.text(),
  user_id: field.owner(),
};
const secretFields = { title: field.string({ required: true }) };

describeEachDatabase('what a colleague sees', (databases) => {
  const service = useService(databases, {
    env: { LOCALE: 'en' },
    application: {
      resources: [
        defineResource('Order', {
          fields: order,
          isolation: own(),
          views: { list: ['id', 'number'], detail: ['id', 'number', 'note', 'user_id'] },
        }),
        defineResource('Secret', { fields: secretFields, permissions: 'all' }),
        defineResource('Signed', { fields: secretFields, plural: 'signeds', auth: ['signature'] }),
      ],
      migrations: {
        '0001_things': {
          up: async (db, dialect) => {
            await createTable(db, dialect, 'orders', { fields: order });
            await createTable(db, dialect, 'secrets', { fields: secretFields });
            await createTable(db, dialect, 'signeds', { fields: secretFields });
          },
        },
      },
    },
  });
  let root: TestUser;
  let admin: TestUser;
  let tom: TestUser;
  let mine: number;
  let others: number;

  beforeAll(async () => {
    root = await service.admin();
    admin = await service.createUser(['admin']);
    tom = await service.createUser();
    const make = async (number: string, user_id: number): Promise<number> =>
      (
        await service.ok<{ id: number }>('POST', '/admin/records/orders', {
          token: root,
          body: { order: { number, note: `of ${number}`, user_id } },
        })
      ).id;
    mine = await make('A-1', tom.id);
    others = await make('A-2', root.id);
  });

  const view = (of: TestUser, path: string, token: TestUser = root) =>
    service.get<Record<string, unknown>[]>(`/admin/users/${of.id}/view/${path}`, { token });
  const audit = () =>
    service.ok<Record<string, unknown>[]>('GET', '/admin/audit?filter[action]=user.view_as&sort=id', {
      token: root,
    });
  const grant = (role: string, action: string) =>
    service.ok('PUT', `/admin/permissions/${role}/Secret/${action}`, { token: root });

  it('the view as a colleague is exactly what the API shows to them: their rows, in the fields of each view', async () => {
    for (const [path, api] of [
      ['orders', '/api/v1/orders?page=1&per_page=20&sort=-id'],
      [`orders/${mine}`, `/api/v1/orders/${mine}`],
    ] as const) {
      const theirs = await service.get(api, { token: tom });
      const seen = await view(tom, path);
      expect([seen.status, seen.json.data]).toEqual([200, theirs.json.data]);
      expect(seen.headers['x-total-count']).toBe(theirs.headers['x-total-count']);
    }
    expect((await view(tom, 'orders')).json.data).toEqual([{ id: mine, number: 'A-1' }]);
    expect((await view(tom, `orders/${others}`)).status).toBe(404);
    // The administrator's own view is another one.
    expect((await view(root, 'orders')).json.data).toHaveLength(2);
  });

  it('the list of a colleague is searched, sorted and filtered as the colleague could, and by no field that they do not see', async () => {
    const make = (number: string) =>
      service.ok('POST', '/admin/records/orders', {
        token: root,
        body: { order: { number, note: 'kept', user_id: tom.id } },
      });
    for (const number of ['A-3', 'B-4', 'A-5']) await make(number);
    for (const query of [
      'filter[number][starts_with]=A&sort=number',
      'sort=-number&per_page=2&page=2',
      'filter[number]=A-2',
      'filter[number][in]=A-1,A-2,B-4&sort=id',
      'q=A',
    ]) {
      const standard = `${query.includes('page=') ? '' : '&page=1&per_page=20'}${query.includes('sort') ? '' : '&sort=-id'}`;
      const theirs = await service.get(`/api/v1/orders?${query}${standard}`, { token: tom });
      const seen = await view(tom, `orders?${query}`);
      expect([query, seen.status, seen.json.data]).toEqual([query, 200, theirs.json.data]);
      expect(seen.headers['x-total-count']).toBe(theirs.headers['x-total-count']);
    }
    // The list does not show the note to them: what it may be asked for is what they may ask for.
    for (const query of ['filter[note]=kept', 'sort=note']) {
      const theirs = await service.get(`/api/v1/orders?${query}`, { token: tom });
      expect([query, (await view(tom, `orders?${query}`)).status]).toEqual([query, theirs.status]);
    }
    // Nor does a path lead to other records.
    expect((await view(tom, 'orders?filter[user.username]=x')).json.code).toBe(40007);
    expect((await view(tom, 'orders')).headers['x-hidden-fields']).toBe('created_at,updated_at');
  });

  it('leaves a line in the audit log for each look, by whom it was and of which record', async () => {
    const before = (await audit()).length;
    await view(tom, 'orders', admin);
    await view(tom, `orders/${others}`, admin);
    const lines = (await audit()).slice(before);
    expect(lines.map(({ actor_name, target_id, detail }) => [actor_name, target_id, detail])).toEqual([
      [admin.username, String(tom.id), { model: 'Order', record: null }],
      [admin.username, String(tom.id), { model: 'Order', record: others }],
    ]);
  });

  it('reads only: no other method, no other path, and nothing of the account', async () => {
    const before = (await audit()).length;
    const stored = await service.ok('GET', '/admin/records/orders?sort=id', { token: root });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const path of ['orders', `orders/${mine}`]) {
        const { status } = await service.request(method, `/admin/users/${tom.id}/view/${path}`, {
          token: root,
          body: { order: { number: 'changed' } },
        });
        expect([method, path, status]).toEqual([method, path, 405]);
      }
    for (const path of ['users', 'api_keys', 'auth', 'sessions', 'webhooks', 'payment', '..', 'orders%2F..'])
      expect([path, (await view(tom, path)).status]).toEqual([path, 404]);
    for (const query of [
      'include=user',
      'fields=id',
      'trashed=true',
      'cursor=x',
      'total=none',
      'per_page=1000',
      'page=0',
      'page=1&page=2',
    ])
      expect([query, (await view(tom, `orders?${query}`)).status]).toEqual([query, 400]);
    expect(await service.ok('GET', '/admin/records/orders?sort=id', { token: root })).toEqual(stored);
    expect((await audit()).length).toBe(before);
  });

  it('gives no credential: no cookie, no token, no key, and no use of any', async () => {
    const { headers, text } = await view(tom, 'orders');
    expect(Object.keys(headers).filter((name) => /cookie|authorization|token/.test(name))).toEqual([]);
    expect(text).not.toMatch(/eyJ|token/);
    const session = await service.signIn(root);
    await service.get(`/admin/users/${tom.id}/view/orders`, { headers: { cookie: session } });
    // The session is still the administrator's, and can do what it could.
    const who = await service.get('/admin/session', { headers: { cookie: session } });
    expect(who.json.data).toMatchObject({ id: root.id });
  });

  it('the view as a colleague is for administrators, and for models that they may read themselves', async () => {
    expect((await service.get(`/admin/users/${tom.id}/view/orders`)).status).toBe(401);
    expect((await view(admin, 'orders', tom)).status).toBe(403);
    await service.ok('POST', '/admin/records/secrets', { token: root, body: { secret: { title: 'plan' } } });
    await grant('viewer', 'read');
    expect((await service.get('/api/v1/secrets', { token: tom })).status).toBe(200);
    // The colleague may read them, this administrator may not, and learns nothing by way of the colleague.
    expect((await view(tom, 'secrets', admin)).status).toBe(403);
    expect((await view(root, 'secrets', admin)).status).toBe(403);
    await grant('admin', 'read');
    expect((await view(tom, 'secrets', admin)).json.data).toMatchObject([{ title: 'plan' }]);
  });

  it('says what a colleague would be refused with, which is no refusal of the administrator', async () => {
    await service.delete('/admin/permissions/viewer/Secret/read', { token: root });
    const refusals = async () =>
      (await service.ok<unknown[]>('GET', '/admin/audit?filter[action]=admin.refused', { token: root }))
        .length;
    const before = await refusals();
    const { status, json } = await view(tom, 'secrets');
    expect([status, json.code, json.message]).toEqual([
      409,
      40914,
      'This user would be refused: No permission',
    ]);
    expect((await view(tom, 'signeds')).json.code).toBe(40914);
    expect(await refusals()).toBe(before);
    const off = await service.createUser();
    await service.ok('PATCH', `/admin/users/${off.id}`, { token: root, body: { user: { disabled: true } } });
    expect((await view(off, 'orders')).json.code).toBe(40908);
    expect((await view({ ...tom, id: 999_999 }, 'orders')).status).toBe(404);
  });
});
