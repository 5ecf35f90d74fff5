/** A finished draft as records with values, which the evaluator confirms. */

import type { ColumnKind, ColumnValue } from '../../fields/field.ts';
import type { RowExpression } from '../../model/row-expression.ts';
import { meetsCondition, type PlainValues, type Surroundings } from '../evaluate.ts';
import type { FieldShape } from '../shapes.ts';
import { callerClass, type RowPlace, type WorldDraft } from './draft.ts';
import type { WorldQuestion } from './search.ts';

export interface RelatedRecord<Record = PlainValues> {
  readonly model: string;
  readonly record: Record;
  /** True for a record as it was when the one in question was deleted. */
  readonly kept: boolean;
}

/** A record and a caller for whom one condition holds and another one does not; values as columns have them. */
export interface Witness<Record = PlainValues> {
  readonly record: Record;
  /** Id of a user; null for everybody else. */
  readonly caller: number | null;
  readonly related: readonly RelatedRecord<Record>[];
}

const instant = (day: number): string => new Date(Date.UTC(2026, 0, day)).toISOString();

const textFor: Readonly<Record<string, (n: number) => string>> = {
  email: (n) => `other${n}@example.com`,
  url: (n) => `https://example.com/${n}`,
};

/** The n-th value of a kind of column, from 1. */
const nth: Readonly<Record<ColumnKind, (n: number, shape: FieldShape) => ColumnValue>> = {
  text: (n, { kind }) => textFor[kind]?.(n) ?? `other ${n}`,
  integer: (n) => n,
  // As its column has it: a text in SQLite, too.
  bigint: (n) => String(n),
  decimal: (n, { scale }) => n * 10 ** scale,
  number: (n) => n,
  boolean: (n) => n % 2 === 1,
  timestamp: (n) => instant(n),
  date: (n) => instant(n).slice(0, 10),
  time: (n) => `${String(n % 24).padStart(2, '0')}:${String(Math.floor(n / 24) % 60).padStart(2, '0')}:00`,
  uuid: (n) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  json: (n) => String(n),
};

const constantsIn = (expression: RowExpression): readonly ColumnValue[] => {
  switch (expression.kind) {
    case 'own':
      return [];
    case 'equals':
      return [expression.value];
    case 'member':
      return expression.where.flatMap(({ values }) => values);
    case 'via':
      return constantsIn(expression.rule);
    case 'anyOf':
    case 'allOf':
      return expression.rules.flatMap(constantsIn);
  }
};

/** Gives each class a value: values that nothing else has where none is decided. */
class Naming {
  readonly #draft: WorldDraft;
  readonly #taken: Set<ColumnValue>;
  readonly #given = new Map<number, ColumnValue>();

  constructor(draft: WorldDraft, constants: readonly ColumnValue[]) {
    this.#draft = draft;
    this.#taken = new Set(constants);
  }

  of(cell: number): ColumnValue {
    const at = this.#draft.find(cell);
    const { shape, value, values } = this.#draft.equals(at);
    const known = value ?? this.#given.get(at) ?? values?.[0];
    if (known !== undefined) return known;
    let n = 1;
    while (this.#taken.has(nth[shape.column](n, shape))) n += 1;
    const made = nth[shape.column](n, shape);
    this.#taken.add(made);
    this.#given.set(at, made);
    return made;
  }
}

const around = (
  rows: readonly (RelatedRecord & { readonly place: RowPlace })[],
  about: WorldQuestion['about'],
): Surroundings => ({
  members: (model) => rows.flatMap((row) => (row.model === model && row.place === 'now' ? [row.record] : [])),
  referred: (model, id) =>
    rows.find(
      (row) =>
        row.model === model &&
        row.record['id'] === id &&
        row.place === (about === 'deleted' ? 'kept' : 'now'),
    )?.record,
});

/**
 * The records of a draft, of which row 0 is the one in question. Undefined if the evaluator does not confirm that
 * `held` holds and `refuted` does not.
 */
export const witnessOf = (
  draft: WorldDraft,
  { about, user }: WorldQuestion,
  held: RowExpression,
  refuted: RowExpression,
): Witness | undefined => {
  const naming = new Naming(draft, [...constantsIn(held), ...constantsIn(refuted)]);
  const caller = user ? Number(naming.of(callerClass)) : null;
  const rows = draft.rows.map((at) => {
    const { model, place, cells } = draft.row(at);
    if (cells.get('id') === undefined) draft.filled(at, 'id');
    // A new record has no id yet.
    if (cells.get('id') === null) cells.delete('id');
    const values = [...cells].map(
      ([field, cell]) => [field, cell === null ? null : naming.of(cell)] as const,
    );
    const record: PlainValues = Object.fromEntries(
      values.sort(([a], [b]) => Number(b === 'id') - Number(a === 'id')),
    );
    return { model, place, record, kept: place === 'kept' };
  });
  const [first, ...others] = rows;
  if (first === undefined) return undefined;
  const context = around(rows, about);
  const holds = (expression: RowExpression): boolean =>
    meetsCondition(expression, first.record, caller, context);
  if (!holds(held) || holds(refuted)) return undefined;
  return {
    record: first.record,
    caller,
    related: others.map(({ model, record, kept }) => ({ model, record, kept })),
  };
};
