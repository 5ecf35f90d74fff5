/** Relations of models: the declarations of a model file, and their resolution among all models. */

import { type ModelName, resolveName } from '../../fields/named-model.ts';
import { nearestHint } from '../../kernel/options.ts';
import { DefinitionError } from '../definition-error.ts';
import { checkFieldName, labelOf } from '../names.ts';
import { type ManyRelation, type SaidMany, saidMany } from '../relation.ts';
import type { ModelField, ModelRelation, ResourceModel } from '../resource.ts';

type ModelMap = ReadonlyMap<string, ResourceModel>;

/** The model of the service's own users, which resources refer to. */
const userModel = 'User';

/** `customer_id` is the relation `customer`, and the owner's `user_id` the relation `user`. */
const relationName = (field: string): string => field.replace(/_id$/, '');

/** The declared relations of a model file. @throws DefinitionError for an invalid name */
export const declaredRelations = (
  model: string,
  fields: ReadonlyMap<string, ModelField>,
  declared: Readonly<Record<string, ManyRelation>>,
): ResourceModel['saidRelations'] => {
  const relations = new Map<string, SaidMany>();
  const references = new Set([...fields.values()].filter(isReference).map(({ name }) => relationName(name)));
  for (const [name, relation] of Object.entries(declared)) {
    checkFieldName(model, name);
    if (fields.has(name)) throw new DefinitionError(model, 'a field has the name of this relation', name);
    if (references.has(name))
      throw new DefinitionError(model, `the reference ${name}_id is the relation of this name already`, name);
    relations.set(name, saidMany(relation));
  }
  return relations;
};

const isReference = ({ reference }: ModelField): boolean => reference !== undefined;

/**
 * A field takes precedence over a reference of the same name: a model with `author` and `author_id` has no relation
 * `author`.
 */
const toOne = ({ fields }: ResourceModel): ModelRelation[] =>
  [...fields.values()].flatMap(({ name, reference, label, type, options }): ModelRelation[] => {
    const relation = relationName(name);
    if (reference === undefined || relation === name || fields.has(relation)) return [];
    const one = {
      name: relation,
      label,
      many: false,
      model: reference,
      from: name,
      to: 'id',
      write: false,
    };
    const shows = type.shows?.(options);
    return [shows === undefined ? one : { ...one, shows: Object.freeze(['id', ...shows]) }];
  });

/** The reference of a model to another, by its key if given; a single one needs no key. */
const referenceTo = (
  place: { readonly file: string; readonly relation: string; readonly option: string },
  model: ResourceModel,
  target: string,
  said: string | undefined,
): ModelField => {
  const { file, relation, option } = place;
  const refuse = (because: string): never => {
    throw new DefinitionError(file, `relations.${relation} ${because}`);
  };
  const fitting = [...model.fields.values()].filter(({ reference }) => reference === target);
  if (said === undefined) {
    const [only, second] = fitting;
    if (only === undefined)
      return refuse(`needs a reference of ${model.name} to ${target}, and there is none`);
    if (second === undefined) return only;
    const names = fitting.map(({ name }) => `"${relationName(name)}"`).join(' or ');
    return refuse(`does not say by which reference of ${model.name}: ${option} is ${names}`);
  }
  const field = model.fields.get(said) ?? model.fields.get(`${said}_id`);
  if (field === undefined) {
    const hint = nearestHint(said, model.fields.keys());
    return refuse(`names the unknown field "${said}" of ${model.name}${hint}`);
  }
  return field.reference === target
    ? field
    : refuse(`needs a reference of ${model.name} to ${target}, and ${field.name} is none`);
};

const toMany = (model: ResourceModel, models: ModelMap): ModelRelation[] =>
  [...model.saidRelations].map(([name, said]): ModelRelation => {
    const refuse = (because: string): never => {
      throw new DefinitionError(model.name, `relations.${name} ${because}`);
    };
    const named = (other: string): ResourceModel =>
      models.get(other) ?? refuse(`names ${other}, which is not a model${nearestHint(other, models.keys())}`);
    const nameOf = (other: ModelName): string => resolveName(other, refuse);
    const to = nameOf(said.model);
    const label = said.label ?? labelOf(name);
    const place = (option: 'by' | 'on') => ({ file: model.name, relation: name, option });
    if (said.through === undefined) {
      if (to === userModel) return refuse('names User, which refers to no model: say through');
      const { name: by } = referenceTo(place('by'), named(to), model.name, said.by);
      const write = said.write === true;
      return { name, label, many: true, model: to, from: 'id', to: by, write };
    }
    const target = to === userModel ? userModel : named(to).name;
    const between = named(nameOf(said.through));
    const by = referenceTo(place('by'), between, model.name, said.by);
    const on = referenceTo(place('on'), between, target, said.on);
    if (by === on) return refuse(`goes by ${by.name} there and back: say by and on`);
    const through = { model: between.name, from: by.name, to: on.name };
    return { name, label, many: true, model: target, from: 'id', to: 'id', through, write: false };
  });

/**
 * The relations of a model among all models, by name: from its references, and declared ones.
 * @throws DefinitionError naming the model file and the relation
 */
export const resolveRelations = (
  model: ResourceModel,
  models: ModelMap,
): ReadonlyMap<string, ModelRelation> =>
  new Map([...toOne(model), ...toMany(model, models)].map((each) => [each.name, Object.freeze(each)]));
