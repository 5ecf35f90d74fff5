import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { startChild } from '../support/child.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { startService } from '../support/service.ts';
import { transferApplication } from '../support/transfer-application.ts';

const rows = 40_000;

/** Milliseconds: half a second for the import's own transaction, and as much for a machine that does other things. */
const longestWait = 1_000;

/** Lines that are known to be imported. */
const placed = async (database: Database): Promise<number> => {
  const sql = 'select coalesce(sum(created), 0) as n from gatewright_import_places';
  return Number((await database.get<{ n: number }>({ sql, parameters: [] }))?.n);
};

const textOf = async (lines: AsyncIterable<string>): Promise<string> => {
  let text = '';
  for await (const line of lines) text += `${line}\n`;
  return text;
};

describeEachDatabase('an import beside a service', (databases) => {
  const setUp = async (service: { readonly env: Readonly<Record<string, string>> }) => {
    const folder = await mkdtemp(join(tmpdir(), 'gatewright-import-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'categories.csv');
    await writeFile(path, `name\n${Array.from({ length: rows }, (_, n) => `Category ${n}\n`).join('')}`);
    const child = startChild('faults/children/import.ts', [JSON.stringify(service.env), path, 'categories']);
    onTestFinished(() => void child.process.kill('SIGKILL'));
    return { child, text: textOf(child.lines) };
  };

  it('leaves every write of the service its turn', { timeout: 120_000 }, async () => {
    await using service = await startService(databases, { application: transferApplication() });
    const { token } = await service.admin();
    const { child, text } = await setUp(service);
    let ended = false;
    void child.exited.then(() => {
      ended = true;
    });
    const { database } = service.server.services;
    const waits: number[] = [];
    let before = 0;
    while (!ended) {
      const began = performance.now();
      await service.ok('POST', '/api/v1/categories', { token, body: { category: { name: 'Mine' } } });
      // Until it writes it starts, which takes the processor only.
      if (waits.length > 0 || (await placed(database)) > 0) waits.push(performance.now() - began);
      else before += 1;
    }
    expect([await child.exited, JSON.parse(await text)]).toEqual([
      0,
      expect.objectContaining({ created: rows }),
    ]);
    const count = await database.get<{ n: number }>({
      sql: 'select count(*) as n from categories',
      parameters: [],
    });
    expect(Number(count?.n)).toBe(rows + before + waits.length);
    const sorted = waits.toSorted((a, b) => a - b);
    const longest = sorted.at(-1) ?? 0;
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    process.stdout.write(
      `${waits.length} writes beside an import: ${median.toFixed(0)} ms, the longest ${longest.toFixed(0)} ms (${databases.dialect})\n`,
    );
    expect(longest).toBeLessThan(longestWait);
  });

  it('ends between two transactions at Ctrl-C, and goes on', { timeout: 120_000 }, async () => {
    await using service = await startService(databases, { application: transferApplication() });
    const { database } = service.server.services;
    const { child, text } = await setUp(service);
    await expect.poll(() => placed(database), { timeout: 60_000, interval: 5 }).toBeGreaterThan(0);
    child.process.kill('SIGINT');
    expect(await child.exited).toBe(1);
    const stored = await placed(database);
    const message = `stopped; ${stored.toLocaleString('en-US')} rows, up to line ${stored + 1}, are imported; the same command goes on behind it\n`;
    expect(await text).toBe(message);
  });
});
