import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import { applyMigrations } from '../app/migrate.ts';
import { databaseTarget } from '../database/targets.ts';
import { toTimestamp } from '../kernel/clock.ts';
import { CountedTable, type CountedTableOptions } from './counted-table.ts';

const start = Date.parse('2026-11-21T10:00:00.000Z');
const hourMs = 3_600_000;

interface Call {
  readonly key_id: number;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  requests: number;
}

/** A table of calls whose counts a test may add. */
class Calls extends CountedTable<'gatewright_key_calls', Call> {
  call(key_id: number, route: string, requests = 1): void {
    this.counter.add(`${key_id} ${route}`, { key_id, method: 'GET', route, status: 200, requests });
  }
}

const options: CountedTableOptions<'gatewright_key_calls', Call> = {
  name: 'calls',
  table: 'gatewright_key_calls',
  key: ['key_id', 'method', 'route', 'status'],
  sums: ['requests'],
  newest: ['last_at'],
  written: { last_at: toTimestamp },
  owner: 'key_id',
  removal: { column: 'last_at', ageMs: hourMs, text: toTimestamp },
  maxEntries: 5,
  rowsPerStatement: [2, 1],
  merge: (pending, { requests }) => {
    pending.requests += requests;
    return pending;
  },
};

describeEachDatabase('a counted table', (databases) => {
  /** A database with the keys 1 and 2. */
  const setUp = async () => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), { migrations: {} });
    const database = await databases.open(url);
    const state = { now: start };
    const statements: string[] = [];
    const run = (sql: string) => database.execute<Record<string, unknown>>({ sql, parameters: [] });
    const at = `'${toTimestamp(start)}'`;
    await run(`insert into users (username, username_canonical, email, email_canonical, name, password_hash,
      created_at, updated_at) values ('holder', 'holder', 'h@example.com', 'h@example.com', 'Holder', 'x', ${at}, ${at})`);
    await run(`insert into api_keys (user_id, name, key_hash, key_prefix, created_at)
      values (1, 'one', '1', 'abcdef01', ${at}), (1, 'two', '2', 'abcdef02', ${at})`);
    const recording = {
      ...database,
      dialect: database.dialect,
      execute: <Row>(query: Parameters<typeof database.execute>[0]) => {
        statements.push(query.sql);
        return database.execute<Row>(query);
      },
    };
    const open = (changed: Partial<typeof options> = {}) =>
      new Calls({ database: recording, clock: () => state.now }, { ...options, ...changed });
    const stored = async () => {
      const rows = await run(
        'select key_id, route, requests, last_at from gatewright_key_calls order by key_id, route',
      );
      return rows.map(({ key_id, route, requests, last_at }) => [
        Number(key_id),
        route,
        Number(requests),
        new Date(last_at as string).getTime() - start,
      ]);
    };
    return { open, stored, state, statements, run };
  };

  it('adds to the rows of all instances, with the time of the newest batch', async () => {
    const { open, stored, state } = await setUp();
    const [one, other] = [open(), open()];
    one.call(1, '/a');
    one.call(1, '/a', 2);
    one.call(2, '/a');
    await one.flush();
    state.now += 5_000;
    other.call(1, '/a', 10);
    await other.flush();
    await one.flush();
    expect(await stored()).toEqual([
      [1, '/a', 13, 5_000],
      [2, '/a', 1, 0],
    ]);
  });

  it('leaves out counts of a deleted owner, and writes the others of their statement', async () => {
    const { open, stored, run } = await setUp();
    const calls = open();
    for (const key of [1, 2, 77]) calls.call(key, '/a');
    await run('delete from api_keys where id = 2');
    await calls.flush();
    expect(await stored()).toEqual([[1, '/a', 1, 0]]);
  });

  it('writes as many rows by one statement as it may, by few texts, and no more rows than it holds', async () => {
    const { open, stored, statements } = await setUp();
    const calls = open();
    for (const route of ['/e', '/d', '/c', '/b', '/a', '/f']) calls.call(1, route);
    await calls.flush();
    expect((await stored()).map(([, route]) => route)).toEqual(['/a', '/b', '/c', '/d', '/e']);
    expect([statements.length, new Set(statements).size]).toEqual([3, 2]);
  });

  it('completes a batch, and stores the part of it that is selected', async () => {
    const { open, stored } = await setUp();
    const calls = open({
      gather: async () => calls.call(1, '/gathered'),
      select: async (rows) => rows.filter(({ route }) => route !== '/left-out'),
    });
    calls.call(1, '/left-out');
    calls.call(1, '/kept');
    await calls.flush();
    expect((await stored()).map(([, route]) => route)).toEqual(['/gathered', '/kept']);
  });

  it('removes rows of the age of removal', async () => {
    const { open, stored, state } = await setUp();
    const calls = open();
    calls.call(1, '/old');
    await calls.flush();
    state.now += 60_000;
    calls.call(1, '/new');
    await calls.flush();
    await calls.sweep(start + hourMs);
    expect(await stored()).toHaveLength(2);
    await calls.sweep(start + hourMs + 1);
    expect((await stored()).map(([, route]) => route)).toEqual(['/new']);
  });
});
