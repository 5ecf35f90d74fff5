import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { EventLog } from '../../src/ledger/event-log.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { command, type RunningService, runService } from '../support/run-service.ts';
import { post, type SignedIn, signIn } from '../support/signed-in.ts';

const shop = fileURLToPath(new URL('../../examples/shop', import.meta.url));
const paySecret = 'between the two of us';

/** The acknowledged writes. */
interface Ledger {
  readonly ordered: Set<number>;
  readonly paid: Set<number>;
}

const pay = (api: string, order: number, amount: number): Promise<Response> => {
  const body = `order=${order}&amount=${amount}`;
  return fetch(`${api}/payment-callback`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Pay-Signature': createHmac('sha256', paySecret).update(body).digest('hex'),
    },
    body,
  });
};

/** Buys and pays until the service is gone. */
const buy = async (
  { api, token }: SignedIn,
  customer: number,
  ledger: Ledger,
  seed: number,
): Promise<void> => {
  for (let n = seed; ; n += 1) {
    const lines = [{ product: 1 + (n % 3), quantity: 1 }];
    const answer = await post(`${api}/checkout`, { customer, lines }, token);
    if (answer.status !== 201) continue;
    const { data } = (await answer.json()) as { data: { id: number; total: number } };
    ledger.ordered.add(data.id);
    if ((await pay(api, data.id, data.total)).status === 200) ledger.paid.add(data.id);
  }
};

const mailsIn = async (folder: string): Promise<string[]> => {
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.'));
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
};

const rows = <Row>(database: Database, sql: string): Promise<Row[]> =>
  database.all<Row>({ sql, parameters: [] });

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const listening = (service: RunningService) => service.lines().filter(({ msg }) => msg === 'listening');

/** Milliseconds until a killed worker is replaced, on a machine that does other things as well. */
const replacementMs = 5_000;

/** Kills a worker, and waits until another one has replaced it. */
const killWorker = async (service: RunningService, workers: number): Promise<void> => {
  const killedAt = performance.now();
  process.kill(Number(listening(service)[1]?.['pid']), 'SIGKILL');
  await expect.poll(() => listening(service).length, { interval: 20, timeout: 30_000 }).toBe(workers + 1);
  expect(performance.now() - killedAt).toBeLessThan(replacementMs);
};

/** Children of a killed first process complete their requests and then end. */
const ended = (service: RunningService): Promise<void> =>
  expect
    .poll(() => service.lines().flatMap(({ pid }) => (isAlive(Number(pid)) ? [pid] : [])), {
      timeout: 10_000,
    })
    .toEqual([]);

describeEachDatabase('a shop that is killed while it sells', (databases) => {
  it.each([1, 2])(
    'a shop of %i workers that is killed while it sells has whole orders or none, and loses no mail of a paid one',
    {
      timeout: 120_000,
    },
    async (workers) => {
      const url = await databases.create();
      const place = await mkdtemp(join(tmpdir(), 'gatewright-shop-'));
      onTestFinished(() => rm(place, { recursive: true, force: true }));
      const mail = join(place, 'mail');
      const env = {
        DATABASE_URL: url,
        JWT_SECRET: 'x'.repeat(32),
        PAY_SECRET: paySecret,
        MAIL_DIR: mail,
        DATA_DIR: join(place, 'data'),
        LOCALE: 'en',
        WORKERS: String(workers),
      };
      const ledger: Ledger = { ordered: new Set(), paid: new Set() };
      const stocked = 1_000_000;
      let customer = 0;
      for (const [round, life] of [400, 900, 250].entries()) {
        const service = await runService([...command, 'start'], { folder: shop, env });
        await expect.poll(() => listening(service).length, { timeout: 30_000 }).toBe(workers);
        const caller = await signIn(`http://127.0.0.1:${service.port}/api/v1`);
        if (round === 0) {
          const database = await databases.open(url);
          await database.write((transaction) =>
            transaction.run({ sql: `update products set stock = ${stocked}`, parameters: [] }),
          );
          const body = { customer: { name: 'Ann', email: 'ann@example.com', address: '1 Road' } };
          const made = await post(`${caller.api}/customers`, body, caller.token);
          customer = ((await made.json()) as { data: { id: number } }).data.id;
        }
        const startBuyers = () =>
          Array.from({ length: 8 }, (_, n) => buy(caller, customer, ledger, n).catch(() => {}));
        const buyers = startBuyers();
        await delay(life);
        if (workers > 1) {
          await killWorker(service, workers);
          const sold = ledger.ordered.size;
          buyers.push(...startBuyers());
          await expect.poll(() => ledger.ordered.size).toBeGreaterThan(sold + 20);
        }
        process.kill(workers > 1 ? (service.process.pid ?? 0) : service.pid, 'SIGKILL');
        await Promise.all(buyers);
        await service.ended();
        await ended(service);
      }
      const database = await databases.open(url);
      const orders = await rows<{ id: number; status: string; total: number; bought: number | null }>(
        database,
        `select o.id, o.status, o.total, (select sum(l.quantity * l.price) from order_lines l where l.order_id = o.id) as bought
       from orders o`,
      );
      expect(orders.length).toBeGreaterThan(ledger.ordered.size / 2);
      expect(orders.filter(({ total, bought }) => Number(bought) !== total)).toEqual([]);
      const known = new Map(orders.map((order) => [order.id, order]));
      expect([...ledger.ordered].filter((id) => !known.has(id))).toEqual([]);
      expect([...ledger.paid].filter((id) => known.get(id)?.status !== 'paid')).toEqual([]);
      const [sold] = await rows<{ n: number }>(database, 'select sum(quantity) as n from order_lines');
      const [left] = await rows<{ n: number }>(database, 'select sum(stock) as n from products');
      expect(Number(left?.n) + Number(sold?.n)).toBe(3 * stocked);
      const mails = await mailsIn(mail);
      const waiting = await rows<{ input: string }>(
        database,
        "select input from gatewright_jobs where name = 'mail'",
      );
      const messages = [...mails, ...waiting.map(({ input }) => input)].join('\n');
      const paid = orders.filter(({ status }) => status === 'paid');
      expect(paid.length).toBeGreaterThan(0);
      expect(paid.filter(({ id }) => !messages.includes(`Order ${id}: paid`))).toEqual([]);
      // No message mentions a payment that was rolled back.
      const mentioned = [...messages.matchAll(/Order (\d+): paid/g)].map(([, id]) => Number(id));
      expect(mentioned.filter((id) => known.get(id)?.status !== 'paid')).toEqual([]);
      // Each version of each order is announced once and kept once, and nothing else is.
      const versions = await rows<{ id: number; version: number }>(
        database,
        'select id, version from orders',
      );
      const made = versions.flatMap(({ id, version }) =>
        Array.from({ length: Number(version) }, (_, index) => `${id} ${index + 1}`),
      );
      const log = new EventLog(database);
      await log.settle();
      const events = await log.after(0, 1_000_000);
      expect(events.map(({ record, version }) => `${record} ${version}`).toSorted()).toEqual(made.toSorted());
      const kept = await rows<{ record_id: number; version: number }>(
        database,
        "select record_id, version from gatewright_history where model = 'Order'",
      );
      expect(kept.map(({ record_id, version }) => `${record_id} ${version}`).toSorted()).toEqual(
        made.toSorted(),
      );
    },
  );
});
