/** The responses of an operation: media types, headers and examples, by status. */

import { authMethod } from '../../auth/registry.ts';
import { isJsonObject, type Json, type JsonObject, withoutUndefined } from '../../kernel/json.ts';
import { labelText } from '../../kernel/messages.ts';
import { type ProblemKind, problemCode } from '../../kernel/problem.ts';
import { type ProblemName, statusOf } from '../../kernel/problem-table.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Context } from './context.ts';
import { problemExample } from './examples.ts';
import { answersETag, isLimited, takesFields, takesIfNoneMatch, takesPrefer } from './features.ts';
import { dataName, familyOf, inputName, pascal } from './operation-names.ts';
import { problemData } from './problem-data.ts';
import { problemsOf } from './problems.ts';
import { withoutRequired, withRelations } from './related.ts';
import { headerTexts, statusTexts } from './texts.ts';

type HeaderName = keyof typeof headerTexts;

/** Headers that are not in every response for which they are described. */
const optional: ReadonlySet<HeaderName> = new Set([
  'X-Total-Count',
  'X-Total-Count-Relation',
  'Link',
  'Retry-After',
  'X-Commit-Position',
  'Set-Cookie',
  'Content-Language',
  'RateLimit',
  'RateLimit-Policy',
  'Preference-Applied',
]);

/** Headers of statuses that no operation has: a component of theirs would be unreferenced. */
const ofNoOperation: ReadonlySet<HeaderName> = new Set(['Allow'] as const);

const schemaOf = (name: HeaderName): JsonObject => {
  if (name === 'X-Total-Count-Relation') return { type: 'string', enum: ['eq', 'gte'] };
  return { type: name === 'X-Total-Count' || name === 'Retry-After' ? 'integer' : 'string' };
};

const header = (name: HeaderName, { components, locale }: Context): JsonObject => {
  const described = withoutUndefined({
    description: labelText(headerTexts[name], locale),
    required: optional.has(name) ? undefined : true,
    schema: schemaOf(name),
  });
  return ofNoOperation.has(name) ? described : components.add('headers', name, described);
};

/** Headers by which the methods of an endpoint ask for their credentials, beside `WWW-Authenticate`. */
const askingHeaders = (endpoint: Endpoint | undefined, { components, locale }: Context): JsonObject =>
  Object.fromEntries(
    (endpoint?.ofTrash?.auth ?? endpoint?.auth ?? [])
      .flatMap((name) => Object.entries(authMethod(name).refusalHeaders ?? {}))
      .map(([name, { description }]) => [
        name,
        components.add('headers', name, {
          description: labelText(description, locale),
          required: true,
          schema: { type: 'string' },
        }),
      ]),
  );

const headers = (names: readonly HeaderName[], context: Context): JsonObject =>
  Object.fromEntries(names.map((name) => [name, header(name, context)]));

/** Headers of responses to requests that have written something. */
const positionHeaders = (context: Context): JsonObject =>
  context.positions === true ? headers(['X-Commit-Position', 'Set-Cookie'], context) : {};

/** Headers of responses whose language the request chooses; CSV has none. */
const languageHeaders = (context: Context): JsonObject =>
  context.negotiated === true ? headers(['Content-Language'], context) : {};

const limitHeaders = (endpoint: Endpoint | undefined, context: Context): JsonObject =>
  endpoint !== undefined && isLimited(endpoint) ? headers(['RateLimit', 'RateLimit-Policy'], context) : {};

const preferenceHeaders = (endpoint: Endpoint | undefined, context: Context): JsonObject =>
  endpoint !== undefined && takesPrefer(endpoint) ? headers(['Preference-Applied'], context) : {};

/** The name of a component that all limited endpoints share, or all others. */
const sharedName = (name: string, endpoint: Endpoint): string =>
  isLimited(endpoint) ? `${name}Limited` : name;

const described = (status: number, { locale }: Context): string =>
  labelText(statusTexts[status] ?? String(status), locale);

/** Without a schema there is no data; with an empty one any data, or none. */
const isUnspecified = (schema: JsonObject | undefined): boolean => Object.keys(schema ?? {}).length === 0;

