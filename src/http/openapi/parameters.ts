/** The parameters of an operation: path, query and headers. */

import { measures } from '../../fields/aggregates.ts';
import type { FilterOperator, JsonSchema } from '../../fields/field.ts';
import { type JsonObject, withoutUndefined } from '../../kernel/json.ts';
import { type Label, labelText } from '../../kernel/messages.ts';
import { type PlainParameterName, plainParameters } from '../../records/list.ts';
import type { Endpoint, ListField } from '../endpoint.ts';
import type { Context } from './context.ts';
import { listFields, takesIdempotencyKey, takesIfMatch, takesIfNoneMatch, takesPrefer } from './features.ts';
import { pascal } from './operation-names.ts';
import { includeParameters } from './related.ts';
import { parameterTexts } from './texts.ts';

const query = (name: string, schema: JsonSchema, description?: string): JsonObject =>
  withoutUndefined({ name, in: 'query', description, schema });

/** A parameter that many operations share. */
const sharedParameter = (
  { components, locale }: Context,
  place: 'query' | 'header',
  name: string,
  text: Label,
  schema: JsonSchema,
): JsonObject =>
  components.add('parameters', name, { name, in: place, description: labelText(text, locale), schema });

const pathParameters = ({ path, docs }: Endpoint, { components }: Context): JsonObject[] =>
  [...path.matchAll(/:([A-Za-z0-9_]+)/g)].map(([, name = '']) => {
    const declared = docs.params?.[name];
    const parameter = { name, in: 'path', required: true };
    if (declared !== undefined) return { ...parameter, schema: declared };
    return components.add('parameters', name, {
      ...parameter,
      schema: name === 'id' ? { type: 'integer', minimum: 1 } : { type: 'string', minLength: 1 },
    });
  });

/** Schema of an operator's operand. */
const operand = (operator: FilterOperator, value: JsonSchema, { locale }: Context): JsonSchema => {
  if (operator === 'null') return { type: 'boolean' };
  if (operator === 'like' || operator === 'starts_with') return { type: 'string' };
  if (operator === 'in') return { type: 'string', description: labelText(parameterTexts.filterIn, locale) };
  return value;
};

/** Names of the components of a filter: values of an enumeration belong to the list, others to the type. */
const filterNames = (owner: string, { name, value }: ListField) =>
  value['enum'] === undefined
    ? { schema: pascal(String(value['format'] ?? value['type'])), parameter: `filter.${name}` }
    : { schema: `${owner}_${pascal(name)}`, parameter: `filter.${owner}.${name}` };

const filterSchema = (schema: string, { operators, value }: ListField, context: Context): JsonObject => {
  const conditions = operators.map((operator): [string, JsonSchema] => [
    operator,
    operand(operator, value, context),
  ]);
  return context.components.add('schemas', `${schema}Filter`, {
    anyOf: [
      value,
      { type: 'object', properties: Object.fromEntries(conditions), additionalProperties: false },
    ],
    description: labelText(parameterTexts.filter, context.locale),
  });
};

/**
 * `filter[field]=value` and `filter[field][operator]=value`, one parameter for each field, so that generated clients
 * know them by name. One for each operator would make up most of the description.
 */
const filters = (endpoint: Endpoint, context: Context): JsonObject[] => {
  const { policy, operation } = endpoint;
  const owner = policy.kind === 'resource' ? policy.model.name : pascal(operation);
  return listFields(endpoint)
    .filter(({ operators }) => operators.length > 0)
    .map((field) => {
      const { schema, parameter } = filterNames(owner, field);
      return context.components.add('parameters', parameter, {
        ...query(`filter[${field.name}]`, filterSchema(schema, field, context)),
        style: 'deepObject',
        explode: true,
      });
    });
};

/** Parameters that every list takes alike. */
const plain = (names: readonly PlainParameterName[], context: Context): JsonObject[] =>
  names.map((name) => {
    const { text, schema } = plainParameters[name];
    return sharedParameter(context, 'query', name, text, schema);
  });

const pages = ['page', 'per_page'] as const;
const paging = [...pages, 'after'] as const;

/** The parameters that follow those of pages, sort and search. */
const further = (Object.keys(plainParameters) as PlainParameterName[]).filter(
  (name) => !paging.some((each) => each === name),
);

/** Comma-separated fields, each at most once; the pattern does not exclude a comma at the end. */
const listOf = (choices: readonly string[], sign = ''): JsonSchema => ({
  type: 'string',
  pattern: `^(${sign}(${choices.join('|')})(,|$))+$`,
});

