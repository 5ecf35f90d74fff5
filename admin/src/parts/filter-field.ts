/** Fields that lists are filtered by, and conditions in the address of a list. */

import { type FilterKind, traitsOf } from '../records/field-kinds.ts';
import type { Choice, ListedField, Operator } from '../records/metadata.ts';
import { isWordOperator, parseWords, type WordOperator } from './date-words.ts';

/** A comparison of the service, or one by words about dates. */
export type Comparison = Operator | WordOperator;

export interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly kind: FilterKind;
  readonly operators: readonly Operator[];
  readonly choices?: readonly Choice[];
  /** Name of the model whose records the field refers to. */
  readonly reference?: string;
}

/** The filters of a resource, from its metadata. */
export const filtersOf = (fields: readonly ListedField[]): FilterField[] =>
  fields
    .filter(({ operators }) => operators.length > 0)
    .map(({ name, label, type, operators, choices, reference }) => ({
      name,
      label,
      kind: choices === undefined ? traitsOf({ type }).filter : 'choice',
      operators,
      ...(choices === undefined ? {} : { choices }),
      ...(reference === undefined ? {} : { reference }),
    }));

/** The comparisons of a field: words about dates come first. */
export const comparisonsOf = ({ kind, operators }: FilterField): readonly Comparison[] => {
  if (kind === 'datetime') return ['when', ...operators];
  return kind === 'date' ? ['days', ...operators] : operators;
};

/**
 * The model of a condition that names one record, which is picked and shown by its name; undefined for other
 * conditions.
 */
export const comparedModel = ({ reference }: FilterField, operator: Comparison): string | undefined =>
  operator === 'eq' || operator === 'ne' ? reference : undefined;

/** A condition of a list: `status` or `amount@gte` in the address, and its value. */
export interface Condition {
  readonly key: string;
  readonly field: FilterField;
  readonly operator: Comparison;
  readonly value: string;
}

export const keyOf = (field: string, operator: Comparison): string =>
  operator === 'eq' ? field : `${field}@${operator}`;

/** The conditions among the filter values of a list, without the free search. */
export const conditionsIn = (
  values: Readonly<Record<string, unknown>>,
  fields: readonly FilterField[],
): Condition[] =>
  Object.entries(values).flatMap(([key, value]) => {
    const [name, operator = 'eq'] = key.split('@');
    const field = fields.find((each) => each.name === name);
    const known = field && comparisonsOf(field).find((each) => each === operator);
    if (field === undefined || known === undefined || value === undefined) return [];
    if (isWordOperator(known) && parseWords(String(value)) === undefined) return [];
    return [{ key, field, operator: known, value: String(value) }];
  });
