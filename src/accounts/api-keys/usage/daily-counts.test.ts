import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../tests/support/databases.ts';
import { applyMigrations } from '../../../app/migrate.ts';
import type { Principal } from '../../../auth/principal.ts';
import type { Database } from '../../../database/database.ts';
import { databaseTarget } from '../../../database/targets.ts';
import { createKeyUsage } from './daily-counts.ts';

const start = Date.parse('2026-11-21T10:00:00.000Z');
const from = { address: '203.0.113.7' };

const holderOf = (keyId: number, method: 'api_key' | 'jwt' = 'api_key'): Principal => ({
  kind: 'user',
  method,
  id: 1,
  username: 'holder',
  email: 'holder@example.com',
  name: 'Holder',
  roles: ['viewer'],
  granted: [],
  mustChangePassword: false,
  secondFactor: 'none' as const,
  credential: keyId,
});

describeEachDatabase('the use of keys', (databases) => {
  /** A database with a user's keys 1 to `keys`, whose writes fail while `broken` is set. */
  const setUp = async (keys: number) => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), { migrations: {} });
    const database = await databases.open(url);
    const at = `'${new Date(start).toISOString()}'`;
    const run = (sql: string) => database.execute<Record<string, unknown>>({ sql, parameters: [] });
    await run(`insert into users (username, username_canonical, email, email_canonical, name, password_hash,
      created_at, updated_at) values ('holder', 'holder', 'h@example.com', 'h@example.com', 'Holder', 'x', ${at}, ${at})`);
    await run(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${keys})
      insert into api_keys (user_id, name, key_hash, key_prefix, created_at)
      select 1, 'key', cast(n as text), 'abcdef01', ${at} from numbers`);
    const state = { broken: false, now: start, statements: 0 };
    const faulty: Database = {
      ...database,
      dialect: database.dialect,
      all: (query) => database.all(query),
      get: (query) => database.get(query),
      execute: (query) => {
        state.statements += 1;
        return state.broken ? Promise.reject(new Error('database away')) : database.execute(query);
      },
    };
    const sums = async (): Promise<readonly number[]> => {
      const [row] = await run(
        'select count(*) as keys, sum(requests) as requests, sum(refused) as refused from gatewright_key_usage',
      );
      return [row?.['keys'], row?.['requests'], row?.['refused']].map(Number);
    };
    return { usage: createKeyUsage({ database: faulty, clock: () => state.now }), state, sums, run };
  };

  it('what could not be written is written with the next batch, with what came meanwhile', async () => {
    const { usage, state, sums } = await setUp(700);
    const everyKey = (status: number): void => {
      for (let key = 1; key <= 700; key += 1) usage.count(holderOf(key), status, from);
    };
    everyKey(200);
    state.broken = true;
    const failed = usage.flush();
    everyKey(403);
    await expect(failed).rejects.toThrow('database away');
    everyKey(200);
    state.broken = false;
    await usage.flush();
    expect(await sums()).toEqual([700, 2100, 700]);
    await usage.flush();
    expect(await sums()).toEqual([700, 2100, 700]);
  });

  it('a deleted key leaves the figures of others alone; a token is no key', async () => {
    const { usage, sums } = await setUp(3);
    for (const key of [1, 2, 3, 77]) usage.count(holderOf(key), 200, from);
    usage.count(holderOf(1, 'jwt'), 200, from);
    await usage.flush();
    expect(await sums()).toEqual([3, 3, 0]);
  });

  it('the use of 100,000 keys at once stays within some megabytes, and is written in a few hundred statements', async () => {
    const { usage, state, sums } = await setUp(100_000);
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const principals = { ...holderOf(1) } as { credential: number } & Principal;
    for (let round = 0; round < 3; round += 1)
      for (let key = 1; key <= 100_000; key += 1) {
        principals.credential = key;
        usage.count(principals, round === 0 ? 429 : 200, from);
      }
    globalThis.gc?.();
    expect((process.memoryUsage().heapUsed - before) / 1024 / 1024).toBeLessThan(40);
    await usage.flush();
    expect(await sums()).toEqual([100_000, 300_000, 100_000]);
    expect(state.statements).toBe(200);
  }, 60_000);

  it('the use of more keys than it holds is not counted, and costs no memory', async () => {
    const { usage, state } = await setUp(1);
    const principal = { ...holderOf(1) } as { credential: number } & Principal;
    for (let key = 1; key <= 250_000; key += 1) {
      principal.credential = key;
      usage.count(principal, 200, from);
    }
    await usage.flush();
    // 200,000 keys in statements of 500.
    expect(state.statements).toBe(400);
  }, 60_000);
});
