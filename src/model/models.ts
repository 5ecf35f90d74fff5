/**
 * The collection of all models: checks that concern several of them, and the resolution of rules across
 * models.
 */

import type { RecordKey } from '../fields/key.ts';
import { defaultKey, signedKey } from '../fields/keys.ts';
import { type NamedModel, resolveName } from '../fields/named-model.ts';
import { signedReference } from '../fields/reference.ts';
import { keyOfFields, withId } from './definition/key-columns.ts';
import { resolveRelations } from './definition/relations.ts';
import { DefinitionError } from './definition-error.ts';
import { withIndexes } from './indexes.ts';
import type { ModelField, ResourceModel } from './resource.ts';
import { resolveRules } from './rules/isolation.ts';
import { type StoredTable, storedUsers } from './stored-table.ts';

/** The service's own model, which resources can refer to. */
const user = { name: 'User', table: storedUsers.name } as const;

/** All models of an application, by name, in the order in which they were given. */
export type Models = ReadonlyMap<string, ResourceModel>;

/** True if writes to any of them create events. */
export const haveEvents = (models: Models): boolean => [...models.values()].some(({ events }) => events);

/** The models with their resolved rules and relations, and with the indexes that rules of other models need. */
const resolveModels = (models: Models): Models => {
  const resolved = [...models.values()].map((model) => ({ model, ...resolveRules(model, models) }));
  const needed = resolved.flatMap((each) => each.needed);
  return new Map(
    resolved.map(({ model, rules }) => {
      const indexes = withIndexes(
        model,
        needed.flatMap((index) => (index.model === model.name ? [index.columns] : [])),
      );
      const relations = resolveRelations(model, models);
      const isChanged = rules !== model.rules || indexes !== model.indexes || relations.size > 0;
      return [model.name, isChanged ? Object.freeze({ ...model, rules, indexes, relations }) : model];
    }),
  );
};

/** The model with the names of models that its references name by a function. @throws DefinitionError */
const withNames = (model: ResourceModel): ResourceModel => {
  const fields = [...model.fields].map(([name, field]): [string, ModelField] => {
    const to = 'to' in field.options ? field.options.to : undefined;
    if (typeof to !== 'function') return [name, field];
    const target = resolveName(to as NamedModel, (because) => {
      throw new DefinitionError(model.name, `the reference ${because}`, name);
    });
    return [name, Object.freeze({ ...field, options: { ...field.options, to: target }, reference: target })];
  });
  return fields.every(([name, field]) => model.fields.get(name) === field)
    ? model
    : Object.freeze({ ...model, fields: new Map(fields) });
};

/** The model with references to external tables whose numbers may be zero or negative, as its own may be. */
const withSignedKeys = (model: ResourceModel, models: Models): ResourceModel => {
  const isSigned = ({ reference }: ModelField): boolean => models.get(reference ?? '')?.key === signedKey;
  if (![...model.fields.values()].some(isSigned)) return model;
  const fields = [...model.fields].map(([name, field]): [string, ModelField] => [
    name,
    isSigned(field) && field.referenceKey === defaultKey
      ? Object.freeze({ ...field, type: signedReference, referenceKey: signedKey })
      : field,
  ]);
  return withKeyOf(model, new Map(fields));
};

/** The model with these fields, of which its key may be made. */
const withKeyOf = (model: ResourceModel, fields: ReadonlyMap<string, ModelField>): ResourceModel => {
  const { parts } = model.key;
  if (parts === undefined) return Object.freeze({ ...model, fields });
  const key = keyOfFields(fields, parts);
  return Object.freeze({ ...model, key, fields: withId(fields, key) });
};

/** Refuses a reference that gives another key than the referenced model has. */
const assertKeys = ({ name: model, fields }: ResourceModel, models: Models): void => {
  for (const { name, reference, referenceKey } of fields.values()) {
    if (reference === undefined) continue;
    const { kind, parts } = keyOf(models, reference);
    if (parts !== undefined)
      throw new DefinitionError(
        model,
        `the key of ${reference} has several fields, and a reference has one: keep each of them in a field`,
        name,
      );
    if (kind === referenceKey?.kind) continue;
    const said = kind === defaultKey.kind ? 'leave out key' : `write key: '${kind}'`;
    throw new DefinitionError(model, `the key of ${reference} is '${kind}': ${said}`, name);
  }
};

