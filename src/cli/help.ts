import { fileURLToPath } from 'node:url';
import { packageFile } from '../kernel/package-files.ts';
import type { Command, Option } from './command.ts';
import { registry } from './registry.ts';

const optionText = (name: string, option: Option): string =>
  option.type === 'string' ? `--${name} ${option.value ?? 'TEXT'}` : `--${name}`;

const table = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
};

/** The help of one command. `name`: its one or two words. */
export const commandHelp = (name: string, command: Command): string => {
  const options = Object.entries(command.options).map(
    ([option, about]) => [optionText(option, about), about.help] as const,
  );
  const usage = ['gatewright', name, ...command.operands];
  if (options.length > 0) usage.push('[OPTION]...');
  return [
    `Usage: ${usage.join(' ')}`,
    '',
    ...command.description,
    '',
    'Options:',
    ...table([...options, ['--help', 'print this']]),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${example}`),
    '',
  ].join('\n');
};

/** The way to the documents of this package, which need no network. */
const handbookLines = (): readonly string[] => [
  `The handbook is in ${fileURLToPath(packageFile('docs/guide'))}: begin with quick-start.md.`,
  'A running service shows it at /api-docs/handbook.',
];

/** The list of all commands, or of the commands of one group. */
export const commandList = (group?: string): string => {
  const rows = [...registry]
    .filter(([name]) => group === undefined || name.startsWith(`${group} `))
    .map(([name, { summary }]) => [name, summary] as const);
  const lines = [
    `Usage: gatewright ${group ?? ''}${group === undefined ? '' : ' '}COMMAND`,
    '',
    'Commands:',
    ...table(rows),
    '',
    'gatewright COMMAND --help explains one, with examples. The configuration is read from the environment.',
  ];
  if (group === undefined) lines.push(...handbookLines());
  return [...lines, ''].join('\n');
};
