import { bucketsOf, isGroupable, measuresOf } from '../fields/aggregates.ts';
import type { CommonOptions, FieldType, FilterOperator, JsonSchema } from '../fields/field.ts';
import type { ListField } from '../http/endpoint.ts';

interface ListedField {
  readonly name: string;
  readonly type: FieldType;
  readonly options: CommonOptions;
  /** False where the field cannot be filtered, sorted or searched by. */
  readonly comparable?: boolean;
}

/** A value in a query is text of this form: the bounds that a body's value has are not asked of it. */
const valueSchema = ({ type, options }: ListedField): JsonSchema => {
  const choices = type.choices?.(options, 'en');
  if (choices !== undefined) return { type: 'string', enum: choices.map(({ value }) => value) };
  const { type: jsonType, format } = type.input(options, 'en');
  return {
    type: typeof jsonType === 'string' ? jsonType : 'string',
    ...(typeof format === 'string' ? { format } : {}),
  };
};

const none: readonly FilterOperator[] = [];

/** What callers may do with a field of a list. */
export const listField = (field: ListedField): ListField => {
  const { name, type, comparable = true } = field;
  return {
    name,
    operators: comparable ? type.operators : none,
    sortable: comparable && type.sortable,
    searchable: comparable && type.searchable,
    groupable: comparable && isGroupable(type),
    buckets: comparable ? bucketsOf(type) : [],
    measures: comparable ? measuresOf(type) : [],
    value: valueSchema(field),
  };
};
