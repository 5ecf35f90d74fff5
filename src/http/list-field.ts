import type { Source } from '../database/source.ts';
import { bucketsOf, isGroupable, measuresOf } from '../fields/aggregates.ts';
import type { CommonOptions, FieldType, FilterOperator, JsonSchema } from '../fields/field.ts';
import { withoutUndefined } from '../kernel/json.ts';
import type { Rule } from '../policy/rule.ts';
import type { ListField } from './endpoint.ts';

interface ListedField {
  readonly name: string;
  readonly type: FieldType;
  readonly options: CommonOptions;
  /** False where the field cannot be filtered, sorted or searched by. */
  readonly comparable?: boolean | undefined;
}

/** The schema of a value in a query: text of the type's form, without the limits of values in bodies. */
const valueSchema = ({ type, options }: ListedField): JsonSchema => {
  const choices = type.choices?.(options, 'en');
  if (choices !== undefined) return { type: 'string', enum: choices.map(({ value }) => value) };
  const { type: jsonType, format } = type.input(options, 'en');
  return withoutUndefined({
    type: typeof jsonType === 'string' ? jsonType : 'string',
    format: typeof format === 'string' ? format : undefined,
  });
};

const none: readonly FilterOperator[] = [];

/** The ways in which a query can use a field of a list. */
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

/** Returns the fields by which callers may filter, sort and search a list: its policy lets them read these. */
export const listFieldsOf = (source: Source, rule: Rule): ListField[] => {
  const readable = 'readable' in rule ? (rule.readable ?? []) : [];
  return readable.flatMap((name) => {
    const column = source.columns.get(name);
    if (column === undefined) return [];
    const field = listField(column);
    const { search } = source;
    if (search === undefined) return field;
    return { ...field, searchable: search.fields.includes(name) ? 'words' : false };
  });
};
