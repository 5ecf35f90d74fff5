import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { expect, it } from 'vitest';
import { dialectOf } from '../../src/database/dialects.ts';
import { readTables } from '../../src/database/migrations/read-tables.ts';
import { startChild } from '../support/child.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { testsAll } from '../support/tiers.ts';

// Many processes start here; compiled once, each takes half the time.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'gatewright-compile-cache');

const query = (sql: string) => ({ sql, parameters: [] });

/** Whole numbers as the service reads them. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

/** One bare connection: the threads and sessions of a service's own would cost more than all that is read. */
const readerOf = async (url: string) => {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length));
    return {
      all: async <Row>(sql: string) => database.prepare(sql).all() as Row[],
      close: async () => database.close(),
    };
  }
  const client = new pg.Client({ connectionString: url, types });
  await client.connect();
  return {
    all: async <Row>(sql: string) => (await client.query(sql)).rows as Row[],
    close: () => client.end(),
  };
};

/** Statements from one kill to the next: the full tier tries every third one, others on each database. */
const stride = testsAll ? 1 : 3;

describeEachDatabase('a migration killed behind any of its statements', (databases) => {
  const migrate = async (url: string, step: string, last = 0) => {
    const { lines, exited, process } = startChild('faults/children/migrate-killed.ts', [
      url,
      step,
      String(last),
    ]);
    const { value } = await lines.next();
    await exited;
    return { statements: Number(value ?? 0), killed: process.signalCode === 'SIGKILL' };
  };

  /** Everything that the migration touches: tables, columns, indexes, records. */
  const state = async (url: string): Promise<string> => {
    const { all, close } = await readerOf(url);
    try {
      const tables = await readTables(all, dialectOf(databases.dialect));
      const shapes = [...tables.values()]
        .filter(({ name }) => !/^(?:migrations|gatewright_)/.test(name))
        .map(({ name, columns, indexes }) => [name, [...columns.values()], indexes]);
      const rows = await all('select * from books order by id');
      return JSON.stringify([shapes, rows]);
    } finally {
      await close();
    }
  };

  it('leaves the old state or the new one, and is finished by the next start', async () => {
    const url = await databases.create();
    await migrate(url, 'first');
    const database = await databases.open(url);
    const at = `'2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z'`;
    for (const sql of [
      `insert into authors (name, created_at, updated_at) values ('Li', ${at})`,
      `insert into books (author_id, price, old, created_at, updated_at) values (1, 12, 'x', ${at})`,
      `insert into books (author_id, price, old, created_at, updated_at) values (1, null, 'y', ${at})`,
    ])
      await database.execute(query(sql));
    await database.close();
    const before = await state(url);
    const states: string[] = [];
    const first = databases.dialect === 'sqlite' || testsAll ? 1 : 2;
    for (let last = first; ; last += stride) {
      const { killed, statements } = await migrate(url, 'second', last);
      states.push(await state(url));
      if (!killed) {
        expect(statements).toBeLessThan(last);
        break;
      }
    }
    const after = states.at(-1) ?? '';
    expect(after).toContain('"price":100');
    expect(after).toContain('writers');
    const turned = states.indexOf(after);
    expect(new Set(states.slice(0, turned))).toEqual(new Set([before]));
    expect(new Set(states.slice(turned))).toEqual(new Set([after]));
    expect(turned * stride).toBeGreaterThan(20);
  }, 300_000);
});
