import type { FilterOperator } from '../../fields/field.ts';
import type { IdentityOperator, OrderedOperator, TextOperator } from '../../fields/values.ts';

/** The types of conditions in a filter. */

/** The operand of an operator. */
type Operand<Value, Operator> = Operator extends 'null'
  ? boolean
  : Operator extends 'in'
    ? readonly Value[]
    : Operator extends 'like' | 'starts_with'
      ? string
      : Value;

/** A condition on one field: an equal value, or values by operator. */
export type Condition<Value, Operators extends FilterOperator> =
  | ('eq' extends Operators ? Value : never)
  | { readonly [Operator in Operators]?: Operand<Value, Operator> };

/** Conditions on texts, on ordered values, and on values that are only equal or not. */
export type TextCondition = Condition<string, TextOperator>;
export type OrderedCondition<Value> = Condition<Value, OrderedOperator>;
export type IdentityCondition<Value> = Condition<Value, IdentityOperator>;
