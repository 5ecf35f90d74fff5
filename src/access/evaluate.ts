/** The conditions of row rules, evaluated outside SQL on records in memory. */

import type { ColumnValue } from '../fields/field.ts';
import type { RowExpression } from '../model/row-expression.ts';

/** A record by the fields that matter; an absent field is null. */
export type PlainValues = Readonly<Record<string, ColumnValue | undefined>>;

/** The records beside the one that a condition is about. */
export interface Surroundings {
  /** The records of a model among which memberships are looked for. */
  readonly members: (model: string) => readonly PlainValues[];
  /** The record to which a reference leads. */
  readonly referred: (model: string, id: ColumnValue) => PlainValues | undefined;
}

const isMember = (
  { column, model, on, owner, where }: Extract<RowExpression, { readonly kind: 'member' }>,
  record: PlainValues,
  caller: ColumnValue,
  around: Surroundings,
): boolean => {
  const value = record[column] ?? null;
  if (caller === null || value === null) return false;
  return around
    .members(model)
    .some(
      (each) =>
        each[owner] === caller &&
        each[on] === value &&
        where.every(({ column: of, values }) => values.some((one) => one === each[of])),
    );
};

/**
 * True if a record meets a condition for a caller; null is everybody who is no user. Null is equal to nothing, and no
 * condition negates another one, so what SQL does not know is false.
 */
export const meetsCondition = (
  expression: RowExpression,
  record: PlainValues,
  caller: ColumnValue,
  around: Surroundings,
): boolean => {
  switch (expression.kind) {
    case 'own':
      return caller !== null && record[expression.column] === caller;
    case 'equals':
      return record[expression.column] === expression.value;
    case 'member':
      return isMember(expression, record, caller, around);
    case 'via': {
      const id = record[expression.column] ?? null;
      const named = id === null ? undefined : around.referred(expression.model, id);
      return named !== undefined && meetsCondition(expression.rule, named, caller, around);
    }
    case 'anyOf':
      return expression.rules.some((rule) => meetsCondition(rule, record, caller, around));
    case 'allOf':
      return expression.rules.every((rule) => meetsCondition(rule, record, caller, around));
  }
};
