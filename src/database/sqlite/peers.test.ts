import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { peersInProcess } from '../../../tests/support/peers.ts';
import type { OpenDatabase } from '../database.ts';
import { openDatabase } from '../open.ts';

let directory = '';
let url = '';
let workers: OpenDatabase[] = [];

const run = (on: OpenDatabase | undefined, sql: string) => on?.execute({ sql, parameters: [] });
const count = async (on: OpenDatabase | undefined): Promise<unknown> =>
  (await on?.get<{ n: number }>({ sql: 'select count(*) as n from t', parameters: [] }))?.n;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-peers-'));
  url = `sqlite:${join(directory, 'test.db')}`;
  const peers = peersInProcess();
  workers = [
    await openDatabase(url, { peers: peers() }),
    await openDatabase(url, { peers: peers(), busyLimit: 5_000 }),
  ];
  await run(workers[0], 'create table t (a text)');
});

afterEach(async () => {
  for (const worker of workers) await worker.close();
  await rm(directory, { recursive: true });
});

it('workers hear what others tell on their channel, and nothing after they have stopped listening', async () => {
  const [one, two] = workers;
  const heard: string[] = [];
  const end = one?.listen?.('news', () => heard.push('one'));
  two?.listen?.('news', () => heard.push('two'));
  two?.listen?.('weather', () => heard.push('weather'));
  await one?.tell?.('news');
  await expect.poll(() => heard).toEqual(['two']);
  await two?.tell?.('news');
  await expect.poll(() => heard).toEqual(['two', 'one']);
  await end?.();
  await two?.tell?.('news');
  await one?.tell?.('news');
  await expect.poll(() => heard).toEqual(['two', 'one', 'two']);
});

it('a unit that waits for something else gives way to the writes of another worker, and runs again', async () => {
  const [one, two] = workers;
  let runs = 0;
  const waiting = one?.write(
    async (transaction) => {
      runs += 1;
      await transaction.run({ sql: `insert into t values ('waiting')`, parameters: [] });
      if (runs === 1) await new Promise(() => {});
    },
    { limit: 20_000 },
  );
  await expect.poll(() => runs).toBe(1);
  await run(two, `insert into t values ('short')`);
  expect(await count(two)).toBe(1);
  await waiting;
  expect([runs, await count(one)]).toEqual([2, 2]);
});

it('one service claims a file with all its workers, and another service is warned', async () => {
  const [one, two] = workers;
  expect([one?.claim?.('first'), two?.claim?.('joins')]).toEqual([undefined, undefined]);
  const other = await openDatabase(url);
  workers.push(other);
  expect(other.claim?.('first')).toMatch(/^another service runs on this SQLite file/);
});
