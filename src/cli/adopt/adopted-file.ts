/**
 * `resources/adopted.json`: what a run of `gatewright adopt` found and wrote, a line for each fact. The next run
 * compares the database with it.
 */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyKinds } from '../../fields/keys.ts';
import { errorMessage } from '../../kernel/error-message.ts';
import { CommandError } from '../io.ts';
import { statementText } from '../scaffold/code.ts';
import { type AdoptedModel, type ReferredKey, tableText } from './adopted-model.ts';

/** FactTexts by their names: those of the database (`column total`), or of the model (`fields.total`). */
export type FactTexts = Readonly<Record<string, string>>;

/** A table with a model. */
export interface RecordedModel {
  readonly model: string;
  readonly singular: string;
  readonly plural: string;
  /** Digest of the file that was written, in any formatting. */
  readonly digest: string;
  readonly key: ReferredKey;
  readonly database: FactTexts;
  readonly code: FactTexts;
}

/** A table without one. */
export interface RecordedLeft {
  readonly left: string;
}

export type RecordedTable = RecordedModel | RecordedLeft;

/** Tables by their texts, such as `public.orders`. */
export type Recorded = ReadonlyMap<string, RecordedTable>;

/** Path from the folder of the application. */
export const recordPath = 'resources/adopted.json';

/** Path of the file of a model. */
export const filePath = ({ singular }: { readonly singular: string }): string => `resources/${singular}.ts`;

/** The first line of a file that `adopt` wrote, after its import. */
const mark = '// By gatewright adopt, from the table ';

/** The line by which a file of `adopt` is recognized. */
export const markLine = (table: string): string =>
  `${mark.slice('// '.length)}${JSON.stringify(table).replace(/[\u2028\u2029]/g, ' ')}. Once you change this file, adopt only names differences.`;

/** Names of files in `resources/` that `adopt` wrote: those of the record, and those of a run that was interrupted. */
export const adoptedFiles = async (folder: string, recorded: Recorded): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  for (const each of recorded.values()) if ('model' in each) names.add(`${each.singular}.ts`);
  const directory = join(folder, 'resources');
  const there = await readdir(directory).catch(() => []);
  for (const name of there.filter((each) => each.endsWith('.ts') && !names.has(each))) {
    const text = await readFile(join(directory, name), 'utf8').catch(() => '');
    if (text.split('\n', 10).some((line) => line.startsWith(mark))) names.add(name);
  }
  return names;
};

const format = 1;

const isFacts = (value: unknown): value is FactTexts =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((fact) => typeof fact === 'string');

const isRecordedTable = (value: unknown): value is RecordedTable => {
  if (typeof value !== 'object' || value === null) return false;
  if ('left' in value) return typeof value.left === 'string';
  const { model, singular, plural, digest, database, code, key } = value as Partial<RecordedModel>;
  return (
    [model, singular, plural, digest].every((text) => typeof text === 'string') &&
    /^[a-z][a-z0-9_]*$/.test(singular ?? '') &&
    Array.isArray(key?.columns) &&
    (key.kind === undefined || keyKinds.includes(key.kind)) &&
    isFacts(database) &&
    isFacts(code)
  );
};

const damaged = (reason: string, cause?: unknown): CommandError =>
  new CommandError(`${recordPath} is damaged (${reason}): restore it, for example from version control`, {
    cause,
  });

/** Reads the file of the last run; empty where there was none. @throws CommandError */
export const readRecorded = async (folder: string): Promise<Recorded> => {
  let text: string;
  try {
    text = await readFile(join(folder, recordPath), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw error;
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw damaged(errorMessage(error), error);
  }
  const { version, tables } = content as { readonly version?: unknown; readonly tables?: unknown };
  if (version !== format)
    throw new CommandError(`${recordPath} is of version ${String(version)}; this release reads ${format}`);
  const entries = Object.entries(tables ?? {}) as [string, unknown][];
  return new Map(
    entries.map(([name, table]): [string, RecordedTable] => {
      if (!isRecordedTable(table)) throw damaged(name);
      return [name, table];
    }),
  );
};

/** The text of the file, in the order of the names of tables. */
export const recordedText = (recorded: Recorded): string => {
  const sorted = [...recorded].sort(([one], [other]) => (one < other ? -1 : 1));
  return `${JSON.stringify({ version: format, tables: Object.fromEntries(sorted) }, undefined, 2)}\n`;
};

/** Comments, texts, and what a formatter may change: blanks, semicolons, and commas at line ends. */
const formatted = /\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[\s;]+|,(?=\s*[\]})])/g;

