import type { RowExpression } from './row-expression.ts';

const joinValues = (values: readonly string[]): string =>
  values.length === 1 ? `= ${values[0]}` : `in (${values.join(', ')})`;

/**
 * A rule in the names of fields and models, for explanations and the audit: `visibility = public or team_id in
 * Membership.team_id where user_id = caller`.
 */
export const rowWords = (expression: RowExpression): string => {
  switch (expression.kind) {
    case 'own':
      return `${expression.column} = caller`;
    case 'equals':
      return `${expression.column} = ${expression.said}`;
    case 'member': {
      const { column, model, on, owner, where } = expression;
      const conditions = [
        `${owner} = caller`,
        ...where.map((each) => `${each.column} ${joinValues(each.said)}`),
      ];
      return `${column} in ${model}.${on} where ${conditions.join(' and ')}`;
    }
    case 'via':
      return `${expression.column} names a ${expression.model} with ${bracketed(expression.rule)}`;
    case 'anyOf':
      return expression.rules.length === 0 ? 'no record' : expression.rules.map(bracketed).join(' or ');
    case 'allOf':
      return expression.rules.length === 0 ? 'every record' : expression.rules.map(bracketed).join(' and ');
  }
};

/** An expression of several parts, in brackets if it is itself a part. */
const bracketed = (expression: RowExpression): string => {
  const words = rowWords(expression);
  const isLong =
    'rules' in expression
      ? expression.rules.length > 1
      : expression.kind !== 'own' && expression.kind !== 'equals';
  return isLong ? `(${words})` : words;
};
