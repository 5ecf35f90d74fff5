/** `gatewright credentials edit`: opens the decrypted credentials in an editor and encrypts them again. */

import { spawn } from 'node:child_process';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../kernel/error-message.ts';
import { type Credentials, formatCredentials, parseCredentials } from '../../vault/credentials.ts';
import type { Vault } from '../../vault/vault.ts';
import { defineCommand } from '../command.ts';
import { changeCredentials, credentialsEntry, openCredentials } from '../credentials.ts';
import { CommandError, type Io } from '../io.ts';

const interrupts = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs the editor on the terminal. An interrupt reaches the editor, not this process, which must outlive it to remove
 * the plain text. The shell splits the arguments in the variable (`code --wait`), as other programs do.
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
 * Opens a text in $VISUAL or $EDITOR, in a file (0600) of a temporary directory (0700) that is removed before this
 * settles. Throws `CommandError` if there is no editor or it fails.
 */
export const editText = async (text: string, io: Io): Promise<string> => {
  const editor = io.env['VISUAL'] || io.env['EDITOR'];
  if (editor === undefined || editor === '') throw new CommandError('set VISUAL or EDITOR to your editor');
  await using directory = await mkdtempDisposable(join(tmpdir(), 'gatewright-'));
  const file = join(directory.path, 'credentials.json');
  await writeFile(file, text, { mode: 0o600, flag: 'wx' });
  await runEditor(editor, file);
  return await readFile(file, 'utf8');
};

const startingText = async (vault: Vault, resume: boolean | undefined): Promise<string> => {
  const draft = await vault.readDraft();
  if (resume === true) {
    if (draft === undefined) throw new CommandError(`there is no kept edit in ${vault.draftFile}`);
    return draft;
  }
  if (draft === undefined) return vault.format();
  throw new CommandError(
    `an edit that was not saved is kept in ${vault.draftFile}: --resume opens it, --discard drops it`,
  );
};

/** Saves the text unless the credentials have changed since `base` was read. */
const save = (io: Io, vault: Vault, base: string, text: string): Promise<void> => {
  const edit = (current: Credentials): Credentials => {
    const edited = parseCredentials(text);
    if (formatCredentials(current) === base) return edited;
    throw new CommandError(
      'another command changed the credentials meanwhile: compare before you save again',
    );
  };
  // A user who has seen the whole content and saves it overrides even a newer version.
  return changeCredentials(io, vault, edit, {
    entry: credentialsEntry('credentials.edit', null),
    older: true,
  });
};

export const command = defineCommand({
  operands: [],
  options: {
    resume: { type: 'boolean', help: 'continue the edit that could not be saved' },
    discard: { type: 'boolean', help: 'discard the edit that could not be saved, and start again' },
  },
  description: [
    'Opens the decrypted credentials in $VISUAL or $EDITOR, in a private file that is removed afterwards.',
    'The content is validated before it is saved, and gets a serial above every known one.',
    'An edit that cannot be saved is kept, encrypted, beside the credentials.',
  ],
  examples: ['gatewright credentials edit', "EDITOR='code --wait' gatewright credentials edit --resume"],
  async run({ values }, io) {
    const vault = await openCredentials(io);
    await vault.assertWritable();
    if (values.discard === true) await vault.removeDraft();
    const base = vault.format();
    const start = await startingText(vault, values.resume);
    const text = await editText(start, io);
    if (text === base) {
      await vault.removeDraft();
      return io.print('nothing was changed');
    }
    try {
      await save(io, vault, base, text);
    } catch (cause) {
      await vault.writeDraft(text);
      const reason = errorMessage(cause);
      throw new CommandError(
        `not saved: ${reason}; your text is kept, encrypted, in ${vault.draftFile}: gatewright credentials edit --resume`,
        { cause },
      );
    }
    await vault.removeDraft();
    io.print('saved');
  },
});
