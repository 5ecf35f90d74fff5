import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { byTurn } from './log.ts';

const log = new URL('./log.ts', import.meta.url).href;

/** Runs a script with a logger of its own; gives the messages that came out. */
const messagesOf = (script: string): readonly unknown[] => {
  const source = `const { createLogger } = await import('${log}'); const logger = createLogger('info'); ${script}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
  });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { msg: unknown }).msg);
};

describe('byTurn', () => {
  it('writes the lines of a turn together, and keeps none for a later one', async () => {
    const written: string[] = [];
    const stream = byTurn((lines) => written.push(lines));
    stream.write('a');
    stream.write('b');
    expect(written).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    stream.write('c');
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toEqual(['ab', 'c']);
  });
});

describe('createLogger', () => {
  it('loses nothing at an exit, whatever ends the process', () => {
    for (const [end, left] of [
      ['process.exit(3);', ['first', 'last']],
      ["throw new Error('on purpose');", ['first', 'last']],
      ["setImmediate(() => { throw new Error('on purpose'); });", ['first', 'last']],
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
