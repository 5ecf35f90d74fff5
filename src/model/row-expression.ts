import type { ColumnValue } from '../fields/field.ts';

/**
 * A row rule as the service works with it: names are columns, models are tables, values are as columns keep them. One
 * tree with two readers: `records/rows` makes SQL of it, `row-words.ts` sentences. Frozen, made once at start.
 */
export type RowExpression =
  /** The column holds the caller's id. */
  | { readonly kind: 'own'; readonly column: string }
  | {
      readonly kind: 'equals';
      readonly column: string;
      readonly value: NonNullable<ColumnValue>;
      /** The value as it stands in the model file. */
      readonly said: string;
    }
  | RowMember
  | {
      readonly kind: 'via';
      /** A reference. */
      readonly column: string;
      /** What it names. */
      readonly model: string;
      readonly table: string;
      readonly rule: RowExpression;
    }
  | { readonly kind: 'anyOf' | 'allOf'; readonly rules: readonly RowExpression[] };

/** The column's value is among those of `on` in the caller's rows of another table. */
export interface RowMember {
  readonly kind: 'member';
  readonly column: string;
  /** The model of the memberships, and its table. */
  readonly model: string;
  readonly table: string;
  readonly on: string;
  /** The column that says whose a membership is. */
  readonly owner: string;
  readonly where: readonly {
    readonly column: string;
    /** At least one. */
    readonly values: readonly NonNullable<ColumnValue>[];
    readonly said: readonly string[];
  }[];
}

/** An expression as callers of one kind meet it: conditions that must all hold, each with a text that tells it apart. */
export interface RowTerm {
  readonly expression: RowExpression;
  readonly key: string;
}

/** Which rows callers reach who are no administrators. */
export interface RowReachRule {
  readonly expression: RowExpression;
  /** What it says, for developers. */
  readonly words: string;
  /** What must hold for a user; all of it. */
  readonly user: readonly RowTerm[];
  /** The same for who is no user, for whom conditions that ask for the caller are false; `none` where nothing is left. */
  readonly others: readonly RowTerm[] | 'none';
}

/** The rule of a resource in both directions. */
export interface Isolation {
  readonly read: RowReachRule;
  readonly write: RowReachRule;
  /**
   * The contract's own rule, `isolation: true`: the owner is never taken from a body, so that a record stays whose it
   * is, and a new one may be anybody's.
   */
  readonly byOwner: boolean;
}

/** No row meets it. */
export const noRecord: RowExpression = Object.freeze({ kind: 'anyOf', rules: Object.freeze([]) });

/** Every row meets it. */
export const everyRecord: RowExpression = Object.freeze({ kind: 'allOf', rules: Object.freeze([]) });

/** Whether no row meets it, as it is written. */
export const isNever = (expression: RowExpression): boolean =>
  expression.kind === 'anyOf' && expression.rules.length === 0;

/** Whether the rows that meet it are those of a caller, by ownership or membership: few of many, found by index. */
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

/** What is left for who is no user: whatever asks for the caller is false. */
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

/** A column of the row that a reference names. */
export const pathBehind = (reference: string, column: string): string => `${reference}.${column}`;
