import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { startReceiver, verifies } from '../support/receiver.ts';
import { type RunningService, runService } from '../support/run-service.ts';
import { Balancer } from './clients.ts';
import { follow, Ledger, password, runLoad, signIn } from './load.ts';
import { assertRelease, installReleases, type Releases } from './releases.ts';

/** Milliseconds of load in each constellation. */
const span = 1_500;

let releases: Releases;

// A tarball of the commit of the last release is built once for this machine.
beforeAll(async () => {
  releases = await installReleases();
}, 300_000);
afterAll(() => releases?.remove());

const bin = (folder: string): string => join(folder, 'node_modules/gatewright/bin/gatewright.js');

/** One application on one database, of which instances of either release are started and stopped. */
const setUp = async (url: string) => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-upgrade-data-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const env = {
    ...{ DATABASE_URL: url, JWT_SECRET: 'x'.repeat(40), WEBHOOK_PRIVATE: '1', ADMIN_PASSWORD: password },
    DATA_DIR: directory,
    CREDENTIALS_FILE: join(directory, 'credentials.age'),
    CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
  };
  const { PATH, HOME } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [bin(releases.old), 'app', 'create', 'shop', '--json'],
    { cwd: releases.old, env: { PATH, HOME, ...env } },
  );
  const balancer = new Balancer();
  onTestFinished(() => balancer.close());
  const ledger = new Ledger();
  const start = async (release: 'old' | 'next', further: Readonly<Record<string, string>> = {}) => {
    const folder = releases[release];
    const service = await runService([process.execPath, bin(folder), 'start'], {
      folder,
      env: { ...env, ...further },
    });
    balancer.add(service.port);
    return service;
  };
  const stop = async (service: RunningService): Promise<void> => {
    balancer.remove(service.port);
    service.process.kill('SIGTERM');
    expect((await service.ended()).status).toBe(0);
  };
  return { start, stop, options: { balancer, ledger, app: JSON.parse(stdout) } };
};

const rows = <Row>(database: Database, sql: string): Promise<Row[]> =>
  database.all<Row>({ sql, parameters: [] });

it('says what to do where the checkout does not have the commit of the last release', async () => {
  const gone = assertRelease({ release: '9.9.9', commit: '0'.repeat(40) });
  await expect(gone).rejects.toThrow(/release 9\.9\.9 .*git fetch --unshallow/);
});

/** Migrations of the application and of the service, as lines of the log list them. */
const namesIn = (service: RunningService, list: 'applied' | 'later'): readonly unknown[] =>
  service.lines().flatMap(({ [list]: names }) => names ?? []);

