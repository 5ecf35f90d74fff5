import type { Source } from '../database/source.ts';
import type { ListField } from '../http/endpoint.ts';
import { listField } from '../openapi/list-field.ts';
import type { Rule } from '../policy/rule.ts';

/** Returns the fields that callers may filter, sort and search a list by: those that its policy lets them read. */
export const listFieldsOf = (source: Source, rule: Rule): ListField[] => {
  const readable = 'readable' in rule ? (rule.readable ?? []) : [];
  return readable.flatMap((name) => {
    const column = source.columns.get(name);
    return column === undefined ? [] : listField(column);
  });
};