const searches = (fields: readonly ListField[], context: Context): JsonObject[] => {
  const searched = fields.find(({ searchable }) => searchable !== false)?.searchable;
  if (searched === undefined) return [];
  const schema = { type: 'string', maxLength: 1024 } as const;
  if (searched !== 'words') return [sharedParameter(context, 'query', 'q', parameterTexts.search, schema)];
  const text = labelText(parameterTexts.words, context.locale);
  return [context.components.add('parameters', 'words', query('q', schema, text))];
};

const groupParameters = (endpoint: Endpoint, context: Context): JsonObject[] => {
  const { components } = context;
  const fields = listFields(endpoint);
  const text = (label: Label) => labelText(label, context.locale);
  const keys = fields.flatMap(({ name, groupable, buckets }) => {
    const spans = buckets.map((bucket) => `${name}:${bucket}`);
    return groupable ? [name, ...spans] : spans;
  });
  const measureParameters = measures.flatMap((measure) => {
    const names = fields.filter((field) => field.measures.includes(measure)).map(({ name }) => name);
    return names.length === 0 ? [] : [query(measure, listOf(names), text(parameterTexts[measure]))];
  });
  const [example] = keys;
  const group = query('group', listOf(keys), text(parameterTexts.group));
  const parameters = [
    example === undefined ? undefined : { ...group, example },
    components.add('parameters', 'count', {
      ...query('count', { type: 'boolean' }, text(parameterTexts.count)),
      allowEmptyValue: true,
    }),
    ...measureParameters,
    sharedParameter(context, 'query', 'offset', parameterTexts.offset, { type: 'string', default: 'Z' }),
    sharedParameter(context, 'query', 'zone', parameterTexts.zone, { type: 'string', maxLength: 64 }),
    ...plain(pages, context),
    components.add('parameters', 'sort', query('sort', { type: 'string' }, text(parameterTexts.groupSort))),
    ...searches(fields, context),
    ...filters(endpoint, context),
  ];
  return parameters.filter((parameter) => parameter !== undefined);
};

const listParameters = (endpoint: Endpoint, context: Context): JsonObject[] => {
  if (endpoint.docs.list !== true) return [];
  if (endpoint.docs.part === 'aggregate') return groupParameters(endpoint, context);
  const fields = listFields(endpoint);
  const sorts = fields.filter(({ sortable }) => sortable).map(({ name }) => name);
  const text = (label: Label) => labelText(label, context.locale);
  const parameters = [
    ...plain(paging, context),
    sorts.length === 0 ? undefined : query('sort', listOf(sorts, '-?'), text(parameterTexts.sort)),
    ...searches(fields, context),
    ...plain(further, context),
    ...filters(endpoint, context),
  ];
  return parameters.filter((parameter) => parameter !== undefined);
};

const headerParameters = (endpoint: Endpoint, context: Context): JsonObject[] => {
  const parameters: JsonObject[] = [];
  const add = (name: string, text: Label, pattern?: string): void => {
    const schema = withoutUndefined({ type: 'string', pattern });
    parameters.push(sharedParameter(context, 'header', name, text, schema));
  };
  if (takesIfNoneMatch(endpoint)) add('If-None-Match', parameterTexts.ifNoneMatch);
  if (context.positions === true && endpoint.mayLag === true)
    add('X-Commit-Position', parameterTexts.commitPosition);
  if (takesIfMatch(endpoint)) add('If-Match', parameterTexts.ifMatch);
  if (takesIdempotencyKey(endpoint)) add('Idempotency-Key', parameterTexts.idempotencyKey, '^[!-~]{1,255}$');
  if (takesPrefer(endpoint)) add('Prefer', parameterTexts.prefer);
  if (endpoint.docs.resumes === true)
    add('Last-Event-ID', parameterTexts.lastEventId, '^(0|[1-9]\\d{0,15})$');
  return parameters;
};

/** All parameters of an endpoint: everything but its body and its credentials. */
export const parametersOf = (endpoint: Endpoint, context: Context): JsonObject[] => [
  ...pathParameters(endpoint, context),
  ...(endpoint.docs.query ?? []).map(({ name, schema, description, required, style }) => {
    const parameter = query(name, schema, labelText(description, context.locale));
    return withoutUndefined({ ...parameter, required: required === true ? true : undefined, style });
  }),
  ...listParameters(endpoint, context),
  ...includeParameters(endpoint, context),
  ...headerParameters(endpoint, context),
];
