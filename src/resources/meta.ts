/** The metadata endpoints of models: fields, filters, relations and actions, as an area offers them. */

import { type Principal, takes } from '../auth/principal.ts';
import type { RecordKey } from '../fields/key.ts';
import { isNumeric } from '../fields/keys.ts';
import { checkedModels } from '../http/call.ts';
import type { Call, Endpoint, QueryDocs } from '../http/endpoint.ts';
import { languageOf, languageQuery } from '../http/language.ts';
import { isStorableText, type Json, type JsonObject, withoutUndefined } from '../kernel/json.ts';
import { type Label, type Languages, type Locale, labelText } from '../kernel/messages.ts';
import { Problem } from '../kernel/problem.ts';
import { inSentence, spaced } from '../kernel/spacing.ts';
import type { Referrer } from '../model/deletion.ts';
import { type Access, describeModel } from '../model/describe.ts';
import type { Models } from '../model/models.ts';
import { nestedInputs, type WriteAccess } from '../model/nested-schema.ts';
import type { OpenedModel } from '../model/opened-models.ts';
import { type Action, actions, type ModelField, type ResourceModel } from '../model/resource.ts';
import { lackingField } from '../model/schema.ts';
import { decide } from '../policy/decide.ts';
import type { Grant } from '../policy/grant.ts';
import { eachModel } from '../policy/key-scope.ts';
import type { ResourceRule } from '../policy/rule.ts';
import { invalidParameter } from '../records/list.ts';
import { shownFields } from '../records/masked-source.ts';
import { apiArea } from './area.ts';
import { describeRelations } from './meta/meta-relations.ts';
import { metadataSchema } from './meta/meta-schema.ts';
import { type AreaRules, grantsOfRelated, relatedFor, ruleOf } from './operations/area.ts';

/** An endpoint of a resource: one whose policy names the action. */
type ResourceEndpoint = Endpoint & { readonly policy: ResourceRule };

const isOf =
  (model: ResourceModel, area: ResourceRule['area']) =>
  (endpoint: Endpoint): endpoint is ResourceEndpoint =>
    endpoint.policy.kind === 'resource' && endpoint.policy.model === model && endpoint.policy.area === area;

/** The record that metadata is about: one by its id, a new one with some of its values, or else any record. */
interface DescribedRecord {
  readonly id?: string | undefined;
  readonly values?: ReadonlyMap<string, string> | undefined;
}

/** @throws Problem `invalid_parameter` */
const describedRecordOf = (query: string): DescribedRecord => {
  const parameters = new URLSearchParams(query);
  const values = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (name !== 'with' && !name.startsWith('with[')) continue;
    const field = /^with\[([^\]]+)\]$/.exec(name)?.[1];
    if (field === undefined || values.has(field) || !isStorableText(value)) throw invalidParameter(name);
    values.set(field, value);
  }
  const id = parameters.get('id') ?? undefined;
  if (values.size === 0) return { id };
  if (id !== undefined) throw invalidParameter('with');
  return { values };
};

/**
 * Permissions of the caller: of each endpoint, as its own authentication and its own policy decide; with an id, as they
 * are for this record; with values, as they are for a new record that has them.
 * @throws Problem `record_not_found`, `unusable_field`, `invalid_parameter`
 */
const grantsIn = async (
  endpoints: readonly ResourceEndpoint[],
  call: Call,
  { id, values }: DescribedRecord,
): Promise<Access> => {
  const { principal } = call;
  let isReached = id === undefined;
  const reachOf = async (action: Action) => {
    const endpoint = endpoints.find(({ policy }) => policy.action === action && policy.managed === undefined);
    if (endpoint === undefined || !takes(endpoint.auth, principal)) return undefined;
    const decision = decide(endpoint.policy, principal);
    if (decision.allowed && values !== undefined && endpoint.forNew !== undefined)
      return endpoint.forNew(call, decision.grant, values);
    if (!decision.allowed || id === undefined || endpoint.forRecord === undefined)
      return decision.allowed ? decision.grant : undefined;
    const grant = await endpoint.forRecord(decision.grant, { id });
    isReached ||= grant !== 'missing';
    return grant === 'missing' || grant === 'forbidden' ? undefined : grant;
  };
  const reaches = await Promise.all(actions.map(async (action) => [action, await reachOf(action)] as const));
  if (!isReached) throw new Problem('record_not_found');
  const access = Object.fromEntries(reaches) as Record<Action, Grant | undefined>;
  return id === undefined ? access : withoutHidden(access, endpoints, id);
};

