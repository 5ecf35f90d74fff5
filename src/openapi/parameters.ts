import { measures } from '../fields/aggregates.ts';
import type { JsonSchema } from '../fields/field.ts';
import type { Endpoint, ListField } from '../http/endpoint.ts';
import type { JsonObject } from '../kernel/json.ts';
import { type Label, labelText } from '../kernel/messages/messages.ts';
import type { Context } from './context.ts';
import { listFields, takesIdempotencyKey, takesIfMatch, takesIfNoneMatch } from './features.ts';
import { includeParameters } from './related.ts';
import { parameterTexts } from './texts.ts';

const query = (name: string, schema: JsonSchema, description?: string): JsonObject => ({
  name,
  in: 'query',
  ...(description === undefined ? {} : { description }),
  schema,
});

/** A parameter that many operations have. */
const shared = (
  { components, locale }: Context,
  place: 'query' | 'header',
  name: string,
  text: Label,
  schema: JsonSchema,
): JsonObject =>
  components.add('parameters', name, { name, in: place, description: labelText(text, locale), schema });

const pathParameters = ({ path }: Endpoint): JsonObject[] =>
  [...path.matchAll(/:([A-Za-z0-9_]+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'id' ? { type: 'integer', minimum: 1 } : { type: 'string', minLength: 1 },
  }));

/** `filter[field]` and `filter[field][op]`, one each, so that generated clients know them by name. */
const filters = (fields: readonly ListField[], context: Context): JsonObject[] =>
  fields.flatMap(({ name, operators, value }) =>
    operators.map((operator) => {
      const key = operator === 'eq' ? `filter[${name}]` : `filter[${name}][${operator}]`;
      if (operator === 'null') return query(key, { type: 'boolean' });
      if (operator === 'like' || operator === 'starts_with') return query(key, { type: 'string' });
      if (operator === 'in')
        return query(key, { type: 'string' }, labelText(parameterTexts.filterIn, context.locale));
      return query(key, value);
    }),
  );

const numberedPages = (context: Context): JsonObject[] => [
  shared(context, 'query', 'page', parameterTexts.page, { type: 'integer', minimum: 1 }),
  shared(context, 'query', 'per_page', parameterTexts.perPage, {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
  }),
];

const paging = (context: Context): JsonObject[] => [
  ...numberedPages(context),
  shared(context, 'query', 'after', parameterTexts.after, { type: 'string' }),
];

/** `field(,field)*` */
const listOf = (choices: readonly string[]): JsonSchema => {
  const one = `(${choices.join('|')})`;
  return { type: 'string', pattern: `^${one}(,${one})*$` };
};

const searches = (fields: readonly ListField[], context: Context): JsonObject[] =>
  fields.some(({ searchable }) => searchable)
    ? [shared(context, 'query', 'q', parameterTexts.search, { type: 'string', maxLength: 1024 })]
    : [];

const groupParameters = (endpoint: Endpoint, context: Context): JsonObject[] => {
  const fields = listFields(endpoint);
  const text = (label: Label) => labelText(label, context.locale);
  const keys = fields.flatMap(({ name, groupable, buckets }) => [
    ...(groupable ? [name] : []),
    ...buckets.map((bucket) => `${name}:${bucket}`),
  ]);
  const measured = measures.flatMap((measure) => {
    const names = fields.filter((field) => field.measures.includes(measure)).map(({ name }) => name);
    return names.length === 0 ? [] : [query(measure, listOf(names), text(parameterTexts[measure]))];
  });
  return [
    ...(keys.length === 0 ? [] : [query('group', listOf(keys), text(parameterTexts.group))]),
    { ...query('count', { type: 'boolean' }, text(parameterTexts.count)), allowEmptyValue: true },
    ...measured,
    query('offset', { type: 'string', default: 'Z' }, text(parameterTexts.offset)),
    ...numberedPages(context),
    query('sort', { type: 'string' }, text(parameterTexts.groupSort)),
    ...searches(fields, context),
    ...filters(fields, context),
  ];
};

const listParameters = (endpoint: Endpoint, context: Context): JsonObject[] => {
  if (endpoint.docs.part === 'aggregate') return groupParameters(endpoint, context);
  const fields = listFields(endpoint);
  const sorts = fields.filter(({ sortable }) => sortable).map(({ name }) => name);
  const term = `-?(${sorts.join('|')})`;
  const { sort, fields: fieldsText } = parameterTexts;
  const text = (label: Label) => labelText(label, context.locale);
  return [
    ...paging(context),
    ...(sorts.length === 0
      ? []
      : [query('sort', { type: 'string', pattern: `^${term}(,${term})*$` }, text(sort))]),
    ...searches(fields, context),
    query('fields', listOf(fields.map(({ name }) => name)), text(fieldsText)),
    ...filters(fields, context),
  ];
};

const headerParameters = (endpoint: Endpoint, context: Context): JsonObject[] => {
  const header = (name: string, text: Label, schema: JsonSchema = { type: 'string' }) =>
    shared(context, 'header', name, text, schema);
  return [
    ...(takesIfNoneMatch(endpoint) ? [header('If-None-Match', parameterTexts.ifNoneMatch)] : []),
    ...(takesIfMatch(endpoint) ? [header('If-Match', parameterTexts.ifMatch)] : []),
    ...(takesIdempotencyKey(endpoint)
      ? [
          header('Idempotency-Key', parameterTexts.idempotencyKey, {
            type: 'string',
            pattern: '^[!-~]{1,255}$',
          }),
        ]
      : []),
    ...(endpoint.docs.resumes === true
      ? [
          header('Last-Event-ID', parameterTexts.lastEventId, {
            type: 'string',
            pattern: '^(0|[1-9]\\d{0,15})$',
          }),
        ]
      : []),
  ];
};

/** Everything that an endpoint takes beside its body and its credentials. */
export const parametersOf = (endpoint: Endpoint, context: Context): JsonObject[] => [
  ...pathParameters(endpoint),
  ...(endpoint.docs.query ?? []).map(({ name, schema, description, required }) => ({
    ...query(name, schema, labelText(description, context.locale)),
    ...(required === true ? { required } : {}),
  })),
  ...(endpoint.docs.list === true ? listParameters(endpoint, context) : []),
  ...includeParameters(endpoint, context),
  ...headerParameters(endpoint, context),
];
