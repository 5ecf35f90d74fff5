import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { applyMigrations } from '../../src/app/migrate.ts';
import type { Database } from '../../src/database/database.ts';
import { databaseTarget } from '../../src/database/targets.ts';
import { Outbox } from '../../src/ledger/outbox.ts';
import { inheritedEnvironment } from '../support/child.ts';
import { describeEachDatabase } from '../support/databases.ts';

const script = fileURLToPath(new URL('./children/work.ts', import.meta.url));

interface Worker {
  readonly process: ChildProcess;
  /** Its output, line by line. */
  readonly lines: () => readonly string[];
}

/** Starts a process that works on jobs; killed with the test. */
const startWorker = async (url: string, env: Readonly<Record<string, string>> = {}): Promise<Worker> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-work-'));
  const child = spawn(process.execPath, [script], {
    env: {
      ...{ ...inheritedEnvironment(), PORT: '0', DATA_DIR: directory, DATABASE_URL: url },
      ...{ JWT_SECRET: 'x'.repeat(32), ADMIN_PASSWORD: 'tulip-anvil-47 kettle' },
      CREDENTIALS_FILE: join(directory, 'credentials.age'),
      CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });
  const lines = (): readonly string[] => output.split('\n');
  await expect.poll(lines, { timeout: 30_000 }).toContain('working');
  return { process: child, lines };
};

const numbersOf = (lines: readonly string[], what: string): number[] =>
  lines.filter((line) => line.startsWith(`${what} `)).map((line) => Number(line.split(' ')[1]));

describeEachDatabase('processes that work on jobs', (databases) => {
  const setUp = async (): Promise<{ url: string; database: Database }> => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), { migrations: {} });
    return { url, database: await databases.open(url) };
  };
  const addAll = (database: Database, numbers: readonly number[]): Promise<void> => {
    const outbox = new Outbox(database, ['count'], 1_500);
    return database.write(async (transaction) => {
      for (const n of numbers)
        await outbox.add({ name: 'count', key: null, input: { n }, at: undefined }, transaction);
    });
  };
  const left = async (database: Database): Promise<number> =>
    (await database.all({ sql: 'select id from gatewright_jobs', parameters: [] })).length;

  it('processes that work on jobs share 1,000 jobs, and do none twice while they live', {
    timeout: 120_000,
  }, async () => {
    const { url, database } = await setUp();
    const workers = [await startWorker(url), await startWorker(url)];
    const all = Array.from({ length: 1_000 }, (_, n) => n);
    await addAll(database, all);
    await expect.poll(() => left(database), { timeout: 90_000, interval: 200 }).toBe(0);
    const done = workers.map(({ lines }) => numbersOf(lines(), 'done'));
    expect(done.flat().sort((a, b) => a - b)).toEqual(all);
    expect(Math.min(...done.map(({ length }) => length))).toBeGreaterThan(0);
  });

  it('processes that work on jobs do what a killed one had begun, so that each job is done at least once', {
    timeout: 120_000,
  }, async () => {
    const { url, database } = await setUp();
    // Long beside what lies between two of them: a kill meets some that run.
    const start = (): Promise<Worker> => startWorker(url, { JOB_TIME: '80' });
    const workers = [await start()];
    const all = Array.from({ length: 200 }, (_, n) => n);
    await addAll(database, all);
    const interrupted: number[] = [];
    for (let kill = 0; kill < 3; kill += 1) {
      const victim = workers.at(-1) as Worker;
      const isAtWork = (): boolean => {
        const [begun, done] = ['begun', 'done'].map((word) => numbersOf(victim.lines(), word).length);
        return (done ?? 0) > 10 && (begun ?? 0) > (done ?? 0);
      };
      await expect.poll(isAtWork, { interval: 5 }).toBe(true);
      victim.process.kill('SIGKILL');
      workers.push(await start());
      const done = new Set(numbersOf(victim.lines(), 'done'));
      interrupted.push(...numbersOf(victim.lines(), 'begun').filter((n) => !done.has(n)));
    }
    await expect.poll(() => left(database), { timeout: 60_000, interval: 200 }).toBe(0);
    const done = workers.flatMap(({ lines }) => numbersOf(lines(), 'done'));
    expect([...new Set(done)].sort((a, b) => a - b)).toEqual(all);
    // The kills met jobs that ran, and others have done them.
    expect(interrupted.length).toBeGreaterThan(0);
    // Only what a kill has met may have been done twice.
    expect(done.length - all.length).toBeLessThanOrEqual(3 * 5);
  });

  it('processes that work on jobs run a tick once, three of them', { timeout: 60_000 }, async () => {
    const { url } = await setUp();
    const workers: Worker[] = [];
    for (let n = 0; n < 3; n += 1) workers.push(await startWorker(url, { TICKS: '1' }));
    const ticks = (): number[] => workers.flatMap(({ lines }) => numbersOf(lines(), 'tick'));
    const before = ticks().length;
    const began = performance.now();
    await expect.poll(() => ticks().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(before + 5);
    const found = ticks();
    expect(new Set(found).size).toBe(found.length);
    expect(found.length - before).toBeLessThanOrEqual((performance.now() - began) / 1_000 + 2);
  });
});
