import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { EventView } from '../../src/delivery/events/event-view.ts';
import { inheritedEnvironment } from '../support/child.ts';
import { describeDatabase, describeEachDatabase } from '../support/databases.ts';
import { type EventStream, openStream } from '../support/event-stream.ts';
import { type Service, startService, type TestUser, useService } from '../support/service.ts';
import { items } from './items.ts';

const follow = (origin: string, { token }: TestUser, after?: number, models = 'Item'): Promise<EventStream> =>
  openStream(`${origin}/api/v1/changes?models=${models}`, {
    authorization: `Bearer ${token}`,
    ...(after === undefined ? {} : { 'last-event-id': String(after) }),
  });

/** Writes items in so many rounds; every third one is hidden, and stays so. */
const write = async (service: Service, name: string, rounds: number): Promise<void> => {
  const system = service.server.services.systemScope('a test');
  for (let round = 0; round < rounds; round += 1)
    await system.transaction(async (scope) => {
      const records = scope.records('Item');
      const { id } = await records.create({ title: `${name} ${round}`, shown: round % 3 !== 0 });
      await records.update(Number(id), { title: `${name} ${round}!` });
    });
};

/** A reader whose connections are lost at random, and who goes on behind the last number. */
class Reader {
  readonly received: EventView[] = [];
  #place: number | undefined;
  #stream: EventStream | undefined;
  readonly #next: () => string;
  readonly #user: TestUser;
  connections = 0;

  constructor(next: () => string, user: TestUser) {
    this.#next = next;
    this.#user = user;
  }

  async open(): Promise<void> {
    const stream = await follow(this.#next(), this.#user, this.#place);
    expect(stream.status).toBe(200);
    this.connections += 1;
    await stream.settled(() => stream.place() !== undefined);
    this.#stream = stream;
  }

  /** Takes over what has come, and hangs up. */
  lose(): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    this.received.push(...stream.events);
    this.#place = stream.place();
    stream.close();
    this.#stream = undefined;
  }

  async until(last: number): Promise<void> {
    if (this.#stream === undefined) await this.open();
    const stream = this.#stream;
    await stream?.settled(() => (this.received.concat(stream.events).at(-1)?.number ?? 0) >= last, 30_000);
    this.lose();
  }
}

/** Numbers of the events of shown items behind a place, as the log has them. */
const expected = async (service: Service, begun: number): Promise<readonly EventView[]> => {
  const { events } = service.server.services;
  await events.settle();
  const all = await events.after(begun, 10_000);
  const shown = await service.server.services
    .systemScope('a test')
    .records('Item')
    .list({ filter: { shown: true } });
  const ids = new Set(shown.map(({ id }) => Number(id)));
  return all
    .filter(({ record, model }) => model === 'Item' && ids.has(Number(record)))
    .map(({ number, record, version }) => ({ number, id: record, version }) as unknown as EventView);
};

const brief = (events: readonly EventView[]) =>
  events.map(({ number, id, version }) => ({ number, id, version }));

describeEachDatabase('streams that break', (databases) => {
  const service = useService(databases, { application: items, stallTimeoutMs: 1_500 });
  const place = async (): Promise<number> => {
    await service.server.services.events.settle();
    return (await service.server.services.events.range()).last;
  };

  it('streams that break have no gap and no repetition for readers who are lost at random while four write', async () => {
    const user = await service.createUser();
    const begun = await place();
    const readers = Array.from({ length: 5 }, () => new Reader(() => service.origin, user));
    await Promise.all(readers.map((reader) => reader.open()));
    let writing = true;
    const losing = readers.map(async (reader) => {
      while (writing) {
        await delay(Math.random() * 60);
        reader.lose();
        await reader.open();
      }
    });
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => write(service, name, 40)));
    writing = false;
    await Promise.all(losing);
    const all = await expected(service, begun);
    for (const reader of readers) {
      await reader.until(all.at(-1)?.number ?? 0);
      expect(brief(reader.received)).toEqual(all);
      expect(reader.connections).toBeGreaterThan(3);
      for (const events of Map.groupBy(reader.received, ({ id }) => id).values())
        expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1));
    }
    await expect.poll(() => service.server.services.changes.size).toBe(0);
  }, 60_000);

  it('streams that break tell what another instance, or process, has written', async () => {
    const other = await service.secondInstance();
    const stream = await follow(service.origin, await service.createUser());
    onTestFinished(() => stream.close());
    await stream.settled(() => stream.place() !== undefined);
    const waits: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      await other.server.services
        .systemScope('a test')
        .records('Item')
        .create({ title: `r${round}` });
      const committed = performance.now();
      await stream.until(round + 1);
      waits.push(performance.now() - committed);
      await delay(Math.random() * 200);
    }
    const [median = 0] = waits.toSorted((a, b) => a - b).slice(5);
    process.stdout.write(
      `commit to a reader of another instance (${service.dialect}): median ${median.toFixed(1)} ms\n`,
    );
    expect(Math.max(...waits)).toBeLessThan(3_000);
  }, 60_000);

  it('streams that break cut a caller who does not read, and no other', async () => {
    const user = await service.createUser();
    const url = `${service.origin}/api/v1/changes?models=Wide`;
    const stuck = await openStream(url, { authorization: `Bearer ${user.token}` }, { read: false });
    const stream = await follow(service.origin, user, undefined, 'Wide');
    await stream.settled(() => stream.place() !== undefined);
    onTestFinished(() => stream.close());
    const token = await service.admin();
    for (let round = 0; round < 5; round += 1)
      await service.ok('POST', '/api/v1/wides/batch', {
        token,
        body: { create: Array.from({ length: 1_000 }, () => ({})) },
      });
    await stream.until(5_000, 60_000);
    await expect.poll(() => service.server.services.changes.size, { timeout: 20_000 }).toBe(1);
    const numbers = stream.events.map(({ number }) => number);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    stuck.close();
  }, 120_000);

  it('streams are a thousand at once, and each receives the event', async () => {
    const users: TestUser[] = [];
    for (let index = 0; index < 10; index += 1) users.push(await service.createUser());
    const streams: EventStream[] = [];
    onTestFinished(() => {
      for (const stream of streams) stream.close();
    });
    for (const user of users)
      streams.push(...(await Promise.all(Array.from({ length: 100 }, () => follow(service.origin, user)))));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    expect(service.server.services.changes.size).toBe(1_000);
    const begun = performance.now();
    const { id } = await service.server.services.systemScope('a test').records('Item').create({ title: 'x' });
    await Promise.all(streams.map((stream) => stream.until(1, 30_000)));
    process.stdout.write(
      `1,000 streams served (${service.dialect}) in ${(performance.now() - begun).toFixed(0)} ms\n`,
    );
    expect(new Set(streams.map(({ events }) => events[0]?.id))).toEqual(new Set([id]));
  }, 120_000);

  it('streams that break end at once when the service is about to stop, and hold up nothing', async () => {
    const own = await startService(databases, { application: items });
    const user = await own.createUser();
    const streams = await Promise.all(Array.from({ length: 5 }, () => follow(own.origin, user)));
    const begun = performance.now();
    const closed = own.server.close({ drain: 2 });
    await Promise.all(streams.map(({ ended }) => ended));
    expect(performance.now() - begun).toBeLessThan(1_500);
    const late = await follow(own.origin, user);
    expect(late.status).toBe(503);
    await closed;
    expect(performance.now() - begun).toBeLessThan(6_000);
    await own.close();
  }, 30_000);

  it('streams are refused where a process runs jobs only', async () => {
    const jobs = await service.secondInstance({ env: { JOBS: 'only' } });
    expect((await follow(jobs.origin, await service.createUser())).status).toBe(503);
  });
});

