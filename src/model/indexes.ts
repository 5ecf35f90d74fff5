import { DefinitionError } from './definition-error.ts';
import type { ModelField, ResourceIndex } from './resource.ts';
import { mentioned } from './rules.ts';

/** PostgreSQL refuses entries of more than 2,704 bytes; the rest is left for headers. */
const mostBytes = 2600;

const bytesOf = (field: ModelField): number => field.type.indexBytes?.(field.options) ?? 16;

const indexOf = (model: string, columns: readonly ModelField[], unique: boolean): ResourceIndex => {
  const bytes = columns.reduce((sum, field) => sum + bytesOf(field), 0);
  if (bytes > mostBytes) {
    const [first] = columns;
    throw new DefinitionError(
      model,
      `an index takes at most ${mostBytes} bytes, a character up to 4: a text needs a smaller max, json cannot be indexed`,
      columns.length === 1 ? first?.name : undefined,
    );
  }
  return Object.freeze({ columns: Object.freeze(columns.map((field) => field.column)), unique });
};

const isIndexed = (field: ModelField): boolean =>
  field.unique || field.options.index === true || field.reference !== undefined;

/** Indexes of a model, each selection of columns once. References have one: what they point at is looked up by it. */
export const indexesOf = (
  model: string,
  fields: ReadonlyMap<string, ModelField>,
  option: readonly (readonly string[])[],
): readonly ResourceIndex[] => {
  const single = [...fields.values()].filter(isIndexed).map((field) => indexOf(model, [field], field.unique));
  const several = option.map((names) => {
    const columns = names.map((name) => mentioned(model, fields, name, 'indexes'));
    if (columns.length === 0 || new Set(names).size !== names.length)
      throw new DefinitionError(model, 'indexes: each index names one field or several, each once');
    return indexOf(model, columns, false);
  });
  const known = new Set<string>();
  return Object.freeze(
    [...single, ...several].filter(({ columns }) => {
      const key = columns.join(' ');
      return !known.has(key) && known.add(key);
    }),
  );
};
