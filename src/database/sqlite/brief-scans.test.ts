import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OpenDatabase, Query } from '../database.ts';
import { openDatabase } from '../open.ts';
import type { Walk } from '../query.ts';

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
const scan = async (rows: number, walk?: Walk): Promise<{ rows: number; atOnce: boolean }> => {
  const query = { sql: `${numbers} select count(*) as rows from n`, parameters: [rows], walk };
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

it('a walk is run where it is asked for only while one that is at least as long was over at once', async () => {
  const walk = (rows: number, key = 'one'): ReturnType<typeof scan> => scan(rows, { key, rows });
  expect(await walk(300)).toEqual({ rows: 300, atOnce: false });
  await expect.poll(() => walk(300)).toEqual({ rows: 300, atOnce: true });
  expect(await walk(200)).toEqual({ rows: 200, atOnce: true });
  // The rows beyond, and those of another walk, are not known.
  expect(await walk(301)).toEqual({ rows: 301, atOnce: false });
  expect(await walk(200, 'another')).toEqual({ rows: 200, atOnce: false });
  // A long one says nothing of the shorter ones, and is never run here.
  for (let round = 0; round < 2; round += 1)
    expect(await walk(1_000_000)).toEqual({ rows: 1_000_000, atOnce: false });
  await expect.poll(() => walk(301)).toEqual({ rows: 301, atOnce: true });
  const now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now + 1_100);
  expect(await walk(10)).toEqual({ rows: 10, atOnce: false });
});

it('a walk that has become slow is not run where it is asked for', async () => {
  const walk = { key: 'slow', rows: 300 };
  await scan(10, walk);
  await expect.poll(() => scan(10, walk)).toEqual({ rows: 10, atOnce: true });
  // As many rows of the walk, each of which costs more than before.
  expect(await scan(1_000_000, { ...walk, rows: 299 })).toEqual({ rows: 1_000_000, atOnce: true });
  expect(await scan(1_000_000, { ...walk, rows: 299 })).toEqual({ rows: 1_000_000, atOnce: false });
});

it('the time of other requests between a scan and its reader does not count', async () => {
  const walk = { key: 'beside others', rows: 300 };
  await scan(10, walk);
  await expect.poll(() => scan(10, walk)).toEqual({ rows: 10, atOnce: true });
  const query = { sql: `${numbers} select count(*) as rows from n`, parameters: [10] };
  const scans: readonly Query[] = [{ ...query, walk }, query];
  for (const one of scans) {
    // Repeated, as another process may have the core during a scan, whose time that is.
    const scanBesideOthers = async () => {
      await expect.poll(() => scan(10, one.walk)).toEqual({ rows: 10, atOnce: true });
      const scanning = database.scan(one);
      const until = performance.now() + 5;
      while (performance.now() < until);
      await scanning;
      return scan(10, one.walk);
    };
    await expect.poll(scanBesideOthers).toEqual({ rows: 10, atOnce: true });
  }
});
