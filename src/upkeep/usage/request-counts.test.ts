import { describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { addKey } from '../../accounts/api-keys/commands.ts';
import { createSessionStore } from '../../accounts/sessions/store.ts';
import { createUserStore } from '../../accounts/users/store.ts';
import { applyMigrations } from '../../app/migrate.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Database } from '../../database/database.ts';
import { databaseTarget } from '../../database/targets.ts';
import { BatchedCounter } from '../../ledger/batched-counter.ts';
import { createCommands } from '../../ledger/command.ts';
import { createUsageRecorder } from './last-uses.ts';
import { createRequestCounts } from './request-counts.ts';

const sum = (earlier = 0, added: number): number => earlier + added;

/** A counter that writes at most two entries at once into `rows`, and fails at the writes of which `fails` is true. */
const setUp = (fails: (write: number) => boolean, maxEntries = 100) => {
  const rows = new Map<number, number>();
  const orders: number[][] = [];
  const counter = new BatchedCounter<number, number>({
    maxEntries,
    writeSizes: [2, 1],
    merge: (earlier, added) => earlier + added,
    write: async (entries) => {
      orders.push(entries.map(([key]) => key));
      if (fails(orders.length)) throw new Error('database away');
      for (const [key, count] of entries) rows.set(key, sum(rows.get(key), count));
    },
  });
  return { counter, rows, orders };
};

describe('a batched counter', () => {
  it('writes entries in the order of their keys, and only what is new', async () => {
    const { counter, rows, orders } = setUp(() => false);
    for (const key of [10, 9, 2, 10]) counter.add(key, 1);
    await counter.flush();
    await counter.flush();
    expect(orders).toEqual([[2, 9], [10]]);
    expect([...rows]).toEqual([
      [2, 1],
      [9, 1],
      [10, 2],
    ]);
  });

  it('counts what was not written with the next batch, once, and what was written not again', async () => {
    const { counter, rows } = setUp((write) => write === 2);
    for (const key of [1, 2, 3]) counter.add(key, 1);
    const failed = counter.flush();
    const next = counter.flush();
    await expect(failed).rejects.toThrow('database away');
    counter.add(3, 1);
    await next;
    await counter.flush();
    expect(Object.fromEntries(rows)).toEqual({ 1: 1, 2: 1, 3: 2 });
  });

  it('holds no more entries than it may, also where batches fail, and goes on counting those', async () => {
    const { counter, rows } = setUp((write) => write < 3, 2);
    for (let round = 0; round < 3; round += 1) {
      for (const key of [1, 2, 3]) counter.add(key, 1);
      await counter.flush().catch(() => {});
    }
    expect(Object.fromEntries(rows)).toEqual({ 1: 3, 2: 3 });
  });

  it('writes what is left when it is stopped, and reports a failure that lasts once', async () => {
    const { counter, rows } = setUp((write) => write === 1);
    const errors: unknown[] = [];
    const stop = counter.start(60_000, (error) => errors.push(error));
    counter.add(1, 1);
    await stop();
    expect([rows.size, errors.length]).toEqual([0, 1]);
    await stop();
    expect([rows.get(1), errors.length]).toEqual([1, 1]);
  });
});

const minute = 60_000;
const start = Date.parse('2026-11-21T10:00:00.000Z');
const at = (time: number): string => new Date(time).toISOString();

describeEachDatabase('what is counted in memory and written in batches', (databases) => {
  /** The real database, whose writes fail while `broken` is set. */
  const setUp = async () => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), { migrations: {} });
    const database = await databases.open(url);
    const state = { broken: false, now: start };
    const faulty: Database = {
      ...database,
      dialect: database.dialect,
      all: (query) => database.all(query),
      get: (query) => database.get(query),
      execute: (query) =>
        state.broken ? Promise.reject(new Error('database away')) : database.execute(query),
      write: (unit) => (state.broken ? Promise.reject(new Error('database away')) : database.write(unit)),
    };
    const lastUse = async (): Promise<string | undefined> => {
      const [row] = await database.all<{ at: string }>({
        sql: `select last_used_at as at from application_usage where app_id = 'shop'`,
        parameters: [],
      });
      return row === undefined ? undefined : at(new Date(row.at).getTime());
    };
    return { context: { database: faulty, clock: () => state.now }, state, lastUse };
  };

  it('last uses that could not be written are written with the next batch', async () => {
    const { context, state, lastUse } = await setUp();
    const usage = createUsageRecorder(context);
    const stop = usage.start(() => {});
    usage.applicationUsed('shop', start);
    state.broken = true;
    await expect(usage.flush()).rejects.toThrow('database away');
    expect(await lastUse()).toBeUndefined();
    state.broken = false;
    await stop();
    expect(await lastUse()).toBe(at(start));
  });

  it('a later use stays, whatever comes or fails after it', async () => {
    const { context, state, lastUse } = await setUp();
    const usage = createUsageRecorder(context);
    const stop = usage.start(() => {});
    // The clock was set back.
    usage.applicationUsed('shop', start + minute);
    usage.applicationUsed('shop', start);
    await usage.flush();
    expect(await lastUse()).toBe(at(start + minute));
    // The failed write is stored after the uses that came meanwhile.
    usage.applicationUsed('shop', start + 2 * minute);
    state.broken = true;
    const failed = usage.flush();
    usage.applicationUsed('shop', start + 3 * minute);
    await expect(failed).rejects.toThrow('database away');
    state.broken = false;
    await stop();
    expect(await lastUse()).toBe(at(start + 3 * minute));
  });

  it('a use of a key, a session or an application never moves back what another instance wrote', async () => {
    const { context } = await setUp();
    const { database } = context;
    const actor = { principal: 'command line', address: null } as const;
    const names = { username: 'ann', usernameCanonical: 'ann', email: 'a@b.c', emailCanonical: 'a@b.c' };
    const values = { ...names, name: 'Ann', passwordHash: 'x', disabled: false, roles: ['viewer'] };
    const user = await createUserStore(context).create(values, actor);
    const key = { userId: user, name: 'k', hash: 'h', prefix: 'p', expiresAt: null };
    const id = await createCommands(context)(actor, (change) => addKey(change, key));
    const session = { hash: 's', address: '127.0.0.1', userAgent: '' };
    await createSessionStore(context).create({ id: user, securityStamp: 0 }, session, actor);
    const select = `select (select last_used_at from api_keys) as k, (select last_used_at from sessions) as s,
      (select last_used_at from application_usage) as a, (select id from sessions) as id`;
    const stored = () =>
      database.get<{ k: string | null; s: string; a: string; id: number }>({ sql: select, parameters: [] });
    const unused = await stored();
    expect(unused?.k).toBeNull();

    const used = async (...times: readonly number[]): Promise<unknown> => {
      for (const now of times) {
        // Another instance each time: it remembers nothing of what the others wrote.
        const usage = createUsageRecorder(context);
        usage.keyUsed(id, 'h', now);
        usage.sessionUsed(unused?.id ?? 0, now);
        usage.applicationUsed('shop', now);
        await usage.flush();
      }
      const row = await stored();
      return [row?.k, row?.s, row?.a].map((time) => at(new Date(time ?? 0).getTime()));
    };
    const all = (time: number): string[] => [at(time), at(time), at(time)];
    expect(await used(start + minute)).toEqual(all(start + minute));
    expect(await used(start + 3 * minute, start + 2 * minute)).toEqual(all(start + 3 * minute));
  });

  it('requests and failed sign-ins that could not be written are counted with the next batch, once', async () => {
    const { context, state } = await setUp();
    const counts = createRequestCounts(context);
    const anonymous: Principal = { kind: 'nobody' };
    counts.countSignIn(anonymous, 401);
    state.broken = true;
    const failed = counts.flush();
    counts.countSignIn(anonymous, 401);
    await expect(failed).rejects.toThrow('database away');
    state.broken = false;
    await counts.flush();
    await counts.flush();
    const period = { step: 'hour', from: '2026-11-21T00' } as const;
    expect(await counts.requests(period)).toMatchObject([
      { authentication: 'none', status: 401, requests: 2 },
    ]);
    expect(await counts.failures(period)).toMatchObject([{ at: '2026-11-21T10', failures: 2 }]);
  });
});
