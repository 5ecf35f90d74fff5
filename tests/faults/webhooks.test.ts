import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { Transaction } from '../../src/database/database.ts';
import { inheritedEnvironment } from '../support/child.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Received, type Receiver, startReceiver, verifies } from '../support/receiver.ts';
import { type Service, startService } from '../support/service.ts';
import { application } from './webhooks-app.ts';

const script = fileURLToPath(new URL('./children/hooks.ts', import.meta.url));

/** A process that sends, on the database of a service that does not; killed with the test. */
const startSender = async (
  service: Service,
  env: Readonly<Record<string, string>> = {},
  until = 'working',
): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [script], {
    env: { ...inheritedEnvironment(), ...service.env, JOBS: 'only', TRANSACTION_TIMEOUT: '60', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(() => output.split('\n'), { timeout: 60_000 }).toContain(until);
  return child;
};

const killed = async (child: ChildProcess): Promise<void> => {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
};

interface Delivery {
  readonly state: string;
  readonly attempts: number;
  readonly message_id: string;
}

describeEachDatabase('webhooks under fault', (databases) => {
  const setUp = async () => {
    const service = await startService(databases, {
      application,
      env: { JOBS: 'off', WEBHOOK_PRIVATE: '1', LOG_LEVEL: 'silent' },
    });
    onTestFinished(() => service.close());
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const token = await service.admin();
    const { id, secret } = await service.ok<{ id: number; secret: string }>('POST', '/admin/webhooks', {
      token,
      body: { webhook: { url: receiver.url, models: ['Order'], user_id: token.id } },
    });
    const { database } = service.server.services;
    return {
      service,
      receiver,
      secret,
      id,
      create: (title: string) =>
        service.ok<{ id: number }>('POST', '/api/v1/orders', { token, body: { order: { title } } }),
      rename: (order: number, title: string) =>
        service.ok('PATCH', `/api/v1/orders/${order}`, { token, body: { order: { title } } }),
      deliveries: () => service.ok<Delivery[]>('GET', `/admin/webhooks/${id}/deliveries?sort=id`, { token }),
      webhook: () => service.ok('GET', `/admin/webhooks/${id}`, { token }),
      /** Lets the time until the next attempts pass. */
      pass: () =>
        database.execute({
          sql: `update gatewright_deliveries set next_at = '2020-01-01T00:00:00.000Z'
            where next_at is not null and claim is null`,
          parameters: [],
        }),
      /** Keeps everybody from storing how a delivery went, until it is called again. */
      hold: async (): Promise<() => Promise<void>> => {
        const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const query = {
          sql: `update gatewright_webhooks set updated_at = updated_at where id = ${id}`,
          parameters: [],
        };
        const unit = async (transaction: Transaction): Promise<void> => {
          await transaction.run(query);
          held.resolve();
          await go.promise;
        };
        const done = database.write(unit, { limit: 60_000 });
        await held.promise;
        return async () => {
          go.resolve();
          await done;
        };
      },
    };
  };

  const titles = ({ received }: Receiver) => received.map(({ message }) => message.data.record?.['title']);
  const ids = (received: readonly Received[]) => received.map(({ headers }) => headers['webhook-id']);
  const patient = { timeout: 60_000, interval: 100 } as const;

  it('webhooks under fault send nothing of what was killed before its commit', {
    timeout: 120_000,
  }, async () => {
    const { service, receiver, create, deliveries } = await setUp();
    const writer = await startSender(service, { UNCOMMITTED: '1' }, 'written');
    await killed(writer);
    await startSender(service);
    await create('committed');
    await expect.poll(() => titles(receiver), patient).toEqual(['committed']);
    expect(await deliveries()).toHaveLength(1);
  });

  it('webhooks under fault send what was committed by a process that is gone', {
    timeout: 120_000,
  }, async () => {
    const { service, receiver, create, secret } = await setUp();
    await create('committed');
    expect(receiver.received).toEqual([]);
    await startSender(service);
    await expect.poll(() => titles(receiver), patient).toEqual(['committed']);
    expect(receiver.received.every((one) => verifies(secret, one))).toBe(true);
  });

  it('webhooks under fault send again what was being sent, under the same id', {
    timeout: 120_000,
  }, async () => {
    const { service, receiver, create, deliveries } = await setUp();
    receiver.respond = () => new Promise(() => {});
    const first = await startSender(service);
    await create('interrupted');
    await expect.poll(() => receiver.received.length, patient).toBe(1);
    await killed(first);
    receiver.respond = () => 204;
    await startSender(service);
    await expect
      .poll(async () => (await deliveries()).map(({ state }) => state), patient)
      .toEqual(['delivered']);
    expect(titles(receiver)).toEqual(['interrupted', 'interrupted']);
    expect(new Set(ids(receiver.received))).toEqual(new Set([(await deliveries())[0]?.message_id]));
  });

  it('webhooks under fault send again what was answered, where that was not stored, under the same id', {
    timeout: 120_000,
  }, async () => {
    const { service, receiver, create, deliveries, hold } = await setUp();
    const first = await startSender(service);
    let release = async (): Promise<void> => {};
    receiver.respond = async () => {
      release = await hold();
      return 204;
    };
    await create('answered');
    await expect.poll(() => [receiver.received.length, receiver.open()], patient).toEqual([1, 0]);
    // The answer is there, and cannot be stored.
    await delay(200);
    await killed(first);
    await release();
    expect(await deliveries()).toMatchObject([{ state: 'waiting', attempts: 1 }]);
    receiver.respond = () => 204;
    await startSender(service);
    await expect
      .poll(async () => (await deliveries()).map(({ state }) => state), patient)
      .toEqual(['delivered']);
    expect(titles(receiver)).toEqual(['answered', 'answered']);
    expect(new Set(ids(receiver.received)).size).toBe(1);
  });

  it('webhooks under fault reach a receiver that was down for a day, everything in order', {
    timeout: 180_000,
  }, async () => {
    const { service, receiver, create, rename, deliveries, webhook, pass } = await setUp();
    await receiver.close();
    await startSender(service);
    const orders = await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(`${name} 1`)));
    for (const n of [2, 3]) for (const { id } of orders) await rename(id, `version ${n}`);
    // 5 s, 5 min, 30 min, 2 h, 5 h, 10 h: with the sixth wait a day is nearly over.
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const oldest = async () => (await deliveries())[0]?.attempts;
      await expect.poll(oldest, patient).toBe(attempt);
      await delay(150);
      await pass();
    }
    const waiting = async () => (await deliveries()).map(({ state }) => state);
    expect(await waiting()).toEqual(Array(12).fill('waiting'));
    expect(await webhook()).toMatchObject({ disabled: false });
    const back = await startReceiver(() => 204, receiver.port);
    onTestFinished(() => back.close());
    const look = async () => {
      await pass();
      return waiting();
    };
    await expect.poll(look, patient).toEqual(Array(12).fill('delivered'));
    expect(back.received).toHaveLength(12);
    for (const { id } of orders) {
      const versions = back.received.filter(({ message }) => message.data.id === id);
      expect(versions.map(({ message }) => message.data.version)).toEqual([1, 2, 3]);
    }
  });

  it('webhooks under fault keep the order of each record with two senders, through failures', {
    timeout: 180_000,
  }, async () => {
    const { service, receiver, create, rename, deliveries, pass } = await setUp();
    let requests = 0;
    receiver.respond = async () => {
      requests += 1;
      const fails = requests % 3 === 0;
      await delay(requests % 7);
      return fails ? 500 : 204;
    };
    await Promise.all([startSender(service), startSender(service)]);
    const orders = await Promise.all(Array.from({ length: 6 }, (_, n) => create(`order ${n}`)));
    for (let n = 2; n <= 6; n += 1) await Promise.all(orders.map(({ id }) => rename(id, `version ${n}`)));
    const look = async () => {
      await pass();
      const all = await deliveries();
      return [all.length, all.filter(({ state }) => state === 'delivered').length];
    };
    await expect.poll(look, { timeout: 120_000, interval: 300 }).toEqual([36, 36]);
    const seen = new Map<string, string>();
    for (const { id } of orders) {
      const of = receiver.received.filter(({ message }) => message.data.id === id);
      const versions = of.map(({ message }) => message.data.version);
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
      expect(new Set(versions)).toEqual(new Set([1, 2, 3, 4, 5, 6]));
      // Repeated messages came under one id.
      for (const { message, headers } of of) {
        const key = `${id} ${message.data.version}`;
        const known = seen.get(key) ?? String(headers['webhook-id']);
        seen.set(key, known);
        expect(headers['webhook-id']).toBe(known);
      }
    }
    expect(new Set(seen.values()).size).toBe(36);
  });
});