/** The permissions without the fields that this record hides. */
const withoutHidden = async (
  access: Readonly<Record<Action, Grant | undefined>>,
  endpoints: readonly ResourceEndpoint[],
  id: string,
): Promise<Access> => {
  const grant = actions.map((action) => access[action]).find((each) => each?.mask !== undefined);
  const hides = endpoints.find((each) => each.hides !== undefined)?.hides;
  if (grant === undefined || hides === undefined) return access;
  const hidden = await hides(grant, { id });
  const seen = actions.map((action) => {
    const each = access[action];
    const reach = each && { readable: shownFields(each.readable, hidden), writable: each.writable };
    return [action, reach] as const;
  });
  return Object.fromEntries(seen) as Record<Action, Access[Action]>;
};

/** Permissions of the caller on records of other models within those of one: as these models' own endpoints decide. */
const writesOf = (
  { principal, area }: { readonly principal: Principal; readonly area: AreaRules },
  models: Models,
): ((model: ResourceModel) => WriteAccess) => {
  const related = relatedFor({ models }, { principal, area });
  return (model) => {
    const writes = (action: 'create' | 'update' | 'destroy'): ReadonlySet<string> | undefined => {
      if (!takes(area.auth(model, action), principal)) return undefined;
      const decision = decide(ruleOf(model, models, action, area), principal);
      return decision.allowed ? decision.grant.writable : undefined;
    };
    const create = writes('create');
    const isPossible = create !== undefined && lackingField(model, create) === undefined;
    const { listed = [], grant } = related(model.name) ?? {};
    return {
      create: isPossible ? create : undefined,
      update: writes('update'),
      destroy: writes('destroy') !== undefined,
      shown: new Set(listed.filter((name) => grant?.readable.includes(name))),
    };
  };
};

const kindOf = ({ id, values }: DescribedRecord): 'model' | 'record' | 'new' => {
  if (values !== undefined) return 'new';
  return id === undefined ? 'model' : 'record';
};

const describe = async (
  model: ResourceModel,
  endpoints: readonly ResourceEndpoint[],
  restores: readonly Endpoint[],
  area: AreaRules,
  { models, locale }: { readonly models: Models; readonly locale: Locale },
  call: Call,
): Promise<JsonObject> => {
  const caller = { principal: call.principal, area };
  const subject = describedRecordOf(call.query);
  const access = await grantsIn(endpoints, call, subject);
  const described = describeModel(
    model,
    access,
    [...endpoints, ...restores].map(({ method, path, auth, policy, docs }) => ({
      action: docs.part ?? (policy.kind === 'resource' ? policy.action : 'restore'),
      method,
      path,
      authentication: auth,
    })),
    locale,
    models,
    nestedInputs(model, models, writesOf(caller, models)),
    kindOf(subject),
  );
  // Relations start from the fields that any response about a record shows.
  const readable = new Set(actions.flatMap((action) => access[action]?.readable ?? []));
  return { ...described, relations: describeRelations(model, readable, caller, { models, locale }) };
};

/** Models whose permission entries decide what a body may hold within its record. */
const grantsWithin = ({ relations }: ResourceModel, models: Models): readonly string[] =>
  [...relations.values()].some(({ write }) => write) ? checkedModels(models.values()) : [];

type MetadataPlace = Pick<Endpoint, 'operation' | 'path' | 'auth' | 'policy'> & {
  readonly area: AreaRules;
  readonly tag: string;
  /** Pages that the model's records open, for those who manage them. */
  readonly opens?: readonly OpenedModel[];
  /** Other models that refer to its records, for callers who manage them. */
  readonly referrers?: readonly Referrer[];
};

