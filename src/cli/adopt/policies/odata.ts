/** A parser of the OData expressions in policies of Data API builder: comparisons, `and`, `or` and `not`. */

import { type Constant, eachOf, eitherOf, negated, type PolicyCondition, unknown } from './condition.ts';

type Operand =
  | { readonly kind: 'item' | 'claim'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: Constant | null };

interface Token {
  readonly kind: 'item' | 'claim' | 'text' | 'number' | 'word' | 'sign';
  readonly text: string;
}

const tokenForm =
  /\s+|@item\.(?<item>[\p{L}_][\p{L}\p{N}_]*)|@claims\.(?<claim>[^\s(),']+)|'(?<text>(?:[^']|'')*)'|(?<number>-?\d+(?:\.\d+)?)(?![\p{L}\p{N}_-])|(?<word>[A-Za-z]+)|(?<sign>[()])/guy;

const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(tokenForm)) {
    end = match.index + match[0].length;
    for (const [kind, value] of Object.entries(match.groups ?? {}))
      if (value !== undefined)
        tokens.push({
          kind: kind as Token['kind'],
          text: kind === 'text' ? value.replaceAll("''", "'") : value,
        });
  }
  if (end !== text.length) throw new SyntaxError(`"${text.slice(end, end + 10)}" is not understood`);
  return tokens;
};

const comparisons = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'];

const mostNested = 30;

export interface ODataContext {
  /** The column of a name in a policy; undefined where there is none. */
  readonly columnOf: (name: string) => string | undefined;
  /** Names of claims that hold the id of the caller, in lower case. */
  readonly claims: ReadonlySet<string>;
}

class ODataReader {
  readonly #tokens: readonly Token[];
  readonly #context: ODataContext;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], context: ODataContext) {
    this.#tokens = tokens;
    this.#context = context;
  }

  get isOver(): boolean {
    return this.#at === this.#tokens.length;
  }

  refuse(): never {
    const token = this.#tokens[this.#at];
    throw new SyntaxError(token === undefined ? 'it ends too early' : `"${token.text}" is not understood`);
  }

  #take(kind: Token['kind'], ...texts: readonly string[]): string | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== kind || !texts.includes(token.text)) return undefined;
    this.#at += 1;
    return token.text;
  }

  condition(): PolicyCondition {
    const all = [this.#conjunction()];
    while (this.#take('word', 'or')) all.push(this.#conjunction());
    return eitherOf(all);
  }

  #conjunction(): PolicyCondition {
    const all = [this.#part()];
    while (this.#take('word', 'and')) all.push(this.#part());
    return eachOf(all);
  }

  #part(): PolicyCondition {
    this.#depth += 1;
    if (this.#depth > mostNested) throw new SyntaxError('it has too many parentheses');
    try {
      if (this.#take('word', 'not')) return negated(this.#part());
      if (this.#take('sign', '(') === undefined) return this.#comparison();
      const inner = this.condition();
      if (this.#take('sign', ')') === undefined) this.refuse();
      return inner;
    } finally {
      this.#depth -= 1;
    }
  }

  #operand(): Operand {
    const token = this.#tokens[this.#at] ?? this.refuse();
    const constant = new Map<string, Constant | null>([
      ['true', true],
      ['false', false],
      ['null', null],
    ]);
    if (token.kind === 'sign' || (token.kind === 'word' && !constant.has(token.text))) this.refuse();
    this.#at += 1;
    if (token.kind === 'item' || token.kind === 'claim') return { kind: token.kind, name: token.text };
    if (token.kind === 'text') return { kind: 'constant', value: token.text };
    const value = token.kind === 'number' ? Number(token.text) : (constant.get(token.text) ?? null);
    return { kind: 'constant', value };
  }

  #comparison(): PolicyCondition {
    const left = this.#operand();
    const operator = this.#take('word', ...comparisons) ?? this.refuse();
    const right = this.#operand();
    if (operator !== 'eq' && operator !== 'ne') return unknown(`a comparison by "${operator}"`);
    const equal = left.kind === 'item' ? this.#equal(left.name, right) : this.#turned(left, right);
    return operator === 'eq' ? equal : negated(equal);
  }

  #turned(left: Operand, right: Operand): PolicyCondition {
    return right.kind === 'item'
      ? this.#equal(right.name, left)
      : unknown('it compares nothing of the record');
  }

  #equal(name: string, other: Operand): PolicyCondition {
    const column = this.#context.columnOf(name);
    if (column === undefined) return unknown(`@item.${name} is no column`);
    if (other.kind === 'constant')
      return other.value === null
        ? { kind: 'null', column, not: false }
        : { kind: 'value', column, values: [other.value], not: false };
    if (other.kind === 'item') return unknown(`${column} is compared with another column`);
    return this.#context.claims.has(other.name.toLowerCase())
      ? { kind: 'caller', column }
      : unknown(`${column} is compared with @claims.${other.name}: conditions know the caller only`);
  }
}

/** The rows that meet a policy; `unknown` where it is of another form. */
export const odataCondition = (text: string, context: ODataContext): PolicyCondition => {
  try {
    const reader = new ODataReader(tokensOf(text), context);
    const condition = reader.condition();
    return reader.isOver ? condition : reader.refuse();
  } catch (error) {
    if (error instanceof SyntaxError) return unknown(error.message);
    throw error;
  }
};
