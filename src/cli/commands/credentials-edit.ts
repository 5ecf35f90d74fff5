import { type Credentials, formatCredentials, parseCredentials } from '../../vault/credentials.ts';
import type { Vault } from '../../vault/vault.ts';
import { defineCommand } from '../command.ts';
import { changeCredentials, credentialsEntry, openCredentials } from '../credentials.ts';
import { editText } from '../editor.ts';
import { CommandError, type Io } from '../io.ts';

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
    resume: { type: 'boolean', help: 'go on with the edit that could not be saved' },
    discard: { type: 'boolean', help: 'drop the edit that could not be saved, and start again' },
  },
  description: [
    'Opens the decrypted credentials in $VISUAL or $EDITOR, in a private file that is removed afterwards.',
    'What is saved is checked first, and gets a serial above every one that was seen.',
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
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CommandError(
        `not saved: ${reason}; your text is kept, encrypted, in ${vault.draftFile}: gatewright credentials edit --resume`,
        { cause },
      );
    }
    await vault.removeDraft();
    io.print('saved');
  },
});
