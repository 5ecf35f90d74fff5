/**
 * Checks of options at run time: the files of an application may be JavaScript, and a misspelt `permissions` that was
 * ignored would leave a resource open. A table has a check for each option; its type is derived from that of the
 * options, so that the compiler names an option without a check.
 */

import { isLocale } from './messages/catalogue.ts';

/** Returns the flaw of the value at a path (`views.list`), as a clause for a developer; undefined when it has none. */
export type OptionCheck = (value: unknown, path: string) => string | undefined;

/** A check for every option of a type, no more and no fewer: `{ … } satisfies OptionTable<Options>`. */
export type OptionTable<Options> = { readonly [Name in keyof Required<Options>]: OptionCheck };

/** Returns the edit distance of two texts: insertions, deletions, substitutions and transpositions. */
const distance = (one: string, other: string): number => {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let line = 1; line <= one.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[line - 1] === other[column - 1];
      const exchanged = one[line - 1] === other[column - 2] && one[line - 2] === other[column - 1];
      next[column] = Math.min(
        (row[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (row[column - 1] ?? 0) + (same ? 0 : 1),
        exchanged ? (before[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
};

/** Returns the edit distance of two names; one where a name is a prefix of the other, as `zh` of `zh-CN`. */
const edits = (one: string, other: string): number =>
  one !== '' && (one.startsWith(other) || other.startsWith(one)) ? 1 : distance(one, other);

/** Returns the known name with the smallest distance, the first of several; undefined when no name is known. */
export const nearest = (name: string, known: Iterable<string>): string | undefined => {
  const lower = name.toLowerCase();
  const ranked = [...known].map((each) => ({ each, far: edits(lower, each.toLowerCase()) }));
  return ranked.sort((a, b) => a.far - b.far)[0]?.each;
};

/** Returns the end of a message about an unknown name: the nearest known one. */
export const nearestHint = (name: string, known: Iterable<string>): string => {
  const found = nearest(name, known);
  return found === undefined ? '' : `: the nearest is "${found}"`;
};

/** Describes a value for a message: short, and without errors of its own. */
const describe = (value: unknown): string => {
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
};

/** Accepts the values that fit; the words say in the message what fits. */
export const checkThat =
  (words: string, fits: (value: unknown) => boolean): OptionCheck =>
  (value, path) =>
    fits(value) ? undefined : `${path} must be ${words}, not ${describe(value)}`;

/**
 * True if a value is an object literal or a module: a copy of any other object would lack the members of its prototype.
 */
const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/** Accepts every value: its meaning is checked elsewhere. */
export const anything: OptionCheck = () => undefined;

export const flag = checkThat('true or false', (value) => typeof value === 'boolean');
export const textual = checkThat('a text', (value) => typeof value === 'string' && value !== '');
export const numeric = checkThat('a number', (value) => typeof value === 'number');
/** A whole number within inclusive bounds. */
export const wholeNumber = (min: number, max: number): OptionCheck =>
  checkThat(
    `a whole number from ${min} to ${max}`,
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  );
export const numberOrText = checkThat('a number or a text', (value) =>
  ['number', 'string'].includes(typeof value),
);
export const code = checkThat('a function', (value) => typeof value === 'function');
export const plainObject = checkThat('an object', isPlain);

/** One of a few values, which the message lists. */
export const oneOf =
  (...values: readonly (string | number | boolean)[]): OptionCheck =>
  (value, path) => {
    if (values.some((each) => each === value)) return undefined;
    const words = values.map((each) => JSON.stringify(each)).join(' or ');
    return `${path} must be ${words}, not ${describe(value)}`;
  };

/** One of many names; the message has the nearest name and lists all. */
export const oneNamed =
  (what: string, names: readonly string[]): OptionCheck =>
  (value, path) =>
    names.some((name) => name === value)
      ? undefined
      : `${path}: there is no ${what} ${describe(value)}${typeof value === 'string' ? nearestHint(value, names) : ''} (${names.join(', ')})`;

const firstFlaw = (parts: readonly (readonly [unknown, string, OptionCheck])[]): string | undefined => {
  for (const [value, path, check] of parts) {
    const flaw = check(value, path);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
};

export const listOf =
  (check: OptionCheck): OptionCheck =>
  (value, path) => {
    if (!Array.isArray(value)) return `${path} must be a list, not ${describe(value)}`;
    return firstFlaw(value.map((each, index) => [each, `${path}[${index}]`, check]));
  };

/** A list with at least one entry. */
export const filledListOf =
  (check: OptionCheck): OptionCheck =>
  (value, path) =>
    listOf(check)(value, path) ??
    ((value as readonly unknown[]).length === 0 ? `${path} must have at least one entry` : undefined);

export const texts = listOf(textual);

/** An object with any names. */
export const mapOf =
  (check: OptionCheck): OptionCheck =>
  (value, path) =>
    plainObject(value, path) ??
    firstFlaw(Object.entries(value as object).map(([name, each]) => [each, `${path}.${name}`, check]));

/** An object with these options, each of which may be absent, but not present and undefined. */
export const objectOf =
  (table: Readonly<Record<string, OptionCheck>>): OptionCheck =>
  (value, path) => {
    if (!isPlain(value))
      return `${path === '' ? 'the options' : path} must be an object, not ${describe(value)}`;
    const at = path === '' ? '' : `${path}.`;
    const parts: (readonly [unknown, string, OptionCheck])[] = [];
    for (const [name, given] of Object.entries(value)) {
      const check = Object.hasOwn(table, name) ? table[name] : undefined;
      if (check === undefined)
        return `there is no option "${at}${name}"${nearestHint(name, Object.keys(table))}`;
      parts.push([given, `${at}${name}`, check]);
    }
    return firstFlaw(parts);
  };

/** Either a list or an object. */
export const listOrObject =
  (list: OptionCheck, object: OptionCheck): OptionCheck =>
  (value, path) =>
    (Array.isArray(value) ? list : object)(value, path);

/** A tag whose language has the two or three letters of ISO 639: a misspelt option is rarely one. */
const isLanguage = (name: string): boolean => /^[a-z]{2,3}(?:-|$)/.test(name) && isLocale(name);

/** One text, or one for each of any languages. */
export const label: OptionCheck = (value, path) => {
  if (typeof value === 'string') return textual(value, path);
  const flaw = plainObject(value, path);
  if (flaw !== undefined) return flaw;
  const names = Object.keys(value as object);
  const wrong = names.find((name) => !isLanguage(name));
  if (wrong !== undefined)
    return `there is no option "${path}.${wrong}": a text per language is named by language, such as en, de or pt-BR`;
  return names.length === 0 ? `${path} has no text in any language` : mapOf(textual)(value, path);
};

/** Returns the flaw of the options of a definition; undefined when they have none. */
export const optionsFlaw = (
  options: unknown,
  table: Readonly<Record<string, OptionCheck>>,
): string | undefined => objectOf(table)(options, '');

/**
 * Checks the options of a call, and returns them: a misspelt option would be ignored.
 * @throws TypeError that begins with `what`
 */
export const checkOptions = <Options extends object>(
  what: string,
  options: Options,
  table: OptionTable<Options>,
): Options => {
  const flaw = optionsFlaw(options, table);
  if (flaw !== undefined) throw new TypeError(`${what}: ${flaw}`);
  return options;
};
