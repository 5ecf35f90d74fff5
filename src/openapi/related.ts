import type { JsonSchema } from '../fields/field.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { JsonObject } from '../kernel/json.ts';
import { labelText } from '../kernel/messages/messages.ts';
import type { ModelRelation, ResourceModel } from '../model/resource.ts';
import { outputSchema } from '../model/schema.ts';
import type { ResourceRule } from '../policy/rule.ts';
import type { Context } from './context.ts';
import { relationsOf } from './features.ts';
import { parameterTexts } from './texts.ts';

/** What `include` brings to a record, as the description has it. */

type DescribedArea = ResourceRule['area'];

/** Fields of a related record: those of its list, and those of its detail that may be chosen in their place. */
const fieldsOf = (model: ResourceModel, area: DescribedArea): readonly string[] => {
  if (area === 'admin') return [...model.fields.keys()];
  const shown = new Set(
    [...model.views.list, ...model.views.detail].filter((name) => model.views.detail.includes(name)),
  );
  return [...model.fields.keys()].filter((name) => shown.has(name));
};

/** Which fields there are is chosen by the request. */
const optional = ({ required: _required, ...schema }: JsonSchema): JsonSchema => schema;

const relatedSchema = (name: string, area: DescribedArea, context: Context): JsonObject => {
  const { models, locale, users, components } = context;
  const model = models.get(name);
  // No model has an underscore in its name.
  return components.addNamed('schemas', `${area === 'admin' ? 'Admin' : ''}${name}_Related`, () =>
    model === undefined
      ? optional(users[area])
      : {
          ...optional(outputSchema(model, fieldsOf(model, area), locale)),
          ...withProperties(
            outputSchema(model, fieldsOf(model, area), locale),
            [...model.relations.values()],
            area,
            context,
          ),
        },
  );
};

/** Nobody tells why there is none: it does not exist, or the caller does not reach it. */
const relationSchema = (
  { many, model }: ModelRelation,
  area: DescribedArea,
  context: Context,
): JsonObject => {
  const related = relatedSchema(model, area, context);
  return many ? { type: 'array', items: related } : { anyOf: [related, { type: 'null' }] };
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

/** The schema of an endpoint's record with what `include` may bring. */
export const withRelations = (endpoint: Endpoint, schema: JsonSchema, context: Context): JsonSchema => {
  const { policy, docs } = endpoint;
  const model = context.models.get(docs.model ?? '');
  // What an endpoint of the application answers as a model's record is described as that is.
  const relations = model === undefined ? relationsOf(endpoint) : [...model.relations.values()];
  const area = policy.kind === 'resource' ? policy.area : 'api';
  return relations.length === 0 ? schema : { ...schema, ...withProperties(schema, relations, area, context) };
};

/** `include`, and for each relation the fields that are chosen of it. */
export const includeParameters = (endpoint: Endpoint, { locale }: Context): JsonObject[] => {
  const relations = relationsOf(endpoint);
  if (relations.length === 0) return [];
  const names = relations.map(({ name }) => name);
  const text = labelText(parameterTexts.include, locale);
  const query = (name: string, description: string, schema: JsonSchema): JsonObject => ({
    name,
    in: 'query',
    description,
    schema,
  });
  return [
    query('include', text, { type: 'string', examples: [names.join(',')] }),
    ...names.map((name) =>
      query(`fields[${name}]`, labelText(parameterTexts.includedFields, locale), { type: 'string' }),
    ),
  ];
};
