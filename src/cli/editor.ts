import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError, type Io } from './io.ts';

const interrupts = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Waits for the editor on the terminal. An interrupt reaches the editor, not this process, which has to outlive it to
 * remove the plain text. The shell splits the editor's own arguments, as it does for every other program that asks
 * for one (`code --wait`).
 */
const runEditor = (editor: string, file: string): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const passOn = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGINT') child.kill(signal);
  };
  for (const signal of interrupts) process.on(signal, passOn);
  child.once('error', reject);
  child.once('close', (code, signal) =>
    code === 0 ? resolve() : reject(new CommandError(`the editor ended with ${signal ?? `status ${code}`}`)),
  );
  return promise.finally(() => {
    for (const signal of interrupts) process.off(signal, passOn);
  });
};

/**
 * Lets a person edit a text in $VISUAL or $EDITOR, in a file (0600) of a directory (0700) of its own that is gone
 * when this settles. Throws `CommandError` where there is no editor or it fails.
 */
export const editText = async (text: string, io: Io): Promise<string> => {
  const editor = io.env['VISUAL'] || io.env['EDITOR'];
  if (editor === undefined || editor === '') throw new CommandError('set VISUAL or EDITOR to your editor');
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-'));
  try {
    const file = join(directory, 'credentials.json');
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
    await runEditor(editor, file);
    return await readFile(file, 'utf8');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};
