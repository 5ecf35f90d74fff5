import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { RateLimit } from '../../src/auth/rate-limit.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { anyOf, equals, member, own, via } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Receiver, startReceiver, verifies } from '../support/receiver.ts';
import { type Service, startService, type TestUser, useService } from '../support/service.ts';

/** Webhooks that users make for the records that they manage: `/api/v1/webhooks`. */

const teamFields = { name: field.string({ max: 20 }), open: field.boolean({ default: false }) };
const seatFields = {
  team: field.reference('Team', { required: true, onDelete: 'cascade' }),
  role: field.enum(['owner', 'guest']),
  user_id: field.owner(),
};
const orderFields = {
  number: field.string({ required: true, max: 20 }),
  secret: field.string({ max: 20 }),
  state: field.enum(['live', 'shut'], { default: 'live' }),
  team: field.reference('Team', { onDelete: 'null' }),
};
const noteFields = { text: field.string({ required: true, max: 20 }), user_id: field.owner() };

const team = defineResource('Team', { fields: teamFields });
const seat = defineResource('Seat', { fields: seatFields });
const order = defineResource('Order', {
  fields: orderFields,
  views: { detail: ['id', 'number', 'team_id'] },
  isolation: member('team_id', { of: 'Seat' }),
  events: true,
  trash: true,
  manage: anyOf(
    member('team_id', { of: 'Seat', where: { role: 'owner' } }),
    equals('state', 'shut'),
    via('team', equals('open', true)),
  ),
});
const note = defineResource('Note', { fields: noteFields, events: true, trash: true });
/** A model with a rule and without events. */
const slip = defineResource('Slip', { fields: noteFields, trash: true, manage: own() });
/** The right to read it is granted to roles. */
const memo = defineResource('Memo', {
  fields: noteFields,
  permissions: 'all',
  isolation: anyOf(own()),
  events: true,
  trash: true,
  manage: own(),
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'teams', { fields: teamFields });
      await createTable(db, dialect, 'seats', { fields: seatFields, references: { team: 'teams' } });
      await createTable(db, dialect, 'orders', { fields: orderFields, references: { team: 'teams' } });
      for (const table of ['notes', 'slips', 'memos'])
        await createTable(db, dialect, table, { fields: noteFields });
    },
  },
};

interface Row {
  readonly id: number;
  readonly [name: string]: unknown;
}
interface Hook extends Row {
  readonly secret: string;
}
interface Refusal {
  readonly errors?: readonly { readonly field: string; readonly rule: string }[];
}

const path = '/api/v1/webhooks';
const application = { resources: [team, seat, order, note, slip, memo], migrations };
const times = { jobTimes: { poll: 100 }, webhookTimes: { poll: 100, timeout: 1_000, rest: 200 } } as const;
const env = { WEBHOOK_PRIVATE: '1', LOCALE: 'en' } as const;

