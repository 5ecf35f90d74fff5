/**
 * The search for a world in which one condition holds for a record and a caller, and another one does not.
 *
 * Conditions say that something is so, never that it is not. A world that meets one needs the rows of one proof only: a
 * row for each membership and each reference of it. A world with fewer rows, with null in place of values, and with
 * values that nothing else has, meets no more conditions. So it is enough to take each proof of the first condition, to
 * draw the consequences of what the database keeps true (`Draft.close`), and to look whether the second one holds in
 * the smallest world that is left. Fields with few values, which may coincide, are tried one by one.
 */

import type { RowExpression } from '../../model/row-expression.ts';
import type { Shapes } from '../shapes.ts';
import { callerClass, type DraftAnswer, type RowPlace, WorldDraft } from './draft.ts';
import { implies } from './implies.ts';
import { type DraftReading, judge } from './judge.ts';

/**
 * The record that a condition is about. `stored`: a record of the table. `new`: one that is about to be stored.
 * `changed`: one as it will be, beside its row as it is. `deleted`: one of the trash, with the records to which it
 * referred then.
 */
export type RecordStage = 'stored' | 'new' | 'changed' | 'deleted';

const places = { stored: 'now', new: 'new', changed: 'next', deleted: 'kept' } as const satisfies Record<
  RecordStage,
  RowPlace
>;

export interface WorldQuestion {
  readonly shapes: Shapes;
  readonly model: string;
  readonly about: RecordStage;
  /** True for users, false for callers who are none. */
  readonly user: boolean;
}

/** A draft in which the record is row 0. */
export type FoundDraft = WorldDraft | 'none' | 'too much';

/** A condition on a row that has to hold. */
type Goal = readonly [expression: RowExpression, row: number];

/** The choices after which a search gives up. */
export const mostChoices = 20_000;

class TooMuch extends Error {}

/** The choices that a search has left. */
interface Budget {
  left: number;
}

/** The alternatives of a condition: a reference to one of several is one of several references. */
export const alternativesOf = (expression: RowExpression): readonly RowExpression[] => {
  if (expression.kind === 'anyOf') return expression.rules.flatMap(alternativesOf);
  if (expression.kind !== 'via') return [expression];
  const rules = alternativesOf(expression.rule);
  return rules.length === 1 ? [expression] : rules.map((rule) => ({ ...expression, rule }));
};

/** The parts of a condition that all have to hold. */
export const partsOf = (expression: RowExpression): readonly RowExpression[] => {
  if (expression.kind === 'allOf') return expression.rules.flatMap(partsOf);
  if (expression.kind !== 'via') return [expression];
  const rules = partsOf(expression.rule);
  return rules.length < 2 ? [expression] : rules.map((rule) => ({ ...expression, rule }));
};

const fieldsOf = (expression: RowExpression): readonly string[] => {
  switch (expression.kind) {
    case 'own':
    case 'equals':
      return [expression.column];
    case 'member':
      return [expression.column, expression.model, ...expression.where.map(({ column }) => column)];
    case 'via':
      return [expression.column, ...fieldsOf(expression.rule)];
    case 'anyOf':
    case 'allOf':
      return expression.rules.flatMap(fieldsOf);
  }
};

class Search {
  readonly #question: WorldQuestion;
  readonly #refuted: RowExpression;
  readonly #related: ReadonlySet<string>;
  readonly #known: DraftReading;
  readonly #settling: DraftReading;
  readonly #budget: Budget;

  constructor(question: WorldQuestion, refuted: RowExpression, budget: Budget) {
    this.#question = question;
    this.#refuted = refuted;
    this.#budget = budget;
    this.#related = new Set(fieldsOf(refuted));
    const caller = question.user ? callerClass : undefined;
    const referred = question.about === 'deleted' ? 'kept' : 'now';
    this.#known = { caller, referred, settles: false };
    this.#settling = { caller, referred, settles: true };
  }

  /** @throws TooMuch */
  run(held: RowExpression): WorldDraft | undefined {
    const { shapes, model, about } = this.#question;
    const draft = new WorldDraft(shapes);
    const record = draft.addRow(model, places[about]);
    if (about === 'new' && shapes.get(model)?.givesIds !== true) draft.setNull(record, 'id');
    if (about === 'changed')
      draft.row(draft.addRow(model, 'now')).cells.set('id', draft.filled(record, 'id'));
    return this.#prove(draft, [[held, record]], []);
  }

  #count(): void {
    this.#budget.left -= 1;
    if (this.#budget.left < 0) throw new TooMuch();
  }