/** Digest of a file of code that stays the same when a formatter changes blanks, quotes, commas and semicolons. */
export const codeDigest = (text: string): string => {
  const plain = text.replace(formatted, (part) => {
    if (part.startsWith('//')) return `${part.trimEnd()}\n`;
    return /^['"]/.test(part) ? JSON.stringify(part.slice(1, -1).replace(/\\(['"])/g, '$1')) : '';
  });
  return createHash('sha256').update(plain).digest('hex').slice(0, 32);
};

/** All that the database says of a table. */
export const databaseFacts = ({ table, columns, policies }: AdoptedModel): FactTexts => {
  const facts: Record<string, string> = { kind: table.kind, ...policies };
  for (const { column, declared } of columns) facts[`column ${column}`] = declared;
  if (table.key.length > 0) facts['key'] = table.key.join(', ');
  for (const { name, columns: of, because } of table.unique)
    facts[`unique ${name}`] = because === undefined ? of.join(', ') : `${of.join(', ')}: ${because}`;
  for (const { columns: of, table: target, to, onDelete } of table.references)
    facts[`reference ${of.join(', ')}`] = `${tableText(target)}(${to.join(', ')}) on delete ${onDelete}`;
  for (const { sql } of table.checks) facts[`check ${sql}`] = 'yes';
  for (const { name, checks, type } of table.columns) {
    for (const sql of checks) facts[`check ${name}: ${sql}`] = 'yes';
    if (type.kind === 'enum') facts[`choices ${name}`] = type.choices.join(' | ');
  }
  if (table.rowSecurity !== 'off') facts['row security'] = table.rowSecurity;
  return facts;
};

const lineOf = (code: AdoptedModel['entries'][number]['value']): string =>
  statementText(code, { after: '' }).replace(/\s*\n\s*/g, ' ');

/** The code of a model, entry by entry. */
export const codeFacts = ({ entries }: AdoptedModel): FactTexts => {
  const facts: Record<string, string> = {};
  for (const { key, value } of entries) {
    if (typeof value === 'object' && 'object' in value && (key === 'fields' || key === 'relations'))
      for (const entry of value.object) facts[`${key}.${entry.key}`] = lineOf(entry.value);
    else facts[key] = lineOf(value);
  }
  return facts;
};

/** The source of the policies that a model has; undefined without any. */
export const policiesOf = (recorded: RecordedTable): string | undefined =>
  'database' in recorded && Object.hasOwn(recorded.database, 'policies')
    ? recorded.database['policies']
    : undefined;

export const recordedModel = (adopted: AdoptedModel, text: string): RecordedModel => ({
  model: adopted.model,
  singular: adopted.singular,
  plural: adopted.plural,
  digest: codeDigest(text),
  key: adopted.key,
  database: databaseFacts(adopted),
  code: codeFacts(adopted),
});

/** A fact that is new, gone or another one. */
export interface FactChange {
  readonly name: string;
  readonly before: string | undefined;
  readonly now: string | undefined;
}

/** The facts that differ: those of now in their order, then what is gone. */
export const factChanges = (before: FactTexts, now: FactTexts): readonly FactChange[] => {
  const names = [...Object.keys(now), ...Object.keys(before).filter((name) => !Object.hasOwn(now, name))];
  return names.flatMap((name) => {
    const change = {
      name,
      before: Object.hasOwn(before, name) ? before[name] : undefined,
      now: Object.hasOwn(now, name) ? now[name] : undefined,
    };
    return change.before === change.now ? [] : [change];
  });
};
