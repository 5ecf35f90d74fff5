import { stat } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../database.ts';
import { openDatabase } from '../open.ts';

let directory = '';
let [database, other]: Database[] = [];

const run = (on: Database | undefined, sql: string) => on?.execute({ sql, parameters: [] });
const count = async (on: Database | undefined): Promise<unknown> =>
  (await on?.get<{ n: number }>({ sql: 'select count(*) as n from t', parameters: [] }))?.n;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-turn-'));
  const url = `sqlite:${join(directory, 'test.db')}`;
  database = await openDatabase(url);
  await run(database, 'create table t (a text)');
  other = await openDatabase(url);
});

afterEach(async () => {
  await database?.close();
  await other?.close();
  await rm(directory, { recursive: true });
});

it('sees its own write in the very turn in which it was answered', async () => {
  database?.renewSnapshot?.();
  expect(await count(database)).toBe(0);
  await run(database, `insert into t values ('x')`);
  expect(await count(database)).toBe(1);
});

it('sees the write of another connection from the next turn on', async () => {
  database?.renewSnapshot?.();
  expect(await count(database)).toBe(0);
  await run(other, `insert into t values ('x')`);
  await nextTurn();
  database?.renewSnapshot?.();
  expect(await count(database)).toBe(1);
});

it('takes a new snapshot for each turn, also where two follow each other at once', async () => {
  database?.renewSnapshot?.();
  expect(await count(database)).toBe(0);
  await run(other, `insert into t values ('x')`);
  database?.renewSnapshot?.();
  expect(await count(database)).toBe(1);
});

it('ends its snapshot when a turn begins while the one before it is not over', async () => {
  const neighbour = new DatabaseSync(join(directory, 'test.db'));
  try {
    // Nothing here gives the loop a chance to end the first turn, nor the snapshot the time to grow old.
    neighbour.exec('pragma synchronous = off');
    database?.renewSnapshot?.();
    const before = count(database);
    neighbour.exec(`insert into t values ('x')`);
    database?.renewSnapshot?.();
    expect(await Promise.all([before, count(database)])).toEqual([0, 1]);
  } finally {
    neighbour.close();
  }
});

it('sees what another process has reported, although the turn before is not over', async () => {
  const neighbour = new DatabaseSync(join(directory, 'test.db'));
  try {
    neighbour.exec('pragma synchronous = off');
    const { promise, resolve } = Promise.withResolvers<readonly unknown[]>();
    setImmediate(async () => {
      database?.renewSnapshot?.();
      const before = await count(database);
      neighbour.exec(`insert into t values ('x')`);
      // Its callback runs in the poll phase, where messages arrive, and before the next immediate.
      stat(directory, () => resolve(Promise.all([before, count(database)])));
      const ready = performance.now() + 1;
      while (performance.now() < ready);
    });
    expect(await promise).toEqual([0, 1]);
  } finally {
    neighbour.close();
  }
});

it('reads outside a turn do not share a snapshot', async () => {
  expect(await count(database)).toBe(0);
  await run(other, `insert into t values ('x')`);
  expect(await count(database)).toBe(1);
});

it('goes on after a statement that fails, and closes with a turn under way', async () => {
  database?.renewSnapshot?.();
  await expect(database?.get({ sql: 'select nothing from t', parameters: [] })).rejects.toThrow();
  expect(await count(database)).toBe(0);
});
