/** Turns the rows of an aggregating statement into groups in JSON, with exact sums and averages. */

import type { SourceColumn } from '../../database/source.ts';
import { fromScaled } from '../../fields/decimal.ts';
import type { Json } from '../../kernel/json.ts';
import { invalidParameter } from '../list/query-string.ts';
import type { AggregateParameters, GroupMeasure } from './aggregate-parameters.ts';
import { isExact, lowBits } from './statement.ts';

/** Values of a group as the statement returns them, in its order. */
export type GroupValues = readonly Json[];

const lowUnit = 2n ** BigInt(lowBits);

const scaleOf = ({ type, options }: SourceColumn): number => type.scale?.(options) ?? 0;

/** A sum of integers: a number if JSON readers keep it exactly, else its digits. */
const wholeNumber = (sum: bigint): Json => (Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum));

/** The exact sum divided as doubles. */
const averageOf = (sum: bigint, count: number, scale: number): number => Number(sum) / count / 10 ** scale;

/**
 * Rounds to fifteen digits: further ones of a floating-point sum depend on the order of its terms.
 * @throws Problem `invalid_parameter` for an infinite sum
 */
const rounded = (value: number, measure: string): number => {
  if (!Number.isFinite(value)) throw invalidParameter(measure);
  return Number(value.toPrecision(15));
};

interface Measured {
  readonly value: Json;
  /** Number of values of the group that it used. */
  readonly taken: number;
}

const measuredOf = ({ measure, column }: GroupMeasure, values: GroupValues): Measured => {
  if (measure === 'min' || measure === 'max') return { value: values[0] ?? null, taken: 1 };
  const count = Number(values[0] ?? 0);
  const exact = isExact(column);
  const taken = exact ? 3 : 2;
  if (count === 0) return { value: null, taken };
  if (!exact) {
    const sum = Number(values[1]);
    return { value: rounded(measure === 'sum' ? sum : sum / count, measure), taken };
  }
  const sum = BigInt(String(values[1])) * lowUnit + BigInt(String(values[2]));
  if (measure === 'avg') return { value: averageOf(sum, count, scaleOf(column)), taken };
  return {
    value: column.type.column === 'decimal' ? fromScaled(sum, scaleOf(column)) : wholeNumber(sum),
    taken,
  };
};

/** A group of the response: keys, count and measures under their names. */
export const groupOf = (
  { keys, counted, measured }: AggregateParameters,
  values: GroupValues,
): Readonly<Record<string, Json>> => {
  const entries = keys.map(({ name }, index): [string, Json] => [name, values[index] ?? null]);
  if (counted) entries.push(['count', values[keys.length] ?? 0]);
  let at = keys.length + 1;
  for (const each of measured) {
    const { value, taken } = measuredOf(each, values.slice(at));
    entries.push([each.name, value]);
    at += taken;
  }
  return Object.fromEntries(entries);
};

/** The groups without any records: without keys there is one empty group. */
export const groupsOfNothing = ({ keys }: AggregateParameters): readonly GroupValues[] =>
  keys.length === 0 ? [[]] : [];
