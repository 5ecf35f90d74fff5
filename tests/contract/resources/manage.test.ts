import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { collectModels } from '../../../src/model/models.ts';
import { anyOf, equals, member, own, via } from '../../../src/model/row-rule.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** The trash of a model in the API, for callers whom its `manage` rule admits. */

const teamFields = { name: field.string({ max: 20 }), open: field.boolean({ default: false }) };
const seatFields = {
  team: field.reference('Team', { required: true, onDelete: 'cascade' }),
  role: field.enum(['owner', 'guest']),
  // A column by the name of that in which the trash stores a record.
  record: field.string({ max: 20 }),
  user_id: field.owner(),
};
const orderFields = {
  number: field.string({ required: true, max: 20, unique: true }),
  total: field.decimal({ scale: 2 }),
  state: field.enum(['open', 'shut'], { default: 'open' }),
  secret: field.string({ max: 20 }),
  badge: field.string({ max: 20, unique: true }),
  team: field.reference('Team', { onDelete: 'null' }),
  user_id: field.owner(),
};
const lineFields = {
  order: field.reference('Order', { required: true, onDelete: 'cascade' }),
  sku: field.string({ max: 20, unique: true }),
};
const salaryFields = {
  order: field.reference('Order', { required: true, onDelete: 'cascade' }),
  number: field.string({ max: 20, unique: true }),
  account: field.string({ max: 20 }),
  place: field.string({ max: 20 }),
  user_id: field.owner(),
};
const noteFields = { text: field.string({ max: 20 }), live: field.boolean(), user_id: field.owner() };

const team = defineResource('Team', { fields: teamFields });
const seat = defineResource('Seat', { fields: seatFields });
const order = defineResource('Order', {
  fields: orderFields,
  views: {
    list: ['id', 'number', 'total', 'team_id'],
    detail: ['id', 'number', 'total', 'state', 'team_id'],
  },
  isolation: anyOf(own(), member('team_id', { of: 'Seat' })),
  auth: ['jwt', 'api_key', 'signature'],
  history: true,
  trash: true,
  manage: anyOf(
    member('team_id', { of: 'Seat', where: { role: 'owner' } }),
    via('team', equals('open', true)),
    equals('state', 'shut'),
  ),
});
const line = defineResource('Line', { fields: lineFields });
/** Users read their own, without the account. */
const salary = defineResource('Salary', {
  fields: salaryFields,
  isolation: true,
  unique: [['place', 'account']],
  views: { detail: ['id', 'number', 'place', 'order_id'] },
});
const note = defineResource('Note', {
  fields: noteFields,
  permissions: 'all',
  isolation: true,
  publicRead: { where: { live: true }, orOwn: true },
  trash: true,
  manage: own(),
});
const poster = defineResource('Poster', {
  fields: noteFields,
  isolation: true,
  publicRead: { where: { live: true }, orOwn: true },
  trash: true,
  manage: equals('live', true),
});
/** Its records are shown to users with a token only. */
const slip = defineResource('Slip', {
  fields: noteFields,
  auth: { list: ['jwt', 'api_key'], create: ['jwt', 'api_key'], detail: ['jwt'] },
  trash: true,
  manage: equals('live', true),
});

/** Its hook makes notes as the caller, who needs the permission for these. */
const box = defineResource('Box', {
  fields: noteFields,
  ownership: true,
  trash: true,
  manage: own(),
  hooks: {
    beforeCommit: async ({ records, restored }) => {
      if (restored) await records('Note').create({ text: 'back' });
    },
  },
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'teams', { fields: teamFields });
      await createTable(db, dialect, 'seats', { fields: seatFields, references: { team: 'teams' } });
      await createTable(db, dialect, 'orders', { fields: orderFields, references: { team: 'teams' } });
      await createTable(db, dialect, 'lines', { fields: lineFields, references: { order: 'orders' } });
      await createTable(db, dialect, 'salaries', {
        ...{ fields: salaryFields, references: { order: 'orders' }, unique: salary.unique },
      });
      for (const table of ['notes', 'posters', 'slips', 'boxes'])
        await createTable(db, dialect, table, { fields: noteFields });
    },
  },
};

interface Row {
  readonly id: number;
  readonly number: string;
  readonly [name: string]: unknown;
}

