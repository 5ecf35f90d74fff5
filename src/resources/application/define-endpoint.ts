/** `defineEndpoint`: the options of an application's endpoint, checked when they are defined. */

import type { ApiMethodName } from '../../auth/registry.ts';
import type { JsonSchema, ValueOf } from '../../fields/field.ts';
import type { Call, HttpMethod } from '../../http/endpoint.ts';
import type { Json } from '../../kernel/json.ts';
import type { Label } from '../../kernel/messages.ts';
import {
  code,
  flag,
  label,
  listOf,
  type OptionCheck,
  type OptionTable,
  oneOf,
  optionsFlaw,
  plainObject,
  texts,
  textual,
} from '../../kernel/options.ts';
import { type ProblemName, problemTable } from '../../kernel/problem-table.ts';
import { isOwnProblem, type MakeProblem } from '../../model/define-problem.ts';
import { checkField, fieldsOption, methodsOption } from '../../model/define-resource.ts';
import { DefinitionError } from '../../model/definition-error.ts';
import type { CheckedInput, InputFields } from '../../model/job.ts';
import { isResourceModel, type ResourceModel } from '../../model/resource.ts';
import type { Scope } from '../../model/scope.ts';
import type { DetailOf, RelationsOf, Resource } from '../../model/types.ts';
import { isMediaRangeText, type RawAnswer } from './answer.ts';
import type { ApplicationDatabase } from './application-database.ts';
import {
  type BodyContexts,
  type BodyKind,
  type BodyLimits,
  bodyFlaw,
  bodyKinds,
  limitsOption,
} from './endpoint-body.ts';

/** Parts of a `Call` that an application is promised as they are. */
type Promised = Pick<Call, 'header' | 'language' | 'requestId' | 'signal'>;

/** No declared fields. */
type None = Record<never, never>;

/** The checked values where fields are declared, by their names; else what is there without. */
type WhereDeclared<Fields extends InputFields, Checked, Otherwise> = [keyof Fields] extends [never]
  ? Otherwise
  : string extends keyof Fields
    ? Otherwise
    : Checked;

/** The checked parameters of a path: none of them is ever absent. */
type CheckedParams<Params extends InputFields> = {
  readonly [Name in keyof Params]: NonNullable<ValueOf<Params[Name]>>;
};

/**
 * Context of a handler of the application: a scope that acts for its caller, the promised part of a `Call`,
 * the checked fields of path, query and body, and the database. `signal` is aborted when the caller hangs up, and
 * when the time of the handler is over.
 */
interface CommonContext<Fields extends InputFields, Params extends InputFields, Query extends InputFields>
  extends Scope,
    Promised {
  /** The caller, for whom the scope acts. */
  readonly principal: Call['principal'];
  /** The parameters of the path, decoded: the checked fields of `params`, else texts. */
  readonly params: WhereDeclared<Params, CheckedParams<Params>, Call['params']>;
  /** The checked fields of `query`; the whole query where there are none. */
  readonly query: WhereDeclared<Query, CheckedInput<Query>, URLSearchParams>;
  /** The checked fields of `input`; an optional one that was not sent and has no default is absent. */
  readonly values: CheckedInput<Fields>;
  /** The service's database, for text of SQL with bound parameters; `sql` has one form for both databases. */
  readonly database: ApplicationDatabase;
}

/** Context of a handler of an endpoint with these fields, with the body that the endpoint accepts. */
export type EndpointContext<
  Fields extends InputFields = InputFields,
  Accepts extends BodyKind = 'json',
  Params extends InputFields = None,
  Query extends InputFields = None,
> = CommonContext<Fields, Params, Query> & BodyContexts[Accepts];

/** Values of `output`: a JSON Schema, or a model, whose record in the detail view is returned then. */
type EndpointOutput = JsonSchema | Resource;

/** A record in the detail view, with any related records. */
type AnsweredRecord<Model> = DetailOf<Model> & {
  readonly [Name in keyof RelationsOf<Model, 'detail', never>]?: object | null;
};

/** Result of a handler. Nothing: an envelope without data; the result of `answer`: no envelope. */
type Answered<Said> = RawAnswer | (Said extends ResourceModel ? AnsweredRecord<Said> : Json | undefined);

/** Return type of `handle`: also nothing, unless `output` says that a record is returned. */
type Handled<Said> =
  | Answered<Said>
  | Promise<Answered<Said>>
  | (Said extends ResourceModel ? never : Promise<void>);

/** An endpoint of the application's own. Its answer becomes the envelope's `data`; a thrown `Problem` its error. */
export interface EndpointOptions<
  Fields extends InputFields = InputFields,
  Said extends EndpointOutput = JsonSchema,
  Accepts extends BodyKind = BodyKind,
  Params extends InputFields = None,
  Query extends InputFields = None,
