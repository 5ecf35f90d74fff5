import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { own } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type TestUser, useService } from '../support/service.ts';

/** The pause of a failing webhook: its end, the reason, and its early end by an administrator or by its user. */

const fields = { text: field.string({ required: true, max: 20 }), user_id: field.owner() };
const memo = defineResource('Memo', {
  ...{ fields, ownership: true, isolation: own(), manage: own() },
  ...{ permissions: 'all', events: true, trash: true },
});
const migrations: Migrations = {
  '0001_memos': { up: (db, dialect) => createTable(db, dialect, 'memos', { fields }) },
};

interface Row {
  readonly id: number;
  readonly [name: string]: unknown;
}

const reason = `upstream database is read-only ${'x'.repeat(400)}`;
const rest = 60_000;

describeEachDatabase('the pause of a failing webhook', (databases) => {
  const service = useService(databases, {
    application: { resources: [memo], migrations },
    env: { WEBHOOK_PRIVATE: '1', LOCALE: 'en' },
    times: { jobTimes: { poll: 100 }, webhookTimes: { poll: 100, timeout: 1_000, rest } },
  });
  let root: TestUser;
  let ann: TestUser;
  let admin: TestUser;
  const permission = (method: 'PUT' | 'DELETE', role: string, action: string) =>
    service.ok(method, `/admin/permissions/${role}/Memo/${action}`, { token: root });
  const memoOf = (text: string) =>
    service.ok<Row>('POST', '/api/v1/memos', { token: ann, body: { memo: { text } } });
  const places = [
    { path: '/admin/webhooks', asker: () => root, more: () => ({ user_id: ann.id }) },
    { path: '/api/v1/webhooks', asker: () => ann, more: () => ({}) },
  ] as const;
  type Place = (typeof places)[number];
  const subscribe = async ({ path, asker, more }: Place, url: string): Promise<Row> => {
    const webhook = { url, models: ['Memo'], ...more() };
    const hook = await service.ok<Row>('POST', path, { token: asker(), body: { webhook } });
    onTestFinished(async () => {
      await service.request('DELETE', `/admin/webhooks/${hook.id}`, { token: root });
    });
    return hook;
  };
  const shown = ({ path, asker }: Place, { id }: Row, token = asker()) =>
    service.ok<Row>('GET', `${path}/${id}`, { token });
  const listed = async ({ path, asker }: Place, { id }: Row, token = asker()) =>
    (await service.ok<Row[]>('GET', path, { token })).find((each) => each.id === id);
  const tryAt = ({ path, asker }: Place, { id }: Row, token = asker()) =>
    service.post(`${path}/${id}/try`, { token });
  const failing = async (): Promise<Receiver> => {
    const receiver = await startReceiver((_, response) => {
      response.writeHead(500).end(reason);
      return undefined;
    });
    onTestFinished(() => receiver.close());
    return receiver;
  };
  /** A webhook that pauses after its failures, with a message that was never sent. */
  const pausing = async (place: Place) => {
    const receiver = await failing();
    const hook = await subscribe(place, receiver.url);
    for (let n = 1; n <= 12; n += 1) await memoOf(`memo ${n}`);
    await expect
      .poll(async () => (await shown(place, hook))['paused_until'], { timeout: 15_000 })
      .not.toBeNull();
    return { receiver, hook };
  };

  beforeAll(async () => {
    root = await service.admin();
    ann = await service.createUser(['viewer']);
    admin = await service.createUser(['admin']);
    for (const action of ['create', 'read']) await permission('PUT', 'viewer', action);
  });

  it.each(places)('shows its end and its reason, and ends at once on request, at $path', async (place) => {
    const { receiver, hook } = await pausing(place);
    const webhook = await shown(place, hook);
    expect(webhook).toMatchObject({
      ...{ failure_status: 500, failure_error: null, failure_body: reason.slice(0, 200) },
    });
    const left = Date.parse(String(webhook['paused_until'])) - Date.now();
    expect([left > 0, left <= rest]).toEqual([true, true]);
    expect(await listed(place, hook)).toEqual(webhook);
    const waiting = await service.ok<Row[]>(
      'GET',
      `/admin/webhooks/${hook.id}/deliveries?filter[state]=waiting&sort=id`,
      { token: root },
    );
    receiver.received.length = 0;
    receiver.respond = () => 204;
    expect((await tryAt(place, hook)).status).toBe(200);
    // The pause would have lasted a minute.
    await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(receiver.received[0]?.headers['webhook-id']).toBe(waiting[0]?.['message_id']);
    await expect
      .poll(() => shown(place, hook))
      .toMatchObject({
        ...{
          failures: 0,
          paused_until: null,
          failure_status: null,
          failure_error: null,
          failure_body: null,
        },
      });
    const [line] = await service.ok<Row[]>('GET', '/admin/audit?filter[action]=webhook.try&sort=-id', {
      token: root,
    });
    expect(line).toMatchObject({
      ...{ target_id: String(hook.id), actor_id: String(place.asker().id) },
      detail: { delivery: waiting[0]?.id, event: waiting[0]?.['event'] },
    });
  });

  it('shows what a receiver returned only to callers who may read such records', async () => {
    const [administration, ofUsers] = places;
    const { hook } = await pausing(ofUsers);
    const withheld = { failure_status: 500, failure_body: null };
    const visible = { failure_status: 500, failure_body: reason.slice(0, 200) };
    expect(await shown(administration, hook)).toMatchObject(visible);
    for (const show of [shown, listed])
      expect(await show(administration, hook, admin)).toMatchObject(withheld);
    await permission('PUT', 'admin', 'read');
    for (const show of [shown, listed])
      expect(await show(administration, hook, admin)).toMatchObject(visible);
    await permission('DELETE', 'admin', 'read');
    const body = { webhook: { actions: ['create'] } };
    const changed = (token: TestUser) =>
      service.ok<Row>('PATCH', `/admin/webhooks/${hook.id}`, { token, body });
    expect(await changed(admin)).toMatchObject(withheld);
    expect(await changed(root)).toMatchObject(visible);
    await permission('DELETE', 'viewer', 'read');
    try {
      for (const show of [shown, listed]) expect(await show(ofUsers, hook)).toMatchObject(withheld);
    } finally {
      await permission('PUT', 'viewer', 'read');
    }
    expect(await shown(ofUsers, hook)).toMatchObject(visible);
  });

  it('the pause of a failing webhook has the error as its reason where there was no response', async () => {
    const [place] = places;
    // Nothing listens there.
    const hook = await subscribe(place, 'http://127.0.0.1:9/');
    await memoOf('lost');
    await expect
      .poll(() => shown(place, hook), { timeout: 10_000 })
      .toMatchObject({
        ...{ failures: 1, paused_until: null, failure_status: null, failure_body: null },
        failure_error: expect.stringContaining('ECONNREFUSED'),
      });
    const enabled = async (disabled: boolean) =>
      service.ok<Row>('PATCH', `/admin/webhooks/${hook.id}`, {
        token: root,
        body: { webhook: { disabled } },
      });
    expect(await enabled(true)).toMatchObject({ failure_error: expect.stringContaining('ECONNREFUSED') });
    expect(await enabled(false)).toMatchObject({ failures: 0, failure_error: null });
  });

  it('the pause is not ended for a webhook that is disabled, of another user, or unknown', async () => {
    const [administration, ofUsers] = places;
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const hook = await subscribe(ofUsers, receiver.url);
    const ben = await service.createUser(['viewer']);
    expect((await tryAt(ofUsers, hook, ben)).status).toBe(404);
    expect((await tryAt(administration, hook, ben)).status).toBe(403);
    expect((await tryAt(administration, { id: 999_999 })).status).toBe(404);
    expect((await tryAt(administration, hook)).status).toBe(200);
    const body = { webhook: { disabled: true } };
    await service.ok('PATCH', `/admin/webhooks/${hook.id}`, { token: root, body });
    expect((await tryAt(administration, hook)).status).toBe(409);
    expect((await tryAt(ofUsers, hook)).status).toBe(409);
  });
});