describeDatabase('postgres', 'a stream of an instance that is killed', (databases) => {
  const service = useService(databases, { application: items });
  const script = fileURLToPath(new URL('./children/serve-items.ts', import.meta.url));

  /** Another instance in a process of its own; killed with the test. */
  const startInstance = async () => {
    const child = spawn(process.execPath, [script], {
      env: { ...inheritedEnvironment(), ...service.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
    });
    await expect.poll(() => output, { timeout: 30_000 }).toMatch(/port \d+/);
    return { child, origin: `http://127.0.0.1:${/port (\d+)/.exec(output)?.[1]}` };
  };

  it('goes on at another one without a gap or a repetition', async () => {
    const user = await service.createUser();
    const instances = [await startInstance(), await startInstance()];
    const { events } = service.server.services;
    await events.settle();
    const { last: begun } = await events.range();
    const origins = instances.map(({ origin }) => origin);
    const reader = new Reader(() => origins.shift() ?? service.origin, user);
    await reader.open();
    const writing = Promise.all(['a', 'b', 'c', 'd'].map((name) => write(service, name, 60)));
    for (const { child } of instances) {
      await delay(300);
      child.kill('SIGKILL');
      reader.lose();
      await reader.open();
    }
    await writing;
    const all = await expected(service, begun);
    await reader.until(all.at(-1)?.number ?? 0);
    expect(brief(reader.received)).toEqual(all);
    expect(reader.connections).toBe(3);
  }, 90_000);
});

describeDatabase(
  'sqlite',
  'events of another worker',
  (databases) => {
    const service = useService(databases, { application: items });

    it('events of another worker arrive in the order of their commits, and long before the next poll', async () => {
      const reader = await service.createUser();
      const stream = await follow(service.origin, reader);
      await stream.settled(() => stream.place() !== undefined);
      const { token } = await service.admin();
      const begun = performance.now();
      // Each worker writes every other one, after the one before has arrived.
      for (let write = 1; write <= 12; write += 1) {
        const body = { item: { title: `item ${write}` } };
        expect((await service.post('/admin/records/items', { token, body })).status).toBe(201);
        await stream.until(write);
      }
      expect(stream.events.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
      // A poll a second would take six seconds.
      expect(performance.now() - begun).toBeLessThan(3_000);
      stream.close();
    });
  },
  2,
);