> {
  readonly method: HttpMethod;
  /** Below `/api/v1`, with or without that prefix; parameters as `:name`. */
  readonly path: string;
  /** Methods of which any one is enough; an empty list is open. `['jwt']` where it is not given. */
  readonly auth?: readonly ApiMethodName[];
  /** Roles of which the caller needs one; super_admin always passes. An application has no role. */
  readonly roles?: readonly string[];
  /**
   * Kind of body: `json` unless given; `form` (`application/x-www-form-urlencoded`); `multipart` with files; `bytes`
   * of any type.
   */
  readonly accepts?: Accepts;
  /** How much a multipart body or a stream may bring. */
  readonly limits?: BodyLimits;
  /** Fields of the body; they are validated like those of a resource (422). */
  readonly input?: Fields;
  /** A field for each parameter of the path, which are all required; an invalid value is 400. */
  readonly params?: Params;
  /** Fields of the query; an invalid value, or a name that comes twice, is 400. Other names are ignored. */
  readonly query?: Query;
  readonly status?: 200 | 201;
  /** True if `handle` may send mail as its caller, by `mail.send`. A scope of the system always may. */
  readonly mail?: boolean;
  readonly summary?: Label;
  /** Text beyond the summary; a blank line begins a paragraph, backticks hold code. */
  readonly description?: Label;
  /**
   * Result of `handle`: a model (the result of `defineResource`), whose record in its detail view it is, which the
   * compiler holds it to; or a JSON Schema, for the API description only. Anything or nothing where not given.
   */
  readonly output?: Said;
  /**
   * Media type, or range of them (`image/*`), of a response made with `answer`, for the API description; `output` is
   * its schema then.
   */
  readonly media?: string;
  /** Problems that `handle` throws, for the API description. */
  readonly problems?: readonly (ProblemName | MakeProblem)[];
  readonly handle: (context: EndpointContext<Fields, Accepts, Params, Query>) => Handled<Said>;
}

/** An endpoint as an application holds it, made by `defineEndpoint` only; what its fields are, its handler knows. */
export interface EndpointDefinition extends Omit<EndpointOptions, 'params' | 'query' | 'output' | 'handle'> {
  readonly params?: InputFields;
  readonly query?: InputFields;
  readonly output?: EndpointOutput;
  readonly handle: (context: EndpointContext) => Answered<JsonSchema> | Promise<Answered<JsonSchema>>;
}

/** A model or a JSON Schema. */
const outputOption: OptionCheck = (value, path) =>
  isResourceModel(value) ? undefined : plainObject(value, path);

const mediaOption: OptionCheck = (value, path) =>
  textual(value, path) ??
  // A range, as the description takes: `answer` gives the type itself.
  (isMediaRangeText(String(value)) ? undefined : `${path} must be a media type or a range of them`);

const namedProblem = oneOf(...Object.keys(problemTable));

const anyProblem: OptionCheck = (value, path) =>
  isOwnProblem(value) ? undefined : namedProblem(value, path);

const options = {
  method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path: textual,
  auth: methodsOption,
  roles: texts,
  accepts: oneOf(...bodyKinds),
  limits: limitsOption,
  input: fieldsOption,
  params: fieldsOption,
  query: fieldsOption,
  status: oneOf(200, 201),
  mail: flag,
  summary: label,
  description: label,
  output: outputOption,
  media: mediaOption,
  problems: listOf(anyProblem),
  handle: code,
} satisfies OptionTable<EndpointOptions>;

/** @throws DefinitionError that names the endpoint by its method and path */
const check = (definition: object): void => {
  const { method, path, input, params, query, handle } = definition as Partial<EndpointDefinition>;
  const name = [method, path].every((part) => typeof part === 'string')
    ? `endpoint ${method} ${path}`
    : 'endpoint';
  const missing = Object.entries({ method, path, handle }).find(([, value]) => value === undefined)?.[0];
  const flaw = optionsFlaw(definition, options) ?? (missing && `it has no ${missing}`);
  const mistake = flaw ?? bodyFlaw(definition);
  if (mistake !== undefined) throw new DefinitionError(name, mistake);
  for (const fields of [input, params, query])
    for (const [field, each] of Object.entries(fields ?? {})) checkField(name, field, each);
  if (params === undefined) return;
  const inPath = [...(path ?? '').matchAll(/:([^/]+)/g)].map(([, each = '']) => each);
  const stranger = Object.keys(params).find((each) => !inPath.includes(each));
  if (stranger !== undefined) throw new DefinitionError(name, `the path has no parameter :${stranger}`);
  const undeclared = inPath.find((each) => !Object.hasOwn(params, each));
  if (undeclared !== undefined) throw new DefinitionError(name, `params has no field ${undeclared}`);
};

const made = new WeakSet<object>();

/**
 * Defines an endpoint; a file in `endpoints/` that exports it by default is taken up without any other edit.
 * @throws DefinitionError for an unknown option or a value of the wrong type
 */
export const defineEndpoint = <
  const Fields extends InputFields = None,
  Said extends EndpointOutput = JsonSchema,
  const Accepts extends BodyKind = 'json',
  const Params extends InputFields = None,
  const Query extends InputFields = None,
>(
  definition: EndpointOptions<Fields, Said, Accepts, Params, Query>,
): EndpointDefinition => {
  check(definition);
  // The type of the handler's fields follows from these very fields: see `applicationEndpoints`.
  const endpoint = Object.freeze({ ...definition }) as unknown as EndpointDefinition;
  made.add(endpoint);
  return endpoint;
};

const files = new WeakMap<EndpointDefinition, string>();

/** Notes the file that an endpoint was found in. */
export const definedIn = (definition: EndpointDefinition, file: string): EndpointDefinition => {
  files.set(definition, file);
  return definition;
};

export const fileOf = (definition: EndpointDefinition): string | undefined => files.get(definition);

export const isEndpointDefinition = (value: unknown): value is EndpointDefinition =>
  typeof value === 'object' && value !== null && made.has(value);
