/** The dialogue of `generate resource` at a terminal. */

import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { fieldKinds } from '../../fields/registry.ts';
import { CommandError, type Io, UsageError } from '../io.ts';
import { type NamedField, readField, typeSyntax } from './field-arguments.ts';

/** Asks questions on stderr, one after the other, and reads the replies from stdin. */
const createDialogue = (io: Io) => {
  const input = io.stdin instanceof Readable ? io.stdin : Readable.from(io.stdin);
  const lines = createInterface({ input, terminal: false });
  const answers = lines[Symbol.asyncIterator]();
  return {
    ask: async (question: string): Promise<string> => {
      io.warn(question);
      const { value, done } = await answers.next();
      if (done === true) throw new CommandError('nothing was written: no more answers on stdin');
      return value.trim();
    },
    close: () => lines.close(),
  };
};

type AskLine = ReturnType<typeof createDialogue>['ask'];

/** Asks for fields until an empty reply; explains an invalid one and asks again. */
const askFields = async (ask: AskLine, io: Io): Promise<readonly NamedField[]> => {
  const fields: NamedField[] = [];
  for (;;) {
    const text = await ask(fields.length === 0 ? 'First field:' : 'Next field, or Enter to end:');
    if (text === '' && fields.length > 0) return fields;
    try {
      const field = readField(text);
      if (fields.some(({ name }) => name === field.name))
        throw new UsageError(`${field.name}: two fields have this name`);
      fields.push(field);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      io.warn(error.message);
    }
  }
};

/** Asks for the input that `generate resource` otherwise takes from arguments. */
export const askResource = async (
  io: Io,
): Promise<{
  readonly name: string;
  readonly fields: readonly NamedField[];
  readonly production: boolean;
}> => {
  const { ask, close } = createDialogue(io);
  try {
    const name = await ask('Name of the resource, written like BlogPost:');
    io.warn('Fields are written name:type with modifiers: title:string:required, price:decimal:scale=2');
    io.warn(`Types: ${fieldKinds.map(typeSyntax).join(' ')}`);
    const fields = await askFields(ask, io);
    const rules = await ask('Recommended rules (permissions, isolation, ownership)? y/N');
    return { name, fields, production: /^y(es)?$/i.test(rules) };
  } finally {
    close();
  }
};
