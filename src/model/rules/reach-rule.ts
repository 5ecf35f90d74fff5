import { createHash } from 'node:crypto';
import {
  isNever,
  type RowExpression,
  type RowReachRule,
  type RowTerm,
  withoutCaller,
} from '../row-expression.ts';
import { rowWords } from '../row-words.ts';

/** Short, as it is part of keys that every request looks up. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

const conditionsOf = (expression: RowExpression): RowTerm[] =>
  expression.kind === 'allOf'
    ? expression.rules.flatMap(conditionsOf)
    : [Object.freeze({ expression, key: digest(JSON.stringify(expression)) })];

/** Prepares an expression for callers. */
export const reachRule = (expression: RowExpression): RowReachRule => {
  const others = withoutCaller(expression);
  return Object.freeze({
    expression,
    words: rowWords(expression),
    user: Object.freeze(conditionsOf(expression)),
    others: isNever(others) ? 'none' : Object.freeze(conditionsOf(others)),
  });
};
