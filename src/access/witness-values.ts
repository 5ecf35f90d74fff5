/** PlainValues of a witness as JSON has them, where columns have another form. */

import type { ColumnValue } from '../fields/field.ts';
import type { Json } from '../kernel/json.ts';
import type { RowExpression } from '../model/row-expression.ts';
import type { PlainValues } from './evaluate.ts';
import { fieldIn, type Shapes } from './shapes.ts';
import type { Witness } from './verdict.ts';

/** A record for people: values as the model file says them. */
export type ShownValues = Readonly<Record<string, Json>>;

type Said = ReadonlyMap<string, string>;

const keyOf = (model: string, field: string, value: unknown): string => JSON.stringify([model, field, value]);

/** The texts of model files for the values of columns. */
const saidIn = (model: string, expression: RowExpression): readonly (readonly [string, string])[] => {
  switch (expression.kind) {
    case 'own':
      return [];
    case 'equals':
      return [[keyOf(model, expression.column, expression.value), expression.said]];
    case 'member':
      return expression.where.flatMap(({ column, values, said }) =>
        values.map(
          (value, at) => [keyOf(expression.model, column, value), said[at] ?? String(value)] as const,
        ),
      );
    case 'via':
      return saidIn(expression.model, expression.rule);
    case 'anyOf':
    case 'allOf':
      return expression.rules.flatMap((rule) => saidIn(model, rule));
  }
};

const shownValue = (
  value: ColumnValue | undefined,
  said: string | undefined,
  { column, scale }: { readonly column: string; readonly scale: number },
): Json => {
  if (value === undefined || value === null) return null;
  if (said !== undefined && said !== String(value)) return said;
  return column === 'decimal' && typeof value === 'number' ? (value / 10 ** scale).toFixed(scale) : value;
};

/** The witness in the words of the model files. */
export const shownWitness = (
  { record, caller, related }: Witness,
  model: string,
  shapes: Shapes,
  conditions: readonly RowExpression[],
): Witness<ShownValues> => {
  const said: Said = new Map(conditions.flatMap((expression) => saidIn(model, expression)));
  const shown = (of: string, values: PlainValues): ShownValues =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        shownValue(value, said.get(keyOf(of, name, value)), fieldIn(shapes, of, name)),
      ]),
    );
  return {
    record: shown(model, record),
    caller,
    related: related.map(({ model: of, record: other, kept }) => ({
      model: of,
      record: shown(of, other),
      kept,
    })),
  };
};
