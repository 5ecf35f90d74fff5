/** The answer of a condition in a draft of a world. */

import type { RowExpression } from '../../model/row-expression.ts';
import type { DraftAnswer, WorldDraft } from './draft.ts';
import { callerClass } from './draft.ts';

/** How a draft is read. */
export interface DraftReading {
  /** The class of the caller; undefined for callers who are no users. */
  readonly caller: typeof callerClass | undefined;
  /** Where rows to which references lead are. */
  readonly referred: 'now' | 'kept';
  /**
   * True if what is unknown becomes what helps the condition least: null, a value that nothing else has, a record of
   * its own. False if it only counts as not yet so: a `yes` then holds whatever is added.
   */
  readonly settles: boolean;
}

type Kind<Name extends RowExpression['kind']> = Extract<RowExpression, { readonly kind: Name }>;

const cellOf = (draft: WorldDraft, row: number, field: string, { settles }: DraftReading): number | null =>
  settles ? draft.settled(row, field) : (draft.known(row, field) ?? null);

/** `yes` if all are, `no` if one is not, else a class on which it depends. */
const all = (answers: Iterable<DraftAnswer>): DraftAnswer => {
  let open: DraftAnswer = 'yes';
  for (const answer of answers) {
    if (answer === 'no') return 'no';
    if (answer !== 'yes') open = answer;
  }
  return open;
};

const any = (answers: Iterable<DraftAnswer>): DraftAnswer => {
  let open: DraftAnswer = 'no';
  for (const answer of answers) {
    if (answer === 'yes') return 'yes';
    if (answer !== 'no') open = answer;
  }
  return open;
};

/** The classes of which a value is one of several. */
const isAmong = (draft: WorldDraft, of: number, values: readonly unknown[]): DraftAnswer => {
  const { value, values: open } = draft.equals(of);
  if (value !== undefined) return values.includes(value) ? 'yes' : 'no';
  if (open === undefined || !open.some((each) => values.includes(each))) return 'no';
  return open.every((each) => values.includes(each)) ? 'yes' : draft.find(of);
};

function* demandsOf(
  { column, on, owner, where }: Kind<'member'>,
  draft: WorldDraft,
  [record, row]: readonly [number, number],
  reading: DraftReading,
): Generator<DraftAnswer> {
  const compared = (one: number | null, other: number | null | undefined): DraftAnswer =>
    one === null || other === null || other === undefined ? 'no' : draft.compare(one, other);
  yield compared(cellOf(draft, row, owner, reading), reading.caller);
  yield compared(cellOf(draft, row, on, reading), cellOf(draft, record, column, reading));
  for (const { column: of, values } of where) {
    const cell = cellOf(draft, row, of, reading);
    yield cell === null ? 'no' : isAmong(draft, cell, values);
  }
}

function* membershipsOf(
  expression: Kind<'member'>,
  draft: WorldDraft,
  record: number,
  reading: DraftReading,
): Generator<DraftAnswer> {
  for (const row of draft.rows) {
    const { model, place } = draft.row(row);
    if (model === expression.model && place === 'now')
      yield all(demandsOf(expression, draft, [record, row], reading));
  }
}

const viaAnswer = (
  { column, model, rule }: Kind<'via'>,
  draft: WorldDraft,
  record: number,
  reading: DraftReading,
): DraftAnswer => {
  const cell = cellOf(draft, record, column, reading);
  if (cell === null) return 'no';
  const { referred, settles } = reading;
  // The database keeps that a reference leads to a record.
  const named = settles ? draft.rowNamed(model, referred, cell) : draft.rowWithId(model, referred, cell);
  return named === undefined ? 'no' : judge(rule, draft, named, reading);
};

/** Judges a condition about a row of a draft. */
export const judge = (
  expression: RowExpression,
  draft: WorldDraft,
  row: number,
  reading: DraftReading,
): DraftAnswer => {
  switch (expression.kind) {
    case 'own': {
      const cell = reading.caller === undefined ? null : cellOf(draft, row, expression.column, reading);
      return cell === null ? 'no' : draft.compare(cell, callerClass);
    }
    case 'equals': {
      const cell = cellOf(draft, row, expression.column, reading);
      return cell === null ? 'no' : draft.compareValue(cell, expression.value);
    }
    case 'member':
      return reading.caller === undefined ? 'no' : any(membershipsOf(expression, draft, row, reading));
    case 'via':
      return viaAnswer(expression, draft, row, reading);
    case 'anyOf':
      return any(expression.rules.map((rule) => judge(rule, draft, row, reading)));
    case 'allOf':
      return all(expression.rules.map((rule) => judge(rule, draft, row, reading)));
  }
};
