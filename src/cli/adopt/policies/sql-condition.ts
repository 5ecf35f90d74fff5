/**
 * Reads an expression of a policy of row security as a condition on rows: for one role, with what its claims are. An
 * expression of another form is `unknown`.
 */

import type { DescribedTable } from '../../../database/described-tables.ts';
import {
  alwaysMet,
  type Constant,
  eachOf,
  eitherOf,
  negated,
  never,
  type PolicyCondition,
  unknown,
} from './condition.ts';
import type { SqlExpression, SqlSelect } from './sql-expression.ts';

/** The rows that an expression is about, by the name that it gives them. */
interface NameScope {
  readonly alias: string;
  readonly table: DescribedTable;
}

export interface SqlContext {
  readonly role: string;
  /** True for requests without a user. */
  readonly anonymous: boolean;
  /** Names of claims and settings that hold the id of the caller, in lower case. */
  readonly claims: ReadonlySet<string>;
  /** The table of a name in a statement; undefined for one that is not of the schema. */
  readonly tableAt: (path: readonly string[]) => DescribedTable | undefined;
  /** The rows of a table that the role may read: policies hold within policies too. */
  readonly readable: (table: DescribedTable) => PolicyCondition;
}

type Term =
  | { readonly kind: 'column'; readonly scope: NameScope; readonly column: string }
  | { readonly kind: 'caller' }
  | { readonly kind: 'constant'; readonly value: Constant | null }
  | { readonly kind: 'unknown'; readonly because: string };

const unread = (because: string): Term => ({ kind: 'unknown', because });

/** Types that keep all of a value: equal texts of them are equal values. */
const textTypes = new Set(['text', 'character varying', 'varchar']);
const callerTypes = new Set([...textTypes, 'uuid', 'integer', 'bigint', 'smallint', 'json', 'jsonb']);

/** The names of a claim in the token of a request: `['app_metadata', 'tenant']`; undefined for other expressions. */
const claimPath = (expression: SqlExpression): readonly string[] | undefined => {
  if (expression.kind === 'cast')
    return callerTypes.has(expression.to) ? claimPath(expression.of) : undefined;
  if (expression.kind === 'select')
    return expression.select.from === undefined ? claimPath(expression.select.value) : undefined;
  if (expression.kind === 'operator' && ['->', '->>'].includes(expression.sign)) {
    const path = claimPath(expression.left);
    const { right } = expression;
    const name = right.kind === 'cast' ? right.of : right;
    return path !== undefined && name.kind === 'constant' && typeof name.value === 'string'
      ? [...path, name.value]
      : undefined;
  }
  if (expression.kind !== 'call') return undefined;
  const { name, of } = expression;
  // An empty setting is no id.
  if (name === 'nullif' && of.length === 2 && of[0] !== undefined && isBlank(of[1])) return claimPath(of[0]);
  if (name === 'auth.jwt' && of.length === 0) return [];
  if (name !== 'current_setting') return undefined;
  const setting = of[0]?.kind === 'cast' ? of[0].of : of[0];
  if (setting?.kind !== 'constant' || typeof setting.value !== 'string') return undefined;
  if (setting.value === 'request.jwt.claims') return [];
  return [setting.value.replace(/^request\.jwt\.claim\./, '')];
};

const isBlank = (expression: SqlExpression | undefined): boolean => {
  const inner = expression?.kind === 'cast' ? expression.of : expression;
  return inner?.kind === 'constant' && inner.value === '';
};

/** The expressions within an expression. */
const partsOf = (expression: SqlExpression): readonly SqlExpression[] => {
  switch (expression.kind) {
    case 'column':
    case 'constant':
      return [];
    case 'call':
    case 'and':
    case 'or':
    case 'list':
      return expression.of;
    case 'operator':
      return [expression.left, expression.right];
    case 'in':
      return [expression.left, expression.of];
    case 'select':
    case 'exists':
      return [expression.select.value, expression.select.where].filter((part) => part !== undefined);
    default:
      return [expression.of];
  }
};

