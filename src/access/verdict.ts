/** The verdict about two conditions, for all data: equal, narrower, wider, or different, with a world that shows it. */

import { type RowExpression, withoutCaller } from '../model/row-expression.ts';
import type { Shapes } from './shapes.ts';
import { implies } from './worlds/implies.ts';
import { mostChoices, type RecordStage, separate, type WorldQuestion } from './worlds/search.ts';
import { type Witness, witnessOf } from './worlds/witness.ts';

export type { Witness } from './worlds/witness.ts';

/** `undecided`: the conditions are too large. */
export type ConditionVerdict = 'equal' | 'narrower' | 'wider' | 'differs' | 'undecided';

export interface Judgement {
  readonly verdict: ConditionVerdict;
  /** A world in which only the later condition holds. */
  readonly gained: Witness | undefined;
  /** A world in which only the earlier condition holds. */
  readonly lost: Witness | undefined;
}

/** The records and callers that the two conditions are about. */
export interface ConditionSubject {
  readonly shapes: Shapes;
  readonly model: string;
  /** The action whose records they decide; `manage` is that of deleted records. */
  readonly action: 'read' | 'create' | 'update' | 'destroy' | 'manage';
  readonly user: boolean;
}

/** The models whose records a condition asks beside the one that it is about. */
export const modelsAsked = (expression: RowExpression): readonly string[] => {
  switch (expression.kind) {
    case 'own':
    case 'equals':
      return [];
    case 'member':
      return [expression.model];
    case 'via':
      return [expression.model, ...modelsAsked(expression.rule)];
    case 'anyOf':
    case 'allOf':
      return expression.rules.flatMap(modelsAsked);
  }
};

/** An update asks a condition before and after the change; both are the same unless it asks the record's own table. */
const questionsOf = (
  { shapes, model, action, user }: ConditionSubject,
  asksItself: boolean,
): readonly WorldQuestion[] => {
  const abouts: Readonly<Record<ConditionSubject['action'], readonly RecordStage[]>> = {
    read: ['stored'],
    create: ['new'],
    update: asksItself ? ['stored', 'changed'] : ['stored'],
    destroy: ['stored'],
    manage: ['deleted'],
  };
  return abouts[action].map((about) => ({ shapes, model, about, user }));
};

const find = (
  questions: readonly WorldQuestion[],
  held: RowExpression,
  refuted: RowExpression,
  choices: number,
): Witness | 'none' | 'too much' => {
  if (implies(held, refuted)) return 'none';
  let isTooMuch = false;
  for (const question of questions) {
    const found = separate(question, held, refuted, choices);
    const witness = typeof found === 'string' ? found : witnessOf(found, question, held, refuted);
    if (typeof witness === 'object') return witness;
    if (witness !== 'none') isTooMuch = true;
  }
  return isTooMuch ? 'too much' : 'none';
};

const shown = (found: Witness | string): Witness | undefined =>
  typeof found === 'object' ? found : undefined;

/**
 * Decides about the records that two conditions admit, the earlier and the later one, for every content of the database
 * that models of these shapes can have.
 * @param choices after how many choices each direction is given up
 */
export const compareConditions = (
  subject: ConditionSubject,
  before: RowExpression,
  after: RowExpression,
  choices = mostChoices,
): Judgement => {
  const [one, other] = subject.user ? [before, after] : [withoutCaller(before), withoutCaller(after)];
  const asksItself = [one, other].some((expression) => modelsAsked(expression).includes(subject.model));
  const questions = questionsOf(subject, asksItself);
  const gained = find(questions, other, one, choices);
  const lost = find(questions, one, other, choices);
  const worlds = { gained: shown(gained), lost: shown(lost) };
  if (gained === 'too much' || lost === 'too much') return { verdict: 'undecided', ...worlds };
  if (gained === 'none') return { verdict: lost === 'none' ? 'equal' : 'narrower', ...worlds };
  return { verdict: lost === 'none' ? 'wider' : 'differs', ...worlds };
};
