/**
 * A parser of expressions of PostgreSQL in the form in which the server prints them (`pg_get_expr`): tokens, then
 * operators by their precedence. It reads the whole text or refuses it.
 */

export type SqlExpression =
  | { readonly kind: 'column'; readonly path: readonly string[] }
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null }
  | { readonly kind: 'call'; readonly name: string; readonly of: readonly SqlExpression[] }
  | { readonly kind: 'cast'; readonly to: string; readonly of: SqlExpression }
  | { readonly kind: 'not'; readonly of: SqlExpression }
  | { readonly kind: 'and' | 'or'; readonly of: readonly SqlExpression[] }
  | {
      readonly kind: 'operator';
      readonly sign: string;
      readonly left: SqlExpression;
      readonly right: SqlExpression;
    }
  /** `is null`, `is true`, `is false`; with `not`, the opposite. */
  | {
      readonly kind: 'is';
      readonly what: 'null' | 'true' | 'false';
      readonly not: boolean;
      readonly of: SqlExpression;
    }
  /** `= any (…)`, or `in (…)`. */
  | { readonly kind: 'in'; readonly left: SqlExpression; readonly of: SqlExpression }
  | { readonly kind: 'list'; readonly of: readonly SqlExpression[] }
  | { readonly kind: 'select'; readonly select: SqlSelect }
  | { readonly kind: 'exists'; readonly select: SqlSelect };

/** `select value from table as alias where condition`. */
export interface SqlSelect {
  readonly value: SqlExpression;
  readonly from: { readonly path: readonly string[]; readonly alias: string } | undefined;
  readonly where: SqlExpression | undefined;
}

interface Token {
  readonly kind: 'text' | 'name' | 'number' | 'sign' | 'word';
  readonly text: string;
}

const tokenForm =
  /\s+|(?<escaped>E?)'(?<text>(?:[^']|'')*)'|"(?<name>(?:[^"]|"")+)"|(?<number>\d+(?:\.\d+)?)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|(?<sign>::|->>|->|<=|>=|<>|!=|[-+*/%=<>(),.[\]|&#@~^?!]+?)/guy;

const tokensOf = (sql: string): readonly Token[] => {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of sql.matchAll(tokenForm)) {
    end = match.index + match[0].length;
    const { escaped, text, name, number, word, sign } = match.groups ?? {};
    if (text !== undefined) {
      if (escaped !== '' && text.includes('\\')) throw new SyntaxError('a text has a backslash');
      tokens.push({ kind: 'text', text: text.replaceAll("''", "'") });
    } else if (name !== undefined) tokens.push({ kind: 'name', text: name.replaceAll('""', '"') });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
  }
  if (end !== sql.length) throw new SyntaxError(`"${sql.slice(end, end + 10)}" is not understood`);
  return tokens;
};

/** Words of the names of types that have several. */
const typeWords = new Set(['varying', 'precision', 'without', 'with', 'time', 'zone']);

const comparisons = new Set(['=', '<>', '!=', '<', '<=', '>', '>=']);

/** Words that begin a part of a statement, or stand between operands: none of them is a name. */
const reserved = new Set(
  'and or not is in any all array select from where exists null true false case when then else end union join on group order limit having with distinct as between like ilike similar row'.split(
    ' ',
  ),
);

/** Functions without parentheses. */
const bareFunctions = new Set(['current_user', 'session_user', 'current_role', 'user']);

/** Parentheses and statements within each other that are read. */
const mostNested = 60;

