import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** util-linux: runs a command in a terminal of its own. */
const script = '/usr/bin/script';
const io = fileURLToPath(new URL('io.ts', import.meta.url));
const asking = `import { processIo } from ${JSON.stringify(io)};
  const { ask } = processIo();
  try {
    console.log(JSON.stringify([await ask('first: '), await ask('second: ')]));
  } catch (error) {
    console.log(error.message);
  }`;

/** The output of the program on a terminal, while these keys are pressed, each where it asks. */
const shown = async (keys: readonly string[]): Promise<string> => {
  const command = `${process.execPath} --input-type=module-typescript -e "$ASKING"`;
  const child = spawn(script, ['-qec', command, '/dev/null'], {
    env: { ...process.env, ASKING: asking },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const rest = [...keys];
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.endsWith(': ')) child.stdin.write(rest.shift() ?? '');
  });
  await new Promise((resolve) => child.stdout.once('close', resolve));
  return output.replaceAll('\r', '');
};

describe.skipIf(!existsSync(script))('a secret that is asked for on a terminal', () => {
  it('a secret that is asked for on a terminal is read by the line and not shown', async () => {
    expect(await shown(['walnut\r', 'ankör\u007f\u007för 7\r'])).toBe(
      'first: \nsecond: \n["walnut","ankör 7"]\n',
    );
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('the question for a secret is cancelled by %s', async (_, key) => {
    expect(await shown([key])).toBe('first: \ncancelled: nothing was changed\n');
  });
});
