import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { casesOf } from '../../bench/cases.ts';
import { type Data, postgresData, sqliteData } from '../../bench/data.ts';
import { measure } from '../../bench/measure.ts';
import { freePort, type Running } from '../../bench/processes.ts';

const notes = 2_000;

/** Of what a request allocates, the share that may outlive two collections: seventeen per cent where something kept it. */
const most = 0.01;

/** What V8 says of a collection of its young generation, in bytes. */
interface Collection {
  readonly gc: string;
  /** How large that generation is, which begins small behind a collection of all memory. */
  readonly new_space_capacity: number;
  readonly allocated: number;
  readonly promoted: number;
}

const collectionsIn = (text: string): readonly Collection[] =>
  [...text.matchAll(/GC: (\{.*\})$/gm)]
    .map(([, json = '{}']) => JSON.parse(json) as Collection)
    .filter(({ gc }) => gc === 's');

/** Those of the generation as large as it becomes, but the first of them. */
const ofFullSize = (all: readonly Collection[]): readonly Collection[] => {
  const capacity = Math.max(...all.map(({ new_space_capacity: bytes }) => bytes));
  return all.filter(({ new_space_capacity: bytes }) => bytes === capacity).slice(1);
};

interface Traced extends Running {
  /** All that was written up to now. */
  readonly output: () => string;
}

const startTraced = async (data: Data): Promise<Traced> => {
  const port = await freePort();
  const hook = new URL('./children/collect.ts', import.meta.url).href;
  const flags = ['--max-semi-space-size=8', '--trace-gc-nvp', '--import', hook];
  const child: ChildProcess = spawn(process.execPath, [...flags, 'bin/gatewright.js', 'start'], {
    env: { PATH: process.env['PATH'] ?? '', ...data.service, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const isThere = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/api/v1/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isThere, { timeout: 30_000 }).toBe(true);
  const figures = { startup: 0, cpu: () => 0, memory: () => 0 };
  return {
    ...{ name: 'gatewright', port, pid: child.pid ?? 0, ...figures, output: () => output },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
};

const cases: Readonly<Record<'sqlite' | 'postgres', readonly string[]>> = {
  sqlite: ['detail, JWT', 'page of 20, one create in ten', 'filtered, sorted, 20', 'create, durable'],
  postgres: [
    'detail, JWT',
    'page of 20, JWT',
    'page of 20, one create in ten',
    'filtered, sorted, 20',
    'create, durable',
  ],
};

/**
 * No timing. Behind a collection of all memory what lasts is old, also what a container has left behind; whatever hangs
 * on that would live on with each request, until the next such collection.
 */
describe.each(['sqlite', 'postgres'] as const)('what outlives its request, on %s', (database) => {
  it('is next to nothing, also behind a collection of all memory', { timeout: 120_000 }, async () => {
    const data = await (database === 'sqlite' ? sqliteData : postgresData)({ notes });
    try {
      const server = await startTraced(data);
      try {
        for (const one of casesOf(data, notes).filter(({ name }) => cases[database].includes(name))) {
          const job = { connections: one.connections, expect: one.expect, requests: one.requests };
          await measure(server, { ...job, milliseconds: 500 });
          process.kill(server.pid, 'SIGURG');
          await delay(300);
          const before = server.output().length;
          let found: readonly Collection[] = [];
          for (let round = 0; round < 10 && found.length < 5; round += 1) {
            await measure(server, { ...job, milliseconds: 1_500 });
            found = ofFullSize(collectionsIn(server.output().slice(before)));
          }
          const sum = (figure: 'allocated' | 'promoted'): number =>
            found.reduce((total, each) => total + each[figure], 0);
          expect(found.length, one.name).toBeGreaterThanOrEqual(5);
          expect(sum('promoted') / sum('allocated'), one.name).toBeLessThan(most);
        }
      } finally {
        await server.stop();
      }
    } finally {
      await data.remove();
    }
  });
});
