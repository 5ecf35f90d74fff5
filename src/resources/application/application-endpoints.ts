/** Turns the endpoints that an application defines into endpoints of the service, and names their scopes. */

import { defaultMethods, isOfKeys } from '../../auth/registry.ts';
import type { Database } from '../../database/database.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { checkedModels } from '../../http/call.ts';
import { scopeProblems } from '../../http/describe.ts';
import type { Endpoint, EndpointDocs, HttpMethod, QueryDocs } from '../../http/endpoint.ts';
import { createInput } from '../../http/input.ts';
import type { ApplicationCode } from '../../kernel/application-code.ts';
import { isJsonObject } from '../../kernel/json.ts';
import { type Catalogue, completeLabel, type Label, type Locale } from '../../kernel/messages.ts';
import type { InputFields } from '../../model/job.ts';
import type { Models } from '../../model/models.ts';
import { isResourceModel, type ResourceModel } from '../../model/resource.ts';
import { conditionalFields, outputSchema } from '../../model/schema.ts';
import type { Scope } from '../../model/scope.ts';
import { scopesOfPaths } from '../../policy/key-scope.ts';
import type { Rule, Showing } from '../../policy/rule.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import type { Acting } from '../operations/transaction.ts';
import { type EndpointDefinition, fileOf } from './define-endpoint.ts';
import { multipartLimits } from './endpoint-body.ts';
import { type EndpointReads, EndpointRunner, type TextFields, textFields } from './run-endpoint.ts';

const prefix = '/api/v1';

/** `:name` as the rest of a segment; literal segments of unreserved characters. */
const segment = /^(:[a-zA-Z][a-zA-Z0-9_]*|[A-Za-z0-9._~-]+)$/;

/** The whole path of an endpoint. @throws Error that names the path and says what is wrong with it */
export const pathOf = (path: string): string => {
  const below = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
  const segments = below.split('/');
  if (segments.shift() !== '' || segments.length === 0 || !segments.every((part) => segment.test(part)))
    throw new Error(`endpoint path ${path}: expected /segments of letters, digits, . _ ~ - or :parameters`);
  return prefix + below;
};

/** `POST /checkout`: the scope by which an API key may call an endpoint of an application. */
export const scopeOfEndpoint = ({ method, path }: Pick<EndpointDefinition, 'method' | 'path'>): string =>
  `${method} ${pathOf(path).slice(prefix.length)}`;

const policyOf = (definition: EndpointDefinition): Rule => {
  const { auth, roles } = definition;
  const scope = scopeOfEndpoint(definition);
  if (auth?.length === 0) {
    if (roles !== undefined) throw new Error('an open endpoint cannot ask for roles');
    return { kind: 'open' };
  }
  return roles === undefined ? { kind: 'identified', scope } : { kind: 'roles', roles, scope };
};

/** The access to an endpoint of the application, without what serves it. */
export const endpointAccess = (definition: EndpointDefinition): Showing => ({
  auth: definition.auth ?? defaultMethods,
  policy: policyOf(definition),
});

/** Every scope that an API key can have: of models, of the list of users, of the endpoints that take keys. */
export const keyScopesOf = (application: {
  readonly models: Models;
  readonly endpoints: readonly EndpointDefinition[];
}): ReadonlySet<string> =>
  new Set([
    ...scopesOfPaths([...application.models.values()].map(({ path }) => path)),
    'users:read',
    ...application.endpoints.filter(({ auth = defaultMethods }) => auth.some(isOfKeys)).map(scopeOfEndpoint),
  ]);

/** `POST /reports/:id` → `post_reports_id`, unique as method and path are. */
const operationOf = (method: string, path: string): string =>
  `${method.toLowerCase()}${path.slice(prefix.length).replaceAll(/[^A-Za-z0-9]+/g, '_')}`;

/** Description of `data`: a model's record as its own detail endpoint describes it, or a schema. */
const dataOf = (
  output: EndpointDefinition['output'],
  locale: Locale,
): Pick<EndpointDocs, 'data' | 'model'> =>
  isResourceModel(output)
    ? {
        data: outputSchema(output, output.views.detail, locale, conditionalFields(output)),
        model: output.name,
      }
    : { data: output ?? {} };

/** Problems of a `handle` that may ask the database; without a media type they follow by themselves. */
const storageProblems = [
  'database_damaged',
  'database_unavailable',
  'overloaded',
  'outcome_unknown',
] as const;

/** Summary of an endpoint that has none. */
const ownEndpoint: Label = { 'zh-CN': '应用自己的接口。', en: 'An endpoint of the application’s own.' };

/** The fields of a path's parameters: none of them is ever absent. */
export const requiredFields = (fields: InputFields): InputFields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, each]) => [
      name,
      { ...each, options: { ...each.options, required: true } },
    ]),
  );

