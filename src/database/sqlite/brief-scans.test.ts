import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OpenDatabase } from '../database.ts';
import { openDatabase } from '../open.ts';

let directory = '';
let database: OpenDatabase;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-brief-'));
  database = await openDatabase(`sqlite:${join(directory, 'test.db')}`);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
  await rm(directory, { recursive: true });
});

const numbers = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)';

/** The number of rows that a scan counts, and whether it was over within the turn in which it was asked for. */
const scan = async (rows: number): Promise<{ rows: number; atOnce: boolean }> => {
  const query = { sql: `${numbers} select count(*) as rows from n`, parameters: [rows] };
  let atOnce = false;
  const scanning = database.scan<{ rows: number }>(query);
  scanning.then(
    () => {
      atOnce = true;
    },
    () => {},
  );
  // A message of a thread never comes among microtasks.
  for (let microtask = 0; microtask < 100; microtask += 1) await undefined;
  const result = { atOnce };
  const [found] = await scanning;
  return { rows: found?.rows ?? 0, ...result };
};

it('brief scans are run where they are asked for only while the same ones were over at once', async () => {
  expect(await scan(10)).toEqual({ rows: 10, atOnce: false });
  await expect.poll(() => scan(10)).toEqual({ rows: 10, atOnce: true });
  // Other values of the same statement say nothing of it, and what takes long stays elsewhere.
  for (let round = 0; round < 3; round += 1)
    expect(await scan(1_000_000)).toEqual({ rows: 1_000_000, atOnce: false });
  await expect.poll(() => scan(10)).toEqual({ rows: 10, atOnce: true });
  const now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now + 1_100);
  expect(await scan(10)).toEqual({ rows: 10, atOnce: false });
});
