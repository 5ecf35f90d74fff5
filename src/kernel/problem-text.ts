import { type Catalogue, fill } from './messages/catalogue.ts';
import { labelText, messageIn } from './messages/messages.ts';
import type { Problem } from './problem.ts';

/** Returns the message of a problem in the language of the catalogue. */
export const problemText = (catalogue: Catalogue, problem: Problem): string => {
  const { kind, params, errors } = problem;
  const text =
    typeof kind === 'string'
      ? catalogue.problems[kind]
      : labelText(kind.message, catalogue.locale, catalogue.fallbacks);
  return fill(text, {
    ...params,
    errors: errors?.map((error) => messageIn(catalogue, error)).join(', ') ?? '',
  });
};
