/**
 * The collection of all models: checks that concern several of them, and the resolution of rules across
 * models.
 */

import type { RecordKey } from '../fields/key.ts';
import { defaultKey } from '../fields/keys.ts';
import { type NamedModel, resolveName } from '../fields/named-model.ts';
import { resolveRelations } from './definition/relations.ts';
import { DefinitionError } from './definition-error.ts';
import { withIndexes } from './indexes.ts';
import type { ModelField, ResourceModel } from './resource.ts';
import { resolveRules } from './rules/isolation.ts';

/** The service's own model, which resources can refer to. */
const user = { name: 'User', table: 'users' } as const;

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
  readonly table: string;
  readonly field: ModelField;
}

/** The references to a model's records that have `same`, by the field that these records share with theirs. */
export const sameReferrers = (models: Models, name: string): ReadonlyMap<string, readonly SameReferrer[]> =>
  Map.groupBy(
    [...models.values()].flatMap(({ table, fields }) =>
      [...fields.values()].flatMap((field): SameReferrer[] =>
        field.same !== undefined && field.reference === name ? [{ table, field }] : [],
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
  for (const model of resources.map(withNames)) {
    if (models.has(model.name) || model.name === user.name)
      throw new DefinitionError(model.name, 'another model has this name');
    const other = paths.get(model.path);
    if (other !== undefined)
      throw new DefinitionError(
        model.name,
        `the path "${model.path}" is that of ${other}: choose another plural`,
      );
    models.set(model.name, model);
    paths.set(model.path, model.name);
  }
  for (const model of models.values())
    for (const { name, reference } of model.fields.values())
      if (reference !== undefined && reference !== user.name && !models.has(reference))
        throw new DefinitionError(model.name, `it refers to ${reference}, which is not a model`, name);
  for (const model of models.values()) assertSame(model, models);
  return resolveModels(models);
};

/** Table that the references to a model point to. */
export const referencedTable = (models: Models, name: string): string => {
  const table = name === user.name ? user.table : models.get(name)?.table;
  if (table === undefined) throw new Error(`no model ${name}`);
  return table;
};

/** How the records of a model are named; users have the key of the service's own records. */
export const keyOf = (models: Models, name: string): RecordKey => models.get(name)?.key ?? defaultKey;