describeEachDatabase('webhooks of callers who manage records', (databases) => {
  const service = useService(databases, { application, env, times });
  let root: TestUser;
  let [ann, ben, carl]: TestUser[] = [];
  let [mine, other]: Row[] = [];
  let receiver: Receiver;
  const hooks: number[] = [];
  const restored: (() => Promise<unknown>)[] = [];

  const make = (of: string, singular: string, values: object) =>
    service.ok<Row>('POST', `/admin/records/${of}`, { token: root, body: { [singular]: values } });
  const sit = async (user: TestUser | undefined, where: Row | undefined, role: 'owner' | 'guest') => {
    const made = await make('seats', 'seat', { user_id: user?.id, team_id: where?.id, role });
    restored.push(() => service.request('DELETE', `/admin/records/seats/${made.id}`, { token: root }));
    return made;
  };
  const orderOf = (where: Row | undefined, number: string, more: object = {}) =>
    make('orders', 'order', { number, team_id: where?.id, ...more });
  const change = (id: number, values: object) =>
    service.ok('PATCH', `/admin/records/orders/${id}`, { token: root, body: { order: values } });
  const drop = (id: number) => service.ok('DELETE', `/admin/records/orders/${id}`, { token: root });
  const subscribe = async (user: TestUser | undefined, more: object = {}): Promise<Hook> => {
    const webhook = { url: receiver.url, models: ['Order'], ...more };
    const hook = await service.ok<Hook>('POST', path, { token: user, body: { webhook } });
    hooks.push(hook.id);
    return hook;
  };
  const deliveries = (user: TestUser | undefined, { id }: Row) =>
    service.ok<Row[]>('GET', `${path}/${id}/deliveries?sort=id`, { token: user });
  const shown = (user: TestUser | undefined, { id }: Row) =>
    service.ok<Row>('GET', `${path}/${id}`, { token: user });
  const query = (sql: string) =>
    service.server.services.database.all<Record<string, unknown>>({ sql, parameters: [] });
  const execute = (sql: string) => service.server.services.database.execute({ sql, parameters: [] });
  /** Resolves once it is known of every event whether the webhook sends it, and all of these are settled. */
  const settled = async (user: TestUser | undefined, hook: Row): Promise<Row[]> => {
    const { events } = service.server.services;
    await events.settle();
    const { last } = await events.range();
    const cursor = async () => {
      const [row] = await query(`select cursor from gatewright_webhooks where id = ${hook.id}`);
      return Number(row?.['cursor']);
    };
    await expect.poll(cursor, { timeout: 10_000 }).toBeGreaterThanOrEqual(last);
    const waiting = async () =>
      (await deliveries(user, hook)).filter(({ state }) => state === 'waiting').length;
    await expect.poll(waiting, { timeout: 10_000 }).toBe(0);
    return deliveries(user, hook);
  };
  const sent = () =>
    receiver.received.map(({ message: { type, data } }) => [type, data.record?.['number'] ?? data.id]);
  const hurry = () =>
    execute(
      `update gatewright_deliveries set next_at = '2020-01-01T00:00:00.000Z' where next_at is not null and claim is null returning id`,
    );

  beforeAll(async () => {
    root = await service.admin();
    [ann, ben, carl] = [await service.createUser(), await service.createUser(), await service.createUser()];
    mine = await make('teams', 'team', { name: 'mine' });
    other = await make('teams', 'team', { name: 'other' });
    await make('seats', 'seat', { user_id: ben?.id, team_id: mine.id, role: 'guest' });
    await make('seats', 'seat', { user_id: carl?.id, team_id: other.id, role: 'owner' });
  });
  beforeEach(async () => {
    receiver = await startReceiver(() => 200);
    await sit(ann, mine, 'owner');
  });
  afterEach(async () => {
    for (const id of hooks.splice(0))
      await service.request('DELETE', `/admin/webhooks/${id}`, { token: root });
    for (const undo of restored.splice(0)) await undo();
    await receiver.close();
  });

  it('webhooks of callers who manage records say when a message behind the pause of a failing webhook is sent next', async () => {
    // Nothing listens there.
    const hook = await subscribe(ann, { url: 'http://127.0.0.1:9/' });
    await orderOf(mine, 'P1');
    const first = async () => (await deliveries(ann, hook))[0];
    await expect
      .poll(first, { timeout: 10_000 })
      .toMatchObject({ state: 'waiting', attempts: 1, sending: false });
    const until = new Date(Date.now() + 20_000).toISOString();
    await execute(
      `update gatewright_webhooks set failures = 10, lane = null, lane_until = '${until}' where id = ${hook.id}`,
    );
    expect((await first())?.['next_at']).toBe(until);
  });

  it('webhooks of callers who manage records tell the creator of each write of the records that they manage, with their rights', async () => {
    const hook = await subscribe(ann);
    expect(hook).toMatchObject({ secret: expect.stringMatching(/^whsec_/), disabled: false, waiting: 0 });
    const { id } = await orderOf(mine, 'A1', { secret: 'hidden' });
    await settled(ann, hook);
    await change(id, { number: 'A2' });
    await settled(ann, hook);
    await drop(id);
    await settled(ann, hook);
    await service.ok('POST', `/api/v1/orders/${id}/restore`, { token: ann });
    const all = await settled(ann, hook);
    expect(sent()).toEqual([
      ['Order.create', 'A1'],
      ['Order.update', 'A2'],
      ['Order.destroy', id],
      ['Order.create', 'A2'],
    ]);
    expect(receiver.received.map((one) => verifies(hook.secret, one))).toEqual([true, true, true, true]);
    expect(JSON.stringify(receiver.received)).not.toMatch(/hidden|secret/);
    expect(all.map(({ state, status, withheld }) => [state, status, withheld])).toEqual(
      Array(4).fill(['delivered', 200, false]),
    );
    const [first] = all as [Row];
    expect(await service.ok('GET', `${path}/${hook.id}/deliveries/${first.id}`, { token: ann })).toEqual(
      first,
    );
    expect(first).toMatchObject({
      request_body: expect.stringContaining('A1'),
      response_body: 'answered 200',
    });
    const { secret: _, ...listed } = { ...hook, last_outcome: 'delivered' };
    expect(await service.ok('GET', path, { token: ann })).toEqual([listed]);
    expect(await shown(ann, hook)).toEqual(listed);
    expect(Object.keys(listed)).not.toContain('user_id');
  });

  it('webhooks of callers who manage records stand in the administration area with their creator, and every change in the audit log', async () => {
    const hook = await subscribe(ann);
    const listed = await service.ok<Row[]>('GET', `/admin/webhooks?filter[managed]=true`, { token: root });
    const creator = { user_id: ann?.id, username: ann?.username, created_by: ann?.id, managed: true };
    expect(listed.filter(({ id }) => id === hook.id)).toEqual([expect.objectContaining(creator)]);
    await service.ok('PATCH', `${path}/${hook.id}`, {
      token: ann,
      body: { webhook: { actions: ['update'], disabled: true } },
    });
    await service.ok('POST', `${path}/${hook.id}/rotate`, { token: ann, body: {} });
    await service.ok('DELETE', `${path}/${hook.id}`, { token: ann });
    const lines = await service.ok<Row[]>(
      'GET',
      `/admin/audit?filter[target_kind]=webhook&filter[target_id]=${hook.id}&sort=id`,
      { token: root },
    );
    expect(lines.map(({ action, actor_id: actor }) => [action, actor])).toEqual(
      ['create', 'update', 'rotate', 'delete'].map((each) => [`webhook.${each}`, String(ann?.id)]),
    );
    expect(lines[0]).toMatchObject({
      detail: { managed: true, user_id: ann?.id, models: ['Order'] },
    });
    expect(JSON.stringify(lines)).not.toContain('whsec_');
  });

  it('webhooks of callers are missing for everyone else, on every route', async () => {
    const hook = await subscribe(ann);
    await orderOf(mine, 'A1');
    const [delivery] = (await settled(ann, hook)) as [Row];
    const forBen = await service.ok<Hook>('POST', '/admin/webhooks', {
      token: root,
      body: { webhook: { url: receiver.url, models: ['Order'], user_id: ben?.id } },
    });
    hooks.push(forBen.id);
    const routes = (id: number, of: number): [string, string, object?][] => [
      ['GET', `${path}/${id}`],
      ['PATCH', `${path}/${id}`, { webhook: { url: receiver.url } }],
      ['PATCH', `${path}/${id}`, { webhook: { disabled: true } }],
      ['PATCH', `${path}/${id}`, { webhook: { url: 'no url', models: ['Nothing'] } }],
      ['POST', `${path}/${id}/rotate`, {}],
      ['POST', `${path}/${id}/test`],
      ['GET', `${path}/${id}/deliveries`],
      ['GET', `${path}/${id}/deliveries/${of}`],
      ['POST', `${path}/${id}/deliveries/${of}/resend`],
      ['DELETE', `${path}/${id}`],
    ];
    const answers = async (user: TestUser | undefined, id: number, of: number) => {
      const found: number[] = [];
      for (const [method, route, body] of routes(id, of)) {
        const { json } = await service.request(method, route, { token: user, ...(body && { body }) });
        found.push(json.code);
      }
      return found;
    };
    const missing = Array(10).fill(40400);
    expect(await answers(carl, hook.id, delivery.id)).toEqual(missing);
    // An administrator has the administration area.
    expect(await answers(root, hook.id, delivery.id)).toEqual(missing);
    // One that an administrator made acts for ben, and is not his; one that does not exist is the same.
    expect(await answers(ben, forBen.id, delivery.id)).toEqual(missing);
    expect(await answers(ben, 999_999, delivery.id)).toEqual(missing);
    // A delivery of a webhook of someone else, below one's own.
    const carls = await subscribe(carl);
    for (const [method, route] of [
      ['GET', `${path}/${carls.id}/deliveries/${delivery.id}`],
      ['POST', `${path}/${carls.id}/deliveries/${delivery.id}/resend`],
    ] as const)
      expect((await service.request(method, route, { token: carl })).json.code).toBe(40400);
    expect(await service.ok('GET', path, { token: ben })).toEqual([]);
    // Explanations agree.
    const explained = async (user: TestUser | undefined, method: string, route: string) =>
      (
        await service.ok<{ code: number }>(
          'GET',
          `/admin/explain?user_id=${user?.id}&method=${method}&path=${encodeURIComponent(route)}`,
          { token: root },
        )
      ).code;
    for (const [method, route] of routes(hook.id, delivery.id))
      expect([route, await explained(ann, method, route), await explained(carl, method, route)]).toEqual([
        route,
        0,
        40400,
      ]);
    expect(await shown(ann, hook)).toMatchObject({ disabled: false });
    expect(receiver.received).toHaveLength(1);
  });

  it('webhooks of callers who manage records act as their creator, whatever the body says', async () => {
    const hook = await subscribe(ann, { user_id: root.id, managed: false, created_by: root.id });
    await service.ok('PATCH', `${path}/${hook.id}`, {
      token: ann,
      body: { webhook: { user_id: root.id, managed: false } },
    });
    expect(await service.ok('GET', `/admin/webhooks/${hook.id}`, { token: root })).toMatchObject({
      user_id: ann?.id,
      created_by: ann?.id,
      managed: true,
    });
    await orderOf(other, 'B1');
    expect(await settled(ann, hook)).toEqual([]);
  });

  it('name models with events and a rule that the creator can meet', async () => {
    const refused = async (webhook: object, token: TestUser | undefined = ann) => {
      const { json } = await service.post<Refusal>(path, {
        token,
        body: { webhook: { url: receiver.url, ...webhook } },
      });
      return [json.code, ...(json.data?.errors ?? []).map(({ field: of, rule }) => `${of} ${rule}`)];
    };
    expect(await refused({ models: ['Note'] })).toEqual([42200, 'models enum']);
    expect(await refused({ models: ['Slip'] })).toEqual([42200, 'models enum']);
    expect(await refused({ models: ['Order', 'Nothing'] })).toEqual([42200, 'models enum']);
    expect(await refused({ models: [] })).toEqual([42200, 'models required']);
    expect(await refused({ models: ['Order'], url: 'ftp://example.com' })).toEqual([
      42200,
      'url webhook_url',
    ]);
    // Their role may not read memos: no record can meet the rule.
    expect(await refused({ models: ['Order', 'Memo'] })).toEqual([40300]);
    const hook = await subscribe(ann);
    const renamed = { token: ann, body: { webhook: { models: ['Memo'] } } };
    expect((await service.request('PATCH', `${path}/${hook.id}`, renamed)).json.code).toBe(40300);
    await service.ok('PUT', '/admin/permissions/viewer/Memo/read', { token: root });
    try {
      await service.ok('PATCH', `${path}/${hook.id}`, renamed);
      await make('memos', 'memo', { text: 'of ann', user_id: ann?.id });
      await make('memos', 'memo', { text: 'of ben', user_id: ben?.id });
      expect(await settled(ann, hook)).toHaveLength(1);
    } finally {
      await service.ok('DELETE', '/admin/permissions/viewer/Memo/read', { token: root });
    }
    await make('memos', 'memo', { text: 'withdrawn', user_id: ann?.id });
    const [delivery] = await settled(ann, hook);
    expect(receiver.received).toHaveLength(1);
    // The sent message is not shown any more either.
    expect(delivery).toMatchObject({ withheld: true, request_body: null, response_body: null });
  });

  it('webhooks of callers are made by a token only, never by an API key, and not before a password change', async () => {
    const body = { webhook: { url: receiver.url, models: ['Order'] } };
    const user = await service.createUser();
    const keys = [
      await service.createKey(user),
      await service.createKey(user, undefined, ['orders:read']),
      await service.createKey(user, undefined, ['orders:*', 'teams:*']),
    ];
    for (const { key } of keys)
      for (const method of ['GET', 'POST'])
        expect((await service.request(method, path, { key, body })).status).toBe(401);
    expect((await service.post(path, { body })).status).toBe(401);
    const must = { user: { must_change_password: true } };
    await service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: must });
    const token = { ...user, token: await service.tokenOf(user.id) };
    expect((await service.post(path, { token, body })).json.code).toBe(40302);
    expect(await query(`select id from gatewright_webhooks where user_id = ${user.id}`)).toEqual([]);
  });

  it('webhooks of callers who manage records tell those who read records, and do not manage them, nothing', async () => {
    const hook = await subscribe(ben);
    const { id } = await orderOf(mine, 'A1');
    expect((await service.get(`/api/v1/orders/${id}`, { token: ben })).status).toBe(200);
    await drop(id);
    expect(await settled(ben, hook)).toEqual([]);
    expect(receiver.received).toEqual([]);
  });

  it('webhooks of callers who manage records show nothing of records outside of the rule', async () => {
    const hook = await subscribe(ann);
    const within = await orderOf(mine, 'A1');
    await settled(ann, hook);
    const view = async () => [
      await service.ok('GET', `${path}?sort=-id`, { token: ann }),
      await settled(ann, hook),
      sent(),
    ];
    const before = await view();
    const outside = await orderOf(other, 'B1');
    await change(outside.id, { number: 'B2' });
    const homeless = await orderOf(undefined, 'C1');
    await drop(homeless.id);
    await drop(outside.id);
    await service.ok('POST', `/admin/records/orders/${outside.id}/restore`, { token: root });
    await make('notes', 'note', { text: 'another model' });
    // A field that ann does not read.
    await change(within.id, { secret: 'changed' });
    expect(await view()).toEqual(before);
  });

  it('webhooks of callers who manage records follow records that move between teams', async () => {
    const hook = await subscribe(ann);
    const { id } = await orderOf(other, 'B1');
    await change(id, { team_id: mine?.id });
    await settled(ann, hook);
    await change(id, { team_id: other?.id });
    await change(id, { number: 'B3' });
    await settled(ann, hook);
    expect(sent()).toEqual([['Order.update', 'B1']]);
    // The message has of the write by which it came only what ann reads afterwards.
    expect(receiver.received[0]?.message.data.fields).toEqual(['number', 'team_id']);
    await drop(id);
    expect(await settled(ann, hook)).toHaveLength(1);
  });

  it('webhooks of callers who manage records tell of a deletion by the last state of the record', async () => {
    const hook = await subscribe(ann, { actions: ['destroy'] });
    const came = await orderOf(other, 'B1');
    const left = await orderOf(mine, 'A1');
    await change(came.id, { team_id: mine?.id });
    await change(left.id, { team_id: other?.id });
    await drop(left.id);
    await drop(came.id);
    await settled(ann, hook);
    expect(sent()).toEqual([['Order.destroy', came.id]]);
  });

  it('webhooks of callers who manage records know the values that the rule compares, and those for reading do not', async () => {
    const hook = await subscribe(ben);
    const [dropped, left] = [await orderOf(mine, 'A1'), await orderOf(mine, 'A2')];
    for (const { id } of [dropped, left]) await change(id, { state: 'shut' });
    await settled(ben, hook);
    // They have come to manage the records by a field that they do not read.
    const come = sent();
    expect(come.sort()).toEqual([
      ['Order.update', 'A1'],
      ['Order.update', 'A2'],
    ]);
    expect(JSON.stringify(receiver.received)).not.toMatch(/state|shut/);
    receiver.received.length = 0;
    await change(left.id, { state: 'live' });
    await drop(dropped.id);
    await drop(left.id);
    await settled(ben, hook);
    expect(sent()).toEqual([['Order.destroy', dropped.id]]);
    const free = await make('teams', 'team', { name: 'free', open: true });
    await sit(ben, free, 'guest');
    const { id } = await orderOf(free, 'F1');
    await settled(ben, hook);
    await drop(id);
    await settled(ben, hook);
    expect(sent().slice(1)).toEqual([
      ['Order.create', 'F1'],
      ['Order.destroy', id],
    ]);
  });

  it('fall silent at once where a membership is lost', async () => {
    const [, undo] = [await sit(carl, mine, 'owner'), restored.at(-1)];
    const hook = await subscribe(carl);
    receiver.respond = () => 503;
    const { id } = await orderOf(mine, 'A1');
    const [gone] = [await orderOf(mine, 'A2')];
    const failed = async () => (await deliveries(carl, hook)).map(({ status, sending }) => [status, sending]);
    await expect.poll(failed, { timeout: 10_000 }).toEqual([
      [503, false],
      [503, false],
    ]);
    await drop(gone.id);
    await expect.poll(async () => (await deliveries(carl, hook)).length).toBe(3);
    await undo?.();
    receiver.respond = () => 200;
    receiver.received.length = 0;
    await hurry();
    await change(id, { number: 'A9' });
    await drop(id);
    await expect.poll(async () => (await hurry()).length, { timeout: 10_000 }).toBe(0);
    const all = await settled(carl, hook);
    expect(all.map(({ state, error, request_body: body }) => [state, error, body])).toEqual(
      Array(3).fill(['skipped', 'record_unreadable', null]),
    );
    expect(receiver.received).toEqual([]);
    // Sent again, a message is decided again.
    await service.ok('POST', `${path}/${hook.id}/deliveries/${all[0]?.id}/resend`, { token: carl });
    expect((await settled(carl, hook))[0]).toMatchObject({ state: 'skipped' });
    expect(receiver.received).toEqual([]);
  });

  it('webhooks of callers who manage records send nothing while their creator is disabled or must change the password, and never for a deleted one', async () => {
    const sam = await service.createUser();
    await sit(sam, mine, 'owner');
    const hook = await subscribe(sam);
    const update = (user: object) =>
      service.ok('PATCH', `/admin/users/${sam.id}`, { token: root, body: { user } });
    const handled = async () => {
      const { last } = await service.server.services.events.range();
      const cursor = async () =>
        Number((await query(`select cursor from gatewright_webhooks where id = ${hook.id}`))[0]?.['cursor']);
      await expect.poll(cursor, { timeout: 10_000 }).toBeGreaterThanOrEqual(last);
    };
    for (const [off, on] of [
      [{ disabled: true }, { disabled: false }],
      [{ must_change_password: true }, { must_change_password: false }],
    ] as const) {
      await update(off);
      await orderOf(mine, 'off');
      await service.server.services.events.settle();
      await handled();
      await update(on);
    }
    await orderOf(mine, 'on');
    await expect.poll(sent, { timeout: 10_000 }).toEqual([['Order.create', 'on']]);
    await service.ok('DELETE', `/admin/users/${sam.id}`, { token: root });
    await orderOf(mine, 'deleted');
    const state = () => service.ok('GET', `/admin/webhooks/${hook.id}`, { token: root });
    await expect.poll(state, { timeout: 10_000 }).toMatchObject({
      ...{ disabled_reason: 'no_user', user_id: null, created_by: sam.id, managed: true },
    });
    const revived = { webhook: { user_id: ann?.id, disabled: false } };
    const { json } = await service.request<Refusal>('PATCH', `/admin/webhooks/${hook.id}`, {
      token: root,
      body: revived,
    });
    expect([json.code, json.data?.errors?.[0]]).toEqual([
      42200,
      expect.objectContaining({ field: 'user_id', rule: 'fixed' }),
    ]);
    expect(sent()).toHaveLength(1);
  });

  it('webhooks of callers are disabled and deleted by administrators, who change neither their user nor their reach', async () => {
    const hook = await subscribe(ann);
    const patch = (token: TestUser | undefined, from: string, webhook: object) =>
      service.request<Refusal>('PATCH', `${from}/${hook.id}`, { token, body: { webhook } });
    const asAdmin = (webhook: object) => patch(root, '/admin/webhooks', webhook);
    const asAnn = (webhook: object) => patch(ann, path, webhook);
    expect((await asAdmin({ user_id: root.id })).json.data?.errors).toEqual([
      expect.objectContaining({ field: 'user_id', rule: 'fixed' }),
    ]);
    expect((await asAdmin({ models: ['Note'] })).json.data?.errors).toEqual([
      expect.objectContaining({ field: 'models', rule: 'enum' }),
    ]);
    // A form sends everything.
    expect((await asAdmin({ user_id: ann?.id, models: ['Order'], url: receiver.url })).status).toBe(200);
    // A user enables what they have disabled, but not what an administrator has.
    expect((await asAnn({ disabled: true })).json.data).toMatchObject({ disabled_reason: 'by_owner' });
    expect((await asAnn({ disabled: false })).json.data).toMatchObject({ disabled: false });
    await asAnn({ disabled: true });
    expect((await asAdmin({ disabled: true })).json.data).toMatchObject({ disabled_reason: 'by_hand' });
    expect((await asAnn({ disabled: false })).json.code).toBe(40300);
    expect((await asAnn({ disabled: true, actions: ['create'] })).json.data).toMatchObject({
      disabled_reason: 'by_hand',
    });
    expect((await asAdmin({ disabled: false })).json.data).toMatchObject({ disabled: false });
    await service.ok('DELETE', `/admin/webhooks/${hook.id}`, { token: root });
    expect(await service.ok('GET', path, { token: ann })).toEqual([]);
  });

  it('webhooks of a user are ten, however many are made at once on two instances', async () => {
    const second = await service.secondInstance();
    const user = await service.createUser();
    const body = { webhook: { url: receiver.url, models: ['Order'] } };
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        (index % 2 === 0 ? service : second).post<Hook & Refusal>(path, { token: user, body }),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    hooks.push(...made.map(({ json }) => (json.data as Hook).id));
    expect(made).toHaveLength(10);
    for (const { status, json } of answers.filter((each) => !made.includes(each)))
      expect([status, json.data?.errors]).toEqual([
        422,
        [expect.objectContaining({ field: 'url', rule: 'too_many' })],
      ]);
    // Webhooks of others, and one that an administrator makes for the user, do not count.
    await subscribe(ann);
    const given = { webhook: { ...body.webhook, user_id: user.id } };
    hooks.push((await service.ok<Hook>('POST', '/admin/webhooks', { token: root, body: given })).id);
    await service.ok('DELETE', `${path}/${hooks[0]}`, { token: user });
    await subscribe(user);
    expect((await service.post(path, { token: user, body })).status).toBe(422);
  });

  it('webhooks of callers who manage records send a test message, and no more than ten of these and of repetitions in a minute', async () => {
    const user = await service.createUser();
    await sit(user, mine, 'owner');
    const [one, two] = [await subscribe(user), await subscribe(user)];
    const test = ({ id }: Row) => service.post(`${path}/${id}/test`, { token: user });
    const tested = await test(one);
    expect(tested.json.data).toMatchObject({ delivered: true, status: 200, body: 'answered 200' });
    expect(receiver.received[0]?.message.type).toBe('webhook.test');
    await orderOf(mine, 'A1');
    const [delivery] = (await settled(user, one)) as [Row];
    await settled(user, two);
    const resend = () => service.post(`${path}/${one.id}/deliveries/${delivery.id}/resend`, { token: user });
    expect((await resend()).status).toBe(200);
    await settled(user, one);
    const statuses: number[] = [];
    for (let index = 0; index < 10; index += 1) statuses.push((await test(two)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(8);
    const refused = await test(one);
    expect([refused.json.code, Number(refused.headers['retry-after']) > 0]).toEqual([42900, true]);
    expect((await resend()).json.code).toBe(42900);
    // Another user has ten of their own.
    expect((await test(await subscribe(ann)).then(() => resend())).status).toBe(429);
  });
});

