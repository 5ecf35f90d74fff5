/** `describeApi`: the OpenAPI document of an area, made from its endpoints. */

import { offeredMethods } from '../../auth/registry.ts';
import { hasTextIds } from '../../fields/keys.ts';
import { fullName, shownName } from '../../kernel/application-name.ts';
import { type Json, type JsonObject, withoutUndefined } from '../../kernel/json.ts';
import { fill, labelText } from '../../kernel/messages.ts';
import { inSentence } from '../../kernel/spacing.ts';
import type { Endpoint } from '../endpoint.ts';
import { defaultLimits, mediaTypes } from '../pipeline.ts';
import { accessOf } from './access.ts';
import { Components } from './components.ts';
import type { Context, DescriptionOptions } from './context.ts';
import { descriptionPath, endpointsIn, othersIn } from './description-area.ts';
import { dataName, familyOf, inputName, templatePath } from './operation-names.ts';
import { parametersOf } from './parameters.ts';
import { acrossWords, withRelations } from './related.ts';
import { generalResponses, responsesOf } from './responses.ts';
import { rowWordsOf } from './rows.ts';
import { methodsOf, requirements, securitySchemes } from './security.ts';
import { withShared } from './share.ts';
import { aboutIn, bodyTexts, modelDescription, tagDescriptions, tagTexts } from './texts.ts';

/** Schema of the fields of a multipart body, and of files with any name. */
const withFiles = (
  input: JsonObject,
  { limits: { file, files } = defaultLimits }: Endpoint,
  { locale }: Context,
): JsonObject => ({
  ...input,
  additionalProperties: {
    type: 'string',
    format: 'binary',
    description: fill(labelText(bodyTexts.files, locale), { files, file }),
  },
});

/** A multipart body: the record as JSON, and files under the names of their fields. */
const recordWithFiles = (bodyKey: string, record: Json, fields: readonly string[]): JsonObject => {
  const file = { type: 'string', format: 'binary' };
  return {
    type: 'object',
    properties: { [bodyKey]: record, ...Object.fromEntries(fields.map((name) => [name, file])) },
    required: [bodyKey],
  };
};

/** A body of bytes; of JSON lines, each line is a record. */
const bytesOf = ({ docs: { bodyTypes = ['*/*'] } }: Endpoint, record: Json): JsonObject => ({
  required: true,
  content: Object.fromEntries(
    bodyTypes.map((type) => [type, { schema: type === 'application/jsonl' ? record : {} }]),
  ),
});

const bodyOf = (endpoint: Endpoint, context: Context): JsonObject | undefined => {
  const { components } = context;
  const { accepts, bodyKey } = endpoint;
  const input = components.portable(endpoint.input ?? { type: 'object' });
  if (accepts === 'nothing') return undefined;
  const named = typeof input['properties'] === 'object';
  const record = named ? components.add('schemas', inputName(endpoint), input, familyOf(endpoint)) : input;
  if (accepts === 'bytes') return bytesOf(endpoint, named ? record : {});
  const schema: Json =
    bodyKey === undefined
      ? record
      : { type: 'object', properties: { [bodyKey]: record }, required: [bodyKey] };
  const whole = accepts === 'multipart' ? withFiles(input, endpoint, context) : schema;
  const content = { [mediaTypes[accepts]]: { schema: whole } };
  const { parts } = endpoint;
  if (parts !== undefined && bodyKey !== undefined)
    content[mediaTypes.multipart] = { schema: recordWithFiles(bodyKey, record, parts.fields) };
  return { required: endpoint.bodyOptional !== true, content };
};

/**
 * CSV is not described as a second media type: generated clients would type each list as its records or a text.
 */
const csvWords = {
  'zh-CN': '以 `Accept: text/csv` 请求时返回 CSV（RFC 4180，UTF-8），行、分页与筛选相同。',
  en: 'With `Accept: text/csv` it is CSV (RFC 4180, UTF-8): the same rows, pages and filters.',
} as const;

/** Paragraphs about the endpoint, its row rules, its CSV form, and filters across its relations. */
const descriptionOf = (endpoint: Endpoint, context: Context): string => {
  const { models, locale } = context;
  const { description } = endpoint.docs;
  const own = description === undefined ? undefined : labelText(description, locale);
  const csv = endpoint.csv === true ? labelText(csvWords, locale) : undefined;
  const paragraphs = [own, rowWordsOf(endpoint, models, locale), csv, acrossWords(endpoint, context)];
  const said = paragraphs.filter((text) => text !== undefined).join('\n\n');
  // Every operation gets a sentence, for readers of a list of operations.
  return said === '' ? labelText(endpoint.docs.summary, locale) : said;
};

