import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, start } from '../../bench/processes.ts';

/** An idle server as the baseline: Node, its HTTP, its SQLite. */
const bare = `
  new (require('node:sqlite').DatabaseSync)(':memory:');
  require('node:http').createServer((_, response) => response.end()).listen(process.env.PORT);
`;

const rounds = 6;

/** CPU time of all threads of a process. Its other figure counts in ticks, of which a bare server takes two. */
const nanosecondsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    .reduce((sum, time) => sum + Number(time), 0);

/** A file of the build, all that it imports, and what that imports. */
const importsOf = async (file: string, found: string[] = []): Promise<readonly string[]> => {
  if (found.includes(file)) return found;
  found.push(file);
  for (const [, path = ''] of (await readFile(file, 'utf8')).matchAll(
    /^(?:import|export) .*?"(\.[^"]+)";$/gm,
  ))
    await importsOf(resolve(dirname(file), path), found);
  return found;
};

/**
 * The start of the example where it was started before, which is every start but the first: what is compiled is kept.
 * No timing: CPU time beside that of a bare server, memory and files, the least of some rounds.
 */
describe('a start', () => {
  let directory = '';
  const begin = (options: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    start('gatewright', [...options, '--max-semi-space-size=8', 'bin/gatewright.js', 'start'], {
      ...{ DATA_DIR: join(directory, 'data'), LOG_LEVEL: 'warn' },
      ...env,
    });

  const figuresOf = async (starting: Promise<Running>): Promise<{ cpu: number; memory: number }> => {
    const server = await starting;
    const figures = { cpu: nanosecondsOf(server.pid), memory: server.memory() };
    await server.stop();
    return figures;
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatewright-start-'));
    await figuresOf(begin());
  }, 60_000);
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it.runIf(process.platform === 'linux')(
    'takes no more than 9 times the CPU of a server that does nothing, and 1.85 times its memory',
    async () => {
      let [cpu, memory] = [Infinity, Infinity];
      for (let round = 0; round < rounds && (cpu > 9 || memory > 1.85); round += 1) {
        const least = await figuresOf(start('bare', ['--eval', bare], {}));
        const ours = await figuresOf(begin());
        [cpu, memory] = [Math.min(cpu, ours.cpu / least.cpu), Math.min(memory, ours.memory / least.memory)];
      }
      expect(cpu).toBeLessThanOrEqual(9);
      expect(memory).toBeLessThanOrEqual(1.85);
    },
    120_000,
  );

  it('loads few files, each once, and nothing of what it does not need', async () => {
    const written = join(directory, 'loaded.json');
    const hook = new URL('./children/loaded.ts', import.meta.url).href;
    const server = await begin(['--import', hook], { LOADED: written });
    await server.stop();
    const { files, ofNode, ofIntl } = JSON.parse(await readFile(written, 'utf8')) as {
      readonly files: readonly string[];
      readonly ofNode: readonly string[];
      readonly ofIntl: readonly string[];
    };
    expect(files.length).toBeLessThan(37);
    expect(files.filter((file, index) => files.indexOf(file) !== index)).toEqual([]);
    // Modules that every start needs lie in our own files; others come with what needs them.
    expect(files.filter((file) => file.includes('/node_modules/'))).toEqual([]);
    const heavy = ['internal/deps/undici/undici', 'https', 'tls', 'http2'];
    expect(ofNode.filter((name) => heavy.includes(name.replace('NativeModule ', '')))).toEqual([]);
    expect(ofIntl).toEqual([]);
    // One other character would double the memory of a file.
    const built = files.filter((file) => file.includes('/dist/')).map((file) => fileURLToPath(file));
    expect(built.length).toBeGreaterThan(10);
    expect(built.filter((file) => /[^\0-\x7f]/.test(readFileSync(file, 'utf8')))).toEqual([]);
  }, 60_000);

  it.each(['cli/main', 'upkeep/watch/watcher', 'database/sqlite/worker'])(
    '%s begins without the file of all that serves',
    async (program) => {
      const files = await importsOf(fileURLToPath(new URL(`../../dist/${program}.js`, import.meta.url)));
      expect(files.map((file) => basename(file))).not.toContain('service.js');
      expect(files.length).toBeLessThan(13);
    },
  );
});
