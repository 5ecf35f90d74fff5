import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { startChild } from '../support/child.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { startService } from '../support/service.ts';
import { transferApplication } from '../support/transfer-application.ts';

const rows = 100_000;

const number = async (database: Database, sql: string): Promise<number> =>
  Number((await database.get<{ n: number }>({ sql, parameters: [] }))?.n ?? 0);

describeEachDatabase('an import that is killed', (databases) => {
  it('ends with each line once', { timeout: 180_000 }, async () => {
    await using service = await startService(databases, { application: transferApplication() });
    const { database } = service.server.services;
    const folder = await mkdtemp(join(tmpdir(), 'gatewright-import-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'categories.csv');
    // Nothing in the table keeps a name from standing there twice.
    await writeFile(
      path,
      `name\r\n${Array.from({ length: rows }, (_, n) => `"Category ${n}"\r\n`).join('')}`,
    );
    const start = () =>
      startChild('faults/children/import.ts', [JSON.stringify(service.env), path, 'categories']);
    const stored = () => number(database, 'select count(*) as n from categories');
    const placed = () =>
      number(database, 'select coalesce(sum(created), 0) as n from gatewright_import_places');
    const reached: number[] = [];
    for (let kill = 0; kill < 3; kill += 1) {
      const target = (await placed()) + Math.random() * 15_000;
      const child = start();
      await expect.poll(placed, { timeout: 60_000, interval: 5 }).toBeGreaterThan(target);
      await delay(Math.random() * 150);
      child.process.kill('SIGKILL');
      expect(await child.exited).toBeNull();
      // The stored rows and the recorded position agree.
      await expect.poll(async () => (await stored()) - (await placed())).toBe(0);
      reached.push(await stored());
    }
    expect(reached.at(-1)).toBeLessThan(rows);
    const last = start();
    const lines: string[] = [];
    for await (const line of last.lines) lines.push(line);
    expect([await last.exited, lines.length]).toEqual([0, 1]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ created: rows, updated: 0 });
    expect(await stored()).toBe(rows);
    expect(await number(database, 'select count(distinct name) as n from categories')).toBe(rows);
    expect(await number(database, 'select count(*) as n from gatewright_import_places')).toBe(0);
    process.stdout.write(`killed at ${reached.join(', ')} rows (${databases.dialect})\n`);
  });
});