/** Lists of equal records within a response (of a batch: created and updated ones) share their schema. */
const shareItems = (schema: JsonObject, name: string, { components }: Context): JsonObject => {
  const properties = Object.entries(isJsonObject(schema['properties']) ? schema['properties'] : {});
  const itemsOf = (part: Json): string | undefined =>
    isJsonObject(part) && isJsonObject(part['items']) ? JSON.stringify(part['items']) : undefined;
  const bySchema = Map.groupBy(properties, ([, part]) => itemsOf(part));
  const shared = properties.map(([key, part]): [string, Json] => {
    const text = itemsOf(part);
    if (text === undefined || (bySchema.get(text) ?? []).length < 2 || !isJsonObject(part))
      return [key, part];
    const items = components.add('schemas', name.replace(/Data$/, 'Record'), JSON.parse(text) as JsonObject);
    return [key, { ...part, items }];
  });
  return bySchema.size === properties.length ? schema : { ...schema, properties: Object.fromEntries(shared) };
};

/** The schema of `data` on success. */
const dataSchema = (endpoint: Endpoint, context: Context): JsonObject | undefined => {
  const { data, list } = endpoint.docs;
  if (data === undefined || isUnspecified(data)) return data;
  const { components } = context;
  const described = shareItems(data, dataName(endpoint), context);
  const dataOfQuery = takesFields(endpoint) ? withoutRequired(described) : described;
  const whole = withRelations(endpoint, dataOfQuery, context);
  const reference = components.add('schemas', dataName(endpoint), whole, familyOf(endpoint));
  return list === true ? { type: 'array', items: reference } : reference;
};

const envelope = (
  code: JsonObject,
  data: JsonObject | undefined,
  always = !isUnspecified(data),
): JsonObject => ({
  type: 'object',
  properties: withoutUndefined({ code, message: { type: 'string' }, data }),
  required: always ? ['code', 'message', 'data'] : ['code', 'message'],
});

const json = (schema: JsonObject, examples?: JsonObject): JsonObject => ({
  'application/json': withoutUndefined({ schema, examples }),
});

/** A body with a known media type only: an object, a text, or bytes. */
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
    return { [media]: { schema: said === undefined || isUnspecified(said) ? mediaSchema(media) : said } };
  }
  return json(envelope({ const: 0 }, dataSchema(endpoint, context)));
};

const listHeaders = ({ docs: { list, part } }: Endpoint): readonly HeaderName[] => {
  if (list !== true) return [];
  // The groups of an aggregate are always counted.
  return part === 'aggregate'
    ? ['X-Total-Count', 'Link']
    : ['X-Total-Count', 'X-Total-Count-Relation', 'Link'];
};

const successHeaders = (endpoint: Endpoint, context: Context): JsonObject => ({
  ...languageHeaders(context),
  ...positionHeaders(context),
  ...limitHeaders(endpoint, context),
  ...headers(listHeaders(endpoint), context),
  ...headers(answersETag(endpoint) ? ['ETag'] : [], context),
  ...preferenceHeaders(endpoint, context),
  ...Object.fromEntries(
    Object.entries(endpoint.docs.headers ?? {}).map(([name, text]) => [
      name,
      { description: labelText(text, context.locale), schema: { type: 'string' } },
    ]),
  ),
});

/** A response; without `headers` where there are none, and without `content` where it has no body. */
const responseOf = (
  status: number,
  found: JsonObject,
  content: JsonObject | undefined,
  context: Context,
): JsonObject =>
  withoutUndefined({
    description: described(status, context),
    headers: Object.keys(found).length === 0 ? undefined : found,
    content,
  });

/** Responses without data are equal everywhere. */
const success = (endpoint: Endpoint, context: Context): JsonObject => {
  const status = endpoint.status ?? 200;
  const { components } = context;
  const found = successHeaders(endpoint, context);
  const response = responseOf(status, found, successContent(endpoint, context), context);
  const plainName = takesPrefer(endpoint) ? 'SuccessOfWrite' : 'Success';
  const isPlain = endpoint.docs.data === undefined && endpoint.docs.media === undefined;
  const unchanged = (): JsonObject => {
    const unchangedHeaders = {
      ...languageHeaders(context),
      ...positionHeaders(context),
      ...limitHeaders(endpoint, context),
      ...headers(['ETag'], context),
    };
    const name = sharedName('Unchanged', endpoint);
    return components.add('responses', name, responseOf(304, unchangedHeaders, undefined, context));
  };
  return withoutUndefined({
    [status]: isPlain ? components.add('responses', sharedName(plainName, endpoint), response) : response,
    304: takesIfNoneMatch(endpoint) ? unchanged() : undefined,
  });
};

