/**
 * The indexes of a model's table: those of its fields, unique sets, options and row rules, each set of columns
 * once.
 */

import { DefinitionError } from './definition-error.ts';
import type { CountedField, ModelField, ResourceIndex, ResourceModel } from './resource.ts';
import { findField } from './rules/rules.ts';

/** PostgreSQL refuses entries of more than 2,704 bytes; the rest is left for headers. */
const maxEntryBytes = 2600;

const bytesOf = (field: ModelField): number => field.type.indexBytes?.(field.options) ?? 16;

const indexOf = (model: string, columns: readonly ModelField[], unique: boolean): ResourceIndex => {
  const bytes = columns.reduce((sum, field) => sum + bytesOf(field), 0);
  if (bytes > maxEntryBytes) {
    const [first] = columns;
    throw new DefinitionError(
      model,
      `an index takes at most ${maxEntryBytes} bytes, a character up to 4: a text needs a smaller max, json cannot be indexed`,
      columns.length === 1 ? first?.name : undefined,
    );
  }
  return Object.freeze({ columns: Object.freeze(columns.map((field) => field.name)), unique });
};

const isIndexed = (field: ModelField): boolean =>
  field.unique || field.options.index === true || field.reference !== undefined;

/**
 * The unique sets of fields of a model, with the sets that `unique: 'owner'` and counted fields add.
 * @throws DefinitionError
 */
export const uniqueSetsOf = (
  model: string,
  fields: ReadonlyMap<string, ModelField>,
  owner: string | undefined,
  option: readonly (readonly string[])[],
  counted: readonly CountedField[],
): readonly (readonly string[])[] => {
  const ofCounted = counted.flatMap(({ field, per }) => (per === undefined ? [] : [[per, field.name]]));
  const ofOwner = [...fields.values()]
    .filter(({ options }) => options.unique === 'owner')
    .map(({ name }) => {
      if (owner === undefined)
        throw new DefinitionError(model, "unique: 'owner' needs the field user_id: field.owner()", name);
      return [owner, name];
    });
  for (const names of option) {
    for (const name of names)
      if (findField(model, fields, name, 'unique').serverSet)
        throw new DefinitionError(model, 'unique: the service sets this field itself', name);
    if (names.length === 0 || new Set(names).size !== names.length)
      throw new DefinitionError(model, 'unique: each set names one field or several, each once');
  }
  // A set of one is the field's own `unique: true`.
  const sets = [...option.filter(({ length }) => length > 1), ...ofOwner, ...ofCounted];
  const same = sets.find((names, index) =>
    sets.slice(0, index).some((other) => [...other].sort().join(' ') === [...names].sort().join(' ')),
  );
  if (same !== undefined) throw new DefinitionError(model, `unique: ${same.join(', ')} are named twice`);
  return Object.freeze(sets.map((names) => Object.freeze([...names])));
};

/**
 * Indexes of a model beside the indexes of its fields: over several columns, and over a single column that `indexes` or
 * a rule names.
 */
export const indexesBesideFields = ({
  fields,
  indexes,
}: Pick<ResourceModel, 'fields' | 'indexes'>): readonly ResourceIndex[] =>
  indexes.filter(({ columns: [first = '', second] }) => {
    const field = second === undefined ? fields.get(first) : undefined;
    return field === undefined || !isIndexed(field);
  });

const named = (model: string, fields: ReadonlyMap<string, ModelField>, names: readonly string[]) =>
  indexOf(
    model,
    names.map((name) => findField(model, fields, name, 'indexes')),
    false,
  );

/** The indexes, and one more where a rule needs these columns and no index begins with them. */
export const withIndexes = (
  { name, fields, indexes }: Pick<ResourceModel, 'name' | 'fields' | 'indexes'>,
  needed: readonly (readonly string[])[],
): readonly ResourceIndex[] => {
  const all = [...indexes];
  for (const columns of needed) {
    const begins = all.some((index) => columns.every((column, at) => index.columns[at] === column));
    if (!begins) all.push(named(name, fields, columns));
  }
  return all.length === indexes.length ? indexes : Object.freeze(all);
};

/** Indexes of a model, each set of columns once. References have one: records are looked up by it. */
export const indexesOf = (
  model: string,
  fields: ReadonlyMap<string, ModelField>,
  unique: readonly (readonly string[])[],
  option: readonly (readonly string[])[],
): readonly ResourceIndex[] => {
  const single = [...fields.values()].filter(isIndexed).map((field) => indexOf(model, [field], field.unique));
  const sets = unique.map((names) =>
    indexOf(
      model,
      names.flatMap((name) => fields.get(name) ?? []),
      true,
    ),
  );
  const several = option.map((names) => {
    const index = named(model, fields, names);
    if (names.length === 0 || new Set(names).size !== names.length)
      throw new DefinitionError(model, 'indexes: each index names one field or several, each once');
    return index;
  });
  const columnSets = new Set<string>();
  return Object.freeze(
    [...single, ...sets, ...several].filter(({ columns }) => {
      const key = columns.join(' ');
      return !columnSets.has(key) && columnSets.add(key);
    }),
  );
};