/** Words for an expression that is not understood. */
const wordsOf = (expression: SqlExpression): string => {
  switch (expression.kind) {
    case 'call':
      return `${expression.name}(…)`;
    case 'operator':
      return `a comparison by "${expression.sign}"`;
    case 'column':
      return expression.path.join('.');
    default:
      return `"${expression.kind}"`;
  }
};

class ConditionOf {
  readonly #context: SqlContext;
  /** From the innermost rows to the outermost. */
  readonly #scopes: readonly NameScope[];

  constructor(context: SqlContext, scopes: readonly NameScope[]) {
    this.#context = context;
    this.#scopes = scopes;
  }

  get #own(): NameScope | undefined {
    return this.#scopes[0];
  }

  #scopeOf(path: readonly string[]): NameScope | undefined {
    const [alias, column] = path.length === 1 ? [undefined, path[0]] : path;
    return this.#scopes.find(
      (scope) =>
        (alias === undefined || scope.alias === alias) &&
        scope.table.columns.some(({ name }) => name === column),
    );
  }

  #term(expression: SqlExpression): Term {
    switch (expression.kind) {
      case 'constant':
        return { kind: 'constant', value: expression.value };
      case 'column': {
        const scope = expression.path.length > 2 ? undefined : this.#scopeOf(expression.path);
        const column = expression.path.at(-1) ?? '';
        return scope === undefined
          ? unread(`${column} is no column of a table`)
          : { kind: 'column', scope, column };
      }
      case 'cast':
        return this.#cast(expression.to, expression.of);
      default:
        return this.#claim(expression);
    }
  }

  #cast(to: string, of: SqlExpression): Term {
    const term = this.#term(of);
    if (term.kind === 'column') {
      const type = term.scope.table.columns.find(({ name }) => name === term.column)?.type;
      const isWhole =
        type?.kind === 'text' ? !type.padded : ['uuid', 'integer', 'enum'].includes(type?.kind ?? '');
      return textTypes.has(to) && isWhole ? term : unread(`${term.column} is compared as ${to}`);
    }
    if (term.kind === 'caller') return callerTypes.has(to) ? term : unread(`the caller is compared as ${to}`);
    // A length would cut a text.
    return term.kind === 'constant' && to.includes('(') ? unread(`a value of the type ${to}`) : term;
  }

  /** The value of a claim, as far as the role decides it. */
  #claim(expression: SqlExpression): Term {
    const { role, anonymous, claims } = this.#context;
    const caller: Term = anonymous ? { kind: 'constant', value: null } : { kind: 'caller' };
    if (expression.kind === 'select' && expression.select.from === undefined)
      return this.#term(expression.select.value);
    if (expression.kind === 'call' && expression.of.length === 0) {
      if (expression.name === 'auth.uid')
        return claims.has('sub') ? caller : unread('auth.uid() is not the caller');
      if (['auth.role', 'current_user', 'current_role', 'user'].includes(expression.name))
        return { kind: 'constant', value: role };
    }
    const path = claimPath(expression);
    if (path === undefined) return unread(`${wordsOf(expression)} is nothing that conditions know`);
    const claim = path.join('.').toLowerCase();
    if (claim === 'role') return { kind: 'constant', value: role };
    if (claims.has(claim)) return caller;
    return unread(`the claim ${claim} is nothing that conditions know: they know the caller`);
  }

  /** The rows that meet an expression. */
  of(expression: SqlExpression): PolicyCondition {
    switch (expression.kind) {
      case 'and':
        return eachOf(expression.of.map((each) => this.of(each)));
      case 'or':
        return eitherOf(expression.of.map((each) => this.of(each)));
      case 'not':
        return negated(this.of(expression.of));
      case 'is':
        return this.#is(expression);
      case 'in':
        return this.#in(expression.left, expression.of);
      case 'exists':
        return this.#exists(expression.select, undefined);
      case 'operator':
        return this.#comparison(expression.sign, expression.left, expression.right);
      case 'cast':
        return expression.to === 'boolean'
          ? this.of(expression.of)
          : unknown(`a value of the type ${expression.to}`);
      case 'select':
        return expression.select.from === undefined
          ? this.of(expression.select.value)
          : unknown('it reads a value of another table');
      default:
        return this.#truth(this.#term(expression));
    }
  }

  #truth(term: Term): PolicyCondition {
    if (term.kind === 'constant' && typeof term.value === 'boolean') return term.value ? alwaysMet : never;
    if (term.kind === 'column') return this.#value(term, [true]);
    return unknown(term.kind === 'unknown' ? term.because : 'it is no condition');
  }

  #value({ scope, column }: Extract<Term, { kind: 'column' }>, values: readonly Constant[]): PolicyCondition {
    return scope === this.#own
      ? { kind: 'value', column, values, not: false }
      : unknown(`${column} is of another row`);
  }

  #is({ what, not, of }: Extract<SqlExpression, { kind: 'is' }>): PolicyCondition {
    const term = this.#term(of);
    if (what === 'null') {
      if (term.kind === 'caller') return not ? alwaysMet : never;
      if (term.kind === 'constant') return (term.value === null) === not ? never : alwaysMet;
      if (term.kind === 'unknown') return unknown(term.because);
      return term.scope === this.#own
        ? { kind: 'null', column: term.column, not }
        : unknown(`${term.column} is of another row`);
    }
    if (term.kind !== 'column') {
      if (not) return unknown('it is compared by "is not"');
      return what === 'true' ? this.of(of) : negated(this.of(of));
    }
    const holds = this.#value(term, [what === 'true']);
    if (!not) return holds;
    const isNull: PolicyCondition = { kind: 'null', column: term.column, not: false };
    return eitherOf([negated(holds), isNull]);
  }

  #comparison(sign: string, one: SqlExpression, other: SqlExpression): PolicyCondition {
    if (sign === '<>' || sign === '=') {
      const equal = this.#equal(one, other);
      return sign === '=' ? equal : negated(equal);
    }
    return unknown(`a comparison by "${sign}"`);
  }

  #equal(one: SqlExpression, other: SqlExpression): PolicyCondition {
    for (const [left, right] of [
      [one, other],
      [other, one],
    ] as const)
      if (right.kind === 'select' && right.select.from !== undefined)
        return this.#isSingle(right.select)
          ? this.#exists(right.select, left)
          : unknown('it compares with the one row of a statement that may have several');
    const [left, right] = [this.#term(one), this.#term(other)];
    if (left.kind === 'unknown') return unknown(left.because);
    if (right.kind === 'unknown') return unknown(right.because);
    if (left.kind === 'column') return this.#columnEquals(left, right);
    if (right.kind === 'column') return this.#columnEquals(right, left);
    if (left.kind === 'constant' && right.kind === 'constant') {
      if (left.value === null || right.value === null) return unknown('it compares with null');
      return String(left.value) === String(right.value) ? alwaysMet : never;
    }
    return unknown('it compares the caller with a value');
  }

  #columnEquals(column: Extract<Term, { kind: 'column' }>, other: Term): PolicyCondition {
    switch (other.kind) {
      case 'constant':
        // Also "null = null" holds in no row; its negation is "unknown", as it holds in none either.
        return other.value === null
          ? unknown(`${column.column} is compared with null, or with a caller where there is none`)
          : this.#value(column, [other.value]);
      case 'caller':
        return column.scope === this.#own
          ? { kind: 'caller', column: column.column }
          : unknown(`${column.column} is of another row`);
      case 'column':
        return unknown(`${column.column} and ${other.column} are compared with each other`);
      default:
        return unknown(other.because);
    }
  }

  #in(left: SqlExpression, rows: SqlExpression): PolicyCondition {
    const inner = rows.kind === 'cast' ? rows.of : rows;
    if (inner.kind === 'select') return this.#exists(inner.select, left);
    const term = this.#term(left);
    if (inner.kind !== 'list') return unknown('a list that is no constant');
    if (term.kind !== 'column') return eitherOf(inner.of.map((each) => this.#equal(left, each)));
    const values = inner.of.map((each) => this.#term(each));
    const constants = values.flatMap((each) =>
      each.kind === 'constant' && each.value !== null ? [each.value] : [],
    );
    return constants.length === values.length
      ? this.#value(term, constants)
      : eitherOf(inner.of.map((each) => this.#equal(left, each)));
  }

  /** True if a statement has one row at most: the caller is compared with a column whose values are unique. */
  #isSingle({ from, where }: SqlSelect): boolean {
    const table = from && this.#context.tableAt(from.path);
    if (from === undefined || table === undefined || where === undefined) return false;
    const inner = new ConditionOf(this.#context, [{ alias: from.alias, table }, ...this.#scopes]);
    const single = [table.key, ...table.unique.flatMap(({ because, columns }) => (because ? [] : [columns]))]
      .filter((columns) => columns.length === 1)
      .flat();
    const parts = where.kind === 'and' ? where.of : [where];
    return parts.some((part) => {
      const condition = inner.of(part);
      return condition.kind === 'caller' && single.includes(condition.column);
    });
  }

  /** True if an expression names a column of these rows, here or in a statement within it. */
  #names(expression: SqlExpression, scope: NameScope): boolean {
    if (expression.kind === 'column') return this.#scopeOf(expression.path) === scope;
    return partsOf(expression).some((part) => this.#names(part, scope));
  }

  /** Rows of a table meet a condition, and with `equal` also have it as their value. */
  #exists({ from, value, where }: SqlSelect, equal: SqlExpression | undefined): PolicyCondition {
    if (from === undefined) return unknown('a statement without a table');
    const table = this.#context.tableAt(from.path);
    if (table === undefined) return unknown(`${from.path.join('.')} is no table of the schema`);
    const rows: NameScope = { alias: from.alias, table };
    const inner = new ConditionOf(this.#context, [rows, ...this.#scopes]);
    const parts: SqlExpression[] = where === undefined ? [] : where.kind === 'and' ? [...where.of] : [where];
    const links: { on: string; column: string }[] = [];
    const within: PolicyCondition[] = [];
    const outside: PolicyCondition[] = [];
    const compare = (one: Term, other: Term): boolean => {
      if (one.kind !== 'column' || one.scope !== rows) return false;
      if (other.kind === 'caller') within.push({ kind: 'caller', column: one.column });
      else if (other.kind === 'column' && other.scope === this.#own)
        links.push({ on: one.column, column: other.column });
      else return false;
      return true;
    };
    if (equal !== undefined && !compare(inner.#term(value), this.#term(equal)))
      return unknown(`${wordsOf(equal)} is compared with the rows of ${table.name}`);
    for (const part of parts) {
      const isEqual = part.kind === 'operator' && part.sign === '=';
      const [one, other] = isEqual ? [inner.#term(part.left), inner.#term(part.right)] : [];
      if (one && other && (compare(one, other) || compare(other, one))) continue;
      const ofOuter = this.#scopes.some((scope) => inner.#names(part, scope));
      if (!ofOuter) within.push(inner.of(part));
      else if (inner.#names(part, rows)) within.push(unknown(`it compares two rows by more than "="`));
      else outside.push(this.of(part));
    }
    const [link, second] = links;
    if (link === undefined)
      return unknown(`rows of ${table.name} decide that have nothing to do with the record`);
    if (second !== undefined) return unknown(`rows of ${table.name} are found by several columns`);
    const rule = eachOf([...within, this.#context.readable(table)]);
    if (rule.kind === 'never') return never;
    return eachOf([...outside, { kind: 'among', column: link.column, table, on: link.on, rule }]);
  }
}

/** The condition of an expression on the rows of a table. */
export const sqlCondition = (
  expression: SqlExpression,
  table: DescribedTable,
  context: SqlContext,
): PolicyCondition => new ConditionOf(context, [{ alias: table.name, table }]).of(expression);
