/** Reads the conditions of tables that say what a single column may hold: lists of texts, and bounds of numbers. */

/** The part of a condition that is about one column. */
export type ColumnCondition =
  | { readonly column: string; readonly choices: readonly string[] }
  /** `number` as written; with `open`, the number itself is not allowed. */
  | {
      readonly column: string;
      readonly bound: 'min' | 'max';
      readonly number: string;
      readonly open: boolean;
    };

type Token =
  | { readonly kind: 'text' | 'name' | 'number' | 'sign'; readonly text: string }
  | { readonly kind: 'word'; readonly text: string; readonly key: string };

const tokenForm =
  /\s+|E?'(?<text>(?:[^']|'')*)'|"(?<name>(?:[^"]|"")*)"|`(?<tick>[^`]*)`|\[(?<bracket>[A-Za-z_][^\]']*)\]|(?<number>-?\d+(?:\.\d+)?)|(?<word>[A-Za-z_]\w*)|(?<sign>::|<=|>=|<>|!=|[=<>(),[\]])/gy;

/** The words and signs of a condition; undefined where it has others. */
const tokensOf = (sql: string): Token[] | undefined => {
  const tokens: Token[] = [];
  tokenForm.lastIndex = 0;
  let end = 0;
  for (const match of sql.matchAll(tokenForm)) {
    end = match.index + match[0].length;
    const { text, name, tick, bracket, number, word, sign } = match.groups ?? {};
    const quoted = name ?? tick ?? bracket;
    if (text !== undefined) tokens.push({ kind: 'text', text: text.replaceAll("''", "'") });
    else if (quoted !== undefined) tokens.push({ kind: 'name', text: quoted.replaceAll('""', '"') });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word, key: word.toLowerCase() });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
  }
  return end === sql.length ? tokens : undefined;
};

/** Words of the names of types that have several. */
const typeWords = new Set(['varying', 'precision', 'without', 'with', 'time', 'zone']);

/** The tokens without `::type`, which says nothing about the values. */
const withoutCasts = (tokens: readonly Token[]): Token[] => {
  const left: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    if (token.text !== '::' || token.kind !== 'sign') {
      left.push(token);
      continue;
    }
    at += 1;
    for (let next = tokens[at + 1]; next?.kind === 'word' && typeWords.has(next.key); next = tokens[at + 1])
      at += 1;
    if (tokens[at + 1]?.text === '(' && tokens[at + 2]?.kind === 'number' && tokens[at + 3]?.text === ')')
      at += 3;
    if (tokens[at + 1]?.text === '[' && tokens[at + 2]?.text === ']') at += 2;
  }
  return left;
};

const signs: Readonly<Record<string, { readonly bound: 'min' | 'max'; readonly open: boolean }>> = {
  '>': { bound: 'min', open: true },
  '>=': { bound: 'min', open: false },
  '<': { bound: 'max', open: true },
  '<=': { bound: 'max', open: false },
};

/** A reader of tokens, each of whose methods returns undefined and stays where it is unless all of it is there. */
class ConditionReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isOver(): boolean {
    return this.#at === this.#tokens.length;
  }

  #whole<T>(read: () => T | undefined): T | undefined {
    const start = this.#at;
    const result = read();
    if (result === undefined) this.#at = start;
    return result;
  }

  #sign(text: string): true | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'sign' || token.text !== text) return undefined;
    this.#at += 1;
    return true;
  }

  #word(key: string): true | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'word' || token.key !== key) return undefined;
    this.#at += 1;
    return true;
  }

  /** A value with any number of parentheses around it. */
  #within<T>(read: () => T | undefined): T | undefined {
    return this.#whole(() => {
      if (this.#sign('(') === undefined) return read();
      const inner = this.#within(read);
      return inner !== undefined && this.#sign(')') ? inner : undefined;
    });
  }

  #take(...kinds: readonly Token['kind'][]): string | undefined {
    return this.#within(() => {
      const token = this.#tokens[this.#at];
      if (token === undefined || !kinds.includes(token.kind)) return undefined;
      this.#at += 1;
      return token.text;
    });
  }

  #texts(open: string, close: string): readonly string[] | undefined {
    return this.#whole(() => {
      if (this.#sign(open) === undefined) return undefined;
      const texts: string[] = [];
      do {
        const text = this.#take('text');
        if (text === undefined) return undefined;
        texts.push(text);
      } while (this.#sign(','));
      return this.#sign(close) && texts;
    });
  }

  /** `in ('a', 'b')`, or `= any (array['a', 'b'])`, as PostgreSQL keeps it. */
  #choices(): readonly string[] | undefined {
    return this.#whole(() => {
      if (this.#word('in')) return this.#texts('(', ')');
      if (!(this.#sign('=') && this.#word('any'))) return undefined;
      return this.#within(() => (this.#word('array') ? this.#texts('[', ']') : undefined));
    });
  }

  #between(column: string): readonly ColumnCondition[] | undefined {
    return this.#whole(() => {
      if (this.#word('between') === undefined) return undefined;
      const min = this.#take('number');
      if (min === undefined || !this.#word('and')) return undefined;
      const max = this.#take('number');
      if (max === undefined) return undefined;
      return [
        { column, bound: 'min', number: min, open: false },
        { column, bound: 'max', number: max, open: false },
      ];
    });
  }

  #comparison(): readonly ColumnCondition[] | undefined {
    return this.#whole(() => {
      const column = this.#take('name', 'word');
      if (column === undefined) return undefined;
      const choices = this.#choices();
      if (choices !== undefined) return [{ column, choices }];
      const both = this.#between(column);
      if (both !== undefined) return both;
      const sign = Object.keys(signs).find((each) => this.#sign(each));
      const meaning = sign === undefined ? undefined : signs[sign];
      const number = this.#take('number');
      return meaning === undefined || number === undefined ? undefined : [{ column, ...meaning, number }];
    });
  }

  /** Comparisons joined by `and`. */
  condition(): readonly ColumnCondition[] | undefined {
    return this.#whole(() => {
      const all: ColumnCondition[] = [];
      do {
        const one = this.#comparison() ?? this.#group();
        if (one === undefined) return undefined;
        all.push(...one);
      } while (this.#word('and'));
      return all;
    });
  }

  #group(): readonly ColumnCondition[] | undefined {
    return this.#whole(() => {
      if (this.#sign('(') === undefined) return undefined;
      const inner = this.condition();
      return inner !== undefined && this.#sign(')') ? inner : undefined;
    });
  }
}

/** Parentheses within each other that are read: each of them may begin a value or a condition. */
const mostNested = 10;

const isReadable = (tokens: readonly Token[]): boolean => {
  let depth = 0;
  return tokens.every(({ kind, text }) => {
    if (kind === 'sign' && text === '(') depth += 1;
    if (kind === 'sign' && text === ')') depth -= 1;
    return depth <= mostNested;
  });
};

/** All that a condition says, column by column; undefined where it says anything else too. */
export const readCondition = (sql: string): readonly ColumnCondition[] | undefined => {
  const tokens = tokensOf(sql);
  if (tokens === undefined || !isReadable(tokens)) return undefined;
  const reader = new ConditionReader(withoutCasts(tokens));
  const conditions = reader.condition();
  return reader.isOver ? conditions : undefined;
};
