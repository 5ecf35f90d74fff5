/** Runs `gatewright export --person`: opens its destination, and puts the file in place at the end. */

import { open, rename, rm } from 'node:fs/promises';
import { exactText } from '../../kernel/exact-json.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { CommandError, type Io, UsageError } from '../io.ts';
import { type OpenOperations, userIdOf } from './opened.ts';
import { PersonExport } from './person-export.ts';
import { rowsText } from './progress.ts';
import { formatOf } from './transfer-options.ts';

/** Opens the destination: standard output, or a file that gets its name at the end. Only its owner reads it. */
const destination = async (io: Io, path: string) => {
  if (path === '-')
    return { write: async (text: string) => io.write(text), finish: async () => {}, leave: async () => {} };
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o600);
  return {
    write: async (text: string): Promise<void> => void (await file.write(text)),
    finish: async (): Promise<void> => {
      await file.sync();
      await file.close();
      await rename(part, path);
    },
    leave: async (): Promise<void> => {
      await file.close();
      await rm(part, { force: true });
    },
  };
};

/** The options of the command line. */
export interface AskedPerson {
  /** `-` is standard output. */
  readonly path: string;
  readonly username: string;
  readonly json: boolean;
}

/** `gatewright export FILE --person USERNAME`. @throws UsageError, CommandError */
export const exportPerson = async (
  io: Io,
  { path, username, json }: AskedPerson,
  { services }: OpenOperations,
): Promise<void> => {
  if (path !== '-' && formatOf(path) !== 'json')
    throw new UsageError('--person writes JSON lines: FILE ends with .jsonl or .ndjson');
  const id = await userIdOf(services, username);
  const { write, finish, leave } = await destination(io, path);
  let lines = 0;
  const writeLine = async (line: JsonObject): Promise<void> => {
    if (io.gone()) throw new CommandError('the reader has closed the pipe');
    await write(`${exactText(line)}\n`);
    lines += 1;
  };
  const models = [...services.resources.values()].map(({ model }) => model);
  const scope = services.systemScope('gatewright export --person');
  try {
    await services.events.settle();
    await new PersonExport(services.database, scope, models, writeLine).run(id);
  } catch (error) {
    await leave();
    throw error;
  }
  await finish();
  const text = json ? JSON.stringify({ lines }) : `${rowsText(lines)} about ${username} exported`;
  if (path === '-') io.warn(text);
  else io.print(text);
};
