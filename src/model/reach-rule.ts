import {
  isNever,
  type RowExpression,
  type RowReachRule,
  type RowTerm,
  withoutCaller,
} from './row-expression.ts';
import { rowWords } from './row-words.ts';

const conditionsOf = (expression: RowExpression): RowTerm[] =>
  expression.kind === 'allOf'
    ? expression.rules.flatMap(conditionsOf)
    : [Object.freeze({ expression, key: JSON.stringify(expression) })];

/** An expression made ready for callers. */
export const reachRule = (expression: RowExpression): RowReachRule => {
  const others = withoutCaller(expression);
  return Object.freeze({
    expression,
    words: rowWords(expression),
    user: Object.freeze(conditionsOf(expression)),
    others: isNever(others) ? 'none' : Object.freeze(conditionsOf(others)),
  });
};