/** Headers of every refusal with this status. */
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

/**
 * Codes of one status in few characters: `E400C0To2C6` of 40000, 40001, 40002 and 40006. These names make up most of
 * an operation's description.
 */
const responseName = (status: number, codes: readonly number[]): string => {
  const numbers = codes.map((code) => code - status * 100);
  const runs = numbers.flatMap((number, index): string[] => {
    if (numbers[index - 1] === number - 1) return [];
    let last = index;
    while (numbers[last + 1] === (numbers[last] ?? 0) + 1) last += 1;
    return [last === index ? `C${number}` : `C${number}To${numbers[last]}`];
  });
  return `E${status}${runs.join('')}`;
};

/** One schema for all of them; their codes are those of the response's examples, which are complete. */
const problemSchema = (kinds: readonly ProblemKind[], context: Context): JsonObject => {
  const code: JsonObject = { type: 'integer' };
  const { components } = context;
  const more = kinds.flatMap((kind) => (typeof kind === 'string' ? (problemData[kind] ?? []) : []));
  const [data] = more;
  if (data !== undefined)
    return components.add(
      'schemas',
      data.name,
      envelope(
        code,
        components.add('schemas', `${data.name}Data`, data.schema),
        more.length === kinds.length,
      ),
    );
  if (!kinds.includes('invalid_record'))
    return components.add('schemas', 'ErrorAnswer', envelope(code, undefined));
  // A problem of the application may have the same status, but no list of fields.
  const always = kinds.every((kind) => kind === 'invalid_record');
  return components.add('schemas', 'InvalidAnswer', envelope(code, validationErrors(context), always));
};

/** The part of a response's name that stands for the content of its examples, so that the name is stable. */
const exampleName = (endpoint: Endpoint, kinds: readonly ProblemKind[]): readonly string[] => {
  if (kinds.includes('invalid_record')) return [inputName(endpoint).replace(/Input$/, '')];
  return kinds.includes('missing_key') ? [endpoint.bodyKey ?? ''] : [];
};

/** The response of one status. */
const problemResponse = (
  status: number,
  kinds: readonly ProblemKind[],
  context: Context,
  endpoint?: Endpoint,
): JsonObject => {
  const examples = kinds.map((kind): [string, Json] => [
    typeof kind === 'string' ? kind : String(kind.code),
    { value: problemExample(kind, endpoint, context) },
  ]);
  const found = {
    ...languageHeaders(context),
    ...positionHeaders(context),
    ...limitHeaders(endpoint, context),
    ...headers(refusalHeaders[status] ?? [], context),
    ...preferenceHeaders(status === 422 ? endpoint : undefined, context),
    ...askingHeaders(status === 401 ? endpoint : undefined, context),
  };
  const content = json(problemSchema(kinds, context), Object.fromEntries(examples));
  return responseOf(status, found, content, context);
};

/** The response as a component, shared between operations with the same problems and examples. */
const sharedProblemResponse = (
  status: number,
  kinds: readonly ProblemKind[],
  context: Context,
  endpoint: Endpoint,
): JsonObject => {
  const codes = kinds.map(problemCode);
  const name = [
    sharedName(responseName(status, codes), endpoint),
    ...exampleName(endpoint, kinds).map(pascal),
  ].join('');
  return context.components.add('responses', name, problemResponse(status, kinds, context, endpoint));
};

/** All responses of an endpoint, by status. */
export const responsesOf = (endpoint: Endpoint, context: Context): JsonObject => ({
  ...success(endpoint, context),
  ...Object.fromEntries(
    [...problemsOf(endpoint)].map(([status, names]) => [
      status,
      sharedProblemResponse(status, names, context, endpoint),
    ]),
  ),
});

/**
 * Responses that belong to no operation: the request named none, or was malformed. They are no components, as nothing
 * in `paths` refers to them.
 */
const withoutOperation: readonly ProblemName[] = [
  'bad_request',
  'path_not_found',
  'method_not_allowed',
  'request_timeout',
  'target_too_long',
  'headers_too_large',
  'unsupported_transfer_coding',
  'unsupported_http_version',
];

export const generalResponses = (context: Context): JsonObject =>
  Object.fromEntries(
    withoutOperation.map((name) => [statusOf(name), problemResponse(statusOf(name), [name], context)]),
  );
