/** The option `key` with several fields: the key of an external table. */

import type { KeyPart, RecordKey } from '../../fields/key.ts';
import { defaultKey, keyOfColumns, kindsOfParts } from '../../fields/keys.ts';
import { nearestHint } from '../../kernel/options.ts';
import { DefinitionError } from '../definition-error.ts';
import type { ModelField } from '../resource.ts';
import { fieldOfKey } from '../rules/rules.ts';
import type { StoredTable } from '../stored-table.ts';
import type { TableOption } from './table-option.ts';

/**
 * Most fields of a key.
 * @limit Fields | fields of a `key` of several | count | no start
 */
const mostParts = 8;

/** The key of a model whose fields are not known yet: its parts have their names alone. @throws DefinitionError */
export const unknownParts = (
  model: string,
  names: readonly string[],
  table: TableOption | undefined,
): RecordKey => {
  const flaw = (because: string) => new DefinitionError(model, `key: ${because}`);
  if (table?.external !== true)
    throw flaw('only an external table has a key of several fields: say external: true, or leave out key');
  if (names.length < 2 || names.length > mostParts || new Set(names).size !== names.length)
    throw flaw(`name two to ${mostParts} fields, each once; a key of one field is its column for id`);
  if (table.columns?.id !== undefined)
    throw flaw('the id is made of several fields, so table.columns names no column for it');
  const { type, options } = defaultKey.field;
  return keyOfColumns(names.map((name) => ({ name, type, options })));
};

const partOf = (model: string, fields: ReadonlyMap<string, ModelField>, said: string): ModelField => {
  const field = fields.get(fieldOfKey(fields, said));
  const flaw = (because: string) => new DefinitionError(model, `key: ${because}`, said);
  if (field === undefined || field.name === 'id')
    throw flaw(`it names the unknown field "${said}"${nearestHint(said, fields.keys())}`);
  if (!kindsOfParts.has(field.type.column))
    throw flaw(`a field of the type ${field.kind} has values with more than one text, or none`);
  if (!field.required) throw flaw('a part of a key is never null: say required: true');
  return field;
};

/** The parts of a key, by the fields as they are now. */
export const keyOfFields = (fields: ReadonlyMap<string, ModelField>, parts: readonly KeyPart[]): RecordKey =>
  keyOfColumns(
    parts.map(({ name }) => {
      const { type, options } = fields.get(name) as ModelField;
      return { name, type, options };
    }),
  );

/** The fields with the `id` of a key. */
export const withId = (
  fields: ReadonlyMap<string, ModelField>,
  { field }: RecordKey,
): ReadonlyMap<string, ModelField> =>
  new Map(
    [...fields].map(([name, each]) => [name, name === 'id' ? Object.freeze({ ...each, ...field }) : each]),
  );

/**
 * A model's fields, table and key, where several fields name a record: these stay as the record was created. Without
 * such a key they are as given. @throws DefinitionError
 */
export const withKeyColumns = (
  model: string,
  fields: ReadonlyMap<string, ModelField>,
  stored: StoredTable,
  said: RecordKey,
): {
  readonly fields: ReadonlyMap<string, ModelField>;
  readonly stored: StoredTable;
  readonly key: RecordKey;
} => {
  if (said.parts === undefined) return { fields, stored, key: said };
  const parts = said.parts.map(({ name }) => partOf(model, fields, name));
  const key = keyOfFields(fields, parts);
  const names = new Set(parts.map(({ name }) => name));
  if (names.size !== parts.length) throw new DefinitionError(model, 'key: it names a field twice');
  const kept = [...fields].map(([name, field]): [string, ModelField] => [
    name,
    names.has(name) ? Object.freeze({ ...field, fixed: true }) : field,
  ]);
  const columns = parts.map(({ name, type }) => ({ field: name, kind: type.column }));
  return { fields: withId(new Map(kept), key), stored: Object.freeze({ ...stored, key: columns }), key };
};

/** Refuses to hide a field from some readers whose value is in the id. @throws DefinitionError */
export const assertShown = (
  model: string,
  { key = [] }: StoredTable,
  when: readonly (readonly [unknown, readonly string[]])[] = [],
): void => {
  const hidden = key.find(({ field }) => when.some(([, names]) => names.includes(field)));
  if (hidden !== undefined)
    throw new DefinitionError(
      model,
      'views.when: every reader sees the id, which has the value',
      hidden.field,
    );
};

/** The unique sets of a model with that of its key. */
export const withKeySet = (
  sets: readonly (readonly string[])[],
  { key }: StoredTable,
): readonly (readonly string[])[] => {
  if (key === undefined) return sets;
  const names = key.map(({ field }) => field);
  const isNamed = sets.some(
    (set) => set.length === names.length && set.every((name) => names.includes(name)),
  );
  return isNamed ? sets : Object.freeze([...sets, Object.freeze(names)]);
};
