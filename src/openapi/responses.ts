import { maxDepth } from '../http/body.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { mediaTypes } from '../http/take-body.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { fill } from '../kernel/messages/catalogue.ts';
import { fieldError, labelText } from '../kernel/messages/messages.ts';
import { type ProblemKind, problemCode } from '../kernel/problem.ts';
import { type ProblemName, problemTable, statusOf } from '../kernel/problem-table.ts';
import { maxBatch } from '../operations/batch.ts';
import { cascadeLimits } from '../operations/cascade-links.ts';
import { maxAnswerBytes } from '../store/relations/bounds.ts';
import type { Context } from './context.ts';
import { answersETag, takesIdempotencyKey, takesIfNoneMatch } from './features.ts';
import { dataName, familyOf } from './names.ts';
import { problemsOf } from './problems.ts';
import { withRelations } from './related.ts';
import { headerTexts, statusTexts } from './texts.ts';

type HeaderName = keyof typeof headerTexts;

/** Headers that not every answer has where they are named. */
const optional: ReadonlySet<HeaderName> = new Set(['X-Total-Count', 'Link', 'Retry-After']);

const header = (name: HeaderName, { components, locale }: Context): JsonObject =>
  components.add('headers', name, {
    description: headerTexts[name][locale],
    ...(optional.has(name) ? {} : { required: true }),
    schema: { type: name === 'X-Total-Count' || name === 'Retry-After' ? 'integer' : 'string' },
  });

const headers = (names: readonly HeaderName[], context: Context): JsonObject =>
  Object.fromEntries(names.map((name) => [name, header(name, context)]));

const described = (status: number, { locale }: Context): string =>
  labelText(statusTexts[status] ?? String(status), locale);

/** Without a schema there is no data; behind an empty one there may be anything, or none. */
const saysNothing = (schema: JsonObject | undefined): boolean => Object.keys(schema ?? {}).length === 0;

/** What is behind `data` on success. */
const dataSchema = (endpoint: Endpoint, context: Context): JsonObject | undefined => {
  const { data, list } = endpoint.docs;
  if (data === undefined || saysNothing(data)) return data;
  const whole = withRelations(endpoint, data, context);
  const reference = context.components.add('schemas', dataName(endpoint), whole, familyOf(endpoint));
  return list === true ? { type: 'array', items: reference } : reference;
};

const envelope = (
  code: JsonObject,
  examples: readonly string[],
  data: JsonObject | undefined,
  always = !saysNothing(data),
): JsonObject => ({
  type: 'object',
  properties: {
    code,
    message: { type: 'string', ...(examples.length === 0 ? {} : { examples: [...examples] }) },
    ...(data === undefined ? {} : { data }),
  },
  required: ['code', 'message', ...(always ? ['data'] : [])],
});

const json = (schema: JsonObject, examples?: JsonObject): JsonObject => ({
  'application/json': { schema, ...(examples === undefined ? {} : { examples }) },
});

/** A body of which nothing but its media type is known: an object, a text, or bytes. */
const mediaSchema = (media: string): JsonObject => {
  if (/^application\/json\b/.test(media)) return { type: 'object' };
  return /^text\/|\bjavascript\b|[/+]xml\b|[/+]json\b/.test(media)
    ? { type: 'string' }
    : { type: 'string', format: 'binary' };
};

const successContent = (endpoint: Endpoint, context: Context): JsonObject => {
  const { media } = endpoint.docs;
  if (media !== undefined) {
    const said = dataSchema(endpoint, context);
    return { [media]: { schema: said === undefined || saysNothing(said) ? mediaSchema(media) : said } };
  }
  return json(envelope({ const: 0 }, [context.messages.success], dataSchema(endpoint, context)));
};

const successHeaders = (endpoint: Endpoint, context: Context): JsonObject => ({
  ...headers(
    [
      ...(endpoint.docs.list === true ? (['X-Total-Count', 'Link'] as const) : []),
      ...(answersETag(endpoint) ? (['ETag'] as const) : []),
    ],
    context,
  ),
  ...Object.fromEntries(
    Object.entries(endpoint.docs.headers ?? {}).map(([name, text]) => [
      name,
      { description: labelText(text, context.locale), schema: { type: 'string' } },
    ]),
  ),
});

const withHeaders = (found: JsonObject): JsonObject =>
  Object.keys(found).length === 0 ? {} : { headers: found };

const success = (endpoint: Endpoint, context: Context): JsonObject => {
  const status = endpoint.status ?? 200;
  return {
    [status]: {
      description: described(status, context),
      ...withHeaders(successHeaders(endpoint, context)),
      content: successContent(endpoint, context),
    },
    ...(takesIfNoneMatch(endpoint)
      ? { 304: { description: described(304, context), ...withHeaders(headers(['ETag'], context)) } }
      : {}),
  };
};

