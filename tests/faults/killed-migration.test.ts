import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dialectOf } from '../../src/store/dialects/registry.ts';
import { readTables } from '../../src/store/migrations/read-tables.ts';
import { startChild } from '../support/child.ts';
import { describeEachDatabase } from '../support/databases.ts';

// Some seventy processes start here; compiled once, each takes half the time.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'gatewright-compile-cache');

const query = (sql: string) => ({ sql, parameters: [] });

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
    const database = await databases.open(url);
    try {
      const tables = await readTables((sql) => database.all(query(sql)), dialectOf(databases));
      const shapes = [...tables.values()]
        .filter(({ name }) => !/^(?:migrations|gatewright_)/.test(name))
        .map(({ name, columns, indexes }) => [name, [...columns.values()], indexes]);
      const rows = await database.all(query('select * from books order by id'));
      return JSON.stringify([shapes, rows]);
    } finally {
      await database.close();
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
    for (let last = 1; ; last += 1) {
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
    expect(turned).toBeGreaterThan(20);
  }, 120_000);
});
