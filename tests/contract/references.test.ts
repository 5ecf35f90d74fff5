import { expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

const clientFields = { name: field.string({ required: true, max: 40 }) };
const orderFields = { client: field.reference('Client', { required: true, onDelete: 'cascade' }) };
const lineFields = {
  order: field.reference('Order', { required: true, onDelete: 'cascade' }),
  parent: field.reference('Line', { onDelete: 'restrict' }),
};
const noteFields = {
  order: field.reference('Order'),
  client: field.reference('Client'),
  user_id: field.owner(),
};
const billFields = { client: field.reference('Client', { required: true }) };
const secretFields = { client: field.reference('Client', { required: true, onDelete: 'cascade' }) };
const deedFields = { user: field.reference('User', { required: true, onDelete: 'cascade' }) };

const resources = [
  defineResource('Client', {
    fields: clientFields,
    label: { 'zh-CN': '客户', en: 'Client' },
    pluralLabel: { 'zh-CN': '全部客户', en: 'Clientele' },
    icon: 'people',
    menu: { 'zh-CN': '销售', en: 'Sales' },
  }),
  defineResource('Order', { fields: orderFields, trash: true }),
  defineResource('Line', { fields: lineFields }),
  defineResource('Note', { fields: noteFields }),
  defineResource('Bill', { fields: billFields, permissions: 'writes' }),
  defineResource('Secret', { fields: secretFields, permissions: 'all' }),
  defineResource('Deed', { fields: deedFields }),
];

const migrations: Migrations = {
  '0001_clients': {
    up: async (db, dialect) => {
      const references = { client: 'clients', order: 'orders', parent: 'lines' };
      await createTable(db, dialect, 'clients', { fields: clientFields });
      await createTable(db, dialect, 'orders', { fields: orderFields, references });
      await createTable(db, dialect, 'lines', { fields: lineFields, references });
      await createTable(db, dialect, 'notes', { fields: noteFields, references });
      await createTable(db, dialect, 'bills', { fields: billFields, references });
      await createTable(db, dialect, 'secrets', { fields: secretFields, references });
      await createTable(db, dialect, 'deeds', { fields: deedFields });
    },
  },
};

interface Reference {
  readonly model: string;
  readonly on_delete: string;
  readonly count: number | null;
}

interface References {
  readonly refused: readonly { readonly id: number | string; readonly problem: string }[];
  readonly references: readonly Reference[];
}

describeEachDatabase('references', (databases) => {
  const service = useService(databases, { application: { resources, migrations } });
  const singulars: Readonly<Record<string, string>> = {
    ...{ clients: 'client', orders: 'order', lines: 'line', notes: 'note', bills: 'bill' },
    ...{ secrets: 'secret', deeds: 'deed' },
  };
  const make = async (path: string, values: object): Promise<number> => {
    const body = { [singulars[path] ?? '']: values };
    const token = await service.admin();
    return (await service.ok<{ id: number }>('POST', `/admin/records/${path}`, { token, body })).id;
  };
  const ask = async (path: string, token?: string | { readonly token: string }) =>
    service.request<References>('GET', `/admin/${path}`, { token: token ?? (await service.admin()) });
  const foresee = async (path: string) => (await ask(path)).data;
  const countOf = async (path: string): Promise<number> => {
    const { headers } = await service.request('GET', `/admin/records/${path}?per_page=1`, {
      token: await service.admin(),
    });
    return Number(headers['x-total-count']);
  };

  it('tells what goes along over any number of steps, what is emptied, and then that is what happens', async () => {
    const client = await make('clients', { name: 'whole' });
    const other = await make('clients', { name: 'other' });
    const owner = await service.createUser();
    const [first, second] = [
      await make('orders', { client_id: client }),
      await make('orders', { client_id: client }),
    ];
    const stays = await make('orders', { client_id: other });
    const line = await make('lines', { order_id: first });
    // It refers to one that goes with it, and so keeps nothing.
    await make('lines', { order_id: first, parent_id: line });
    await make('lines', { order_id: stays });
    for (const values of [{ client_id: client }, { order_id: first }, { order_id: second }])
      await make('notes', { ...values, user_id: owner.id });
    const { refused, references } = await foresee(`records/clients/${client}/references`);
    expect(refused).toEqual([]);
    const others = { more: false, trash: false };
    expect(references).toEqual([
      {
        ...{ model: 'Order', resource: 'records/orders', field: 'client_id', on_delete: 'cascade' },
        ...{ ...others, count: 2, trash: true, to: [client] },
      },
      {
        ...{ model: 'Line', resource: 'records/lines', field: 'order_id', on_delete: 'cascade' },
        ...{ ...others, count: 2, trash: true, to: [first] },
      },
      {
        ...{ model: 'Note', resource: 'records/notes', field: 'client_id', on_delete: 'null' },
        ...{ ...others, count: 1, to: [client] },
      },
      {
        ...{ model: 'Note', resource: 'records/notes', field: 'order_id', on_delete: 'null' },
        ...{ ...others, count: 2, trash: true, to: [first, second] },
      },
    ]);
    const before = { orders: await countOf('orders'), lines: await countOf('lines') };
    await service.ok('DELETE', `/admin/records/clients/${client}`, { token: await service.admin() });
    expect(await countOf('orders')).toBe(before.orders - 2);
    expect(await countOf('lines')).toBe(before.lines - 2);
    const nulled = `/admin/records/notes?filter[client_id][null]=true&filter[order_id][null]=true`;
    expect(await service.ok('GET', nulled, { token: await service.admin() })).toHaveLength(3);
  });

  it('says what keeps a record, also one that goes along, and several records are summed up', async () => {
    const [free, held, through] = [
      await make('clients', { name: 'free' }),
      await make('clients', { name: 'held' }),
      await make('clients', { name: 'through' }),
    ];
    for (const client of [held, held]) await make('bills', { client_id: client });
    const order = await make('orders', { client_id: through });
    const line = await make('lines', { order_id: order });
    const elsewhere = await make('orders', { client_id: free });
    await make('lines', { order_id: elsewhere, parent_id: line });
    const one = await foresee(`records/clients/${held}/references`);
    expect(one.refused).toEqual([{ id: held, problem: 'still_referenced' }]);
    expect(one.references).toMatchObject([{ model: 'Bill', on_delete: 'restrict', count: 2, to: [held] }]);
    const { refused, references } = await foresee(
      `records/clients/references?ids=${free},${held},${through},999999`,
    );
    expect(refused.map(({ id }) => id)).toEqual([held, through]);
    const counts = references.map(({ model, on_delete, count }) => [model, on_delete, count]);
    expect(counts).toEqual([
      ['Order', 'cascade', 2],
      ['Line', 'cascade', 2],
      ['Bill', 'restrict', 2],
      ['Line', 'restrict', 1],
    ]);
    for (const [id, status] of [
      [held, 409],
      [through, 409],
      [free, 200],
    ] as const) {
      const token = await service.admin();
      expect((await service.request('DELETE', `/admin/records/clients/${id}`, { token })).status).toBe(
        status,
      );
    }
    expect(await foresee(`records/clients/${through}/references`)).toMatchObject({ refused: [] });
  });

  it('counts up to a thousand, and says that so many do not go at once', async () => {
    const client = await make('clients', { name: 'large' });
    const token = await service.admin();
    const body = (count: number) => ({
      create: Array.from({ length: count }, () => ({ client_id: client })),
    });
    await service.ok('POST', '/admin/records/orders/batch', { token, body: body(1000) });
    const few = await foresee(`records/clients/${client}/references`);
    expect(few).toMatchObject({ refused: [], references: [{ count: 1000, more: false }] });
    await service.ok('POST', '/admin/records/orders/batch', { token, body: body(1) });
    const many = await foresee(`records/clients/${client}/references`);
    expect(many.refused).toEqual([{ id: client, problem: 'cascade_too_large' }]);
    expect(many.references).toMatchObject([{ model: 'Order', count: 1000, more: true, to: [client] }]);
    const { status } = await service.request('DELETE', `/admin/records/clients/${client}`, { token });
    expect(status).toBe(409);
  });

  it('answers who may delete it, hides what they may not read, and nothing of what is not there', async () => {
    const client = await make('clients', { name: 'hidden' });
    await make('secrets', { client_id: client });
    const admin = await service.createUser(['admin']);
    const path = `records/clients/${client}/references`;
    expect((await ask(path, admin)).data.references).toEqual([
      {
        ...{ model: 'Secret', resource: 'records/secrets', field: 'client_id', on_delete: 'cascade' },
        ...{ count: null, more: false, trash: false, to: [] },
      },
    ]);
    expect((await foresee(path)).references).toMatchObject([{ count: 1, to: [client] }]);
    expect((await ask(path, await service.createUser())).status).toBe(403);
    const bill = await make('bills', { client_id: client });
    expect((await ask(`records/bills/${bill}/references`, admin)).status).toBe(403);
    expect((await ask('records/clients/999999/references')).status).toBe(404);
    for (const query of ['', '?ids=', '?ids=1,x', `?ids=${'1,'.repeat(101)}1`, '?ids=1&page=2'])
      expect((await ask(`records/clients/references${query}`)).status, query).toBe(400);
  });

  it('tells in the metadata who refers to a model, and how it stands in the menu', async () => {
    const token = await service.admin();
    const models = await service.ok<{ model: string }[]>('GET', '/admin/meta', { token });
    expect(models).toContainEqual(expect.objectContaining({ model: 'Client', icon: 'people', menu: '销售' }));
    expect(models).toContainEqual(expect.objectContaining({ model: 'Bill', icon: null, menu: null }));
    const metadataOf = (path: string) => service.ok<object>('GET', path, { token });
    expect(await metadataOf('/admin/meta/Order?lang=en')).toMatchObject({
      referenced_by: [
        { model: 'Line', field: 'order_id', label: 'Lines' },
        { model: 'Note', field: 'order_id', label: 'Notes' },
      ],
    });
    expect(await metadataOf('/admin/meta/Client?lang=en')).toMatchObject({ icon: 'people', menu: 'Sales' });
    expect(await metadataOf('/api/v1/meta/Order')).not.toHaveProperty('referenced_by');
  });

  it('says in the metadata how several records are called, in the language of the caller', async () => {
    const token = await service.admin();
    const inChinese = { label: '客户', plural_label: '全部客户' };
    const inEnglish = { label: 'Client', plural_label: 'Clientele' };
    for (const area of ['/admin/meta', '/api/v1/meta']) {
      expect(await service.ok('GET', `${area}/Client`, { token })).toMatchObject(inChinese);
      expect(await service.ok('GET', `${area}/Client?lang=en`, { token })).toMatchObject(inEnglish);
      expect(await service.ok('GET', `${area}/Line?lang=en`, { token })).toMatchObject({
        ...{ label: 'Line', plural_label: 'Lines' },
      });
    }
    const models = await service.ok<object[]>('GET', '/admin/meta', { token });
    expect(models).toContainEqual(expect.objectContaining({ model: 'Client', ...inChinese }));
  });

  it('tells of users what they own, their keys and sessions, and who may not go', async () => {
    const user = await service.createUser();
    await service.createKey(user);
    await make('deeds', { user_id: user.id });
    await make('notes', { user_id: user.id });
    const { refused, references } = await foresee(`users/${user.id}/references`);
    expect(refused).toEqual([]);
    expect(references).toMatchObject([
      { model: 'Deed', on_delete: 'cascade', count: 1 },
      { model: 'Note', resource: 'records/notes', field: 'user_id', on_delete: 'null', count: 1 },
      { model: 'ApiKey', resource: 'api_keys', on_delete: 'cascade', count: 1, to: [user.id] },
    ]);
    const root = await service.ok<{ user?: { id: number }; id?: number }>('GET', '/api/v1/auth/me', {
      token: await service.admin(),
    });
    const id = root.user?.id ?? root.id;
    expect((await foresee(`users/${id}/references`)).refused).toContainEqual({
      ...{ id, problem: 'last_super_admin' },
    });
    expect((await ask('users/999999/references')).status).toBe(404);
  });

  it('tells of roles who holds them and what they grant, and of webhooks what was sent', async () => {
    const token = await service.admin();
    await service.ok('POST', '/admin/roles', { token, body: { role: { name: 'clerk' } } });
    await service.ok('PUT', '/admin/permissions/clerk/Bill/create', { token });
    const free = await foresee('roles/clerk/references');
    expect(free.refused).toEqual([]);
    expect(free.references).toMatchObject([{ model: 'Permission', on_delete: 'cascade', count: 1 }]);
    await service.createUser(['clerk']);
    const held = await foresee('roles/clerk/references');
    expect(held.refused).toEqual([{ id: 'clerk', problem: 'role_in_use' }]);
    expect(held.references).toMatchObject([{ model: 'User', on_delete: 'restrict', count: 1 }, {}]);
    expect((await foresee('roles/viewer/references')).refused).toEqual([
      { id: 'viewer', problem: 'built_in_role' },
    ]);
    expect((await ask('roles/missing/references')).status).toBe(404);
    expect((await ask('webhooks/1/references')).status).toBe(404);
  });
});
