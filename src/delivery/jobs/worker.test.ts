import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { applyMigrations } from '../../app/migrate.ts';
import type { Database } from '../../database/database.ts';
import { databaseTarget } from '../../database/targets.ts';
import { field } from '../../fields/define.ts';
import { catalogueOf } from '../../kernel/messages/messages.ts';
import { neverStopping, type Stopping } from '../../kernel/stopping.ts';
import type { Scope } from '../../model/scope.ts';
import { collectJobs, defineJob, type JobDefinition } from './define-job.ts';
import { createJobs, type JobService } from './job-service.ts';
import { failureText, retryDelay, type WorkerTimes } from './worker.ts';

/** Intervals so long that no timer fires within a test, unless it says so. */
const times: WorkerTimes = { lease: 60_000, poll: 60_000, grace: 60_000 };

/** A promise with its ends, and how often the first one was asked for. */
const gate = () => Promise.withResolvers<void>();

const systemScope = (reason: string): Scope<'all'> =>
  ({ principal: { kind: 'system', reason } }) as unknown as Scope<'all'>;

describeEachDatabase('a worker', (databases) => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(ends.splice(0).map((end) => end()));
  });

  const migrated = async (): Promise<string> => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), { migrations: {} });
    return url;
  };

  interface Instance {
    readonly database: Database;
    readonly lines: string[];
    readonly add: (name: string, values?: object, options?: { at?: string; key?: string }) => Promise<number>;
    readonly jobs: JobService;
    /** Begins to work; returns the function that ends it. */
    readonly work: (concurrency?: number, stopping?: Stopping) => () => Promise<void>;
    readonly rows: () => Promise<{ name: string; state: string; attempts: number; error: string | null }[]>;
  }

  const instance = async (
    url: string,
    definitions: Readonly<Record<string, JobDefinition>>,
    own: Partial<WorkerTimes> = {},
  ): Promise<Instance> => {
    const database = await databases.open(url);
    const lines: string[] = [];
    const jobs = createJobs({
      database,
      jobs: collectJobs(definitions),
      catalogue: catalogueOf('en'),
      times: { ...times, ...own },
    });
    const work: Instance['work'] = (concurrency = 5, stopping = neverStopping) => {
      const end = jobs.work({
        systemScope,
        watch: undefined,
        concurrency,
        stopping,
        logger: pino({ level: 'debug' }, { write: (line) => void lines.push(line) }),
      });
      let ended: Promise<void> | undefined;
      const once = (): Promise<void> => {
        ended ??= end();
        return ended;
      };
      ends.push(once);
      return once;
    };
    const add: Instance['add'] = (name, values = {}, options = {}) =>
      jobs.port.add(name, values, options, undefined);
    const rows: Instance['rows'] = () =>
      database.all({
        sql: 'select name, state, attempts, error from gatewright_jobs order by id',
        parameters: [],
      });
    return { database, lines, add, jobs, work, rows };
  };

  const gone = async ({ rows }: Instance): Promise<void> =>
    void (await expect.poll(rows, { interval: 20 }).toEqual([]));

  it('runs a job as soon as it is added, with its values and its number', async () => {
    const seen: unknown[] = [];
    const mail = defineJob({
      input: { to: field.string({ required: true }), copies: field.integer({ default: 1 }) },
      handle: ({ values, id, attempt, principal, signal }) => {
        seen.push([values, id, attempt, principal, signal.aborted]);
      },
    });
    const one = await instance(await migrated(), { mail });
    one.work();
    const id = await one.add('mail', { to: 'a' });
    await gone(one);
    const principal = { kind: 'system', reason: 'job mail' };
    expect(seen).toEqual([[{ to: 'a', copies: 1 }, id, 1, principal, false]]);
  });

  it('runs a job in its time, woken by a timer', async () => {
    let ran = 0;
    const one = await instance(await migrated(), {
      mail: defineJob({
        handle: () => {
          ran = Date.now();
        },
      }),
    });
    one.work();
    const at = Date.now() + 700;
    await one.add('mail', {}, { at: new Date(at).toISOString() });
    await gone(one);
    expect(ran).toBeGreaterThanOrEqual(at - 5);
  });

  it('shares 1,000 jobs with another one, and neither does one twice', { timeout: 60_000 }, async () => {
    const url = await migrated();
    const done: string[] = [];
    const of = (who: string) => ({
      count: defineJob({
        input: { n: field.integer({ required: true }) },
        handle: async ({ values }) => {
          done.push(`${who} ${values.n}`);
          await turn();
        },
      }),
    });
    const [first, second] = [await instance(url, of('first')), await instance(url, of('second'))];
    await first.database.write(async (transaction) => {
      for (let n = 0; n < 1_000; n += 1)
        await first.jobs.outbox.add({ name: 'count', key: null, input: { n }, at: undefined }, transaction);
    });
    first.work();
    second.work();
    await expect.poll(first.rows, { timeout: 45_000, interval: 100 }).toEqual([]);
    const numbers = done.map((line) => Number(line.split(' ')[1])).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
    expect(new Set(done.map((line) => line.split(' ')[0])).size).toBe(2);
  });

  it('runs no more at one moment than it may', async () => {
    let running = 0;
    let most = 0;
    const held = gate();
    const one = await instance(await migrated(), {
      slow: defineJob({
        handle: async () => {
          running += 1;
          most = Math.max(most, running);
          await held.promise;
          running -= 1;
        },
      }),
    });
    for (let n = 0; n < 12; n += 1) await one.add('slow');
    one.work(3);
    await expect.poll(() => running).toBe(3);
    held.resolve();
    await gone(one);
    expect(most).toBe(3);
  });

  it('runs a job of another name beside the places that jobs without an end have taken', async () => {
    const ran: string[] = [];
    const held = gate();
    const hanging = defineJob({ handle: () => held.promise });
    const quick = defineJob({
      input: { text: field.string({ required: true }) },
      handle: ({ values }) => {
        ran.push(values.text);
      },
    });
    const one = await instance(await migrated(), { first: hanging, second: hanging, quick });
    for (let n = 0; n < 12; n += 1) for (const name of ['first', 'second']) await one.add(name);
    one.work(3);
    const running = async () => (await one.rows()).filter(({ state }) => state === 'running');
    await expect.poll(running).toHaveLength(4);
    for (const text of ['a', 'b', 'c']) {
      await one.add('quick', { text });
      await expect.poll(() => ran.at(-1)).toBe(text);
    }
    expect(await running()).toHaveLength(4);
    held.resolve();
    await gone(one);
  });

  it('sends one mail at a time after a failure, and as many as it may once one has left', async () => {
    let isDown = true;
    let [running, most] = [0, 0];
    let held = gate();
    const one = await instance(await migrated(), {
      'account-mail': defineJob({
        handle: async () => {
          running += 1;
          most = Math.max(most, running);
          await held.promise;
          running -= 1;
          if (isDown) throw new Error('no greeting');
        },
      }),
    });
    for (let n = 0; n < 8; n += 1) await one.add('account-mail');
    one.work(3);
    await expect.poll(() => running).toBe(3);
    const attempts = async () => (await one.rows()).reduce((sum, row) => sum + row.attempts, 0);
    for (const begun of [4, 5]) {
      const before = held;
      held = gate();
      before.resolve();
      await expect.poll(attempts).toBe(begun);
      await expect.poll(() => running).toBe(1);
    }
    [isDown, most] = [false, 0];
    const last = held;
    held = gate();
    last.resolve();
    await expect.poll(() => most).toBe(3);
    held.resolve();
    await expect.poll(() => running).toBe(0);
  });

  it('counts whatever is thrown as a failed attempt, keeps what it says, and fails after the last one', async () => {
    const throwing = (error: unknown, attempts: number) =>
      defineJob({
        attempts,
        handle: () => {
          throw error;
        },
      });
    const one = await instance(await migrated(), {
      sync: throwing(new TypeError('x is undefined'), 2),
      text: throwing(`no \0 error${'!'.repeat(5_000)}`, 1),
      bare: throwing(Object.create(null), 1),
      rejecting: defineJob({ attempts: 1, handle: () => Promise.reject(undefined) }),
    });
    for (const name of ['sync', 'text', 'bare', 'rejecting']) await one.add(name);
    one.work();
    await expect
      .poll(async () => (await one.rows()).map(({ name, state, attempts }) => [name, state, attempts]))
      .toEqual([
        ['sync', 'waiting', 1],
        ['text', 'failed', 1],
        ['bare', 'failed', 1],
        ['rejecting', 'failed', 1],
      ]);
    expect((await one.rows()).map(({ error }) => error?.slice(0, 30))).toEqual([
      'TypeError: x is undefined',
      'thrown: no  error!!!!!!!!!!!!!',
      'thrown: a value without a text',
      'thrown: undefined',
    ]);
    expect((await one.rows())[1]?.error?.length).toBe(2_000);
    const wait = (await one.jobs.outbox.next()).get('sync')?.wait ?? 0;
    expect(wait).toBeGreaterThan(6_000);
    expect(wait).toBeLessThanOrEqual(10_000);
    expect(one.lines.filter((line) => line.includes('failed permanently'))).toHaveLength(3);
  });

  it('ends an attempt that never ends when its time is over, and takes the next', async () => {
    const aborted: unknown[] = [];
    const one = await instance(await migrated(), {
      endless: defineJob({
        timeout: 1,
        attempts: 2,
        handle: ({ signal }) => {
          signal.addEventListener('abort', () => aborted.push(signal.reason));
          return new Promise(() => {});
        },
      }),
      next: defineJob({ handle: () => {} }),
    });
    await one.add('endless');
    await one.add('next');
    one.work(1);
    await expect.poll(one.rows).toEqual([
      {
        name: 'endless',
        state: 'waiting',
        attempts: 1,
        error: expect.stringContaining('took longer than 1 s'),
      },
    ]);
    expect(aborted).toEqual([new Error('the timeout of the job is over')]);
  });

  it('fails what does not fit its input any more, once and clearly', async () => {
    const url = await migrated();
    const before = await instance(url, {
      mail: defineJob({ input: { to: field.string() }, handle: () => {} }),
    });
    await before.add('mail', { to: 'a' });
    const after = await instance(url, {
      mail: defineJob({ input: { address: field.string({ required: true }) }, handle: () => {} }),
    });
    after.work();
    await expect.poll(after.rows).toEqual([
      {
        name: 'mail',
        state: 'failed',
        attempts: 1,
        error: 'Error: the stored values no longer fit the input: Address must not be blank',
      },
    ]);
  });

  it('leaves jobs that it does not know to others', async () => {
    const url = await migrated();
    const ran: string[] = [];
    const known = (name: string) => ({
      [name]: defineJob({
        handle: () => {
          ran.push(name);
        },
      }),
    });
    const both = await instance(url, { ...known('old'), ...known('new') });
    await both.add('new');
    await both.add('old');
    const old = await instance(url, known('old'));
    old.work();
    await expect.poll(old.rows).toMatchObject([{ name: 'new', state: 'waiting', attempts: 0 }]);
    both.work();
    await gone(both);
    expect(ran).toEqual(['old', 'new']);
  });

  it('lets jobs end at a stop, and gives those back that do not: others run them at once', async () => {
    const url = await migrated();
    const started = gate();
    const last = gate();
    const signals: AbortSignal[] = [];
    const ran: number[] = [];
    const first = await instance(
      url,
      {
        polite: defineJob({
          handle: async ({ signal }) => {
            signals.push(signal);
            started.resolve();
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
          },
        }),
        broken: defineJob({
          handle: async ({ signal }) => {
            await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          },
        }),
        deaf: defineJob({ handle: () => last.promise }),
      },
      { grace: 300 },
    );
    const end = first.work();
    for (const name of ['deaf', 'broken', 'polite']) await first.add(name);
    await started.promise;
    await end();
    expect(signals[0]?.reason).toEqual(new Error('the process is about to stop'));
    expect(await first.rows()).toEqual([
      { name: 'deaf', state: 'waiting', attempts: 0, error: null },
      { name: 'broken', state: 'waiting', attempts: 0, error: null },
    ]);
    const deaf = defineJob({
      handle: ({ attempt }) => {
        ran.push(attempt);
      },
    });
    const second = await instance(url, { deaf, broken: deaf });
    second.work();
    // The run that was given back ends after all, and its end is ignored.
    last.resolve();
    await gone(second);
    expect(ran).toEqual([1, 1]);
  });

  it('begins nothing any more once the process is about to stop, while what runs goes on', async () => {
    const stopping = { begun: false };
    const held = gate();
    const ran: string[] = [];
    const one = await instance(await migrated(), {
      first: defineJob({
        handle: async ({ signal }) => {
          await held.promise;
          ran.push(`first ${signal.aborted}`);
        },
      }),
      second: defineJob({
        handle: () => {
          ran.push('second');
        },
      }),
    });
    one.work(5, stopping);
    await one.add('first');
    await expect.poll(one.rows).toMatchObject([{ name: 'first', state: 'running' }]);
    stopping.begun = true;
    await one.add('second');
    held.resolve();
    await expect.poll(one.rows).toMatchObject([{ name: 'second', state: 'waiting', attempts: 0 }]);
    expect(ran).toEqual(['first false']);
  });

  it('tells a job whose lease another one took, and ignores its result', async () => {
    const url = await migrated();
    const stuck = gate();
    const reasons: unknown[] = [];
    const first = await instance(
      url,
      {
        mail: defineJob({
          handle: async ({ signal }) => {
            signal.addEventListener('abort', () => reasons.push(signal.reason));
            await stuck.promise;
            throw new Error('late');
          },
        }),
      },
      { lease: 900 },
    );
    const end = first.work();
    await first.add('mail');
    await expect.poll(first.rows).toMatchObject([{ state: 'running' }]);
    // The process behaves as if it had stood still for longer than its lease.
    await first.database.execute({
      sql: `update gatewright_jobs set lease = 'another', attempts = 2`,
      parameters: [],
    });
    await expect.poll(() => reasons).toEqual([new Error('another process has taken the job over')]);
    stuck.resolve();
    await end();
    expect(await first.rows()).toEqual([{ name: 'mail', state: 'running', attempts: 2, error: null }]);
  });

  it('keeps the lease of a job that runs for longer', async () => {
    const url = await migrated();
    let runs = 0;
    const held = gate();
    const long = () => ({
      long: defineJob({
        handle: async () => {
          runs += 1;
          await held.promise;
        },
      }),
    });
    const [first, second] = [
      await instance(url, long(), { lease: 900, poll: 100 }),
      await instance(url, long(), { lease: 900, poll: 100 }),
    ];
    first.work();
    second.work();
    await first.add('long');
    await expect.poll(() => runs).toBe(1);
    const leaseEnd = async (): Promise<number> => {
      const [row] = await first.database.all<{ available_at: string }>({
        sql: 'select available_at from gatewright_jobs',
        parameters: [],
      });
      return Date.parse(row?.available_at ?? '');
    };
    // Two leases have passed.
    await expect.poll(leaseEnd).toBeGreaterThan((await leaseEnd()) + 1_800);
    held.resolve();
    await gone(first);
    expect(runs).toBe(1);
  });

  it('counts the runs of processes that were killed: one that kills them all fails in the end', async () => {
    const url = await migrated();
    const one = await instance(url, { killer: defineJob({ attempts: 2, handle: () => {} }) }, { lease: 30 });
    await one.add('killer');
    for (const lease of ['first', 'second']) {
      await expect.poll(() => one.jobs.outbox.claim('killer', 1, lease), { interval: 20 }).toHaveLength(1);
    }
    one.work();
    await expect
      .poll(one.rows)
      .toMatchObject([{ state: 'failed', error: 'Error: the last run did not end: its process died' }]);
  });

  it('stores one job for each tick, however many workers do', { timeout: 60_000 }, async () => {
    const url = await migrated();
    const ticks: number[] = [];
    const every = () => ({
      report: defineJob({
        every: '* * * * * *',
        handle: () => {
          ticks.push(Date.now());
        },
      }),
    });
    const three = await Promise.all([1, 2, 3].map(() => instance(url, every())));
    for (const each of three) each.work();
    const began = performance.now();
    await expect.poll(() => ticks.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(5);
    await Promise.all(ends.splice(0).map((end) => end()));
    expect(ticks.length).toBeLessThanOrEqual((performance.now() - began) / 1_000 + 1);
    // None ran twice within a second, but for the jitter of a busy machine.
    expect(new Set(ticks.map((tick) => Math.round(tick / 1000))).size).toBeGreaterThanOrEqual(
      ticks.length - 1,
    );
  });

  it('runs once for all ticks that were missed without a worker', async () => {
    const url = await migrated();
    const ran: number[] = [];
    const one = await instance(url, {
      report: defineJob({
        every: '0 * * * *',
        handle: ({ id }) => {
          ran.push(id);
        },
      }),
    });
    await one.database.execute({
      sql: `insert into gatewright_schedules (name, pattern, ticked_at) values ('report', '0 * * * * UTC', '2026-01-01T00:00:00.000Z')`,
      parameters: [],
    });
    one.work();
    await expect.poll(() => ran.length).toBe(1);
    await gone(one);
    // No tick that was missed is still to come.
    const [schedule] = await one.database.all<{ ticked_at: string }>({
      sql: 'select ticked_at from gatewright_schedules',
      parameters: [],
    });
    expect(Date.now() - Date.parse(schedule?.ticked_at ?? '')).toBeLessThan(3_600_000);
    expect(ran).toHaveLength(1);
  });

  it('ticks on after a clock that was ahead, and says so', async () => {
    const one = await instance(await migrated(), {
      report: defineJob({ every: '* * * * * *', handle: () => {} }),
    });
    await one.database.execute({
      sql: `insert into gatewright_schedules (name, pattern, ticked_at) values ('report', '* * * * * * UTC', '${new Date(Date.now() + 172_800_000).toISOString()}')`,
      parameters: [],
    });
    const ages = async () =>
      Object.fromEntries(
        (await one.jobs.tickFigures()).map(({ name, samples }) => [name, samples[0]?.value ?? 0]),
      );
    expect((await ages())['job_last_tick_seconds']).toBeLessThan(-172_000);
    one.work();
    await expect
      .poll(async () => Math.abs((await ages())['job_last_tick_seconds'] ?? NaN), { timeout: 5_000 })
      .toBeLessThan(10);
    expect((await ages())['job_tick_pause_seconds']).toBeLessThanOrEqual(1);
    const said = one.lines.filter((line) => line.includes('is in the future'));
    expect(said.map((line) => JSON.parse(line).job)).toEqual(['report']);
  });

  it('stores how a job ended once the database is back, and does not run it again meanwhile', async () => {
    let runs = 0;
    const one = await instance(await migrated(), {
      mail: defineJob({
        handle: () => {
          runs += 1;
          broken = true;
        },
      }),
    });
    let broken = false;
    const { execute } = one.database;
    Object.assign(one.database, {
      execute: (query: Parameters<typeof execute>[0]) =>
        broken ? Promise.reject(new Error('away')) : execute.call(one.database, query),
    });
    one.work();
    await one.add('mail');
    await expect.poll(() => one.lines.filter((line) => line.includes('is not stored yet')).length).toBe(1);
    broken = false;
    await gone(one);
    expect(runs).toBe(1);
  });

  it('a worker does not run a job in the context of the request that added it', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const one = await instance(await migrated(), {
      mail: defineJob({
        handle: () => {
          seen.push(context.getStore());
        },
      }),
    });
    one.work();
    await context.run('a request', () => one.add('mail'));
    await gone(one);
    expect(seen).toEqual([undefined]);
  });

  it('a worker is woken by another process where the database can, and polls where it cannot', async () => {
    const url = await migrated();
    let ran = 0;
    const mail = defineJob({
      handle: () => {
        ran += 1;
      },
    });
    const poll = databases.dialect === 'postgres' ? 60_000 : 200;
    const working = await instance(url, { mail }, { poll });
    const storing = await instance(url, { mail });
    working.work();
    if (databases.dialect === 'postgres')
      await expect
        .poll(() =>
          working.database.all({
            sql: `select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen %'`,
            parameters: [],
          }),
        )
        .toHaveLength(1);
    await storing.add('mail');
    await expect.poll(() => ran, { timeout: 5_000 }).toBe(1);
  });
});

describe('an attempt that failed', () => {
  it('waits 10 s × 4^n, at most 6 h, less up to a quarter', () => {
    const waits = Array.from({ length: 8 }, (_, index) => retryDelay(index + 1, 0) / 1000);
    expect(waits).toEqual([10, 40, 160, 640, 2_560, 10_240, 21_600, 21_600]);
    expect(retryDelay(1, 1)).toBe(7_500);
    expect(retryDelay(1_000, 0.5)).toBe(21_600_000 * 0.875);
    const chance = new Set(Array.from({ length: 20 }, () => retryDelay(8)));
    expect(chance.size).toBeGreaterThan(10);
  });

  it('leaves a text that every database takes', () => {
    expect(failureText(new Error('a\0b\ud800'))).toBe('Error: ab\ufffd');
    expect(failureText({ toString: () => 'mine' })).toBe('thrown: mine');
    expect(
      failureText(
        new Proxy(
          {},
          {
            get: () => {
              throw new Error('no');
            },
          },
        ),
      ),
    ).toBe('thrown: a value without a text');
  });
});
