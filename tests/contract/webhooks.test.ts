import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Receiver, startReceiver, verifies } from '../support/receiver.ts';
import { type Service, type TestUser, useService } from '../support/service.ts';

const orderFields = {
  title: field.string({ required: true, max: 200 }),
  price: field.decimal({ scale: 2 }),
  secret: field.string({ max: 20 }),
  user_id: field.owner(),
};
const noteFields = { text: field.string({ required: true, max: 20 }) };

const order = defineResource('Order', {
  fields: orderFields,
  views: { detail: ['id', 'title', 'price', 'user_id'] },
  isolation: true,
  ownership: true,
  events: true,
});
const note = defineResource('Note', { fields: noteFields });
const memo = defineResource('Memo', { fields: noteFields, events: true, permissions: 'all' });

const migrations: Migrations = {
  '0001_orders': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'orders', { fields: orderFields });
      await createTable(db, dialect, 'notes', { fields: noteFields });
      await createTable(db, dialect, 'memos', { fields: noteFields });
    },
  },
};

interface Hook {
  readonly id: number;
  readonly secret: string;
  readonly [name: string]: unknown;
}
interface Delivery {
  readonly id: number;
  readonly message_id: string;
  readonly state: string;
  readonly attempts: number;
  readonly [name: string]: unknown;
}

const application = { resources: [order, note, memo], migrations };
const times = { jobTimes: { poll: 100 }, webhookTimes: { poll: 100, timeout: 1_000, rest: 200 } } as const;
const env = { WEBHOOK_PRIVATE: '1', LOCALE: 'en' } as const;

/** Requests of the tests to a service with webhooks. */
const talkTo = (service: Service, root: () => TestUser) => ({
  subscribe: (user: TestUser, url: string, more: object = {}): Promise<Hook> =>
    service.ok<Hook>('POST', '/admin/webhooks', {
      token: root(),
      body: { webhook: { url, models: ['Order'], user_id: user.id, ...more } },
    }),
  change: (id: number, webhook: object): Promise<Hook> =>
    service.ok<Hook>('PATCH', `/admin/webhooks/${id}`, { token: root(), body: { webhook } }),
  show: (id: number): Promise<Hook> => service.ok<Hook>('GET', `/admin/webhooks/${id}`, { token: root() }),
  deliveries: (id: number, query = ''): Promise<Delivery[]> =>
    service.ok<Delivery[]>('GET', `/admin/webhooks/${id}/deliveries${query}`, { token: root() }),
  resend: (id: number, delivery: number) =>
    service.ok('POST', `/admin/webhooks/${id}/deliveries/${delivery}/resend`, { token: root() }),
  create: (user: TestUser, title: string, more: object = {}): Promise<{ id: number }> =>
    service.ok<{ id: number }>('POST', '/api/v1/orders', {
      token: user,
      body: { order: { title, ...more } },
    }),
  rename: (user: TestUser, id: number, title: string) =>
    service.ok('PATCH', `/api/v1/orders/${id}`, { token: user, body: { order: { title } } }),
  remove: (user: TestUser, id: number) => service.ok('DELETE', `/api/v1/orders/${id}`, { token: user }),
  /** Makes everything due that waits for its time. */
  hurry: () =>
    service.server.services.database.execute({
      sql: `update gatewright_deliveries set next_at = '2020-01-01T00:00:00.000Z' where next_at is not null and claim is null`,
      parameters: [],
    }),
});