  /** Makes the goals hold, then one alternative of each choice. */
  #prove(draft: WorldDraft, goals: Goal[], choices: readonly Goal[]): WorldDraft | undefined {
    this.#count();
    const open = [...choices];
    for (let goal = goals.pop(); goal !== undefined; goal = goals.pop()) {
      const [expression, row] = goal;
      if (expression.kind === 'anyOf' && expression.rules.length !== 1) open.push(goal);
      else if (!this.#make(draft, expression, row, goals)) return undefined;
    }
    if (!draft.close()) return undefined;
    // A condition that holds already holds in every world that grows from here.
    if (judge(this.#refuted, draft, 0, this.#known) === 'yes') return undefined;
    const [chosen, others] = this.#choice(open);
    if (chosen === undefined) return this.#complete(draft);
    const [expression, row] = chosen;
    if (!('rules' in expression)) return undefined;
    for (const [index, rule] of expression.rules.entries()) {
      const next = index === expression.rules.length - 1 ? draft : draft.copy();
      const found = this.#prove(next, [[rule, row]], others);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The choice that says most about the refuted condition, and the others. */
  #choice(open: readonly Goal[]): readonly [Goal | undefined, readonly Goal[]] {
    const rank = ([expression]: Goal): number => {
      const fields = fieldsOf(expression);
      return fields.filter((each) => this.#related.has(each)).length / Math.max(1, fields.length);
    };
    const [chosen, ...others] = open.toSorted((a, b) => rank(b) - rank(a));
    return [chosen, others];
  }

  /** Makes a condition hold that leaves no choice, or adds what it asks to the goals. False if it cannot hold. */
  #make(draft: WorldDraft, expression: RowExpression, row: number, goals: Goal[]): boolean {
    switch (expression.kind) {
      case 'own':
        return this.#question.user && this.#equal(draft, row, expression.column, callerClass);
      case 'equals':
        return (
          this.#canFill(draft, row, expression.column) &&
          draft.restrict(draft.filled(row, expression.column), [expression.value])
        );
      case 'member':
        return this.#question.user && this.#makeMember(draft, expression, row);
      case 'via': {
        if (!this.#canFill(draft, row, expression.column)) return false;
        const { referred } = this.#known;
        const named = draft.rowNamed(expression.model, referred, draft.filled(row, expression.column));
        goals.push([expression.rule, named]);
        return true;
      }
      case 'anyOf':
      case 'allOf':
        goals.push(...expression.rules.map((rule): Goal => [rule, row]));
        return true;
    }
  }

  /** False for the id of a record that has none yet. */
  #canFill(draft: WorldDraft, row: number, field: string): boolean {
    return draft.row(row).cells.get(field) !== null;
  }

  #equal(draft: WorldDraft, row: number, field: string, to: number): boolean {
    return this.#canFill(draft, row, field) && draft.join(draft.filled(row, field), to);
  }

  #makeMember(
    draft: WorldDraft,
    { column, model, on, owner, where }: Extract<RowExpression, { readonly kind: 'member' }>,
    row: number,
  ): boolean {
    if (!this.#canFill(draft, row, column)) return false;
    const made = draft.addRow(model, 'now');
    return (
      draft.join(draft.filled(made, owner), callerClass) &&
      draft.join(draft.filled(made, on), draft.filled(row, column)) &&
      where.every(({ column: of, values }) => draft.restrict(draft.filled(made, of), values))
    );
  }

  /** Completes a draft in which everything is proved to a world in which the refuted condition does not hold. */
  #complete(draft: WorldDraft): WorldDraft | undefined {
    this.#count();
    const answer = this.#settle(draft);
    if (answer === 'yes') return undefined;
    const open = answer === 'no' ? this.#undecided(draft) : answer;
    if (open === undefined) return draft;
    for (const value of draft.equals(open).values ?? []) {
      const next = draft.copy();
      if (!next.restrict(open, [value]) || !next.close()) continue;
      const found = this.#complete(next);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * The answer of the refuted condition, with the consequences of what it asked; `yes` also if there is no such world.
   */
  #settle(draft: WorldDraft): DraftAnswer {
    for (;;) {
      const { joins } = draft;
      const answer = judge(this.#refuted, draft, 0, this.#settling);
      if (answer === 'yes' || !draft.close()) return 'yes';
      if (draft.joins === joins) return answer;
    }
  }

  /** A class of a finished draft that still has to be given one of few values. */
  #undecided(draft: WorldDraft): number | undefined {
    for (const at of draft.rows)
      for (const cell of draft.row(at).cells.values()) {
        if (cell === null) continue;
        const { value, values } = draft.equals(cell);
        if (value === undefined && values !== undefined) return draft.find(cell);
      }
    return undefined;
  }
}

/** Finds a world in which `held` holds for a record and a caller, and `refuted` does not. */
export const separate = (
  question: WorldQuestion,
  held: RowExpression,
  refuted: RowExpression,
  choices = mostChoices,
): FoundDraft => {
  const budget: Budget = { left: choices };
  const parts = alternativesOf(refuted).length === 1 ? partsOf(refuted) : [refuted];
  try {
    for (const part of parts)
      for (const one of alternativesOf(held)) {
        const found = implies(one, part) ? undefined : new Search(question, part, budget).run(one);
        if (found !== undefined) return found;
      }
    return 'none';
  } catch (error) {
    if (error instanceof TooMuch) return 'too much';
    throw error;
  }
};
