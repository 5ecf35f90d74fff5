/**
 * A row rule in the form that the service evaluates: a column is called by its field, values have the form of columns.
 * The tree has two readers: `records/rows` compiles it to SQL, `row-words.ts` to sentences. Frozen, created once at
 * start.
 */

import type { ColumnValue } from '../fields/field.ts';
import type { StoredTable } from './stored-table.ts';

export type RowExpression =
  /** The column has the caller's id. */
  | { readonly kind: 'own'; readonly column: string }
  | {
      readonly kind: 'equals';
      readonly column: string;
      readonly value: NonNullable<ColumnValue>;
      /** The value as in the model file. */
      readonly said: string;
    }
  | RowMember
  | {
      readonly kind: 'via';
      /** A reference. */
      readonly column: string;
      /** The referenced model. */
      readonly model: string;
      readonly stored: StoredTable;
      readonly rule: RowExpression;
    }
  | { readonly kind: 'anyOf' | 'allOf'; readonly rules: readonly RowExpression[] };

/** The column's value is among those of `on` in the caller's rows of another table. */
export interface RowMember {
  readonly kind: 'member';
  readonly column: string;
  /** The model of the memberships, and its table. */
  readonly model: string;
  readonly stored: StoredTable;
  readonly on: string;
  /** The column of the membership's owner. */
  readonly owner: string;
  readonly where: readonly {
    readonly column: string;
    /** At least one. */
    readonly values: readonly NonNullable<ColumnValue>[];
    readonly said: readonly string[];
  }[];
}

/** An expression for one kind of caller: conditions that must all hold, each with a text that identifies it. */
export interface RowTerm {
  readonly expression: RowExpression;
  readonly key: string;
}

/** The rows that callers other than administrators reach. */
export interface RowReachRule {
  readonly expression: RowExpression;
  /** The rule in words, for developers. */
  readonly words: string;
  /** Terms for a user; all of them must hold. */
  readonly user: readonly RowTerm[];
  /** Terms for other callers, for whom conditions on the caller are false; `none` where no row is left. */
  readonly others: readonly RowTerm[] | 'none';
}

/** The actions that isolation tells apart; list and detail are both `read`. */
export const rowActions = ['read', 'create', 'update', 'destroy'] as const;
export type RowAction = (typeof rowActions)[number];

/** The rules of a resource for each action; the same object where one condition holds for several. */
export interface Isolation extends Readonly<Record<RowAction, RowReachRule>> {
  /**
   * The contract's own rule, `isolation: true`: the owner is never read from a body, so that a record keeps its
   * owner, and a new one may belong to anybody.
   */
  readonly byOwner: boolean;
}

/** Makes the rules of all actions. */
export const forEachAction = (
  make: (action: RowAction) => RowReachRule,
): Readonly<Record<RowAction, RowReachRule>> => ({
  read: make('read'),
  create: make('create'),
  update: make('update'),
  destroy: make('destroy'),
});

/** A rule by the name that it has for people: `write` is the one of all three writes. */
export type RowRuleName = RowAction | 'write';

/** The rules of a resource by name: `read` and `write`, or each write by itself where they differ. */
export const namedRules = (isolation: Isolation): readonly (readonly [RowRuleName, RowReachRule])[] => {
  const { read, create, update, destroy } = isolation;
  if (create === update && update === destroy)
    return [
      ['read', read],
      ['write', create],
    ];
  return rowActions.map((action) => [action, isolation[action]]);
};

/** Matches no row. */
export const noRecord: RowExpression = Object.freeze({ kind: 'anyOf', rules: Object.freeze([]) });

/** Matches every row. */
export const everyRecord: RowExpression = Object.freeze({ kind: 'allOf', rules: Object.freeze([]) });

/** True if the expression as written matches no row. */
export const isNever = (expression: RowExpression): boolean =>
  expression.kind === 'anyOf' && expression.rules.length === 0;

/** True if the matching rows belong to a caller, by ownership or membership: few of many, found by an index. */
export const isOfCaller = (expression: RowExpression): boolean => {
  switch (expression.kind) {
    case 'own':
    case 'member':
      return true;
    case 'equals':
      return false;
    case 'via':
      return isOfCaller(expression.rule);
    case 'anyOf':
      return expression.rules.every(isOfCaller);
    case 'allOf':
      return expression.rules.some(isOfCaller);
  }
};

/** The expression for callers other than users: conditions on the caller are false. */
export const withoutCaller = (expression: RowExpression): RowExpression => {
  switch (expression.kind) {
    case 'own':
    case 'member':
      return noRecord;
    case 'equals':
      return expression;
    case 'via': {
      const rule = withoutCaller(expression.rule);
      return isNever(rule) ? noRecord : { ...expression, rule };
    }
    case 'anyOf': {
      const rules = expression.rules.map(withoutCaller).filter((rule) => !isNever(rule));
      const [only, second] = rules;
      return only !== undefined && second === undefined ? only : { ...expression, rules };
    }
    case 'allOf': {
      const rules = expression.rules.map(withoutCaller);
      return rules.some(isNever) ? noRecord : { ...expression, rules };
    }
  }
};

/** The columns of the row itself that an expression compares. */
export const comparedColumns = (expression: RowExpression): readonly string[] =>
  'rules' in expression ? expression.rules.flatMap(comparedColumns) : [expression.column];

/** The other tables that an expression reads. */
export const rowsAsked = (expression: RowExpression): readonly StoredTable[] => {
  switch (expression.kind) {
    case 'own':
    case 'equals':
      return [];
    case 'member':
      return [expression.stored];
    case 'via':
      return [expression.stored, ...rowsAsked(expression.rule)];
    case 'anyOf':
    case 'allOf':
      return expression.rules.flatMap(rowsAsked);
  }
};

/** The conditions on memberships in an expression. */
export const membersAsked = (expression: RowExpression): readonly RowMember[] => {
  switch (expression.kind) {
    case 'own':
    case 'equals':
      return [];
    case 'member':
      return [expression];
    case 'via':
      return membersAsked(expression.rule);
    case 'anyOf':
    case 'allOf':
      return expression.rules.flatMap(membersAsked);
  }
};

/** A column of the row that a reference names. */
export const pathBehind = (reference: string, column: string): string => `${reference}.${column}`;