/** Refuses a reference of a table of the service to one of another program, which no foreign key may point to. */
const assertInside = ({ name: model, stored, fields }: ResourceModel, models: Models): void => {
  for (const { name, reference = '' } of fields.values())
    if (stored.external !== true && models.get(reference)?.stored.external === true)
      throw new DefinitionError(
        model,
        `the table of ${reference} is external, and a foreign key would change it: keep the id in a field of its type`,
        name,
      );
};

/** Refuses `same` where the referenced model has no required field of this name that refers to the same model. */
const assertSame = ({ name: model, fields }: ResourceModel, models: Models): void => {
  for (const { name, reference = '', same } of fields.values()) {
    if (same === undefined) continue;
    const target = fields.get(same)?.reference;
    const other = models.get(reference)?.fields.get(same);
    const flaw = (because: string) => new DefinitionError(model, `same: ${because}`, name);
    if (other === undefined) throw flaw(`${reference} has no field ${same}`);
    if (other.reference !== target) throw flaw(`${same} of ${reference} does not refer to ${target} as well`);
    if (!other.required) throw flaw(`${same} of ${reference} may be null: make it required`);
  }
};

/** A reference of another model that stays within the value of a field: records with such references keep theirs. */
export interface SameReferrer {
  readonly stored: StoredTable;
  readonly field: ModelField;
}

/** The references to a model's records that have `same`, by the field that these records share with theirs. */
export const sameReferrers = (models: Models, name: string): ReadonlyMap<string, readonly SameReferrer[]> =>
  Map.groupBy(
    [...models.values()].flatMap(({ stored, fields }) =>
      [...fields.values()].flatMap((field): SameReferrer[] =>
        field.same !== undefined && field.reference === name ? [{ stored, field }] : [],
      ),
    ),
    ({ field }) => field.same ?? '',
  );

/**
 * Collects the models: checks what depends on several of them, and resolves rules across models. Throws
 * DefinitionError.
 */
export const collectModels = (resources: readonly ResourceModel[]): Models => {
  const models = new Map<string, ResourceModel>();
  const paths = new Map<string, string>();
  const tables = new Map<string, string>();
  for (const model of resources.map(withNames)) {
    if (models.has(model.name) || model.name === user.name)
      throw new DefinitionError(model.name, 'another model has this name');
    const other = paths.get(model.path);
    if (other !== undefined)
      throw new DefinitionError(
        model.name,
        `the path "${model.path}" is that of ${other}: choose another plural`,
      );
    const sharing = tables.get(model.table.toLowerCase());
    if (sharing !== undefined)
      throw new DefinitionError(model.name, `the table "${model.table}" is that of ${sharing}`);
    models.set(model.name, model);
    paths.set(model.path, model.name);
    tables.set(model.table.toLowerCase(), model.name);
  }
  for (const model of models.values())
    for (const { name, reference } of model.fields.values())
      if (reference !== undefined && reference !== user.name && !models.has(reference))
        throw new DefinitionError(model.name, `it refers to ${reference}, which is not a model`, name);
  for (const model of models.values()) {
    assertKeys(model, models);
    assertSame(model, models);
    assertInside(model, models);
  }
  for (const model of models.values()) models.set(model.name, withSignedKeys(model, models));
  return resolveModels(models);
};

/** Table that the references to a model point to. */
export const referencedTable = (models: Models, name: string): string => {
  const table = name === user.name ? user.table : models.get(name)?.table;
  if (table === undefined) throw new Error(`no model ${name}`);
  return table;
};

/** The same table, as SQL names it. */
export const referencedRows = (models: Models, name: string): StoredTable => {
  const stored = name === user.name ? storedUsers : models.get(name)?.stored;
  if (stored === undefined) throw new Error(`no model ${name}`);
  return stored;
};

/** How the records of a model are named; users have the key of the service's own records. */
export const keyOf = (models: Models, name: string): RecordKey => models.get(name)?.key ?? defaultKey;
