import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import { forgetRecord } from '../../src/upkeep/forget.ts';
import { application, times } from '../faults/webhooks-app.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { startReceiver, verifies } from '../support/receiver.ts';
import { type Service, startService, type TestUser } from '../support/service.ts';

interface Hook {
  readonly id: number;
  readonly secret: string;
  readonly [name: string]: unknown;
}
interface Delivery {
  readonly id: number;
  readonly state: string;
  readonly attempts: number;
  readonly error: string | null;
}

/** The ends and limits of webhooks. */
describeEachDatabase('webhooks', (databases) => {
  const start = async (env: Readonly<Record<string, string>> = {}, own: object = {}) => {
    const service = await startService(databases, {
      application,
      times: { ...times, webhookTimes: { ...times.webhookTimes, ...own } },
      env: { WEBHOOK_PRIVATE: '1', ...env },
    });
    onTestFinished(() => service.close());
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    return { service, receiver, root: await service.admin() };
  };
  const subscribe = (service: Service, root: TestUser, url: string, user = root): Promise<Hook> =>
    service.ok<Hook>('POST', '/admin/webhooks', {
      token: root,
      body: { webhook: { url, models: ['Order'], user_id: user.id } },
    });
  const create = (service: Service, token: TestUser, title: string) =>
    service.ok<{ id: number }>('POST', '/api/v1/orders', { token, body: { order: { title } } });
  const deliveries = (service: Service, token: TestUser, id: number) =>
    service.ok<Delivery[]>('GET', `/admin/webhooks/${id}/deliveries?sort=id`, { token });
  const show = (service: Service, token: TestUser, id: number) =>
    service.ok<Hook>('GET', `/admin/webhooks/${id}`, { token });
  const change = (service: Service, token: TestUser, id: number, webhook: object) =>
    service.ok<Hook>('PATCH', `/admin/webhooks/${id}`, { token, body: { webhook } });

  it('webhooks lead to no private address, by whatever name, unless that is allowed', async () => {
    const { service, receiver, root } = await start({ WEBHOOK_PRIVATE: '0' });
    let connections = 0;
    const inside = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => inside.listen(0, resolve));
    onTestFinished(() => void inside.close());
    const address = inside.address();
    const port = typeof address === 'object' ? address?.port : 0;
    for (const url of [
      receiver.url,
      `https://127.0.0.1:${port}/`,
      `https://0x7f.1:${port}/`,
      `https://[::1]:${port}/`,
      'https://169.254.169.254/latest/meta-data/',
    ]) {
      const body = { webhook: { url, models: ['Order'], user_id: root.id } };
      const { status } = await service.post('/admin/webhooks', { token: root, body });
      expect([url, status]).toEqual([url, 422]);
    }
    // A name says nothing before it is resolved.
    const hook = await subscribe(service, root, `https://localhost:${port}/`);
    await create(service, root, 'inside');
    const error = async () => (await deliveries(service, root, hook.id))[0]?.error;
    await expect
      .poll(error, { timeout: 10_000 })
      .toMatch(/^the host has no address, or one that is not public/);
    const tested = await service.ok('POST', `/admin/webhooks/${hook.id}/test`, { token: root });
    expect(tested).toMatchObject({ delivered: false, status: null });
    expect(connections).toBe(0);
  });

  it('webhooks wait for another acting user where theirs is deleted', async () => {
    const { service, receiver, root } = await start();
    const sam = await service.createUser();
    const hook = await subscribe(service, root, receiver.url, sam);
    await service.ok('DELETE', `/admin/users/${sam.id}`, { token: root });
    await create(service, root, 'waits');
    const shown = () => show(service, root, hook.id);
    await expect.poll(shown).toMatchObject({ disabled_reason: 'no_user', user_id: null, username: null });
    expect(receiver.received).toEqual([]);
    await change(service, root, hook.id, { user_id: root.id, disabled: false });
    await expect.poll(() => receiver.received.length).toBe(1);
  });

  it('webhooks outlast a new jwt_secret of the credentials, and any number of them while no service runs', async () => {
    const { service, receiver, root } = await start({ JWT_SECRET: '' });
    const second = await service.secondInstance();
    const hook = await subscribe(service, root, receiver.url);
    await service.ok('POST', `/admin/webhooks/${hook.id}/rotate`, { token: root, body: { overlap: 3_600 } });
    const stored = async () => {
      const database = await databases.open(service.env['DATABASE_URL'] ?? '');
      try {
        const sql = 'select secret, previous_secret from gatewright_webhooks';
        return await database.all({ sql, parameters: [] });
      } finally {
        await database.close();
      }
    };
    const received = async (by: Service, title: string) => {
      const before = receiver.received.length;
      await create(by, { ...root, token: await by.tokenOf(root.id) }, title);
      await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(before + 1);
      const sent = receiver.received.at(-1);
      expect(sent && verifies(hook.secret, sent)).toBe(true);
    };
    const setSecret = (letter: string) =>
      run(['credentials', 'set', 'jwt_secret'], { env: service.env, stdin: letter.repeat(40) });
    await received(service, 'generated');
    let before = await stored();
    expect(await setSecret('a')).toMatchObject({ status: 0 });
    await expect.poll(stored, { timeout: 10_000 }).not.toEqual(before);
    for (const each of [service, second]) {
      await expect
        .poll(async () => (await each.get('/api/v1/auth/me', { token: root.token })).status)
        .toBe(401);
      await received(each, 'set');
    }
    await second.close();
    await service.server.close();
    before = await stored();
    for (const letter of ['b', 'c', 'd']) expect(await setSecret(letter)).toMatchObject({ status: 0 });
    expect(await stored()).toEqual(before);
    const third = await service.secondInstance();
    expect(await stored()).not.toEqual(before);
    await received(third, 'three later');
  }, 40_000);

  it('webhooks wait where an instance knows no secret that opens theirs, and go on where another one does', async () => {
    const { service, receiver, root } = await start();
    const hook = await subscribe(service, root, receiver.url);
    const behind = await service.secondInstance({ env: { JWT_SECRET: 'another secret of enough length!' } });
    for (let count = 1; count <= 3; count += 1) {
      await create(behind, { ...root, token: await behind.tokenOf(root.id) }, `order ${count}`);
      await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(count);
    }
    expect(await show(service, root, hook.id)).toMatchObject({ disabled: false });
  }, 40_000);

  it('stop where the JWT secret is another one, and lose nothing until their secret is rotated', async () => {
    const { service, receiver, root } = await start();
    const hook = await subscribe(service, root, receiver.url);
    const { DATABASE_URL: url = '' } = service.env;
    await service.close();
    const other = await startService(databases, {
      ...{ application, url },
      times: { ...times, webhookTimes: { ...times.webhookTimes, unreadable: 500 } },
      env: { WEBHOOK_PRIVATE: '1', JWT_SECRET: 'another secret of enough length!' },
    });
    onTestFinished(() => other.close());
    const token = await other.admin();
    await create(other, token, 'unsigned');
    const reason = async () => (await show(other, token, hook.id))['disabled_reason'];
    await expect.poll(reason).toBe('secret_unreadable');
    const { status } = await other.post(`/admin/webhooks/${hook.id}/test`, { token });
    expect(status).toBe(409);
    const { secret } = await other.ok<Hook>('POST', `/admin/webhooks/${hook.id}/rotate`, { token, body: {} });
    expect(receiver.received).toEqual([]);
    await change(other, token, hook.id, { disabled: false });
    await expect.poll(() => receiver.received.length).toBe(1);
    const [sent] = receiver.received;
    expect(sent && verifies(secret, sent)).toBe(true);
  });

  it('webhooks are kept by a turn that takes longer than a lease, with the deliveries that it sends', async () => {
    const { service, receiver, root } = await start({}, { leaseMs: 600, timeout: 10_000 });
    const hook = await subscribe(service, root, receiver.url);
    const answer = Promise.withResolvers<number>();
    receiver.respond = () => answer.promise;
    await create(service, root, 'slow');
    await expect.poll(() => receiver.received.length).toBe(1);
    const extended = async () =>
      (
        await service.server.services.database.get<{ lane_until: string }>({
          sql: `select cast(lane_until as text) as lane_until from gatewright_webhooks where id = ${hook.id}`,
          parameters: [],
        })
      )?.lane_until;
    // Ten extensions are longer than any lease without them.
    for (let count = 0, last = await extended(); count < 10; count += 1) {
      await expect.poll(extended).not.toBe(last);
      last = await extended();
    }
    answer.resolve(204);
    await expect
      .poll(async () =>
        (await deliveries(service, root, hook.id)).map(({ state, attempts }) => [state, attempts]),
      )
      .toEqual([['delivered', 1]]);
    expect(receiver.received).toHaveLength(1);
  });

  it('webhooks are sent by processes that run jobs only', async () => {
    const { service, receiver, root } = await start({ JOBS: 'off' });
    const hook = await subscribe(service, root, receiver.url);
    await create(service, root, 'elsewhere');
    expect(await deliveries(service, root, hook.id)).toEqual([]);
    await service.secondInstance({ env: { JOBS: 'only' } });
    await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(1);
  });

  it('spare a receiver that fails: one message at a time, and rest after each', async () => {
    const { service, receiver, root } = await start();
    // The number of deliveries beside each message, once the first twenty have failed.
    const beside: number[] = [];
    receiver.respond = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (receiver.received.length > 20) beside.push(receiver.open());
      return 500;
    };
    const hook = await subscribe(service, root, receiver.url);
    for (let n = 0; n < 40; n += 1) await create(service, root, `n ${n}`);
    await expect.poll(() => beside.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(5);
    expect(new Set(beside)).toEqual(new Set([1]));
    expect(Number((await show(service, root, hook.id))['failures'])).toBeGreaterThan(20);
    receiver.respond = () => 204;
    const states = async () => {
      await service.server.services.database.execute({
        sql: `update gatewright_deliveries set next_at = '2020-01-01T00:00:00.000Z'
          where next_at is not null and claim is null`,
        parameters: [],
      });
      return (await deliveries(service, root, hook.id)).filter(({ state }) => state === 'delivered').length;
    };
    await expect.poll(states, { timeout: 20_000 }).toBe(40);
    expect(await show(service, root, hook.id)).toMatchObject({ failures: 0, waiting: 0 });
  });

  it('webhooks look at many events that do not concern them without a delivery, and at those behind', async () => {
    const { service, receiver, root } = await start();
    const hook = await subscribe(service, root, receiver.url);
    await change(service, root, hook.id, { actions: ['destroy'] });
    const created = { create: Array.from({ length: 1_000 }, () => ({ title: 'x' })) };
    for (let n = 0; n < 6; n += 1)
      await service.ok('POST', '/api/v1/orders/batch', { token: root, body: created });
    const { id } = await create(service, root, 'goes');
    await service.ok('DELETE', `/api/v1/orders/${id}`, { token: root });
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(1);
    expect(receiver.received[0]?.message).toMatchObject({
      type: 'Order.destroy',
      data: { id, record: null },
    });
    expect(await deliveries(service, root, hook.id)).toHaveLength(1);
  });

  it('webhooks keep what has ended for 30 days, and what waits until it is sent', async () => {
    const { service, receiver, root } = await start();
    const hook = await subscribe(service, root, receiver.url);
    await create(service, root, 'delivered');
    await expect.poll(async () => (await deliveries(service, root, hook.id))[0]?.state).toBe('delivered');
    receiver.respond = () => 500;
    await create(service, root, 'waits');
    await expect.poll(async () => (await deliveries(service, root, hook.id))[1]?.attempts).toBe(1);
    const { webhooks } = service.server.services;
    const pause = async (): Promise<void> => {};
    expect(await webhooks.deliveries.removeOld(pause)).toBe(0);
    service.clock.advance(30 * 86_400 + 60);
    expect(await webhooks.deliveries.removeOld(pause)).toBe(1);
    service.clock.reset();
    expect((await deliveries(service, root, hook.id)).map(({ state }) => state)).toEqual(['waiting']);
  });

  it('webhooks keep nothing of a record that was forgotten, nor what a receiver sent back of it', async () => {
    const { service, receiver, root } = await start();
    receiver.respond = ({ body }, response) => {
      response.setHeader('X-Echo', encodeURIComponent(body));
      return 204;
    };
    const hook = await subscribe(service, root, receiver.url);
    const { id } = await create(service, root, 'private');
    const other = await create(service, root, 'other');
    const states = async () => (await deliveries(service, root, hook.id)).map(({ state }) => state);
    await expect.poll(states).toEqual(['delivered', 'delivered']);
    const { database, clock } = service.server.services;
    const forgotten = await forgetRecord(database, { model: 'Order', id }, clock(), {
      ...{ principal: 'command line', address: null },
    });
    expect(forgotten.deliveries).toBe(1);
    const kept = JSON.stringify(await deliveries(service, root, hook.id));
    expect(kept).not.toContain('private');
    expect(kept).toContain(`\\"id\\":${other.id}`);
  });
});