const recordQuery = (key: RecordKey): QueryDocs => ({
  name: 'id',
  description: {
    'zh-CN': '某条记录的标识：权限、可见字段与只读字段针对该记录',
    en: 'Id of a record: permissions, visible and read-only fields are those of this record',
  },
  schema: isNumeric(key) ? { type: 'integer' } : key.schema,
});

const valuesQuery: QueryDocs = {
  name: 'with',
  description: {
    'zh-CN': '新记录的部分值，如 `with[clinic_id]=1`：权限与只读字段即以这些值创建时的结果；不能与 `id` 同用',
    en: 'Values of a new record, as in `with[clinic_id]=1`: permissions and read-only fields are those of a create with them. Not together with `id`',
  },
  schema: { type: 'object', additionalProperties: { type: 'string' } },
  style: 'deepObject',
};

/** Name of the records of a model that refer by a field: with the field, where they do so by several. */
const referrerLabel = (label: Label, field: ModelField, fields: number, locale: Locale): string =>
  fields === 1 ? labelText(label, locale) : `${labelText(label, locale)} · ${labelText(field.label, locale)}`;

/**
 * The metadata of a model as one area offers it: read from the area's endpoints, which are the ones that are served.
 */
export const metadataEndpoint = (
  model: ResourceModel,
  { models, served }: { readonly models: Models; readonly served: readonly Endpoint[] },
  { area, tag, opens = [], referrers = [], ...place }: MetadataPlace,
  languages: Languages,
): Endpoint => {
  const endpoints = served.filter(isOf(model, area.name));
  // One that takes the permission of what it is asked for has no action of its own.
  const restores = served.filter(
    ({ docs, source, policy }) =>
      area.name === 'admin' && docs.part === 'restore' && source === model.name && policy.kind !== 'resource',
  );
  return {
    ...place,
    grantsOn: [
      ...new Set([model.name, ...grantsOfRelated(model, models, area), ...grantsWithin(model, models)]),
    ],
    method: 'GET',
    accepts: 'nothing',
    compressed: true,
    docs: {
      summary: {
        'zh-CN': spaced`${labelText(model.label, 'zh-CN')}的元数据`,
        en: `Metadata of ${inSentence(labelText(model.pluralLabel, 'en'))}`,
      },
      description: {
        'zh-CN': '前端渲染列表与表单所需的一切：字段、关联、JSON Schema、uiSchema，以及当前调用者的权限。',
        en: 'Everything that a front end needs for lists and forms: fields, relations, JSON Schemas, uiSchema, and the permissions of this caller.',
      },
      tag,
      data: metadataSchema,
      query: [languageQuery(languages), recordQuery(model.key), valuesQuery],
      problems: ['invalid_parameter', 'unusable_field', 'record_not_found'],
    },
    handle: async (call) => {
      const language = languageOf(call, languages);
      const described = await describe(model, endpoints, restores, area, { models, locale: language }, call);
      const referenced = referrers.map(({ model: { name, pluralLabel }, field }) => ({
        model: name,
        field: field.name,
        label: referrerLabel(
          pluralLabel,
          field,
          referrers.filter((each) => each.model.name === name).length,
          language,
        ),
      }));
      return {
        language,
        data: withoutUndefined<Json>({
          ...described,
          opens: opens.length === 0 ? undefined : opens,
          referenced_by: referenced.length === 0 ? undefined : referenced,
        }),
      };
    },
  };
};

/** `GET /api/v1/meta/<ModelName>`, one for each model: a name that is not a model is an unknown path. */
export const metaEndpoints = (
  models: Models,
  served: readonly Endpoint[],
  languages: Languages,
): Endpoint[] =>
  [...models.values()].map((model) =>
    metadataEndpoint(
      model,
      { models, served },
      {
        area: apiArea,
        operation: `describe${model.name}`,
        path: `/api/v1/meta/${model.name}`,
        auth: ['jwt', 'api_key'],
        policy: { kind: 'user', scope: eachModel },
        tag: model.name,
      },
      languages,
    ),
  );