describeEachDatabase('webhooks', (databases) => {
  const service = useService(databases, { application, env, times });
  let root: TestUser;
  let ann: TestUser;
  let receiver: Receiver;
  const hooks: number[] = [];
  const talk = talkTo(service, () => root);
  const subscribe = async (...args: Parameters<typeof talk.subscribe>): Promise<Hook> => {
    const hook = await talk.subscribe(...args);
    hooks.push(hook.id);
    return hook;
  };
  const titles = () => receiver.received.map(({ message: { data } }) => data.record?.['title']);
  const settled = async (id: number, count: number): Promise<Delivery[]> => {
    const waiting = async () => {
      const all = await talk.deliveries(id);
      return [all.length, all.filter(({ state }) => state === 'waiting').length];
    };
    await expect.poll(waiting, { timeout: 10_000 }).toEqual([count, 0]);
    return (await talk.deliveries(id)).reverse();
  };

  beforeEach(async () => {
    root = await service.admin();
    ann = await service.createUser();
    receiver = await startReceiver();
  });
  afterEach(async () => {
    for (const id of hooks.splice(0))
      await service.request('DELETE', `/admin/webhooks/${id}`, { token: root });
    await receiver.close();
  });

  it('tells of each create, update and destroy, signed by Standard Webhooks', async () => {
    const hook = await subscribe(ann, receiver.url);
    const { id } = await talk.create(ann, 'one', { price: '1.50', secret: 'hidden' });
    await settled(hook.id, 1);
    await service.ok('PATCH', `/api/v1/orders/${id}`, {
      token: ann,
      body: { order: { title: 'two', secret: 'other' } },
    });
    await settled(hook.id, 2);
    await talk.remove(ann, id);
    await service.ok('POST', '/api/v1/notes', { token: ann, body: { note: { text: 'nobody asked' } } });
    await settled(hook.id, 3);
    const seen = receiver.received;
    expect(seen.map((one) => verifies(hook.secret, one))).toEqual([true, true, true]);
    expect(new Set(seen.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    const actor = { kind: 'user', id: String(ann.id), name: ann.username, key: null, reason: null };
    const detail = { id, price: '1.50', user_id: ann.id };
    const message = (action: string, version: number, fields: unknown, record: object | null) => ({
      type: `Order.${action}`,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { number: expect.any(Number), model: 'Order', id, action, version, actor, fields, record },
    });
    expect(seen.map((one) => one.message)).toEqual([
      message('create', 1, expect.any(Array), { ...detail, title: 'one' }),
      message('update', 2, ['title'], { ...detail, title: 'two' }),
      message('destroy', 3, expect.any(Array), null),
    ]);
    // Neither the value nor the name of a field that is hidden from the acting user.
    expect(JSON.stringify(seen)).not.toMatch(/hidden|secret/);
    const numbers = seen.map(({ message }) => message.data.number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  it('webhooks are of models that have events, as the list of models says', async () => {
    const models = await service.ok<{ model: string; events: boolean }[]>('GET', '/admin/meta', {
      token: root,
    });
    expect(Object.fromEntries(models.map(({ model, events }) => [model, events]))).toEqual({
      Memo: true,
      Note: false,
      Order: true,
    });
  });

  it('shows the record as the detail endpoint does, byte by byte', async () => {
    const hook = await subscribe(ann, receiver.url, { actions: ['create'] });
    const { id } = await talk.create(ann, 'é " \\ 中', { price: '10.00' });
    await talk.rename(ann, id, 'not asked for');
    await settled(hook.id, 1);
    const { text } = await service.get(`/api/v1/orders/${id}`, { token: ann });
    const record = receiver.received[0]?.body.match(/"record":(\{.*\})\}\}$/s)?.[1];
    expect(text.replace('not asked for', 'é \\" \\\\ 中')).toContain(
      `"data":${record?.replace('not asked for', 'é \\" \\\\ 中')}`,
    );
  });

  it('keeps the order of each record through failures, while others go on', async () => {
    const hook = await subscribe(ann, receiver.url);
    const [stuck, free] = [await talk.create(ann, 'stuck 1'), await talk.create(ann, 'free 1')];
    await settled(hook.id, 2);
    receiver.received.length = 0;
    receiver.respond = ({ message }) => (message.data.id === stuck.id ? 500 : 204);
    for (const n of [2, 3]) {
      await talk.rename(ann, stuck.id, `stuck ${n}`);
      await talk.rename(ann, free.id, `free ${n}`);
    }
    const states = async () =>
      (await talk.deliveries(hook.id, '?sort=id')).slice(2).map(({ state, attempts }) => [state, attempts]);
    await expect.poll(states).toEqual([
      ['waiting', 1],
      ['delivered', 1],
      ['waiting', 0],
      ['delivered', 1],
    ]);
    const [head] = (await talk.deliveries(hook.id, '?sort=id&filter[state]=waiting')) as [Delivery];
    expect(head).toMatchObject({ status: 500, response_body: 'answered 500', error: null, sending: false });
    expect(Date.parse(String(head['next_at'])) - Date.now()).toBeGreaterThan(2_000);
    await talk.hurry();
    const sentTo = (id: number) => receiver.received.filter(({ message }) => message.data.id === id);
    await expect.poll(() => sentTo(stuck.id).length).toBe(2);
    await expect.poll(async () => (await talk.deliveries(hook.id))[3]?.['sending']).toBe(false);
    receiver.respond = () => 200;
    await talk.hurry();
    const all = await settled(hook.id, 6);
    expect(all.map(({ state }) => state)).toEqual(Array(6).fill('delivered'));
    const ofStuck = sentTo(stuck.id);
    expect(ofStuck.map(({ message }) => message.data.version)).toEqual([2, 2, 2, 3]);
    // Every attempt at a message has the same id, and a signature of its own time.
    expect(new Set(ofStuck.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(ofStuck.every((one) => verifies(hook.secret, one))).toBe(true);
  });

  it('signs with both secrets while a rotation overlaps, then with the new one alone', async () => {
    const hook = await subscribe(ann, receiver.url);
    const rotate = (body: object) =>
      service.ok<{ secret: string; previous_until: string | null }>(
        'POST',
        `/admin/webhooks/${hook.id}/rotate`,
        { token: root, body },
      );
    const { secret, previous_until: until } = await rotate({ overlap: 100 });
    expect(Date.parse(until ?? '') - service.clock.now()).toBeGreaterThan(90_000);
    const { id } = await talk.create(ann, 'both');
    await settled(hook.id, 1);
    const both = receiver.received.at(-1);
    expect([secret, hook.secret].map((each) => both && verifies(each, both))).toEqual([true, true]);
    service.clock.advance(101);
    try {
      await talk.rename(ann, id, 'new');
      await settled(hook.id, 2);
    } finally {
      service.clock.reset();
    }
    const late = receiver.received.at(-1);
    expect([secret, hook.secret].map((each) => late && verifies(each, late))).toEqual([true, false]);
    const third = await rotate({ overlap: 0 });
    expect(third.previous_until).toBeNull();
    await talk.rename(ann, id, 'at once');
    await settled(hook.id, 3);
    const last = receiver.received.at(-1);
    expect([third.secret, secret].map((each) => last && verifies(each, last))).toEqual([true, false]);
    expect((await rotate({})).previous_until).not.toBeNull();
  });

  it('sends only what the acting user may read when it is sent', async () => {
    const ben = await service.createUser();
    const hook = await subscribe(ben, receiver.url);
    const { id } = await talk.create(ann, 'not for ben');
    await talk.create(ben, 'for ben');
    const [other] = await settled(hook.id, 2);
    expect(titles()).toEqual(['for ben']);
    expect(other).toMatchObject({ state: 'skipped', attempts: 0, request_body: null, request_headers: null });
    await talk.remove(ann, id);
    await settled(hook.id, 3);
    expect(receiver.received).toHaveLength(1);
  });

  it('sends nothing of a record whose reader has lost the right between event and sending', async () => {
    receiver.respond = () => 503;
    const hook = await subscribe(ann, receiver.url);
    const { id } = await talk.create(ann, 'ann loses it');
    await expect.poll(() => receiver.received.length).toBe(1);
    await expect.poll(async () => (await talk.deliveries(hook.id))[0]?.['sending']).toBe(false);
    const ben = await service.createUser();
    const update = { order: { title: 'moved', user_id: ben.id } };
    await service.server.services.database.execute({
      sql: `update orders set user_id = ${ben.id} where id = ${id}`,
      parameters: [],
    });
    expect(update.order.user_id).toBe(ben.id);
    receiver.respond = () => 204;
    await talk.hurry();
    const [delivery] = await settled(hook.id, 1);
    expect(delivery).toMatchObject({ state: 'skipped', request_body: null });
    expect(receiver.received).toHaveLength(1);
  });

  it('reads the roles of the acting user at the moment of sending, and skips where they are disabled', async () => {
    const sam = await service.createUser(['viewer']);
    const hook = await subscribe(sam, receiver.url, { models: ['Memo'] });
    const memoOf = (text: string) =>
      service.ok('POST', '/api/v1/memos', { token: root, body: { memo: { text } } });
    await memoOf('no permission');
    await settled(hook.id, 1);
    await service.ok('PUT', '/admin/permissions/viewer/Memo/read', { token: root });
    await memoOf('permitted');
    await settled(hook.id, 2);
    await service.ok('PATCH', `/admin/users/${sam.id}`, { token: root, body: { user: { disabled: true } } });
    await memoOf('disabled');
    const all = await settled(hook.id, 3);
    expect(all.map(({ state }) => state)).toEqual(['skipped', 'delivered', 'skipped']);
    expect(all[2]?.['error']).toBe('user_disabled');
    await service.ok('DELETE', '/admin/permissions/viewer/Memo/read', { token: root });
  });

  it('sends again under the same id', async () => {
    const hook = await subscribe(ann, receiver.url);
    await talk.create(ann, 'again');
    const [delivery] = (await settled(hook.id, 1)) as [Delivery];
    await talk.resend(hook.id, delivery.id);
    await expect.poll(() => receiver.received.length).toBe(2);
    const [once] = await settled(hook.id, 1);
    expect(once).toMatchObject({ state: 'delivered', attempts: 1, message_id: delivery.message_id });
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([delivery.message_id, delivery.message_id]);
  });

  it('follows no redirect, and disables at once where the receiver wants no messages any more', async () => {
    const elsewhere = await startReceiver();
    const hook = await subscribe(ann, receiver.url);
    receiver.respond = (_, response) => {
      response.writeHead(302, { location: elsewhere.url }).end();
      return undefined;
    };
    await talk.create(ann, 'redirected');
    await expect.poll(async () => (await talk.deliveries(hook.id))[0]?.['status']).toBe(302);
    expect(elsewhere.received).toHaveLength(0);
    await elsewhere.close();
    receiver.respond = () => 410;
    await talk.hurry();
    await expect.poll(async () => (await talk.show(hook.id))['disabled_reason']).toBe('gone');
    expect((await talk.deliveries(hook.id))[0]).toMatchObject({ state: 'failed', status: 410 });
  });

  it('disables a webhook after eight attempts, and goes on in order when it is enabled again', async () => {
    const hook = await subscribe(ann, receiver.url);
    receiver.respond = () => 500;
    const { id } = await talk.create(ann, 'one');
    await talk.rename(ann, id, 'two');
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      const first = async () => (await talk.deliveries(hook.id, '?sort=id'))[0];
      await expect.poll(async () => (await first())?.attempts).toBe(attempt);
      await expect.poll(async () => (await first())?.['sending']).toBe(false);
      await talk.hurry();
    }
    await expect
      .poll(() => talk.show(hook.id))
      .toMatchObject({ disabled: true, disabled_reason: 'failed', waiting: 1 });
    const stats = await service.ok<{ attention: { disabled_webhooks: { webhooks: { id: number }[] } } }>(
      'GET',
      '/admin/stats',
      { token: root },
    );
    expect(stats.attention.disabled_webhooks.webhooks).toContainEqual(
      expect.objectContaining({ id: hook.id, reason: 'failed' }),
    );
    const audit = await service.ok<
      { action: string; target_id: string; actor_kind: string; detail: object }[]
    >('GET', '/admin/audit?filter[action]=webhook.disable', { token: root });
    expect(audit).toContainEqual(
      expect.objectContaining({
        target_id: String(hook.id),
        actor_kind: 'service',
        detail: { reason: 'failed' },
      }),
    );
    expect(service.lines.some((line) => line.includes('a webhook was disabled'))).toBe(true);
    await talk.rename(ann, id, 'three');
    const before = receiver.received.length;
    await talk.hurry();
    await service.server.services.webhooks.look();
    expect(receiver.received.length).toBe(before);
    receiver.respond = () => 204;
    expect(await talk.change(hook.id, { disabled: false })).toMatchObject({
      disabled: false,
      disabled_reason: null,
    });
    const all = await settled(hook.id, 3);
    expect(all.map(({ state }) => state)).toEqual(['failed', 'delivered', 'delivered']);
    expect(receiver.received.slice(before).map(({ message }) => message.data.version)).toEqual([2, 3]);
    await talk.resend(hook.id, all[0]?.id ?? 0);
    await expect.poll(() => receiver.received.length).toBe(before + 3);
  });

  it('lets a slow receiver take no more than its share, and others have theirs', async () => {
    const slow = await startReceiver(() => new Promise(() => {}));
    const slowHook = await subscribe(ann, slow.url);
    const hook = await subscribe(ann, receiver.url);
    await Promise.all(Array.from({ length: 25 }, (_, n) => talk.create(ann, `n ${n}`)));
    await settled(hook.id, 25);
    expect(slow.most()).toBeLessThanOrEqual(10);
    expect(receiver.received).toHaveLength(25);
    await expect
      .poll(
        async () =>
          (await talk.deliveries(slowHook.id, '?filter[attempts][gt]=0')).some(({ error }) => error !== null),
        { timeout: 5_000 },
      )
      .toBe(true);
    expect((await talk.deliveries(slowHook.id, '?filter[error][null]=false'))[0]?.['error']).toBe(
      'no answer within 1 s',
    );
    await talk.change(slowHook.id, { disabled: true });
    await slow.close();
  });

  it('refuses what no webhook can be', async () => {
    const refused = async (webhook: object) => {
      const { status, json } = await service.post<{ errors: { field: string; rule: string }[] }>(
        '/admin/webhooks',
        { token: root, body: { webhook } },
      );
      return [status, ...(json.data?.errors ?? []).map(({ field: of, rule }) => `${of} ${rule}`)];
    };
    const good = { url: receiver.url, models: ['Order'], user_id: ann.id };
    expect(await refused({})).toEqual([422, 'url required', 'models required', 'user_id required']);
    expect(await refused({ ...good, models: ['Note'] })).toEqual([422, 'models enum']);
    expect(await refused({ ...good, models: ['Order', 'Nothing'] })).toEqual([422, 'models enum']);
    expect(await refused({ ...good, models: 'Order' })).toEqual([422, 'models type']);
    expect(await refused({ ...good, actions: [] })).toEqual([422, 'actions required']);
    expect(await refused({ ...good, actions: ['read'] })).toEqual([422, 'actions enum']);
    expect(await refused({ ...good, user_id: 999_999 })).toEqual([422, 'user_id reference']);
    expect(await refused({ ...good, url: 'ftp://example.com' })).toEqual([422, 'url webhook_url']);
    expect(await refused({ ...good, url: 'https://u:p@example.com' })).toEqual([422, 'url webhook_url']);
    for (const url of [
      'https://example.com/\r\n',
      ' https://example.com/',
      'https://exa\tmple.com/',
      'https:\\\\example.com',
    ])
      expect([url, ...(await refused({ ...good, url }))]).toEqual([url, 422, 'url webhook_url']);
    const { status } = await service.post('/admin/webhooks', { token: ann, body: { webhook: good } });
    expect(status).toBe(403);
    const missing: [string, string][] = [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', '/deliveries/1/resend'],
    ];
    for (const [method, rest] of missing) {
      const body = method === 'PATCH' ? { webhook: {} } : {};
      const answer = await service.request(method, `/admin/webhooks/999999${rest}`, { token: root, body });
      expect([method, rest, answer.status]).toEqual([method, rest, 404]);
    }
  });

  it('shows its secret once, keeps it sealed, and writes each change into the audit log', async () => {
    const hook = await subscribe(ann, `${receiver.url}?token=of-receiver`);
    await talk.change(hook.id, { actions: ['create'] });
    await talk.create(ann, 'x');
    const [delivery] = (await settled(hook.id, 1)) as [Delivery];
    await talk.resend(hook.id, delivery.id);
    await service.ok('POST', `/admin/webhooks/${hook.id}/rotate`, { token: root, body: { overlap: 5 } });
    const rows = await service.server.services.database.all({
      sql: 'select * from gatewright_webhooks',
      parameters: [],
    });
    const list = await service.get('/admin/webhooks', { token: root });
    const kept = JSON.stringify([rows, list.json, await talk.deliveries(hook.id), service.lines]);
    expect(kept).not.toContain('whsec_');
    expect(kept).not.toContain(hook.secret.slice(6));
    expect(await talk.show(hook.id)).toEqual({
      ...{ id: hook.id, url: `${receiver.url}?token=of-receiver`, models: ['Order'], actions: ['create'] },
      ...{
        user_id: ann.id,
        username: ann.username,
        created_by: root.id,
        managed: false,
        disabled: false,
        disabled_reason: null,
        disabled_at: null,
      },
      ...{ previous_until: expect.any(String), failures: 0, waiting: expect.any(Number) },
      ...{ paused_until: null, failure_status: null, failure_error: null, failure_body: null },
      // The message that is sent again may still be on its way.
      last_outcome: expect.toBeOneOf([null, 'delivered']),
      ...{ created_at: expect.any(String), updated_at: expect.any(String) },
    });
    await service.ok('DELETE', `/admin/webhooks/${hook.id}`, { token: root });
    const audit = await service.ok<{ action: string }[]>(
      'GET',
      `/admin/audit?filter[target_kind]=webhook&filter[target_id]=${hook.id}&sort=id`,
      { token: root },
    );
    expect(audit.map(({ action }) => action)).toEqual([
      'webhook.create',
      'webhook.update',
      'webhook.resend',
      'webhook.rotate',
      'webhook.delete',
    ]);
    expect(JSON.stringify(audit)).not.toMatch(/of-receiver|whsec_/);
    const left = () =>
      service.server.services.database.all({
        sql: `select id from gatewright_deliveries where webhook_id = ${hook.id}`,
        parameters: [],
      });
    await expect.poll(left).toEqual([]);
  });

  it('tests a webhook with a message of no event', async () => {
    const hook = await subscribe(ann, receiver.url);
    const test = () => service.ok('POST', `/admin/webhooks/${hook.id}/test`, { token: root });
    expect(await test()).toMatchObject({ delivered: true, status: 204, error: null });
    expect(receiver.received[0]?.message.type).toBe('webhook.test');
    const [sent] = receiver.received;
    expect(sent && verifies(hook.secret, sent)).toBe(true);
    receiver.respond = () => 500;
    expect(await test()).toMatchObject({ delivered: false, status: 500, body: 'answered 500' });
    expect(await talk.deliveries(hook.id)).toEqual([]);
  });
});