describeEachDatabase('callers who manage records', (databases) => {
  const service = useService(databases, {
    application: { resources: [team, seat, order, line, salary, note, poster, slip, box], migrations },
    env: { LOCALE: 'en' },
    apps: ['shop'],
  });
  let root: TestUser;
  let [ann, ben, carl]: TestUser[] = [];
  let [closed, open]: Row[] = [];

  const make = (path: string, singular: string, values: object) =>
    service.ok<Row>('POST', `/admin/records/${path}`, { token: root, body: { [singular]: values } });

  beforeAll(async () => {
    root = await service.admin();
    [ann, ben, carl] = [await service.createUser(), await service.createUser(), await service.createUser()];
    closed = await make('teams', 'team', { name: 'closed', open: false });
    open = await make('teams', 'team', { name: 'open', open: true });
    const seats = [
      { user_id: ann?.id, team_id: closed.id, role: 'owner' },
      { user_id: ben?.id, team_id: closed.id, role: 'guest' },
      { user_id: ben?.id, team_id: open.id, role: 'guest' },
    ];
    for (const each of seats) await make('seats', 'seat', { ...each, record: '{"team_id":1}' });
  });

  let made = 0;
  const deleted = async (values: object = {}): Promise<Row> => {
    made += 1;
    const row = await make('orders', 'order', {
      ...{ number: `N${made}`, total: '1.50', secret: 'hidden', team_id: closed?.id },
      ...values,
    });
    await service.ok('DELETE', `/admin/records/orders/${row.id}`, { token: root });
    return row;
  };
  const trash = '/api/v1/orders?trashed=true&per_page=1000';
  const restore = (token: TestUser | undefined, { id }: Row, options: object = {}) =>
    service.request('POST', `/api/v1/orders/${id}/restore`, { ...(token && { token }), ...options });
  const code = async (answer: ReturnType<typeof restore>): Promise<number> => (await answer).json.code;

  it('lists and restores with a record what was deleted along, with the fields that the caller reads', async () => {
    const row = await make('orders', 'order', {
      number: 'whole',
      total: '12.50',
      team_id: closed?.id,
      secret: 's',
    });
    const { id: sku } = await make('lines', 'line', { order_id: row.id, sku: 'a' });
    await service.ok('DELETE', `/api/v1/orders/${row.id}`, { token: ann });
    expect((await service.get(`/api/v1/orders/${row.id}`, { token: ann })).status).toBe(404);
    const [first] = await service.ok<Row[]>('GET', '/api/v1/orders?trashed=true', { token: ann });
    expect(first).toEqual({
      ...{ id: row.id, number: 'whole', total: '12.50', team_id: closed?.id },
      deleted_at: expect.any(String),
      deleted_by: { kind: 'user', id: String(ann?.id), name: ann?.username, key: null, reason: null },
      kept_until: expect.any(String),
    });
    const back = await restore(ann, row);
    expect([back.status, back.json.data]).toMatchObject([
      200,
      { id: row.id, number: 'whole', state: 'open' },
    ]);
    expect(back.json.data).not.toHaveProperty('secret');
    expect((await service.get(`/api/v1/lines/${sku}`, { token: ann })).status).toBe(200);
    // Every value is back, also the values that ann does not read.
    const whole = await service.ok<Row>('GET', `/admin/records/orders/${row.id}`, { token: root });
    expect(whole).toMatchObject({ secret: 's', total: '12.50' });
    expect(await code(restore(ann, row))).toBe(40400);
  });

  it('agrees with a plain oracle for every kind of record and caller', async () => {
    const callers = [ann, ben, carl, root];
    const teams = [undefined, closed, open];
    const owners = [undefined, ann, carl];
    const kept: Row[] = [];
    for (const inTeam of teams)
      for (const owner of owners)
        for (const state of ['open', 'shut'])
          kept.push(await deleted({ team_id: inTeam?.id ?? null, user_id: owner?.id ?? null, state }));
    const seats = (caller: TestUser | undefined, row: Row) => [
      ...(caller === ann && row['team_id'] === closed?.id ? ['owner'] : []),
      ...(caller === ben && row['team_id'] !== null ? ['guest'] : []),
    ];
    const reads = (caller: TestUser | undefined, row: Row): boolean =>
      caller === root || row['user_id'] === caller?.id || seats(caller, row).length > 0;
    const manages = (caller: TestUser | undefined, row: Row): boolean =>
      caller === root ||
      seats(caller, row).includes('owner') ||
      row['team_id'] === open?.id ||
      row['state'] === 'shut';
    const ids = new Set(kept.map(({ id }) => id));
    const cells = { seen: 0, hidden: 0 };
    for (const caller of callers) {
      const list = await service.get(trash, caller && { token: caller });
      const rows = list.json.data as unknown as Row[];
      const expected = kept.filter((row) => reads(caller, row) && manages(caller, row)).map(({ id }) => id);
      expect(rows.map(({ id }) => id).filter((id) => ids.has(id))).toEqual(expected.toReversed());
      expect(Number(list.headers['x-total-count'])).toBe(rows.length);
      cells.seen += expected.length;
      cells.hidden += kept.length - expected.length;
      for (const row of kept) {
        const admitted = expected.includes(row.id);
        const answer = await restore(caller, row);
        expect([caller?.username, row, answer.status]).toEqual([caller?.username, row, admitted ? 200 : 404]);
        if (admitted) await service.ok('DELETE', `/admin/records/orders/${row.id}`, { token: root });
      }
      // Restored records were deleted again, the last of them first in the list.
      kept.sort((a, b) => Number(expected.includes(a.id)) - Number(expected.includes(b.id)));
    }
    expect(cells.seen).toBeGreaterThan(20);
    expect(cells.hidden).toBeGreaterThan(20);
  });

  it('tells a caller no more of a record out of reach than of a missing one', async () => {
    const row = await deleted();
    const answers = await Promise.all([
      restore(ben, row),
      restore(ben, row, { headers: { 'If-Match': '"1"' } }),
      restore(ben, { ...row, id: 99_999 }),
      restore(carl, row),
    ]);
    expect(answers.map(({ json }) => json.code)).toEqual([40400, 40400, 40400, 40400]);
    expect(new Set(answers.map(({ json }) => json.message)).size).toBe(1);
    // A membership that ends takes the trash along.
    const seatOf = await make('seats', 'seat', { user_id: carl?.id, team_id: closed?.id, role: 'owner' });
    const listed = async () => (await service.ok<Row[]>('GET', trash, { token: carl })).map(({ id }) => id);
    expect(await listed()).toContain(row.id);
    await service.ok('DELETE', `/admin/records/seats/${seatOf.id}`, { token: root });
    expect(await listed()).not.toContain(row.id);
    expect(await code(restore(carl, row))).toBe(40400);
  });

  it('names no record and no field that the caller does not read in what prevents a restore', async () => {
    const fill = async ({ id }: Row): Promise<readonly [sku: Row, own: Row, foreign: Row]> => {
      const pair = { place: 'p', account: 'a' };
      return [
        await make('lines', 'line', { order_id: id, sku: 'taken' }),
        await make('salaries', 'salary', { order_id: id, number: 'A', user_id: ann?.id, ...pair }),
        await make('salaries', 'salary', { order_id: id, number: 'B', user_id: carl?.id }),
      ];
    };
    const row = await make('orders', 'order', { number: 'first', badge: 'b', team_id: closed?.id });
    const [sku, own, foreign] = await fill(row);
    await service.ok('DELETE', `/admin/records/orders/${row.id}`, { token: root });
    const other = await make('orders', 'order', { number: 'other', badge: 'b' });
    const inTheWay = await fill(other);
    const fieldsOf = ({ data }: { readonly data: unknown }): readonly string[] =>
      (data as { errors: { field: string }[] }).errors.map(({ field: name }) => name);
    const whole = await service.request('POST', `/admin/records/orders/${row.id}/restore`, { token: root });
    expect(fieldsOf(whole)).toEqual([
      ...['badge', `lines.${sku.id}.sku`, `salaries.${own.id}.number`],
      ...[`salaries.${own.id}.account`, `salaries.${own.id}.place`, `salaries.${foreign.id}.number`],
    ]);
    const named = [`lines.${sku.id}.sku`, `salaries.${own.id}.number`];
    expect(fieldsOf(await restore(ann, row))).toEqual(named);
    await service.ok('DELETE', `/admin/records/lines/${inTheWay[0].id}`, { token: root });
    await service.ok('DELETE', `/admin/records/salaries/${inTheWay[1].id}`, { token: root });
    // The rest is not named.
    const { status, json } = await restore(ann, row);
    expect([status, json]).toEqual([409, { code: 40900, message: 'Conflict with existing data' }]);
    await service.ok('DELETE', `/admin/records/orders/${other.id}`, { token: root });
    expect((await restore(ann, row)).status).toBe(200);
    await service.ok('DELETE', `/admin/records/orders/${row.id}`, { token: root });
  });

  it('managing records is closed to callers without credentials, and to models without a rule', async () => {
    const row = await deleted({ state: 'shut' });
    expect((await service.get(trash)).status).toBe(401);
    expect((await restore(undefined, row)).status).toBe(401);
    // Without `manage` the parameter is as unknown as any other, and the path does not exist.
    expect((await service.get('/api/v1/teams?trashed=true', { token: ann })).status).toBe(400);
    expect((await service.request('POST', '/api/v1/teams/1/restore', { token: ann })).status).toBe(404);
    // An application owns no record and is in no team.
    const signed = service.sign('shop', '');
    expect((await service.get(trash, { headers: signed })).json.data).toEqual([]);
    // The API returns a record to no version.
    await service.ok('POST', `/admin/records/orders/${row.id}/restore`, { token: root });
    expect(await code(restore(ann, row, { body: { version: 1 } }))).toBe(42200);
  });

  it('asks the permissions of the list and of a create, and shows strangers nothing', async () => {
    const permit = (method: string, action: string) =>
      service.ok(method, `/admin/permissions/viewer/Note/${action}`, { token: root });
    const row = await make('notes', 'note', { text: 'mine', live: true, user_id: ann?.id });
    await service.ok('DELETE', `/admin/records/notes/${row.id}`, { token: root });
    const list = (token?: TestUser) => service.get('/api/v1/notes?trashed=true', token && { token });
    const back = () => service.request('POST', `/api/v1/notes/${row.id}/restore`, { token: ann });
    expect([(await list()).status, (await list(ann)).status, (await back()).status]).toEqual([401, 403, 403]);
    await permit('PUT', 'read');
    expect((await list(ann)).json.data).toMatchObject([{ id: row.id, text: 'mine' }]);
    expect((await list(ben)).json.data).toEqual([]);
    expect((await back()).status).toBe(403);
    await permit('PUT', 'create');
    expect((await back()).status).toBe(200);
    for (const action of ['read', 'create']) await permit('DELETE', action);
  });

  it('lets hooks write other models with the permissions of the caller who restores', async () => {
    const body = { box: { text: 'a' } };
    const row = await service.ok<Row>('POST', '/api/v1/boxes', { token: ann, body });
    await service.ok('DELETE', `/api/v1/boxes/${row.id}`, { token: ann });
    const back = () => service.request('POST', `/api/v1/boxes/${row.id}/restore`, { token: ann });
    expect((await back()).status).toBe(403);
    await service.ok('PUT', '/admin/permissions/viewer/Note/create', { token: root });
    expect((await back()).status).toBe(200);
    await service.ok('DELETE', '/admin/permissions/viewer/Note/create', { token: root });
  });

  it('accepts the methods of the list and of a create, and of the detail for the records', async () => {
    const { key } = await service.createKey(ann as TestUser);
    const row = await make('slips', 'slip', { text: 'a', live: true });
    await service.ok('DELETE', `/admin/records/slips/${row.id}`, { token: root });
    const list = async (caller: object) =>
      (await service.get('/api/v1/slips?trashed=true', caller)).json.data;
    expect([await list({ token: ann }), await list({ key })]).toMatchObject([[{ id: row.id }], []]);
    const path = `/api/v1/slips/${row.id}/restore`;
    expect((await service.request('POST', path, { key })).status).toBe(404);
    expect((await service.request('POST', path, { token: ann })).status).toBe(200);
    // A public list accepts every caller, its trash the methods of the model only.
    const shown = await make('posters', 'poster', { text: 'b', live: true });
    await service.ok('DELETE', `/admin/records/posters/${shown.id}`, { token: root });
    const status = async (caller: object, query = '') =>
      (await service.get(`/api/v1/posters${query}`, caller)).status;
    expect([await status({}), await status({ key })]).toEqual([200, 200]);
    for (const query of ['?trashed=true', '?trashed=maybe', '?page=x&trashed']) {
      const refused = await service.get(`/api/v1/posters${query}`);
      expect([refused.status, refused.json.code, await status({ key }, query)]).toEqual([401, 40100, 401]);
      expect(refused.headers['www-authenticate']).toMatch(/^Bearer /);
    }
    expect(await status({ token: ann }, '?trashed=true')).toBe(200);
    expect(await status({ token: ann }, '?trashed=maybe')).toBe(400);
    const { paths } = JSON.parse((await service.get('/api-docs/openapi.json')).text);
    expect(Object.keys(paths['/api/v1/posters'].get.responses)).toContain('401');
  });

  it('takes the scopes that a key needs to read and to create', async () => {
    const row = await deleted();
    const keyWith = async (...scopes: string[]) => {
      const { key } = await service.ok<{ key: string }>('POST', '/api/v1/api_keys', {
        token: ann,
        body: { api_key: { name: `k ${scopes.join()}`, scopes } },
      });
      return { key };
    };
    const path = `/api/v1/orders/${row.id}/restore`;
    const status = async (scopes: string[]) =>
      (await service.request('POST', path, await keyWith(...scopes))).status;
    expect(await status(['orders:read'])).toBe(403);
    expect(await status(['orders:create'])).toBe(404);
    expect(await status(['orders:create', 'orders:read'])).toBe(200);
  });

  it('managing records is explained, and described by metadata, API description and access', async () => {
    const row = await deleted();
    const explain = async (user: TestUser | undefined, method: string, path: string) => {
      const query = new URLSearchParams({ user_id: String(user?.id), method, path });
      const { code: result, steps } = await service.ok<{
        code: number;
        steps: { rule: string; outcome: string; because: string }[];
      }>('GET', `/admin/explain?${query}`, { token: root });
      return [result, steps.find(({ rule }) => rule === 'manage'), steps.at(-1)] as const;
    };
    const path = `/api/v1/orders/${row.id}/restore`;
    expect(await explain(ann, 'POST', path)).toMatchObject([
      0,
      { outcome: 'narrowed' },
      { rule: 'record', outcome: 'passed' },
    ]);
    expect(await explain(ben, 'POST', path)).toMatchObject([
      40_400,
      { outcome: 'narrowed' },
      { rule: 'record', because: `Order #${row.id}: out of scope` },
    ]);
    expect(await explain(ann, 'GET', '/api/v1/orders?trashed=true')).toMatchObject([
      0,
      { outcome: 'narrowed' },
      {},
    ]);
    expect((await explain(ann, 'GET', '/api/v1/orders'))[1]).toBeUndefined();
    const meta = await service.ok<{
      manage: string;
      trash: boolean;
      permissions: object;
      endpoints: { action: string; path: string }[];
    }>('GET', '/api/v1/meta/Order?lang=en', { token: ann });
    expect(meta).toMatchObject({ trash: true, permissions: { create: true } });
    expect(meta.manage).toMatch(/^Records where/);
    expect(meta.endpoints).toContainEqual(
      expect.objectContaining({ action: 'restore', path: '/api/v1/orders/:id/restore' }),
    );
    const { paths } = JSON.parse((await service.get('/api-docs/openapi.json?lang=en')).text);
    const listed = paths['/api/v1/orders'].get;
    expect(listed.parameters).toContainEqual({ $ref: '#/components/parameters/trashed' });
    expect(listed['x-gatewright'].manage).toMatch(/^Records where/);
    const restored = paths['/api/v1/orders/{id}/restore'].post;
    expect(restored['x-gatewright'].manage).toBe(listed['x-gatewright'].manage);
    expect(restored.description).toContain('restore only records where');
    expect(paths).not.toHaveProperty('/api/v1/teams/{id}/restore');
  });
});

it('needs a trash, and lists that know their caller', () => {
  const fields = { text: field.string(), live: field.boolean(), user_id: field.owner() };
  expect(() => defineResource('A', { fields, manage: own() })).toThrow('say trash: true');
  const publicRead = { where: { live: true } };
  expect(() => defineResource('A', { fields, trash: true, manage: own(), publicRead })).toThrow(
    'needs orOwn',
  );
  expect(() => defineResource('A', { fields, trash: true, manage: true as never })).toThrow(
    'manage must be made by',
  );
  const unknown = defineResource('A', { fields, trash: true, manage: equals('nothing' as never, 'x') });
  expect(() => collectModels([unknown])).toThrow('manage.equals names the unknown field "nothing"');
});
