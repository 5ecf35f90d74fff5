/**
 * JSON whose values are kept as they were sent, where values of JavaScript are others: numbers that no double has, and
 * the order of keys that are digits, which JavaScript sorts.
 */

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** A number of a JSON text that no double has. `JSON.stringify` writes its text. */
export class ExactNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** As it was sent. */
  get text(): string {
    return this.#text;
  }

  toJSON(): unknown {
    return rawJSON(this.#text);
  }
}

/** Keys in the order in which they were sent, of objects with keys that are digits. */
const orders = new WeakMap<object, readonly string[]>();

/** Texts that may have such values: most have none, and are parsed at once. Digits within strings rarely match. */
const unusual = /[:,[\s]-?(?:[\d.]{16}|[\d.]{1,16}[eE][+-]?\d{3})|"\d+"\s*:/;

/** Sign, digits and exponent of a number, equal for two texts of one number. */
const numericValue = (text: string): string | undefined => {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
};

const numberOf = (value: number, source: string): unknown =>
  numericValue(String(value)) === numericValue(source) ? value : new ExactNumber(source);

/** A key that JavaScript would sort, or one that is marked. */
const marked = /^~*\d+$/;

const isEscaped = (text: string, quote: number): boolean => {
  let at = quote - 1;
  while (text[at] === '\\') at -= 1;
  return (quote - at) % 2 === 0;
};

/** True if a colon follows, behind white space. */
const isKey = (text: string, end: number): boolean => {
  let at = end + 1;
  while (' \t\r\n'.includes(text[at] ?? 'x')) at += 1;
  return text[at] === ':';
};

const markedKey = (raw: string): string => {
  const key = raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
  return marked.test(key) ? `~${key}` : raw;
};

/** The text with a mark before each key of digits, so that `JSON.parse` keeps its place. @throws SyntaxError */
const markKeys = (text: string): string => {
  let result = '';
  let done = 0;
  for (let start = text.indexOf('"'); start !== -1; ) {
    let end = text.indexOf('"', start + 1);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    // It is no JSON, as `JSON.parse` will find.
    if (end === -1) break;
    if (isKey(text, end)) {
      result += text.slice(done, start + 1) + markedKey(text.slice(start + 1, end));
      done = end;
    }
    start = text.indexOf('"', end + 1);
  }
  return result + text.slice(done);
};

const withoutMarks = (value: object): object => {
  const entries = Object.entries(value);
  if (!entries.some(([key]) => marked.test(key))) return value;
  const named = entries.map(([key, each]) => [marked.test(key) ? key.slice(1) : key, each] as const);
  const object = Object.fromEntries(named);
  orders.set(
    object,
    named.map(([key]) => key),
  );
  return object;
};

/** The third argument of a reviver (ECMAScript 2026). */
type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown;

const revive: Reviver = (_key, value, { source }) => {
  if (typeof value === 'number') return numberOf(value, source);
  return typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
    ? withoutMarks(value)
    : value;
};

/**
 * As `JSON.parse`, but a number that no double has is an `ExactNumber`, and `exactText` writes keys in the order of the
 * text. @throws SyntaxError
 */
export const parseExact = (text: string): unknown =>
  unusual.test(text)
    ? JSON.parse(markKeys(text), revive as (key: string, value: unknown) => unknown)
    : JSON.parse(text);

const hasOrder = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (orders.has(value) || Object.values(value).some((each) => hasOrder(each)));

/** Members as `JSON.stringify` has them. `line`: a line break with the indentation of the brackets; '' for one line. */
const within = (brackets: '[]' | '{}', members: readonly string[], line: string, inner: string): string => {
  const [open, close] = brackets;
  return members.length === 0 ? brackets : `${open}${inner}${members.join(`,${inner}`)}${line}${close}`;
};

const ordered = (value: unknown, indent: string, line: string): string => {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber)
    return JSON.stringify(value);
  const inner = line + indent;
  if (Array.isArray(value)) {
    const items = value.map((each) => ordered(each, indent, inner));
    return within('[]', items, line, inner);
  }
  const members = new Map(Object.entries(value));
  const colon = indent === '' ? ':' : ': ';
  const entries = (orders.get(value) ?? [...members.keys()]).flatMap((key) => {
    const member = members.get(key);
    return member === undefined ? [] : [JSON.stringify(key) + colon + ordered(member, indent, inner)];
  });
  return within('{}', entries, line, inner);
};

/** A key of digits in a text, or a string that looks like one. */
const digitKey = /"\d+":/;

/**
 * As `JSON.stringify`, of a value that is JSON or that `parseExact` made. The text says sooner than the value whether
 * there are keys of digits: to visit the members of a large object takes several times as long as to write it.
 * @param indent spaces before each member of a level, on lines of their own; one line unless given, which costs less
 * than 0
 */
export const exactText = (value: unknown, indent?: number): string => {
  const text = JSON.stringify(value, undefined, indent);
  if (!digitKey.test(text) || !hasOrder(value)) return text;
  return indent === undefined ? ordered(value, '', '') : ordered(value, ' '.repeat(indent), '\n');
};

/** The values for code of an application: each exact number as the nearest double, infinite beyond all of them. */
export const plainJson = <T>(value: T): T => {
  if (value instanceof ExactNumber) return Number(value.text) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => plainJson(each)) as T;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainJson(each)])) as T;
};
