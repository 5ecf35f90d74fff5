import { locales } from './messages/catalogue.ts';

/**
 * What a definition may say, checked at run time: the files of an application may be JavaScript, and a misspelt
 * `permissions` that was passed over would leave a resource open. A table holds a check for each option; its type is
 * made from that of the options, so the compiler names an option that a table forgets.
 */

/** Says what is wrong with the value at a path (`views.list`), as a clause for a developer; undefined where nothing is. */
export type OptionCheck = (value: unknown, path: string) => string | undefined;

/** A check for every option of a type, no more and no fewer: `{ … } satisfies OptionTable<Options>`. */
export type OptionTable<Options> = { readonly [Name in keyof Required<Options>]: OptionCheck };

/** Edits that make one text of the other: letters put in, left out or replaced, and neighbours exchanged. */
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

/** Edits from one name to another; one where the other only begins alike, as `zh` is short for `zh-CN`. */
const edits = (one: string, other: string): number =>
  one !== '' && (one.startsWith(other) || other.startsWith(one)) ? 1 : distance(one, other);

/** The known name that takes the fewest edits, the first of several; undefined where none is known. */
export const nearest = (name: string, known: Iterable<string>): string | undefined => {
  const lower = name.toLowerCase();
  const ranked = [...known].map((each) => ({ each, far: edits(lower, each.toLowerCase()) }));
  return ranked.sort((a, b) => a.far - b.far)[0]?.each;
};

/** What stands behind a message about an unknown name. */
export const nearestHint = (name: string, known: Iterable<string>): string => {
  const found = nearest(name, known);
  return found === undefined ? '' : `: the nearest is "${found}"`;
};

/** A value as a message has it: short, and never a failure of its own. */
const shown = (value: unknown): string => {
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
};

const expected =
  (words: string, fits: (value: unknown) => boolean): OptionCheck =>
  (value, path) =>
    fits(value) ? undefined : `${path} must be ${words}, not ${shown(value)}`;

/** An object literal, or a module's: what else has a prototype hides its members from whoever copies it. */
const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/** Checked elsewhere, by who knows what it means. */
export const anything: OptionCheck = () => undefined;

export const flag = expected('true or false', (value) => typeof value === 'boolean');
export const textual = expected('a text', (value) => typeof value === 'string' && value !== '');
export const numeric = expected('a number', (value) => typeof value === 'number');
/** A whole number within bounds, which belong to it. */
export const wholeNumber = (min: number, max: number): OptionCheck =>
  expected(
    `a whole number from ${min} to ${max}`,
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  );
export const numberOrText = expected('a number or a text', (value) =>
  ['number', 'string'].includes(typeof value),
);
export const code = expected('a function', (value) => typeof value === 'function');
export const plainObject = expected('an object', isPlain);

/** One of a few values, all named in the message. */
export const oneOf =
  (...values: readonly (string | number | boolean)[]): OptionCheck =>
  (value, path) => {
    if (values.some((each) => each === value)) return undefined;
    const words = values.map((each) => JSON.stringify(each)).join(' or ');
    return `${path} must be ${words}, not ${shown(value)}`;
  };

/** One of many names, of which the message tells the nearest and all. */
export const oneNamed =
  (what: string, names: readonly string[]): OptionCheck =>
  (value, path) =>
    names.some((name) => name === value)
      ? undefined
      : `${path}: there is no ${what} ${shown(value)}${typeof value === 'string' ? nearestHint(value, names) : ''} (${names.join(', ')})`;

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
    if (!Array.isArray(value)) return `${path} must be a list, not ${shown(value)}`;
    return firstFlaw(value.map((each, index) => [each, `${path}[${index}]`, check]));
  };

export const texts = listOf(textual);

/** An object whose names are free. */
export const mapOf =
  (check: OptionCheck): OptionCheck =>
  (value, path) =>
    plainObject(value, path) ??
    firstFlaw(Object.entries(value as object).map(([name, each]) => [each, `${path}.${name}`, check]));

/** An object with these options, each of which may be absent; one that stands there and is undefined is a slip. */
export const objectOf =
  (table: Readonly<Record<string, OptionCheck>>): OptionCheck =>
  (value, path) => {
    if (!isPlain(value))
      return `${path === '' ? 'what it says' : path} must be an object, not ${shown(value)}`;
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

/** Either of two shapes. */
export const listOrObject =
  (list: OptionCheck, object: OptionCheck): OptionCheck =>
  (value, path) =>
    (Array.isArray(value) ? list : object)(value, path);

const labelTexts = objectOf(Object.fromEntries(locales.map((locale) => [locale, textual])));

/** One text, or one for every language. */
export const label: OptionCheck = (value, path) => {
  if (typeof value === 'string') return textual(value, path);
  const flaw = labelTexts(value, path);
  if (flaw !== undefined) return flaw;
  const missing = locales.find((locale) => !Object.hasOwn(value as object, locale));
  return missing === undefined ? undefined : `${path} has no text for ${missing}`;
};

/** What is wrong with the options of a definition as a whole. */
export const optionsFlaw = (
  options: unknown,
  table: Readonly<Record<string, OptionCheck>>,
): string | undefined => objectOf(table)(options, '');

/**
 * The options of a call, all of which are known: a misspelt one would be none. Their values are looked at where they are
 * used. @throws TypeError that begins with `what`
 */
export const known = <Options extends object>(
  what: string,
  options: Options,
  table: OptionTable<Options>,
): Options => {
  const flaw = optionsFlaw(options, table);
  if (flaw !== undefined) throw new TypeError(`${what}: ${flaw}`);
  return options;
};