class ExpressionReader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isOver(): boolean {
    return this.#at === this.#tokens.length;
  }

  refuse(): never {
    const here = this.#tokens
      .slice(this.#at, this.#at + 4)
      .map(({ text }) => text)
      .join(' ');
    throw new SyntaxError(here === '' ? 'it ends too early' : `"${here}" is not understood`);
  }

  #peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead];
  }

  #isSign(text: string, ahead = 0): boolean {
    const token = this.#peek(ahead);
    return token?.kind === 'sign' && token.text === text;
  }

  #isWord(word: string, ahead = 0): boolean {
    const token = this.#peek(ahead);
    return token?.kind === 'word' && token.text.toLowerCase() === word;
  }

  #sign(text: string): boolean {
    const is = this.#isSign(text);
    if (is) this.#at += 1;
    return is;
  }

  #word(word: string): boolean {
    const is = this.#isWord(word);
    if (is) this.#at += 1;
    return is;
  }

  #demand(holds: boolean): void {
    if (!holds) this.refuse();
  }

  /** A part within others. */
  #within<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > mostNested) throw new SyntaxError('it has too many parentheses');
    const result = read();
    this.#depth -= 1;
    return result;
  }

  expression(): SqlExpression {
    return this.#within(() => this.#several('or', () => this.#several('and', () => this.#negation())));
  }

  #several(kind: 'and' | 'or', read: () => SqlExpression): SqlExpression {
    const first = read();
    const all = [first];
    while (this.#word(kind)) all.push(read());
    return all.length === 1 ? first : { kind, of: all };
  }

  #negation(): SqlExpression {
    if (!this.#word('not')) return this.#predicate();
    return { kind: 'not', of: this.#within(() => this.#negation()) };
  }

  /** `is` binds more loosely than comparisons, and both more loosely than other operators. */
  #predicate(): SqlExpression {
    let left = this.#comparison();
    while (this.#word('is')) left = this.#is(left);
    return left;
  }

  #is(of: SqlExpression): SqlExpression {
    const not = this.#word('not');
    for (const what of ['null', 'true', 'false'] as const)
      if (this.#word(what)) return { kind: 'is', what, not, of };
    this.#demand(this.#word('distinct') && this.#word('from'));
    const sign = not ? 'is not distinct from' : 'is distinct from';
    return { kind: 'operator', sign, left: of, right: this.#other() };
  }

  #comparison(): SqlExpression {
    const left = this.#other();
    const not = this.#isWord('not') && this.#isWord('in', 1);
    if (not) this.#at += 1;
    if (this.#word('in')) {
      const within: SqlExpression = { kind: 'in', left, of: this.#rows() };
      return not ? { kind: 'not', of: within } : within;
    }
    const token = this.#peek();
    if (token?.kind !== 'sign' || !comparisons.has(token.text)) return left;
    this.#at += 1;
    const sign = token.text === '!=' ? '<>' : token.text;
    if (sign === '=' && this.#word('any')) return { kind: 'in', left, of: this.#array() };
    if (sign === '<>' && this.#word('all'))
      return { kind: 'not', of: { kind: 'in', left, of: this.#array() } };
    return { kind: 'operator', sign, left, right: this.#other() };
  }

  /** Behind `in`: a list, or a statement. */
  #rows(): SqlExpression {
    this.#demand(this.#sign('('));
    const rows: SqlExpression = this.#isWord('select')
      ? { kind: 'select', select: this.#select() }
      : { kind: 'list', of: this.#list() };
    this.#demand(this.#sign(')'));
    return rows;
  }

  /** Behind `any` and `all`: an array, or a statement. */
  #array(): SqlExpression {
    this.#demand(this.#sign('('));
    const array = this.#isWord('select')
      ? ({ kind: 'select', select: this.#select() } as const)
      : this.expression();
    this.#demand(this.#sign(')'));
    return array;
  }

  #list(): readonly SqlExpression[] {
    const all = [this.expression()];
    while (this.#sign(',')) all.push(this.expression());
    return all;
  }

  /** Operators of JSON; every other one is refused where its operand is expected. */
  #other(): SqlExpression {
    let left = this.#cast();
    for (;;) {
      const sign = ['->', '->>'].find((each) => this.#sign(each));
      if (sign === undefined) return left;
      left = { kind: 'operator', sign, left, right: this.#cast() };
    }
  }

  #cast(): SqlExpression {
    let of = this.#primary();
    while (this.#sign('::')) of = { kind: 'cast', to: this.#type(), of };
    return of;
  }

  /** The name of a type with its modifier, in lower case. */
  #type(): string {
    let name = this.#path().join('.').toLowerCase();
    while (typeWords.has(this.#peek()?.text.toLowerCase() ?? '')) {
      name += ` ${this.#peek()?.text.toLowerCase()}`;
      this.#at += 1;
    }
    if (this.#isSign('(')) {
      this.#at += 1;
      const numbers = [this.#number()];
      while (this.#sign(',')) numbers.push(this.#number());
      this.#demand(this.#sign(')'));
      name += `(${numbers.join()})`;
    }
    if (this.#sign('[')) {
      this.#demand(this.#sign(']'));
      name += '[]';
    }
    return name;
  }

  #number(): string {
    const token = this.#peek();
    if (token?.kind !== 'number') return this.refuse();
    this.#at += 1;
    return token.text;
  }

  #name(): string {
    const token = this.#peek();
    if (token?.kind !== 'name' && token?.kind !== 'word') return this.refuse();
    this.#at += 1;
    return token.text;
  }

  #path(): readonly string[] {
    const path = [this.#name()];
    while (this.#sign('.')) path.push(this.#name());
    return path;
  }

  #primary(): SqlExpression {
    if (this.#isSign('(')) return this.#group();
    if (this.#isSign('-') && this.#peek(1)?.kind === 'number') {
      this.#at += 2;
      return { kind: 'constant', value: -Number(this.#peek(-1)?.text) };
    }
    const token = this.#peek();
    if (token === undefined) return this.refuse();
    if (token.kind === 'text' || token.kind === 'number') {
      this.#at += 1;
      return { kind: 'constant', value: token.kind === 'text' ? token.text : Number(token.text) };
    }
    return token.kind === 'word' ? this.#worded(token.text.toLowerCase()) : this.#columnOrCall();
  }

  #worded(word: string): SqlExpression {
    if (word === 'true' || word === 'false' || word === 'null') {
      this.#at += 1;
      return { kind: 'constant', value: word === 'null' ? null : word === 'true' };
    }
    if (word === 'exists' && this.#isSign('(', 1)) {
      this.#at += 2;
      const select = this.#select();
      this.#demand(this.#sign(')'));
      return { kind: 'exists', select };
    }
    if (word === 'array' && this.#isSign('[', 1)) {
      this.#at += 2;
      const of = this.#list();
      this.#demand(this.#sign(']'));
      return { kind: 'list', of };
    }
    if (bareFunctions.has(word) && !this.#isSign('.', 1) && !this.#isSign('(', 1)) {
      this.#at += 1;
      return { kind: 'call', name: word, of: [] };
    }
    return reserved.has(word) ? this.refuse() : this.#columnOrCall();
  }

  #columnOrCall(): SqlExpression {
    const path = this.#path();
    if (!this.#sign('(')) return { kind: 'column', path };
    const of = this.#isSign(')') ? [] : this.#list();
    this.#demand(this.#sign(')'));
    return { kind: 'call', name: path.join('.').toLowerCase(), of };
  }

  #group(): SqlExpression {
    this.#demand(this.#sign('('));
    const inner: SqlExpression = this.#isWord('select')
      ? { kind: 'select', select: this.#select() }
      : this.expression();
    this.#demand(this.#sign(')'));
    return inner;
  }

  /** A statement on one table, or on none. */
  #select(): SqlSelect {
    return this.#within(() => {
      this.#demand(this.#word('select'));
      const value = this.expression();
      if (this.#word('as')) this.#name();
      const from = this.#word('from') ? this.#from() : undefined;
      const where = from !== undefined && this.#word('where') ? this.expression() : undefined;
      if (!this.#isSign(')')) this.refuse();
      return { value, from, where };
    });
  }

  #from(): NonNullable<SqlSelect['from']> {
    if (this.#isSign('(')) throw new SyntaxError('it joins tables');
    const path = this.#path();
    const next = this.#peek();
    const isAlias =
      next?.kind === 'name' || (next?.kind === 'word' && !reserved.has(next.text.toLowerCase()));
    const alias = isAlias ? this.#name() : (path.at(-1) ?? '');
    if (this.#isSign(',')) throw new SyntaxError('it joins tables');
    return { path, alias };
  }
}

/** The expression of a text. @throws SyntaxError with a clause */
export const parseSqlExpression = (sql: string): SqlExpression => {
  const reader = new ExpressionReader(tokensOf(sql));
  const expression = reader.expression();
  return reader.isOver ? expression : reader.refuse();
};