const operationOf = (endpoint: Endpoint, context: Context): JsonObject => {
  const { summary, tag } = endpoint.docs;
  const description = descriptionOf(endpoint, context);
  const parameters = parametersOf(endpoint, context);
  return withoutUndefined({
    operationId: endpoint.operation,
    summary: labelText(summary, context.locale),
    description,
    tags: [tag],
    security: requirements(endpoint),
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: bodyOf(endpoint, context),
    responses: responsesOf(endpoint, context),
    'x-gatewright': accessOf(endpoint, context),
  });
};

const pathsOf = (endpoints: readonly Endpoint[], context: Context): JsonObject => {
  const paths = new Map<string, Record<string, Json>>();
  for (const endpoint of endpoints) {
    const path = templatePath(endpoint.path);
    const operations = paths.get(path) ?? {};
    paths.set(path, operations);
    operations[endpoint.method.toLowerCase()] = operationOf(endpoint, context);
  }
  return Object.fromEntries(paths);
};

/** Tags after all others, in this order; the most frequently needed come first. */
const lastTags = ['Application', 'Metadata', 'Health', 'Documentation', 'Administration'];

/** One tag for each model, in the order of the endpoints. */
const tagsOf = (endpoints: readonly Endpoint[], { locale }: Context): Json => {
  const labels = new Map<string, string>();
  for (const { docs, policy } of endpoints) {
    const model = policy.kind === 'resource' && policy.area === 'api' ? policy.model : undefined;
    if (model !== undefined) labels.set(docs.tag, labelText(model.pluralLabel, locale));
    else if (!labels.has(docs.tag)) labels.set(docs.tag, labelText(tagTexts[docs.tag] ?? docs.tag, locale));
  }
  const inText = (label: string): string => (locale === 'en' ? inSentence(label) : label);
  const names = [...labels.keys()].sort((a, b) => lastTags.indexOf(a) - lastTags.indexOf(b));
  return names.map((name) => {
    const label = labels.get(name) ?? name;
    const own = tagDescriptions[name] && labelText(tagDescriptions[name], locale);
    return {
      name,
      description: own ?? fill(labelText(modelDescription, locale), { label: inText(label) }),
      'x-displayName': label,
    };
  });
};

/** The detail view gives a model's schema its plain name, so it is added before equal views. */
const nameDetails = (endpoints: readonly Endpoint[], context: Context): void => {
  const { components } = context;
  for (const endpoint of endpoints) {
    const { policy, docs } = endpoint;
    if (policy.kind === 'resource' && policy.action === 'detail' && docs.data !== undefined)
      components.add(
        'schemas',
        dataName(endpoint),
        withRelations(endpoint, docs.data, context),
        familyOf(endpoint),
      );
  }
};

const aboutDescription = (endpoints: readonly Endpoint[], { area, locale }: DescriptionOptions): string => {
  const served = endpoints.some(({ path }) => path === descriptionPath);
  const elsewhere = othersIn(area, locale, served);
  const offered = offeredMethods(endpoints.flatMap(({ auth }) => auth));
  const about = aboutIn(locale, offered);
  return elsewhere === undefined ? about : `${about}\n\n${elsewhere}`;
};

/**
 * The OpenAPI 3.1 description of endpoints. Pure: everything follows from the data of the endpoints. Paths are
 * complete (`/api/v1/…`); the part before them is in `servers`.
 */
export const describeApi = (endpoints: readonly Endpoint[], options: DescriptionOptions): JsonObject => {
  const { application } = options;
  const keys = [...options.models.values()].map(({ key }) => key);
  const context: Context = { ...options, components: new Components(hasTextIds(keys)) };
  const visible = endpoints.filter(({ docs }) => docs.hidden !== true);
  const shown = endpointsIn(visible, options.area);
  nameDetails(shown, context);
  const paths = withShared(pathsOf(shown, context), context.components);
  const general = generalResponses(context);
  const methods = new Set(shown.flatMap(methodsOf));
  return {
    openapi: '3.1.0',
    info: {
      title: `${fullName(application)} API`,
      version: application.version ?? options.version,
      description: aboutDescription(visible, options),
      // The licence of the software that serves the API; that of the application is unknown.
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: new URL(options.baseUrl).host, url: options.baseUrl },
    },
    servers: [{ url: options.baseUrl }],
    tags: tagsOf(shown, context),
    paths,
    components: {
      ...context.components.toJson(),
      securitySchemes: securitySchemes(methods, options),
    },
    'x-gatewright': {
      language: options.locale,
      software: { name: 'Gatewright', version: options.version },
      application: withoutUndefined({
        name: shownName(application),
        version: application.version,
        environment: application.environment && { ...application.environment },
      }),
      // Value of `message` unless there is another one.
      success: options.messages.success,
      generalResponses: general,
    },
  };
};
