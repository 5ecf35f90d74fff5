import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Output } from '../kernel/output.ts';
import { readableLog } from './log.ts';

const log = new URL('./log.ts', import.meta.url).href;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const sourceOf = (script: string): readonly string[] => [
  '--input-type=module',
  '--eval',
  `const { createLogger, guardStandardStreams } = await import('${log}'); const logger = createLogger('info'); ${script}`,
];

interface Line {
  readonly msg: string;
  readonly dropped?: number;
}

const linesOf = (output: string): readonly Line[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

/** Runs a script with a logger of its own; gives the messages that came out. */
const messagesOf = (script: string): readonly string[] =>
  linesOf(spawnSync(process.execPath, sourceOf(script), { encoding: 'utf8' }).stdout).map(({ msg }) => msg);

/**
 * Runs a script whose output and errors the test reads when it likes; a channel tells what the script says meanwhile.
 */
const start = (script: string): ChildProcess => {
  const child = spawn(process.execPath, sourceOf(script), { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

const said = async (child: ChildProcess): Promise<unknown> => (await once(child, 'message'))[0];

describe('Output', () => {
  it('writes the lines of a turn in one write, and keeps none for a later one', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatewright-output-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'log');
    const output = new Output(openSync(file, 'a'), String);
    output.write('a\n');
    output.write('b\n');
    expect(readFileSync(file, 'utf8')).toBe('');
    await nextTurn();
    expect(readFileSync(file, 'utf8')).toBe('a\nb\n');
    output.write('c\n');
    await nextTurn();
    expect(readFileSync(file, 'utf8')).toBe('a\nb\nc\n');
  });
});

describe('createLogger', () => {
  it('loses nothing at an exit, whatever ends the process', () => {
    for (const [end, left] of [
      ['process.exit(3);', ['first', 'last']],
      ["throw new Error('on purpose');", ['first', 'last']],
      ["setImmediate(() => { throw new Error('on purpose'); });", ['first', 'last']],
      ["process.on('exit', () => logger.info('at the exit'));", ['first', 'last', 'at the exit']],
      ['', ['first', 'last']],
    ] as const)
      expect(messagesOf(`logger.info('first'); logger.error('last'); ${end}`)).toEqual(left);
  });

  it('writes more than its buffer holds, in order', () => {
    const count = 5_000;
    const messages = messagesOf(
      `for (let n = 0; n < ${count}; n++) logger.info({ pad: 'x'.repeat(50) }, String(n));`,
    );
    expect(messages).toEqual(Array.from({ length: count }, (_, n) => String(n)));
  });
});

/** Logs numbered lines turn by turn, 12 MB in all; says the longest turn in milliseconds, then logs one more. */
const flood = `
  const pad = 'x'.repeat(1_000);
  let longest = 0;
  for (let n = 0; n < 12_000; n += 1) {
    const begun = performance.now();
    logger.info({ pad }, String(n));
    if (n % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
    longest = Math.max(longest, performance.now() - begun);
  }
  process.send(longest);
  process.once('message', () => { logger.info('last'); process.disconnect(); });`;

describe('a log that cannot be written', () => {
  it('a log that cannot be written does not block the service while its reader stalls, and afterwards reports how many lines were dropped', async () => {
    const child = start(flood);
    expect(await said(child)).toBeLessThan(1_000);
    let read = '';
    child.stdout?.on('data', (data: Buffer) => {
      read += data.toString('latin1');
    });
    await expect.poll(() => read.includes('"dropped":')).toBe(true);
    const closed = once(child, 'close');
    child.send('go on');
    await closed;
    const lines = linesOf(read);
    const numbers = lines.filter(({ msg }) => /^\d+$/.test(msg)).map(({ msg }) => Number(msg));
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => n));
    const notices = lines.filter(({ dropped }) => dropped !== undefined);
    expect(notices).toHaveLength(1);
    expect(numbers.length + (notices[0]?.dropped ?? 0)).toBe(12_000);
    expect(numbers.length).toBeGreaterThan(1_000);
    expect(lines.at(-1)?.msg).toBe('last');
  });

  it('a reader of the log who has gone does not block the service', async () => {
    const child = start(flood);
    child.stdout?.destroy();
    expect(await said(child)).toBeLessThan(1_000);
    child.send('go on');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('a full disk under the log does not block the service', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, sourceOf(flood), { stdio: ['ignore', full, full, 'ipc'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await said(child)).toBeLessThan(1_000);
    child.send('go on');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('a log that cannot be written does not keep a process from ending', async () => {
    const child = start(`${flood} process.exit(3);`);
    const begun = performance.now();
    expect(await once(child, 'exit')).toEqual([3, null]);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});

/** Writes 60 MB by both streams, as the code of an application may; says by how much the process has grown. */
const chatter = `
  guardStandardStreams();
  const before = process.memoryUsage().rss;
  const text = 'x'.repeat(3_000);
  for (let n = 0; n < 10_000; n += 1) {
    console.log(text);
    console.error(text);
    if (n % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
  }
  process.send(Math.round((process.memoryUsage().rss - before) / 1024 / 1024));
  process.once('message', () => process.disconnect());`;

describe('what is written beside the log', () => {
  it('text written beside the log is in its place among the lines of the log', () => {
    const script = `guardStandardStreams(); logger.info('1'); console.log('{"msg":"2"}'); process.stdout.write(Buffer.from('{"msg":"3"}\\n')); logger.info('4');`;
    expect(messagesOf(script)).toEqual(['1', '2', '3', '4']);
  });

  it('text written beside the log is flushed before a waiting caller goes on', () => {
    const script = `guardStandardStreams(); process.stdout.write('{"msg":"1"}\\n', () => process.stdout.write('{"msg":"2"}\\n', 'utf8', () => logger.info('3')));`;
    expect(messagesOf(script)).toEqual(['1', '2', '3']);
  });

  it('fills no memory while its reader stalls, and ends no process when he is gone or the disk is full', async () => {
    const stalled = start(chatter);
    const gone = start(chatter);
    gone.stdout?.destroy();
    gone.stderr?.destroy();
    const full = openSync('/dev/full', 'w');
    const filled = spawn(process.execPath, sourceOf(chatter), { stdio: ['ignore', full, full, 'ipc'] });
    onTestFinished(() => void filled.kill('SIGKILL'));
    for (const child of [stalled, gone, filled]) {
      expect(await said(child)).toBeLessThan(45);
      const exit = once(child, 'exit');
      child.send('go on');
      expect(await exit).toEqual([0, null]);
    }
  });
});

const printed = (...lines: readonly (readonly [Record<string, unknown>, string])[]): readonly string[] => {
  const out: string[] = [];
  const log = readableLog('info', (line) => out.push(line));
  for (const [line, message] of lines) log.info(line, message);
  return out;
};

it('says of a line what a person at a terminal asks', () => {
  expect(
    printed(
      [{ method: 'GET', route: null, status: 404, milliseconds: 1.5 }, 'request'],
      [{ applied: ['0001_baseline', '0001_notes'] }, 'migrated'],
      [{ event: 'sign_in.failed', address: '127.0.0.1' }, 'security event'],
      [{ event: 'sign_in', address: '127.0.0.1', user: 1, username: 'admin' }, 'security event'],
      [{ port: 3000 }, 'listening'],
      [{}, 'stopping'],
    ),
  ).toEqual([
    'GET (no such path) 404  1.5 ms',
    'applied 0001_baseline, 0001_notes',
    'security event: sign_in.failed',
    'security event: sign_in, admin',
    'stopping',
  ]);
});
