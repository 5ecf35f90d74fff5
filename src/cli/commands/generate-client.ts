import { readFile, writeFile } from 'node:fs/promises';
import { readConfig } from '../../app/config.ts';
import { endpointsOf } from '../../app/describe.ts';
import { openApplication } from '../application.ts';
import { clientFile, mark } from '../client-file.ts';
import { defineCommand } from '../command.ts';
import { CommandError } from '../io.ts';

const contentOf = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Replaces a file of an earlier run, and no other file. */
const save = async (file: string, text: string): Promise<void> => {
  const before = await contentOf(file);
  if (before !== undefined && !before.startsWith(mark))
    throw new CommandError(`${file} was not written by this command: it stays as it is`);
  await writeFile(file, text);
};

export const command = defineCommand({
  operands: [],
  options: {
    out: {
      type: 'string',
      value: 'FILE',
      help: 'write to FILE, replacing an earlier result (default stdout)',
    },
  },
  description: [
    'Prints TypeScript types of the resources and of your own endpoints, for packages that use gatewright/client.',
    'The file imports nothing. An application in the same package as the models does not need it.',
  ],
  examples: ['gatewright generate client --out ../web/src/resources.ts'],
  async run({ values }, io) {
    const application = await openApplication();
    const text = clientFile(application, await endpointsOf(application, readConfig(io.env)));
    if (values.out === undefined) return io.write(text);
    await save(values.out, text);
    io.print(`wrote ${values.out}`);
  },
});
