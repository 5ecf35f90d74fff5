/** Turns the endpoints that an application defines into endpoints of the service, and names their scopes. */

import type { Readable } from 'node:stream';
import { defaultMethods, isOfKeys } from '../../auth/registry.ts';
import { ConstraintError, type Database } from '../../database/database.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { checkedModels } from '../../http/call.ts';
import { scopeProblems } from '../../http/describe.ts';
import type { Call, Endpoint, EndpointDocs } from '../../http/endpoint.ts';
import { typedFields } from '../../http/form.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import { type ApplicationCode, isPromise } from '../../kernel/application-code.ts';
import { plainJson } from '../../kernel/exact-json.ts';
import { hasFiniteNumbers, isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { Catalogue, Label, Locale } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { InputFields } from '../../model/job.ts';
import type { Models } from '../../model/models.ts';
import { isResourceModel, type ResourceModel } from '../../model/resource.ts';
import { conditionalFields, outputSchema } from '../../model/schema.ts';
import type { Scope } from '../../model/scope.ts';
import { maskOf } from '../../policy/decide.ts';
import { scopesOfPaths } from '../../policy/key-scope.ts';
import type { Rule } from '../../policy/rule.ts';
import { invalidParameter, parseQueryString, type QueryParameter } from '../../records/list.ts';
import { apiArea } from '../area.ts';
import { type Sight, shownBy } from '../endpoints/shown-record.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import type { Acting, CodeLimit } from '../operations/transaction.ts';
import { actingFor } from '../operations/transaction.ts';
import { RawAnswer } from './answer.ts';
import { applicationDatabase } from './application-database.ts';
import { type EndpointContext, type EndpointDefinition, fileOf } from './define-endpoint.ts';
import { LazyBody, multipartLimits } from './endpoint-body.ts';

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

/** Fields that come as texts, by path or query. */
interface TextFields {
  readonly schema: JsonSchema;
  /**
   * Reads the fields; other names are ignored.
   * @throws Problem `invalid_parameter` for a name that comes twice, else for the first invalid value
   */
  read(parameters: Iterable<Pick<QueryParameter, 'name' | 'value'>>): JsonObject;
}

const textFields = (fields: InputFields, catalogue: Catalogue): TextFields => {
  const input = createInput(fields, catalogue, 'application');
  return {
    schema: input.schema,
    read: (parameters) => {
      const pairs = new Map<string, string>();
      for (const { name, value } of parameters) {
        if (!Object.hasOwn(fields, name)) continue;
        if (pairs.has(name)) throw invalidParameter(name);
        pairs.set(name, value);
      }
      const { errors, values } = input.read(typedFields(pairs, input.schema));
      const [first] = errors;
      if (first !== undefined) throw invalidParameter(first.field);
      return values;
    },
  };
};

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

/** Description of the parameters of path and query. */
const parameterDocs = (
  params: TextFields | undefined,
  query: TextFields | undefined,
): Pick<EndpointDocs, 'params' | 'query'> => ({
  ...(params && { params: Object.fromEntries(propertiesOf(params)) }),
  ...(query && {
    query: propertiesOf(query).map(([name, { title, ...schema }]) => ({
      name,
      description: String(title),
      schema,
      required: Array.isArray(query.schema['required']) && query.schema['required'].includes(name),
    })),
  }),
});

const docsOf = (
  { method, accepts = 'json', summary, description, output, media, problems = [] }: EndpointDefinition,
  path: string,
  locale: Locale,
): EndpointDocs => ({
  summary: summary ?? `${method} ${path}`,
  description: description ?? ownEndpoint,
  tag: 'Application',
  ...dataOf(output, locale),
  ...(media === undefined ? {} : { media }),
  // A query that is no text is refused before `handle` sees it.
  problems: [
    'invalid_text',
    ...(accepts === 'json' && method !== 'GET' && method !== 'DELETE'
      ? (['number_out_of_range'] as const)
      : []),
    ...scopeProblems,
    ...(media === undefined
      ? []
      : storageProblems.filter((name) => name !== 'outcome_unknown' || method !== 'GET')),
    ...problems,
  ],
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

/** Endpoints of the application's own, run through the same pipeline as those of the service. */
export const applicationEndpoints = (
  services: ApplicationEndpointParts,
  definitions: readonly EndpointDefinition[],
): Endpoint[] => {
  const models = new Map([...services.resources.values()].map(({ model }) => [model.name, model]));
  const grantsOn = checkedModels(models.values());
  const shown = shownBy(models);
  const database = applicationDatabase(services.database);
  return definitions.map((definition) => {
    const { method, status, input: fields, output, accepts = 'json' } = definition;
    const path = pathOf(definition.path);
    const input = fields === undefined ? undefined : createInput(fields, services.catalogue, 'application');
    const params = definition.params && textFields(requiredFields(definition.params), services.catalogue);
    const queryFields = definition.query && textFields(definition.query, services.catalogue);
    const writes = method !== 'GET' && method !== 'DELETE';
    if (input !== undefined && !writes)
      throw new Error(`endpoint ${method} ${path}: it takes no body, so no input`);
    return {
      operation: operationOf(method, path),
      source: fileOf(definition) ?? 'the application',
      method,
      path,
      auth: definition.auth ?? defaultMethods,
      policy: policyOf(definition),
      grantsOn,
      accepts: writes ? accepts : 'nothing',
      ...(accepts === 'multipart' ? { limits: multipartLimits(definition.limits) } : {}),
      ...(writes ? { input: input?.schema ?? { type: 'object' } } : {}),
      ...(status === undefined ? {} : { status }),
      docs: { ...docsOf(definition, path, services.locale), ...parameterDocs(params, queryFields) },
      handle: async (call) => {
        const named = Object.entries(call.params).map(([name, value]) => ({ name, value }));
        const checkedParams = params?.read(named) ?? call.params;
        const checkedQuery = queryFields?.read(parseQueryString(call.query)) ?? queryOf(call.query);
        const read = input?.read(call.body);
        refuseInvalid(read?.errors ?? []);
        const body = plainJson(call.body);
        if (!hasFiniteNumbers(body)) throw new Problem('number_out_of_range');
        const signals = new CallSignals(call);
        const lazy = accepts === 'bytes' ? new LazyBody(call, definition.limits) : undefined;
        // The body has the members that the endpoint accepts; its type says so to the handler.
        const context: WholeContext = {
          ...services.scopeOf({ ...actingFor(call, apiArea), limit: signals }),
          principal: call.principal,
          params: checkedParams,
          query: checkedQuery,
          body,
          files: call.files,
          values: read?.values ?? {},
          get bytes() {
            return lazy?.bytes ?? call.bytes;
          },
          get stream() {
            return lazy?.stream;
          },
          header: (name) => call.header(name),
          database,
          requestId: call.requestId,
          language: call.language,
          get signal() {
            return signals.signal;
          },
        };
        const result = await unlessConflict(() =>
          services.code.run(
            `${method} ${path}, request ${call.requestId}`,
            () => {
              const handled = definition.handle(context as unknown as EndpointContext);
              signals.follow(handled);
              return begun(handled, call);
            },
            () => signals.expire(),
          ),
        );
        if (RawAnswer.is(result)) return result.toAnswer();
        if (result === undefined) return {};
        if (!isResourceModel(output)) return { data: result };
        return { data: await shown(output, result, sightOf(services, call)) };
      },
    } satisfies Endpoint;
  });
};

/** The caller's sight of records that code has read. */
const sightOf = (
  { resources }: { readonly resources: ReadonlyMap<string, ServedResource> },
  { principal }: Call,
): Sight => {
  const readerOf = (model: ResourceModel) => ({ mask: maskOf(model, principal), principal });
  return {
    hides: async (model, ids) => {
      const records = resources.get(model.name)?.records;
      if (records !== undefined) return records.hidden(readerOf(model), ids);
      // No rule of a model that is not served is ever met.
      return new Map(ids.map((id) => [id, conditionalFields(model)]));
    },
    joins: async (between, ids, others) => {
      const served = resources.get(between.model);
      return served?.records.joined(readerOf(served.model), between, ids, others);
    },
  };
};

/** A constraint of the database that the handler's own statements met, and that it did not catch, is a conflict. */
const unlessConflict = async <T>(handle: () => T | Promise<T>): Promise<T> => {
  try {
    return await handle();
  } catch (error) {
    throw error instanceof ConstraintError ? new Problem('conflict', { cause: error }) : error;
  }
};

/** A context with whatever there may be of a body. */
type WholeContext = Omit<EndpointContext, 'bytes' | 'params' | 'query'> & {
  readonly params: JsonObject;
  readonly query: URLSearchParams | JsonObject;
  readonly files: Call['files'];
  readonly bytes: Uint8Array | Promise<Uint8Array>;
  readonly stream: Readable | undefined;
};

type Handled = ReturnType<EndpointDefinition['handle']>;

/** A stream that is answered has given its first piece: until then the answer can still be an error, and takes time. */
const begun = (handled: Handled, call: Call): Handled => {
  if (RawAnswer.is(handled)) return handled.begin(call.signal);
  return isPromise(handled) ? Promise.resolve(handled).then((result) => begun(result, call)) : handled;
};

/** Ends the stream of an answer that comes too late. */
const discard = (handled: Handled): void => {
  Promise.resolve(handled).then(
    (result) => {
      if (RawAnswer.is(result)) result.discard();
    },
    () => {},
  );
};

/** One signal for a caller who hung up and for a time that is over, made when it is asked for. */
class CallSignals implements CodeLimit {
  readonly #call: Call;
  #expiry: AbortController | undefined;
  #handled: Handled;
  #signal: AbortSignal | undefined;
  isOver = false;

  constructor(call: Call) {
    this.#call = call;
  }

  get signal(): AbortSignal {
    this.#expiry ??= new AbortController();
    this.#signal ??= AbortSignal.any([this.#call.signal, this.#expiry.signal]);
    return this.#signal;
  }

  /** Called with the handler's answer, or the promise of one. */
  follow(handled: Handled): void {
    this.#handled = handled;
  }

  expire(): void {
    this.isOver = true;
    this.#expiry?.abort();
    discard(this.#handled);
  }
}

const queryOf = (query: string): URLSearchParams => {
  try {
    decodeURIComponent(query);
  } catch (cause) {
    throw new Problem('invalid_text', { cause });
  }
  return new URLSearchParams(query);
};
