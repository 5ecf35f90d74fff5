/** Finds the file, line and column of a mistake in the files of an application. */

import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DefinitionError } from '../model/definition-error.ts';

/** Location of an error in the application's own files; lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The error and its causes, the first cause first. */
const chain = (error: unknown): readonly Error[] =>
  error instanceof Error ? [...chain(error.cause), error] : [];

const pathOf = (text: string): string => (text.startsWith('file:') ? fileURLToPath(text) : text);

/** Reads `file:3`, the line itself and a caret under it: Node's form of a syntax error. */
const ofSyntax = (stack: string): Place | undefined => {
  const [, file, line] = /^(\S+?\.[cm]?[jt]s):(\d+)\n/.exec(stack) ?? [];
  if (file === undefined) return undefined;
  const caret = stack.split('\n').find((text) => /^\s*\^+\s*$/.test(text));
  return { file: pathOf(file), line: Number(line), column: (caret?.indexOf('^') ?? 0) + 1 };
};

const isSource = (name: string): boolean => /(?<!\.d)\.[cm]?[jt]s$/.test(name);

/** The source without types, with the same lines and columns; empty for a file that Node could not load either. */
const javaScriptOf = (file: string, source: string): string => {
  if (!/\.[cm]?ts$/.test(file)) return source;
  try {
    return stripTypeScriptTypes(source);
  } catch {
    return '';
  }
};

/**
 * Locates errors (a name that is declared twice) for which Node gives no place to importers. It gives one when it
 * only checks the file, which it does for JavaScript.
 */
const ofCheck = async (error: Error, folder: string): Promise<Place | undefined> => {
  if (!(error instanceof SyntaxError)) return undefined;
  const named = /'(.+?)'/.exec(error.message)?.[1] ?? '';
  const names = await readdir(folder, { recursive: true });
  const own = names.filter((name) => isSource(name) && !/(^|[/\\])(\.|node_modules[/\\])/.test(name));
  for (const file of own.sort().map((name) => join(folder, name))) {
    const input = javaScriptOf(file, await readFile(file, 'utf8'));
    if (!input.includes(named)) continue;
    const args = ['--check', '--input-type=module', '-'];
    const { stderr } = spawnSync(process.execPath, args, { input, encoding: 'utf8', timeout: 10_000 });
    if (stderr.includes(error.message)) return ofSyntax(stderr.replace(/^\[stdin\]/m, file));
  }
  return undefined;
};

const ofFrame = (stack: string, folder: string): Place | undefined => {
  for (const [, text = '', line, column] of stack.matchAll(
    /(?:\(|at )((?:file:\/\/)?\/[^\n)]*?):(\d+):(\d+)\)?$/gm,
  )) {
    const file = pathOf(text);
    const inside = relative(folder, file);
    if (!inside.startsWith('..') && !inside.includes('node_modules'))
      return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
};

const ofText = async (file: string, pattern: RegExp, from = 0): Promise<Place | undefined> => {
  const lines = (await readFile(file, 'utf8')).split('\n');
  for (let index = from; index < lines.length; index += 1) {
    const found = pattern.exec(lines[index] ?? '');
    if (found !== null) return { file, line: index + 1, column: found.index + (found[1]?.length ?? 0) + 1 };
  }
  return undefined;
};

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Locates the file that defines a model: models are compared with each other only after their files have run. */
const ofModel = async (folder: string, model: string): Promise<Place | undefined> => {
  const directory = join(folder, 'resources');
  for (const name of (await readdir(directory).catch(() => [])).sort()) {
    if (!/\.[cm]?[jt]s$/.test(name)) continue;
    const pattern = new RegExp(`()defineResource\\(\\s*['"\`]${escaped(model)}['"\`]`);
    const place = await ofText(join(directory, name), pattern);
    if (place !== undefined) return place;
  }
  return undefined;
};

/**
 * Locates a model in the `resources` of a folder, at the first of these options that it has, else at its definition.
 * Undefined for a model that no file defines with its name.
 */
export const placeOfModel = async (
  folder: string,
  model: string,
  options: readonly string[],
): Promise<Place | undefined> => {
  const place = await ofModel(folder, model);
  if (place === undefined) return undefined;
  for (const option of options) {
    const found = await ofText(place.file, new RegExp(`^(\\s*)${escaped(option)}\\s*:`), place.line - 1);
    if (found !== undefined) return found;
  }
  return place;
};

/** Locates the definition of an endpoint in its file. */
export const placeOfEndpoint = async (file: string): Promise<Place> =>
  (await ofText(file, /()defineEndpoint\(/)) ?? { file, line: 1, column: 1 };

/** Locates the line of the field in a definition's error; a reference `author` is the field `author_id`. */
const ofField = async (error: DefinitionError, model: Place): Promise<Place> => {
  if (error.field === undefined) return model;
  const names = [error.field, error.field.replace(/_id$/, '')].map(escaped).join('|');
  const pattern = new RegExp(`^(\\s*)['"]?(?:${names})['"]?\\s*:`);
  return (await ofText(model.file, pattern, model.line - 1)) ?? model;
};

const ofImport = (message: string): Promise<Place | undefined> | undefined => {
  const [, missing, file] =
    /^Cannot find (?:module|package) '(.+?)' imported from (.+)$/m.exec(message) ?? [];
  if (missing === undefined || file === undefined) return undefined;
  const last = missing.split('/').at(-1) ?? missing;
  return ofText(pathOf(file), new RegExp(`^(.*['"][^'"]*)${escaped(last)}['"]`));
};

/** The frames of synchronous code. Behind an await the caller is the loader. */
const ownFrames = (stack: string): string => stack.replaceAll(/^\s*at async .*$/gm, '');

const placeOf = async (error: Error, folder: string): Promise<Place | undefined> => {
  const stack = error.stack ?? '';
  const found = ofSyntax(stack) ?? (await ofImport(error.message));
  if (found !== undefined) return found;
  if (!(error instanceof DefinitionError)) return ofFrame(stack, folder) ?? ofCheck(error, folder);
  const place = ofFrame(ownFrames(stack), folder) ?? (await ofModel(folder, error.model));
  return place && ofField(error, place);
};

/** Locates an error in the folder; undefined where none of its files caused it. */
export const locate = async (error: unknown, folder: string): Promise<Place | undefined> => {
  for (const each of chain(error)) {
    const place = await placeOf(each, folder);
    if (place !== undefined) return place;
  }
  return undefined;
};
