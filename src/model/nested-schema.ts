/** Lists of records within the body of another record: their access, limits, fields and schema. */

import type { JsonSchema } from '../fields/field.ts';
import { type Label, type Locale, labelText } from '../kernel/messages.ts';
import type { Models } from './models.ts';
import { labelOf } from './names.ts';
import type { ModelRelation, ResourceModel } from './resource.ts';
import { inputSchema } from './schema.ts';

/** Maximum number of records within a record of a body: of one relation, in total, and levels of nesting. */
export const nestedLimits = {
  /** @limit Related records | items of one nested list in a body | count | 422 */
  items: 200,
  /** @limit Related records | nested records in a body | count | 422 */
  records: 1000,
  /** @limit Related records | levels of nested records | count | 422 */
  levels: 3,
} as const;

/** The key of an item that says whether its record is to be deleted. */
export const deleteKey = '_delete';

export const deleteLabel: Label = { 'zh-CN': '删除', en: 'Delete' };

/** The access of a caller to the records of a model: the fields of a new and of a changed record, and deletion. */
export interface WriteAccess {
  readonly create: ReadonlySet<string> | undefined;
  readonly update: ReadonlySet<string> | undefined;
  readonly destroy: boolean;
  /** Fields of existing records that a response shows; empty where no caller is given. */
  readonly shown?: ReadonlySet<string>;
}

/** The records of one relation within a body of a caller. */
export interface NestedInput {
  readonly relation: ModelRelation;
  readonly model: ResourceModel;
  readonly access: WriteAccess;
  readonly within: readonly NestedInput[];
}

const without = (names: ReadonlySet<string> | undefined, name: string): ReadonlySet<string> | undefined =>
  names && new Set([...names].filter((each) => each !== name));

/** A new record whose reference to its parent cannot be set cannot be created within it. */
const accessWithin = (access: WriteAccess, { to }: ModelRelation): WriteAccess => ({
  ...access,
  create: access.create?.has(to) === true ? without(access.create, to) : undefined,
  update: without(access.update, to),
});

/** The nested inputs of a model's bodies, by the caller's access to the records of other models. */
export const nestedInputs = (
  model: ResourceModel,
  models: Models,
  accessOf: (model: ResourceModel) => WriteAccess,
  level = 1,
): readonly NestedInput[] => {
  if (level > nestedLimits.levels) return [];
  return [...model.relations.values()].flatMap((relation): NestedInput[] => {
    const target = relation.write ? models.get(relation.model) : undefined;
    if (target === undefined) return [];
    const access = accessWithin(accessOf(target), relation);
    return [{ relation, model: target, access, within: nestedInputs(target, models, accessOf, level + 1) }];
  });
};

/** The nested inputs in a body of this action: on create there is nothing yet to change or delete. */
export const inputsFor = (
  inputs: readonly NestedInput[],
  action: 'create' | 'update',
): readonly NestedInput[] =>
  inputs.filter(
    ({ access: { create, update, destroy } }) =>
      create !== undefined || (action === 'update' && (update !== undefined || destroy)),
  );

/** The fields of an item: on create of a new record, on update of a new and of an existing one. */
export const itemFields = (
  { create, update }: WriteAccess,
  action: 'create' | 'update',
): ReadonlySet<string> =>
  action === 'create' ? new Set(create) : new Set([...(create ?? []), ...(update ?? [])]);

const itemSchema = (
  { model, access, within }: NestedInput,
  action: 'create' | 'update',
  locale: Locale,
): JsonSchema => {
  const written = inputSchema(model, action, itemFields(access, action), locale, access.create !== undefined);
  const schema = withNested(written, action, within, locale);
  if (action === 'create' || (access.update === undefined && !access.destroy)) return schema;
  const id = { type: 'integer', minimum: 1, title: labelText(labelOf('id'), locale) };
  const gone = { type: 'boolean', title: labelText(deleteLabel, locale) };
  const kept = { id, ...(schema['properties'] as JsonSchema) };
  return { ...schema, properties: access.destroy ? { ...kept, [deleteKey]: gone } : kept };
};

const listSchema = (input: NestedInput, action: 'create' | 'update', locale: Locale): JsonSchema => ({
  type: 'array',
  title: labelText(input.relation.label, locale),
  maxItems: nestedLimits.items,
  items: itemSchema(input, action, locale),
});

/** The schema of a record in a body, with the lists of records within it. */
export const withNested = (
  schema: JsonSchema,
  action: 'create' | 'update',
  inputs: readonly NestedInput[],
  locale: Locale,
): JsonSchema => {
  const held = inputsFor(inputs, action);
  if (held.length === 0) return schema;
  const lists = held.map((input) => [input.relation.name, listSchema(input, action, locale)] as const);
  const properties = { ...(schema['properties'] as JsonSchema), ...Object.fromEntries(lists) };
  return { ...schema, properties };
};
