import type { FilterOperator, JsonSchema } from '../fields/field.ts';
import type { ListField } from '../http/endpoint.ts';
import type { Rule } from '../policy/rule.ts';
import type { Source, SourceColumn } from '../store/source.ts';

const readableOf = (rule: Rule): readonly string[] => {
  switch (rule.kind) {
    case 'resource':
      return rule.area === 'admin' ? [...rule.model.fields.keys()] : rule.model.views.list;
    case 'user':
    case 'isolated':
    case 'administrator':
      return rule.readable ?? [];
    case 'open':
    case 'identified':
    case 'roles':
      return [];
  }
};

/** A value in a query is text of this form: the bounds that a body's value has are not asked of it. */
const valueSchema = ({ type, options }: SourceColumn): JsonSchema => {
  const choices = type.choices?.(options, 'en');
  if (choices !== undefined) return { type: 'string', enum: choices.map(({ value }) => value) };
  const { type: jsonType, format } = type.input(options, 'en');
  return {
    type: typeof jsonType === 'string' ? jsonType : 'string',
    ...(typeof format === 'string' ? { format } : {}),
  };
};

const none: readonly FilterOperator[] = [];

/** What callers may filter, sort and search a list by: the fields that its policy lets them read. */
export const listFieldsOf = (source: Source, rule: Rule): ListField[] =>
  readableOf(rule).flatMap((name) => {
    const column = source.columns.get(name);
    if (column === undefined) return [];
    const usable = column.comparable !== false;
    return {
      name,
      operators: usable ? column.type.operators : none,
      sortable: usable && column.type.sortable,
      searchable: usable && column.type.searchable,
      value: valueSchema(column),
    };
  });
