/** Describes relations: `include`, the selection of fields, and filters across models. */

import type { JsonSchema } from '../../fields/field.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { fill, labelText } from '../../kernel/messages.ts';
import type { ModelRelation, ResourceModel } from '../../model/resource.ts';
import { conditionalFields, outputSchema } from '../../model/schema.ts';
import type { ResourceRule } from '../../policy/rule.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Context } from './context.ts';
import { relationsOf } from './features.ts';
import { acrossTexts, parameterTexts, relationText } from './texts.ts';

/** Area whose relations are described. */

type DescribedArea = ResourceRule['area'];

/** Fields of a related record: those of its list, and those of its detail that may be selected instead. */
const fieldsOf = (model: ResourceModel, area: DescribedArea): readonly string[] => {
  if (area === 'admin') return [...model.fields.keys()];
  const shown = new Set(
    [...model.views.list, ...model.views.detail].filter((name) => model.views.detail.includes(name)),
  );
  return [...model.fields.keys()].filter((name) => shown.has(name));
};

/** The request selects the fields, so none is required. */
export const withoutRequired = ({ required: _required, ...schema }: JsonSchema): JsonSchema => schema;

/** A user of whom callers of the API see these fields. */
const shownUser = (schema: JsonSchema, shows: readonly string[]): JsonSchema => ({
  ...withoutRequired(schema),
  properties: Object.fromEntries(
    Object.entries(schema['properties'] as JsonObject).filter(([name]) => shows.includes(name)),
  ),
});

const relatedSchema = (
  { model: name, shows }: Pick<ModelRelation, 'model' | 'shows'>,
  area: DescribedArea,
  context: Context,
): JsonObject => {
  const { models, locale, users, components } = context;
  const model = models.get(name);
  if (shows !== undefined && area === 'api') return shownUser(users[area], shows);
  return components.addNamed('schemas', `${area === 'admin' ? 'Admin' : ''}${name}Related`, () => {
    if (model === undefined) return withoutRequired(users[area]);
    const optional = area === 'admin' ? undefined : conditionalFields(model);
    const schema = outputSchema(model, fieldsOf(model, area), locale, optional);
    return {
      ...withoutRequired(schema),
      ...withProperties(schema, [...model.relations.values()], area, context),
    };
  });
};

/** A relation is null without a reason: the record does not exist, or the caller does not reach it. */
const relationSchema = (
  { name, label, many, model, shows }: ModelRelation,
  area: DescribedArea,
  context: Context,
): JsonObject => {
  const related = relatedSchema(shows === undefined ? { model } : { model, shows }, area, context);
  const title = labelText(label, context.locale);
  const description = fill(labelText(relationText, context.locale), { label: title, name });
  const about = { title, description, 'x-gatewright': { related: model } };
  return many
    ? { ...about, type: 'array', items: related }
    : { ...about, anyOf: [related, { type: 'null' }] };
};

const withProperties = (
  schema: JsonSchema,
  relations: readonly ModelRelation[],
  area: DescribedArea,
  context: Context,
): JsonObject => ({
  properties: {
    ...(schema['properties'] as JsonObject),
    ...Object.fromEntries(relations.map((each) => [each.name, relationSchema(each, area, context)])),
  },
});

/** The schema of an endpoint's record with the relations that `include` may add. */
export const withRelations = (endpoint: Endpoint, schema: JsonSchema, context: Context): JsonSchema => {
  const { policy, docs } = endpoint;
  const model = context.models.get(docs.model ?? '');
  // A record that an endpoint of the application returns is described by its model.
  const relations = model === undefined ? relationsOf(endpoint) : [...model.relations.values()];
  const area = policy.kind === 'resource' ? policy.area : 'api';
  return relations.length === 0 ? schema : { ...schema, ...withProperties(schema, relations, area, context) };
};

/** `include`, and for each relation the parameter that selects its fields. */
export const includeParameters = (endpoint: Endpoint, { locale, components }: Context): JsonObject[] => {
  const relations = relationsOf(endpoint);
  if (relations.length === 0) return [];
  const names = relations.map(({ name }) => name);
  const text = labelText(parameterTexts.include, locale);
  const query = (name: string, part: string, description: string, schema: JsonSchema): JsonObject =>
    components.add('parameters', part, { name, in: 'query', description, schema });
  return [
    query('include', 'include', text, { type: 'string', examples: [names.join(',')] }),
    ...names.map((name) =>
      query(`fields[${name}]`, `fields.${name}`, labelText(parameterTexts.includedFields, locale), {
        type: 'string',
      }),
    ),
  ];
};

/** A field behind a relation for an example: the first one that is not an id. */
const fieldBehind = (
  { model }: ModelRelation,
  { models, users }: Context,
  area: DescribedArea,
): string | undefined => {
  const target = models.get(model);
  if (target === undefined) return Object.keys(users[area]['properties'] ?? {}).find((name) => name !== 'id');
  return fieldsOf(target, area).find((name) => {
    const { type, reference } = target.fields.get(name) ?? {};
    return name !== 'id' && reference === undefined && type?.sortable === true;
  });
};

/**
 * Describes in words that a list can be filtered and sorted across the model's relations: parameters for every path
 * would be thousands. Undefined where there are none.
 */
export const acrossWords = (endpoint: Endpoint, context: Context): string | undefined => {
  const { policy, docs } = endpoint;
  if (docs.list !== true || policy.kind !== 'resource') return undefined;
  const relations = [...policy.model.relations.values()];
  const pathTo = (many: boolean): string | undefined => {
    for (const relation of relations) {
      const field = relation.many === many ? fieldBehind(relation, context, policy.area) : undefined;
      if (field !== undefined) return `${relation.name}.${field}`;
    }
    return undefined;
  };
  const names = (many: boolean): string =>
    relations
      .filter((relation) => relation.many === many)
      .map(({ name }) => `\`${name}\``)
      .join(context.locale === 'zh-CN' ? '、' : ', ');
  const one = pathTo(false);
  const several = pathTo(true);
  const texts =
    docs.part === 'aggregate' ? { one: acrossTexts.oneGrouped, many: acrossTexts.many } : acrossTexts;
  const sentences: string[] = [];
  if (one !== undefined)
    sentences.push(fill(labelText(texts.one, context.locale), { names: names(false), path: one }));
  if (several !== undefined)
    sentences.push(fill(labelText(texts.many, context.locale), { names: names(true), path: several }));
  if (sentences.length === 0) return undefined;
  return [...sentences, labelText(acrossTexts.all, context.locale)].join(
    context.locale === 'zh-CN' ? '' : ' ',
  );
};