describeEachDatabase('a release in the place of the last one, and back', (databases) => {
  it('loses no request, no write, no job and no event, whichever answers', { timeout: 120_000 }, async () => {
    const url = await databases.create();
    const { start, stop, options } = await setUp(url);
    const { balancer, ledger } = options;
    const sideBySide = databases.dialect === 'postgres';
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());

    /** Puts one in the place of another: beside it where several may serve the database, else after it. */
    const replace = async (
      before: RunningService,
      release: 'old' | 'next',
      further?: Readonly<Record<string, string>>,
    ): Promise<RunningService> => {
      if (!sideBySide) await stop(before);
      const after = await start(release, further);
      await signIn(options);
      await delay(span);
      if (sideBySide) {
        await stop(before);
        await delay(span);
      }
      return after;
    };

    let service = await start('old');
    await signIn(options);
    const authorization = `Bearer ${ledger.tokens[0]}`;
    const admin = { headers: { authorization } };
    const key = await balancer.ask('POST', '/api/v1/api_keys', {
      ...admin,
      body: { api_key: { name: 'k' } },
    });
    ledger.key = (key.data as { key: string }).key;
    const me = (await balancer.ask('GET', '/api/v1/auth/me', admin)).data as { id: number };
    const webhook = { url: receiver.url, models: ['Item'], user_id: me.id };
    const hook = await balancer.ask('POST', '/admin/webhooks', { ...admin, body: { webhook } });
    const { secret } = hook.data as { secret: string };
    const ending = new AbortController();
    const following = follow(options, ending.signal);
    await expect.poll(() => ledger.streams).toBe(1);
    const loading = new AbortController();
    const load = runLoad(options, loading.signal);
    await delay(span);

    service = await replace(service, 'next', sideBySide ? { WORKERS: '2', DATABASE_POOL: '4' } : {});
    expect(namesIn(service, 'applied')).toContain('0002_remark');
    // The older release leaves alone what only this application knows.
    const made = await balancer.ask('POST', '/admin/roles', { ...admin, body: { role: { name: 'clerk' } } });
    expect(made.status).toBe(201);
    const granted = await balancer.ask('PUT', '/admin/permissions/clerk/Extra/read', admin);
    expect([200, 201, 204]).toContain(granted.status);
    service = await replace(service, 'old');
    expect(namesIn(service, 'later')).toContain('0002_remark');
    await signIn(options);
    await delay(span);
    loading.abort();
    await load;

    expect(balancer.faults).toEqual([]);
    expect(ledger.wrong).toEqual([]);
    expect(ledger.requests).toBeGreaterThan(100);
    const database = await databases.open(url);
    const items = await rows<{ id: number; amount: number }>(
      database,
      'select id, amount from items order by id',
    );
    expect(items.map(({ id, amount }) => [Number(id), Number(amount)])).toEqual(
      [...ledger.items.values()].map(({ id, amount }) => [id, amount]).sort(([a = 0], [b = 0]) => a - b),
    );
    const all = [...ledger.items.keys(), ...ledger.removed].sort((a, b) => a - b);
    const receipts = async () => {
      const found = await rows<{ item: number }>(
        database,
        'select distinct item from receipts order by item',
      );
      return found.map(({ item }) => Number(item));
    };
    await expect.poll(receipts, { timeout: 40_000 }).toEqual(all);
    const waiting = await rows<{ name: string; state: string }>(
      database,
      `select distinct name, state from gatewright_jobs where name = 'later'`,
    );
    expect(waiting).toEqual([{ name: 'later', state: 'waiting' }]);
    expect(await rows(database, `select model, action from permissions where role = 'clerk'`)).toEqual([
      { model: 'Extra', action: 'read' },
    ]);

    // A deleted record has only its end in the log; others have everything.
    const untouched = all.filter((id) => !ledger.removed.has(id) && !ledger.restored.has(id));
    expect(untouched.length).toBeGreaterThan(10);
    const ended = [...ledger.removed, ...ledger.restored].sort((a, b) => a - b);
    const idsOf = (action: string, events: readonly { action: string; id: number | string }[]): Set<number> =>
      new Set(events.flatMap((event) => (event.action === action ? [Number(event.id)] : [])));
    const missing = (events: readonly { action: string; id: number | string }[]) => ({
      create: untouched.filter((id) => !idsOf('create', events).has(id)),
      update: untouched.filter((id) => !idsOf('update', events).has(id)),
      destroy: ended.filter((id) => !idsOf('destroy', events).has(id)),
    });
    const none = { create: [], update: [], destroy: [] };
    const sent = () => receiver.received.map(({ message }) => message.data);
    await expect.poll(() => missing(sent()), { timeout: 40_000 }).toEqual(none);
    await delay(1_500);
    ending.abort();
    await following;
    const numbers = ledger.events.map(({ number }) => number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(missing(ledger.events)).toEqual(none);
    expect(receiver.received.every((one) => verifies(secret, one))).toBe(true);
    const versions = new Map<number, number>();
    const seen = new Set<unknown>();
    for (const { headers, message } of receiver.received) {
      if (seen.has(headers['webhook-id'])) continue;
      seen.add(headers['webhook-id']);
      const { id, version } = message.data;
      expect(version).toBeGreaterThan(versions.get(id) ?? 0);
      versions.set(id, version);
    }
  });
});