/** Schemas of fields, by name. */
const propertiesOf = ({ schema }: TextFields): readonly (readonly [string, JsonSchema])[] =>
  Object.entries(isJsonObject(schema['properties']) ? schema['properties'] : {}).map(([name, each]) => [
    name,
    isJsonObject(each) ? each : {},
  ]);

/** Description of the parameters of a query. */
const queryDocs = (query: TextFields): readonly QueryDocs[] => {
  const { required } = query.schema;
  return propertiesOf(query).map(([name, { title, ...schema }]) => ({
    name,
    description: String(title),
    schema,
    required: Array.isArray(required) && required.includes(name),
  }));
};

const takesBody = (method: HttpMethod): boolean => method !== 'GET' && method !== 'DELETE';

function* problemsOf({ method, accepts = 'json', media, problems = [] }: EndpointDefinition) {
  // A query that is no text is refused before `handle` sees it.
  yield 'invalid_text';
  if (accepts === 'json' && takesBody(method)) yield 'number_out_of_range';
  yield* scopeProblems;
  if (media !== undefined)
    yield* storageProblems.filter((name) => name !== 'outcome_unknown' || method !== 'GET');
  yield* problems;
}

const docsOf = (
  definition: EndpointDefinition,
  path: string,
  { params, query }: EndpointReads,
  { catalogue, locale }: Pick<SharedParts, 'catalogue' | 'locale'>,
): EndpointDocs => ({
  summary: completeLabel(definition.summary ?? `${definition.method} ${path}`, catalogue.fallbacks),
  description: completeLabel(definition.description ?? ownEndpoint, catalogue.fallbacks),
  tag: 'Application',
  ...dataOf(definition.output, locale),
  media: definition.media,
  problems: [...problemsOf(definition)],
  params: params && Object.fromEntries(propertiesOf(params)),
  query: query && queryDocs(query),
});

export interface ApplicationEndpointParts {
  readonly database: Database;
  readonly resources: ReadonlyMap<string, ServedResource>;
  /** Runs what the application brings along. */
  readonly code: ApplicationCode;
  readonly scopeOf: (acting: Acting) => Scope;
  readonly locale: Locale;
  readonly catalogue: Catalogue;
}

/** The parts that all endpoints of the application share. */
interface SharedParts extends Pick<ApplicationEndpointParts, 'catalogue' | 'locale'> {
  readonly grantsOn: readonly string[];
  readonly runner: EndpointRunner;
}

const endpointOf = (
  definition: EndpointDefinition,
  { catalogue, locale, grantsOn, runner }: SharedParts,
): Endpoint => {
  const { method, status, input: fields, accepts = 'json' } = definition;
  const path = pathOf(definition.path);
  const reads: EndpointReads = {
    input: fields && createInput(fields, catalogue, 'application'),
    params: definition.params && textFields(requiredFields(definition.params), catalogue),
    query: definition.query && textFields(definition.query, catalogue),
  };
  const writes = takesBody(method);
  if (reads.input !== undefined && !writes)
    throw new Error(`endpoint ${method} ${path}: it takes no body, so no input`);
  return {
    operation: operationOf(method, path),
    source: fileOf(definition) ?? 'the application',
    method,
    path,
    ...endpointAccess(definition),
    grantsOn,
    accepts: writes ? accepts : 'nothing',
    limits: accepts === 'multipart' ? multipartLimits(definition.limits) : undefined,
    input: writes ? (reads.input?.schema ?? { type: 'object' }) : undefined,
    status,
    docs: docsOf(definition, path, reads, { catalogue, locale }),
    handle: (call) => runner.run(definition, path, reads, call),
  };
};

/** Refuses a path that a record with an id of a caller's may have. @throws Error */
const refusePathOfRecord = ({ path }: Endpoint, models: Iterable<ResourceModel>): void => {
  const [, below, name = ':'] = path.slice(prefix.length).split('/');
  for (const { name: model, path: of, key } of models)
    if (of === below && key.givenBy === 'caller' && !name.startsWith(':') && key.parse(name) !== undefined)
      throw new Error(`endpoint path ${path}: a ${model} may have the id ${name}, so choose another path`);
};

/** Endpoints of the application's own, run through the same pipeline as those of the service. */
export const applicationEndpoints = (
  services: ApplicationEndpointParts,
  definitions: readonly EndpointDefinition[],
): Endpoint[] => {
  const models = new Map([...services.resources.values()].map(({ model }) => [model.name, model]));
  const grantsOn = checkedModels(models.values());
  const runner = new EndpointRunner(services, models);
  const endpoints = definitions.map((definition) =>
    endpointOf(definition, { ...services, grantsOn, runner }),
  );
  for (const endpoint of endpoints) refusePathOfRecord(endpoint, models.values());
  return endpoints;
};
