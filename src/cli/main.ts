/** Runs one command line: finds the command, and turns its result or error into an exit status. */

import { packageVersion } from '../app/version.ts';
import { errorMessage } from '../kernel/error-message.ts';
import { nearest, nearestHint } from '../kernel/options.ts';
import { commandHelp, commandList } from './help.ts';
import { CommandError, type Io, UsageError } from './io.ts';
import { registry } from './registry.ts';

export { processIo } from './io.ts';

const isHelp = (argument: string | undefined): boolean => argument === '--help' || argument === '-h';

/** True if `--help` is among the options; an argument after `--` is an operand. */
const asksForHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).some(isHelp);
};

const isGroup = (word: string): boolean => [...registry.keys()].some((name) => name.startsWith(`${word} `));

/** The message for words that name no command, with the nearest first word, or the nearest second word in a group. */
const unknownCommand = (first: string, second: string | undefined): string => {
  if (isGroup(first) && second === undefined) return `${first} what? gatewright ${first} --help lists them`;
  const heads = new Set([...registry.keys()].map((name) => name.split(' ')[0] ?? name));
  const head = nearest(first, heads) ?? first;
  const within = [...registry.keys()].filter((name) => name.startsWith(`${head} `));
  const words = second !== undefined && (isGroup(first) || within.length > 0) ? `${first} ${second}` : first;
  const hint = words === first ? nearestHint(first, heads) : nearestHint(`${head} ${second}`, within);
  return `no command '${words}'${hint}; gatewright --help lists them`;
};

/** `help app create` is `app create --help`. */
const withoutHelpWord = (argv: readonly string[]): readonly string[] =>
  argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;

const dispatch = async (given: readonly string[], io: Io): Promise<void> => {
  const argv = withoutHelpWord(given);
  const [first, second] = argv;
  if (first === undefined) throw new UsageError('which command? gatewright --help lists them');
  if (isHelp(first)) return io.write(commandList());
  if (first === '--version') return io.print(await packageVersion());

  const name = [`${first} ${second}`, first].find((words) => registry.has(words));
  const entry = name === undefined ? undefined : registry.get(name);
  if (name === undefined || entry === undefined) {
    if (isGroup(first) && isHelp(second)) return io.write(commandList(first));
    throw new UsageError(unknownCommand(first, second));
  }
  const { command } = await entry.load();
  const args = argv.slice(name.split(' ').length);
  if (asksForHelp(args)) return io.write(commandHelp(name, command));
  try {
    await command.run(args, io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${name}: ${error.message} (gatewright ${name} --help)`);
  }
};

/** The message of an error on one line: the message of a configuration error has line breaks. */
const oneLine = (error: unknown): string => {
  const text = errorMessage(error);
  return text
    .trim()
    .replace(/:\s*\n\s*/g, ': ')
    .replace(/\s*\n\s*/g, '; ');
};

/**
 * Runs the command that `argv` names (without the program's own name). Returns the exit status: 0 done, 1 failed, 2
 * wrongly used, any other as the command documents. An error is one line on stderr.
 */
export const main = async (argv: readonly string[], io: Io): Promise<number> => {
  try {
    await dispatch(argv, io);
    return 0;
  } catch (error) {
    io.warn(`gatewright: ${oneLine(error)}`);
    if (error instanceof UsageError) return 2;
    return error instanceof CommandError ? error.status : 1;
  }
};
