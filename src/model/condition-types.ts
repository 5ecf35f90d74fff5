import type { FilterOperator } from '../fields/field.ts';
import type { IdentityOperator, OrderedOperator, TextOperator } from '../fields/values.ts';

/** The types of conditions in a filter. */

/** What an operator compares with. */
type Operand<Value, Operator> = Operator extends 'null'
  ? boolean
  : Operator extends 'in'
    ? readonly Value[]
    : Operator extends 'like' | 'starts_with'
      ? string
      : Value;

/** One field in a filter: a value to be equal to, or values by operator. */
export type Condition<Value, Operators extends FilterOperator> =
  | ('eq' extends Operators ? Value : never)
  | { readonly [Operator in Operators]?: Operand<Value, Operator> };

/** Conditions on texts, on values with an order, and on values that are only equal or not. */
export type TextCondition = Condition<string, TextOperator>;
export type OrderedCondition<Value> = Condition<Value, OrderedOperator>;
export type IdentityCondition<Value> = Condition<Value, IdentityOperator>;
