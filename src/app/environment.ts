/** The kinds of environment variables: how each is read, refused, and shown to administrators. */

import { resolve } from 'node:path';

/** A variable of the environment as one value: its default, its reading, its meaning, and the way it is shown. */

/** A sentence in both languages. */
export interface Meaning {
  readonly 'zh-CN': string;
  readonly en: string;
}

/** A value as administrators see it. */
export type ShownSetting = string | number | boolean | null;

export interface Variable<Value = unknown> {
  readonly name: string;
  /** The default in the reference; empty without one. */
  readonly fallback: string;
  readonly meaning: Meaning;
  /** True for a secret, of which only the presence is shown. */
  readonly secret: boolean;
  read(environment: Environment): Value;
  shown(value: Value): ShownSetting;
}

/** Variables as they are given, read one after the other; it collects their mistakes. */
export class Environment {
  readonly #texts: Readonly<Record<string, string | undefined>>;
  readonly #values = new Map<Variable, unknown>();
  readonly #mistakes: { readonly name: string; readonly expected: string }[] = [];

  constructor(texts: Readonly<Record<string, string | undefined>>) {
    this.#texts = texts;
  }

  /** The variable's text; an empty one counts as absent. */
  text(name: string): string | undefined {
    const text = this.#texts[name];
    return text === undefined || text === '' ? undefined : text;
  }

  /** The value of a variable, which is read once. */
  value<Value>(variable: Variable<Value>): Value {
    if (!this.#values.has(variable)) this.#values.set(variable, variable.read(this));
    return this.#values.get(variable) as Value;
  }

  wrong(name: string, expected: string): void {
    this.#mistakes.push({ name, expected });
  }

  /** A line for each mistake, in the order of these names. */
  mistakes(names: readonly string[]): readonly string[] {
    return this.#mistakes
      .toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name))
      .map(({ name, expected }) => `${name}: expected ${expected}`);
  }
}

const isShown = (value: unknown): value is ShownSetting =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** Lists are shown with commas, absent values as null. */
const shownAsItIs = (value: unknown): ShownSetting => {
  if (Array.isArray(value)) return value.join(', ') || null;
  return isShown(value) ? value : null;
};

type Described<Value> = Pick<Variable<Value>, 'name' | 'meaning' | 'read'> &
  Partial<Pick<Variable<Value>, 'fallback' | 'shown'>>;

const variableOf = <Value>(described: Described<Value>): Variable<Value> => ({
  fallback: '',
  shown: shownAsItIs,
  ...described,
  secret: false,
});

/** Its value is never shown; `form` says what is expected instead of a text. */
const secret = (
  name: string,
  meaning: Meaning,
  form: (text: string) => string | undefined = () => undefined,
): Variable<string | undefined> => ({
  name,
  fallback: '',
  meaning,
  secret: true,
  read(environment) {
    const text = environment.text(name);
    const expected = text === undefined ? undefined : form(text);
    if (expected !== undefined) environment.wrong(name, expected);
    return text;
  },
  shown: (value) => value !== undefined,
});

/** Reads a whole number; `fallback` where there is none or a wrong one. */
export const readInteger = <Fallback extends number | undefined>(
  environment: Environment,
  name: string,
  fallback: Fallback,
  min: number,
  max: number,
): number | Fallback => {
  const text = environment.text(name);
  if (text === undefined) return fallback;
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  environment.wrong(name, `a whole number from ${min} to ${max}`);
  return fallback;
};

/** A whole number from `min` to `max`. */
const integer = <Fallback extends number | undefined>(
  name: string,
  fallback: Fallback,
  [min, max]: readonly [number, number],
  meaning: Meaning,
): Variable<number | Fallback> =>
  variableOf({
    name,
    fallback: fallback === undefined ? '' : String(fallback),
    meaning,
    read: (environment) => readInteger(environment, name, fallback, min, max),
  });

const readChoice = <Choice extends string>(
  environment: Environment,
  name: string,
  choices: readonly Choice[],
): Choice | undefined => {
  const text = environment.text(name);
  const found = choices.find((choice) => choice === text);
  if (text !== undefined && found === undefined) environment.wrong(name, `one of ${choices.join(', ')}`);
  return found;
};

/** One of some words. */
const choice = <const Choice extends string>(
  name: string,
  fallback: NoInfer<Choice>,
  choices: readonly Choice[],
  meaning: Meaning,
): Variable<Choice> =>
  variableOf({
    name,
    fallback,
    meaning,
    read: (environment) => readChoice(environment, name, choices) ?? fallback,
  });

/** `on` or `off`; on by default. */
const onOff = (name: string, meaning: Meaning): Variable<boolean> =>
  variableOf({
    name,
    fallback: 'on',
    meaning,
    read: (environment) => readChoice(environment, name, ['on', 'off']) !== 'off',
    shown: (isOn) => (isOn ? 'on' : 'off'),
  });

/** `1` or `0`; 0 by default. */
const flag = (name: string, meaning: Meaning): Variable<boolean> =>
  variableOf({ name, meaning, read: (environment) => readChoice(environment, name, ['0', '1']) === '1' });

const text = (name: string, fallback: string, meaning: Meaning): Variable<string> =>
  variableOf({ name, fallback, meaning, read: (environment) => environment.text(name) ?? fallback });

/** A path, resolved from the current directory. */
const path = (name: string, fallback: string, meaning: Meaning): Variable<string> =>
  variableOf({ name, fallback, meaning, read: (environment) => resolve(environment.text(name) ?? fallback) });

/** The kinds of variables. */
export const variable = { of: variableOf, integer, choice, onOff, flag, text, path, secret };
