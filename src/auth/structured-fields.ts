/**
 * Structured Field Values (RFC 9651), as far as signatures and digests use them: dictionaries of inner lists and of
 * byte sequences, with strings, integers, byte sequences and flags as values. The parser is strict where the RFC is
 * lenient: a key that occurs twice is an error, and a value has one spelling. So a parsed field says the same to every
 * reader, and `serialize` returns the text that was signed.
 */

/** A flag is `true`: a parameter without a value. */
type Value = string | number | Uint8Array | true;

export type Parameters = ReadonlyMap<string, Value>;

/** A value with its parameters, such as the name of a component. */
export interface Item {
  readonly value: Value;
  readonly parameters: Parameters;
}

export interface InnerList {
  readonly items: readonly Item[];
  readonly parameters: Parameters;
}

export type Dictionary = ReadonlyMap<string, Item | InnerList>;

const keyForm = /[a-z*][a-z0-9_.*-]*/y;
const stringForm = /"((?:[ !#-[\]-~]|\\["\\])*)"/y;
/** Without leading zeros; no decimal. */
const integerForm = /(?:0|-?[1-9]\d{0,14})(?![\d.])/y;
const bytesForm = /:((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?):/y;
const spaces = / */y;
/** Blanks around the commas of a dictionary. */
const optionalBlanks = /[ \t]*/y;

class MalformedFieldError extends Error {}

const throwMalformed = (): never => {
  throw new MalformedFieldError('no structured field');
};

/** Reads a field from left to right, each character once. */
class FieldReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get ended(): boolean {
    return this.#at === this.#text.length;
  }

  /** The match of a sticky form at this place, after which reading goes on. */
  #match(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.#at;
    const match = form.exec(this.#text);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match;
  }

  skip(form: RegExp): void {
    this.#match(form);
  }

  takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  key(): string {
    return this.#match(keyForm)?.[0] ?? throwMalformed();
  }

  #value(): Value {
    const string = this.#match(stringForm)?.[1];
    if (string !== undefined) return string.replaceAll(/\\(.)/g, '$1');
    const integer = this.#match(integerForm)?.[0];
    if (integer !== undefined) return Number(integer);
    const base64 = this.#match(bytesForm)?.[1] ?? throwMalformed();
    const bytes = Buffer.from(base64, 'base64');
    // The last character may have bits that are not of a byte.
    return bytes.toString('base64') === base64 ? bytes : throwMalformed();
  }

  #parameters(): Parameters {
    const parameters = new Map<string, Value>();
    while (this.takes(';')) {
      this.skip(spaces);
      const key = this.key();
      if (parameters.has(key)) throwMalformed();
      parameters.set(key, this.takes('=') ? this.#value() : true);
    }
    return parameters;
  }

  #item(): Item {
    return { value: this.#value(), parameters: this.#parameters() };
  }

  member(): Item | InnerList {
    if (!this.takes('(')) return this.#item();
    const items: Item[] = [];
    this.skip(spaces);
    while (!this.takes(')')) {
      items.push(this.#item());
      if (this.takes(' ')) this.skip(spaces);
      else if (this.#text[this.#at] !== ')') throwMalformed();
    }
    return { items, parameters: this.#parameters() };
  }
}

const readDictionary = (reader: FieldReader): Dictionary => {
  const members = new Map<string, Item | InnerList>();
  reader.skip(spaces);
  do {
    reader.skip(optionalBlanks);
    const key = reader.key();
    if (members.has(key)) throwMalformed();
    members.set(key, reader.takes('=') ? reader.member() : throwMalformed());
    reader.skip(optionalBlanks);
  } while (reader.takes(','));
  return reader.ended ? members : throwMalformed();
};

/** Undefined unless the field is a dictionary of at least one member as described above. */
export const parseDictionary = (text: string): Dictionary | undefined => {
  try {
    return readDictionary(new FieldReader(text));
  } catch (error) {
    if (error instanceof MalformedFieldError) return undefined;
    throw error;
  }
};

const serializeValue = (value: Exclude<Value, true>): string => {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
  return `:${Buffer.from(value).toString('base64')}:`;
};

const serializeParameters = (parameters: Parameters): string =>
  [...parameters]
    .map(([key, value]) => (value === true ? `;${key}` : `;${key}=${serializeValue(value)}`))
    .join('');

const serializeItem = ({ value, parameters }: Item): string =>
  (value === true ? throwMalformed() : serializeValue(value)) + serializeParameters(parameters);

export const serialize = (member: Item | InnerList): string =>
  'items' in member
    ? `(${member.items.map(serializeItem).join(' ')})${serializeParameters(member.parameters)}`
    : serializeItem(member);