/** Headers that always come with a refusal of this status. */
const refusalHeaders: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  500: ['X-Request-Id'],
  503: ['Retry-After', 'X-Request-Id'],
};

const validationErrors = ({ components }: Context): JsonObject =>
  components.add('schemas', 'ValidationErrors', {
    type: 'object',
    properties: {
      errors: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: { field: { type: 'string' }, rule: { type: 'string' }, message: { type: 'string' } },
          required: ['field', 'rule', 'message'],
        },
      },
    },
    required: ['errors'],
  });

/** What an endpoint can be asked wrongly: the values in the examples of its errors. */
interface Hints {
  readonly key: string;
  readonly parameter: string;
  /** Media type that the endpoint asks for. */
  readonly type: string;
  readonly limits: Endpoint['limits'];
}

const defaultHints: Hints = { key: 'record', parameter: 'sort', type: mediaTypes.json, limits: undefined };

const mediaTypeOf = ({ accepts }: Endpoint): string =>
  accepts === 'nothing' || accepts === 'bytes' ? defaultHints.type : mediaTypes[accepts];

const hintsOf = (endpoint: Endpoint): Hints => ({
  type: mediaTypeOf(endpoint),
  limits: endpoint.limits,
  key: endpoint.bodyKey ?? defaultHints.key,
  parameter:
    endpoint.docs.query?.[0]?.name ??
    (takesIdempotencyKey(endpoint) ? 'Idempotency-Key' : defaultHints.parameter),
});

/** An error as it is answered, with likely values where the message has room for some. */
const example = (kind: ProblemKind, hints: Hints, { messages, bodyLimit }: Context): JsonObject => {
  if (typeof kind !== 'string')
    return { value: { code: kind.code, message: labelText(kind.message, messages.locale) } };
  const name = kind;
  const { key, parameter, type, limits } = hints;
  const errors = [fieldError(messages, 'name', messages.labels['name'] ?? 'name', 'required')];
  const joined = errors.map(({ message }) => message).join(', ');
  const limit = name === 'too_many_files' ? limits?.files : limits?.file;
  const params = {
    ...{ max: maxDepth, limit: limit ?? bodyLimit, records: maxBatch, bytes: maxAnswerBytes },
    ...{ key, type, errors: joined },
    ...(name === 'cascade_too_large' ? { max: cascadeLimits.records, levels: cascadeLimits.levels } : {}),
  };
  const field = name === 'unusable_field' ? 'title' : parameter;
  const message = fill(messages.problems[name], { ...params, name: field });
  const data = name === 'invalid_record' ? { data: { errors: errors.map((error) => ({ ...error })) } } : {};
  return { value: { code: problemTable[name], message, ...data } };
};

/** The answer of one status, shared between the operations that have the same problems. */
export const problemResponse = (
  status: number,
  kinds: readonly ProblemKind[],
  context: Context,
  hints = defaultHints,
): JsonObject => {
  const codes = kinds.map(problemCode);
  const schema = envelope(
    { type: 'integer', enum: codes },
    [],
    kinds.includes('invalid_record') ? validationErrors(context) : undefined,
    // A problem of the application's own has the same status, and no list of fields.
    kinds.every((kind) => kind === 'invalid_record'),
  );
  const examples = kinds.map((kind): [string, Json] => [
    typeof kind === 'string' ? kind : String(kind.code),
    example(kind, hints, context),
  ]);
  const key = codes.includes(problemTable.missing_key) ? [hints.key] : [];
  return context.components.add('responses', ['Error', ...codes, ...key].join('-'), {
    description: described(status, context),
    ...withHeaders(headers(refusalHeaders[status] ?? [], context)),
    content: json(schema, Object.fromEntries(examples)),
  });
};

/** Every answer of an endpoint by status. */
export const responsesOf = (endpoint: Endpoint, context: Context): JsonObject => ({
  ...success(endpoint, context),
  ...Object.fromEntries(
    [...problemsOf(endpoint)].map(([status, names]) => [
      status,
      problemResponse(status, names, context, hintsOf(endpoint)),
    ]),
  ),
});

/** Answers that belong to no operation: the request named none, or never became one. */
const withoutOperation: readonly ProblemName[] = [
  'bad_request',
  'path_not_found',
  'method_not_allowed',
  'request_timeout',
  'headers_too_large',
];

export const generalResponses = (context: Context): JsonObject =>
  Object.fromEntries(
    withoutOperation.map((name) => [statusOf(name), problemResponse(statusOf(name), [name], context)]),
  );
