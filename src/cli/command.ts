/** `defineCommand`: options, operands and help of a command, and the reading of its arguments. */

import { statSync } from 'node:fs';
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util';
import { directoryMessage } from '../kernel/error-message.ts';
import { nearestHint } from '../kernel/options.ts';
import { CommandError, type Io, UsageError } from './io.ts';

/** An option, as `node:util` parses it, with its help text. */
export interface Option extends ParseArgsOptionDescriptor {
  readonly help: string;
  /** Name of the value in the help, e.g. `FILE`. Only for options of type `string`. */
  readonly value?: string;
}

export type Options = Readonly<Record<string, Option>>;

type Values<O extends Options> = ReturnType<
  typeof parseArgs<{ options: { -readonly [K in keyof O]: O[K] }; allowPositionals: true; strict: true }>
>['values'];

export interface Invocation<O extends Options> {
  readonly values: Values<O>;
  readonly operands: readonly string[];
}

export interface CommandDefinition<O extends Options> {
  /**
   * Names of the operands: `ID` is required, `[URL]` is optional, `FIELD...` (the last one) may be absent or
   * repeated.
   */
  readonly operands: readonly string[];
  readonly options: O;
  /** Sentences below the usage line, one per line. */
  readonly description: readonly string[];
  /** Complete command lines, at least one. */
  readonly examples: readonly [string, ...string[]];
  /** Throws `UsageError` (exit status 2) or anything else (1); the message becomes the one line on stderr. */
  run(invocation: Invocation<O>, io: Io): Promise<void>;
}

/** A command without the types of its options, as the registry contains it. */
export interface Command {
  readonly operands: readonly string[];
  readonly options: Options;
  readonly description: readonly string[];
  readonly examples: readonly string[];
  /** Parses the arguments after the command's name, strictly, and runs the command. */
  run(args: readonly string[], io: Io): Promise<void>;
}

/** For commands whose result scripts may read. */
export const jsonOption = {
  json: { type: 'boolean', help: 'print the result as one line of JSON' },
} as const satisfies Options;

const isOptional = (operand: string): boolean => operand.startsWith('[') || operand.endsWith('...');

const checkOperands = (operands: readonly string[], given: readonly string[]): void => {
  const missing = operands.find((operand, index) => given[index] === undefined && !isOptional(operand));
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = operands.at(-1)?.endsWith('...') ? undefined : given[operands.length];
  if (extra !== undefined) throw new UsageError(`unexpected argument '${extra}'`);
};

/**
 * Turns the parser's error into one of usage, without the parser's advice. For an unknown option, the nearest one is
 * named.
 */
const asUsageError = (error: unknown, options: Options): unknown => {
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_')))
    return error;
  const unknown = /^Unknown option '(--[^']+)'/.exec(error.message)?.[1];
  const known = [...Object.keys(options), 'help'].map((name) => `--${name}`);
  const hint = unknown === undefined ? '' : nearestHint(unknown, known);
  return new UsageError(error.message.replace(/\. .*$/s, '') + hint);
};

const parse = <O extends Options>(
  definition: CommandDefinition<O>,
  args: readonly string[],
): Invocation<O> => {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: definition.options,
      allowPositionals: true,
      strict: true,
    });
    return { values, operands: positionals };
  } catch (error) {
    throw asUsageError(error, definition.options);
  }
};

/** The operands and the values of options that the help calls FILE. */
const filesOf = <O extends Options>(
  { operands, options }: CommandDefinition<O>,
  given: Invocation<O>,
): readonly string[] => {
  const values: Readonly<Record<string, unknown>> = given.values;
  const named = Object.entries(options).map(([name, { value }]) => value === 'FILE' && values[name]);
  const placed = operands.map((operand, index) => operand === 'FILE' && given.operands[index]);
  return [...named, ...placed].filter((path) => typeof path === 'string');
};

/** True if a path names a directory. The command itself explains why it cannot use any other path. */
const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
};

/** Creates a command from its definition. Each file in `commands/` exports one as `command`. */
export const defineCommand = <const O extends Options>(definition: CommandDefinition<O>): Command => ({
  operands: definition.operands,
  options: definition.options,
  description: definition.description,
  examples: definition.examples,
  run: async (args, io) => {
    const invocation = parse(definition, args);
    checkOperands(definition.operands, invocation.operands);
    for (const path of filesOf(definition, invocation))
      if (isDirectory(path)) throw new CommandError(directoryMessage(path));
    await definition.run(invocation, io);
  },
});
