import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start } from '../../bench/processes.ts';

interface Ticks {
  readonly before: number;
  readonly after: number;
}

/** Forgets the shape as every server does that only waits for requests. */
const bare = `require('node:http').createServer((_, response) => response.end()).listen(process.env.PORT)`;

/** No timing: one thread after a collection beside the same before it, the least of many rounds. Forgotten, the shape makes it some 5 times. */
describe('what a tick costs after a full collection', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatewright-ticks-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const ratioOf = async (name: string, args: readonly string[]): Promise<number> => {
    const written = join(directory, `${name}.json`);
    const hook = new URL('./children/ticks.ts', import.meta.url).href;
    const server = await start(name, ['--import', hook, ...args], {
      ...{ TICKS: written, DATA_DIR: join(directory, 'data'), LOG_LEVEL: 'warn' },
    });
    try {
      process.kill(server.pid, 'SIGURG');
      const isWritten = (): boolean => existsSync(written);
      await expect.poll(isWritten, { timeout: 30_000 }).toBe(true);
      const { before, after }: Ticks = JSON.parse(await readFile(written, 'utf8'));
      return after / before;
    } finally {
      await server.stop();
    }
  };

  it('is what it was before, in the service', { timeout: 60_000 }, async () => {
    expect(await ratioOf('service', ['bin/gatewright.js', 'start'])).toBeLessThan(2.5);
  });

  it('is several times as much in a server that keeps no object of it', { timeout: 60_000 }, async () => {
    expect(await ratioOf('bare', ['--eval', bare])).toBeGreaterThan(2.5);
  });
});