describeEachDatabase('webhooks of callers, elsewhere', (databases) => {
  const statusesOf = async (service: Service) => {
    const token = await service.createUser();
    const asked = [
      ['GET', path],
      ['POST', path],
      ['GET', `${path}/1`],
      ['GET', `${path}/1/deliveries`],
      ['POST', `${path}/1/test`],
    ] as const;
    const codes: number[] = [];
    for (const [method, route] of asked)
      codes.push((await service.request(method, route, { token, body: {} })).json.code);
    return codes;
  };

  it('webhooks of callers do not exist where no model has both events and a rule', async () => {
    await using service = await startService(databases, {
      application: { resources: [team, seat, note, slip], migrations },
    });
    expect(await statusesOf(service)).toEqual(Array(5).fill(40401));
  });

  it('webhooks of callers keep their limit of messages beside a general one, and get another one by name', async () => {
    const testLimit = 'POST /webhooks/:id/test';
    const policyUnder = async (limits: Readonly<Record<string, RateLimit>>) => {
      await using service = await startService(databases, {
        application: { ...application, config: { limits } },
        env,
      });
      const token = await service.createUser();
      const { headers } = await service.post(`${path}/1/test`, { token });
      return headers['ratelimit-policy'];
    };
    const general = { default: { max: 5_000, window: '1h' } };
    expect(await policyUnder(general)).toBe('"default";q=10;w=60');
    expect(await policyUnder({ ...general, [testLimit]: { max: 3, window: '1m' } })).toBe(
      '"default";q=3;w=60',
    );
  });

  it('webhooks of callers lead to public addresses only', async () => {
    await using service = await startService(databases, { application, env: { LOCALE: 'en' } });
    const token = await service.createUser();
    for (const url of [
      'http://example.com/',
      'https://127.0.0.1/',
      'https://0x7f.1/',
      'https://[::1]/',
      'https://10.1.2.3/hook',
      'https://169.254.169.254/latest/meta-data/',
      'https://user:password@example.com/',
    ]) {
      const body = { webhook: { url, models: ['Order'] } };
      const { status, json } = await service.post<Refusal>(path, { token, body });
      expect([url, status, json.data?.errors?.[0]?.rule]).toEqual([url, 422, 'webhook_url']);
    }
    const body = { webhook: { url: 'https://localhost/', models: ['Order'] } };
    const { id } = await service.ok<Row>('POST', path, { token, body });
    const tested = await service.ok<Row>('POST', `${path}/${id}/test`, { token });
    expect(tested).toMatchObject({ delivered: false, status: null, body: null });
    expect(tested['error']).toMatch(/^the host has no address, or one that is not public/);
  });
});
