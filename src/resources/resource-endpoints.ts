/** `resourceEndpoints`: the endpoints of one model in one area, from list to restore. */

import { methodsNamed } from '../auth/registry.ts';
import { parseId } from '../fields/values.ts';
import { checkedModels, idOf } from '../http/call.ts';
import { scopeProblems } from '../http/describe.ts';
import type { Answer, Call, Endpoint } from '../http/endpoint.ts';
import { answerGroups, answerList } from '../http/list-endpoint.ts';
import { acceptedVersions, isKnown, tagOf, tagOfVariant } from '../http/preconditions.ts';
import { JsonText } from '../kernel/json.ts';
import { type Label, labelText } from '../kernel/messages.ts';
import { Problem, type ProblemKind } from '../kernel/problem.ts';
import { idempotentRequest } from '../ledger/idempotency.ts';
import { isHeld } from '../model/deletion.ts';
import { groupSchema } from '../model/group-schema.ts';
import { nestedInputs, withNested } from '../model/nested-schema.ts';
import type { Action, ResourceModel, View } from '../model/resource.ts';
import { conditionalFields, inputSchema, listItemSchema, outputSchema } from '../model/schema.ts';
import { fieldsOfBodies } from '../policy/decide.ts';
import { type Included, nothingIncluded, parseIncluded, type Related } from '../records/relations.ts';
import type { Area } from './area.ts';
import { batchEndpoint } from './endpoints/batch-endpoint.ts';
import { actorGrants, historyEndpoint } from './endpoints/history-endpoints.ts';
import { importEndpoint } from './endpoints/import-endpoint.ts';
import { anyAccess, nestedProblems } from './endpoints/nested-bodies.ts';
import { referencesEndpoints } from './endpoints/reference-endpoints.ts';
import { deletionWords, recordWords, trashingWords, uniqueWords } from './endpoints/resource-words.ts';
import { restoreEndpoint } from './endpoints/restore-endpoint.ts';
import { answerTrash, answerTrashed, trashedQuery, trashedSchema } from './endpoints/trash-endpoints.ts';
import { grantsOfRelated, managedRule, relatedFor, ruleOf } from './operations/area.ts';
import { touchesOthers } from './operations/cascade-links.ts';
import { remove } from './operations/remove.ts';
import { createForRequest, update } from './operations/save.ts';
import type { ServedResource } from './operations/served-resource.ts';
import { actingFor } from './operations/transaction.ts';
import type { RecordWrite } from './operations/writing.ts';

const label = (chinese: string, english: string, model: ResourceModel): Label => ({
  'zh-CN': chinese + labelText(model.label, 'zh-CN'),
  en: `${english} ${labelText(model.label, 'en')}`,
});

/** `blog_posts` → `BlogPosts`, for the name of the operation that lists them. */
const pluralNoun = ({ plural }: ResourceModel): string =>
  plural
    .split('_')
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('');

const listLabel = (model: ResourceModel): Label => ({
  'zh-CN': `列出${labelText(model.label, 'zh-CN')}`,
  en: `List ${model.plural.replaceAll('_', ' ')}`,
});

const aggregateLabel = (model: ResourceModel): Label => ({
  'zh-CN': `汇总${labelText(model.label, 'zh-CN')}`,
  en: `Aggregate ${model.plural.replaceAll('_', ' ')}`,
});

const saved = (json: string, headers: Readonly<Record<string, string>>): Answer => ({
  data: new JsonText(json),
  headers,
});

const isWrite = (action: Action): boolean => action !== 'list' && action !== 'detail';

/** Whether a write runs code of the application, which may ask for anything. */
const hasHooks = ({ hooks }: ResourceModel): boolean =>
  Object.values(hooks).some((hook) => hook !== undefined);

/** Whether a write can lose to another: for a value that is there once, or a record that is referred to. */
const canCollide = (model: ResourceModel): boolean =>
  model.unique.length > 0 ||
  [...model.fields.values()].some(({ unique, reference }) => unique || reference !== undefined);

/** Problems of a deletion: of references that keep the record, and of all that goes with it. */
const deletionProblems = ({ model, context, cascade }: ServedResource): readonly ProblemKind[] => [
  ...(isHeld(context.models, model.name) ? (['still_referenced'] as const) : []),
  ...(touchesOthers(cascade) ? (['cascade_too_large'] as const) : []),
  ...(cascade.runsHooks ? [...scopeProblems, ...cascade.reached.flatMap(({ problems }) => problems)] : []),
];

/** The endpoints of a resource. Adding one, or an area, is here; what they do is in `operations`. */
export const resourceEndpoints = (resource: ServedResource, area: Area, baseUrl: string): Endpoint[] => {
  const { model } = resource;
  const { locale, models } = resource.context;
  const path = area.path(model);
  const origin = new URL(baseUrl).origin;
  const savedView = area.name === 'admin' ? 'admin' : 'saved';
  const detailView = area.name === 'admin' ? 'admin' : 'detail';
  const written = fieldsOfBodies(model, area.name);
  const nested = nestedInputs(model, models, anyAccess(area));
  const fieldsOf = (view: View): readonly string[] =>
    area.name === 'admin' ? [...model.fields.keys()] : model.views[view];

  const optional: ReadonlySet<string> = area.name === 'admin' ? new Set() : conditionalFields(model);

  const ofRelated = grantsOfRelated(model, models, area);
  const relatedOf = (call: Call): Related =>
    relatedFor(resource.context, { principal: call.principal, area });
  const includedIn = (call: Call): Included =>
    call.query === ''
      ? nothingIncluded
      : parseIncluded(resource.records.source, call.grant, call.query, relatedOf(call));

  const common = (action: Action) => ({
    grantsOnRelated: ofRelated,
    auth: area.auth(model, action),
    policy: ruleOf(model, resource.context.models, action, area),
    ...(isWrite(action) && (hasHooks(model) || resource.nested.length > 0)
      ? { grantsOn: checkedModels(resource.context.models.values()) }
      : {}),
  });
  const body = (action: 'create' | 'update') => ({
    accepts: area.accepts,
    bodyKey: model.singular,
    input: withNested(inputSchema(model, action, written, locale), action, nested, locale),
  });
  const docs = (
    summary: Label,
    view: View | undefined,
    problems: readonly ProblemKind[] = [],
    description?: Label,
  ) => {
    const schemaOf = view === 'list' ? listItemSchema : outputSchema;
    return {
      summary,
      ...(description === undefined ? {} : { description }),
      tag: area.tag(model, locale),
      ...(view === undefined ? {} : { data: schemaOf(model, fieldsOf(view), locale, optional) }),
      problems,
    };
  };

  // Without any rule of a field's own, the owner that the service sets may still be taken: 422.
  const collision = canCollide(model) ? (['conflict', 'invalid_record'] as const) : [];
  const inside = nestedProblems(resource);

  const standing = async (grant: Call['grant'], { id: text = '' }: Call['params']) => {
    const id = parseId(text);
    return id === undefined ? undefined : resource.records.standing(grant, id);
  };
  const reaches: Endpoint['reaches'] = async (grant, params) => (await standing(grant, params)) !== undefined;
  const writes: Endpoint['writes'] = async (grant, params) =>
    (await standing(grant, params))?.writable === true;

  const isInTrash: Endpoint['reaches'] = async (grant, { id: text = '' }) => {
    const id = parseId(text);
    if (id === undefined) return false;
    return (await resource.context.trash.find(resource.records.source, grant, id)) !== undefined;
  };

  const forRecord: Endpoint['forRecord'] = async (grant, params) => {
    const found = await standing(grant, params);
    if (found === undefined) return 'missing';
    if (!found.writable) return 'forbidden';
    return grant.held === undefined
      ? grant
      : resource.records.settled(grant, grant.held, parseId(params['id'] ?? '') ?? 0);
  };

  const hides: Endpoint['hides'] = async (grant, params) => {
    const id = parseId(params['id'] ?? '') ?? 0;
    return (await resource.records.hidden(grant, [id])).get(id) ?? new Set();
  };

  const writeOf = (call: Call): RecordWrite => ({
    resource,
    grant: call.grant,
    acting: actingFor(call, area),
  });

  const show = async (call: Call): Promise<Answer> => {
    const included = includedIn(call);
    const from = call.reader && (await call.reader());
    const record = await resource.show(call.grant, idOf(call), [], { included, by: call, from });
    if (record === undefined) throw new Problem('record_not_found');
    const tag = tagOf(record.json, record.version ?? 0, detailView, included, call.grant);
    const headers = { ETag: tag };
    return isKnown(call, tagOfVariant(tag, call.variant))
      ? { status: 304, headers }
      : saved(record.json, headers);
  };

  const post = async (call: Call): Promise<Answer> => {
    const key = call.header('idempotency-key');
    const included = includedIn(call);
    const asked = included === nothingIncluded ? '' : call.query;
    const request =
      key === undefined
        ? undefined
        : idempotentRequest(key, call.principal, 'POST', path, call.bytes, { model: model.name, asked });
    const created = await createForRequest(writeOf(call), call.body, request, savedView, included);
    return saved(created.data, created.headers);
  };

  const patch = async (call: Call): Promise<Answer> => {
    const versions = acceptedVersions(call);
    const included = includedIn(call);
    const record = await update(writeOf(call), idOf(call), call.body, versions, included);
    return saved(record.json, {
      ETag: tagOf(record.json, record.version, savedView, included, call.grant),
    });
  };

  const versions = model.history
    ? [historyEndpoint(resource, area, common('detail'), { fields: fieldsOf('detail'), optional }, origin)]
    : [];
  // Only administrators, and those who manage records, restore one: others do not know that it was there.
  const inAdministration = area.name === 'admin';
  const isManaged = !inAdministration && model.rules.manage !== undefined;
  const trashing = model.trash && (inAdministration || isManaged);
  // A public list authenticates no caller; its trash is for those who authenticate.
  const ofTrash = isManaged && {
    auth: methodsNamed(model.auth.list),
    policy: managedRule(model, 'list', area),
  };
  const managedRestore = {
    auth: area.auth(model, 'create'),
    policy: managedRule(model, 'create', area),
    grantsOn: checkedModels(models.values()),
    reaches: isInTrash,
  };
  const restoring = isManaged ? managedRestore : common(model.history ? 'update' : 'create');
  const restores =
    isManaged || (inAdministration && (model.history || model.trash))
      ? [restoreEndpoint(resource, area, restoring, { fields: fieldsOf('saved'), optional })]
      : [];
  const shown = docs(label('查看', 'Show', model), 'detail', ['record_not_found'], recordWords('detail'));
  const trashGrants = trashing ? actorGrants(resource) : {};
  const withTrash = (docs: Endpoint['docs']): Endpoint['docs'] =>
    trashing && docs.data !== undefined
      ? { ...docs, data: trashedSchema(docs.data), query: [trashedQuery] }
      : docs;
  return [
    {
      operation: area.operation('list', pluralNoun(model)),
      method: 'GET',
      path,
      ...common('list'),
      ...trashGrants,
      accepts: 'nothing',
      csv: true,
      mayLag: true,
      docs: withTrash({ ...docs(listLabel(model), 'list'), list: true }),
      ...(ofTrash === false ? {} : { ofTrash }),
      handle: (call) =>
        (trashing ? answerTrash(resource, call, area, origin) : undefined) ??
        answerList(resource.list, call, origin, relatedOf(call)),
    },
    {
      // Groups show what the list lets see, and nothing else: the same methods, the same policy.
      operation: area.operation('aggregate', pluralNoun(model)),
      method: 'GET',
      path: `${path}/aggregate`,
      ...common('list'),
      accepts: 'nothing',
      csv: true,
      mayLag: true,
      docs: {
        ...docs(aggregateLabel(model), undefined),
        data: groupSchema(model, fieldsOf('list'), locale, optional),
        list: true,
        part: 'aggregate',
      },
      handle: (call) => answerGroups(resource.aggregate, call, origin, relatedOf(call)),
    },
    {
      operation: area.operation('get', model.name),
      method: 'GET',
      path: `${path}/:id`,
      ...common('detail'),
      ...(inAdministration ? trashGrants : {}),
      accepts: 'nothing',
      mayLag: true,
      docs: inAdministration ? withTrash(shown) : shown,
      handle: (call) => (inAdministration ? answerTrashed(resource, call, area) : undefined) ?? show(call),
      reaches,
      forRecord,
      hides,
    },
    {
      operation: area.operation('create', model.name),
      method: 'POST',
      path,
      ...common('create'),
      ...body('create'),
      status: 201,
      docs: docs(
        label('创建', 'Create', model),
        'saved',
        ['invalid_parameter', 'idempotency_conflict', ...collision, ...inside],
        recordWords('create', uniqueWords(model)),
      ),
      handle: post,
    },
    batchEndpoint(resource, area, area.operation('batch', pluralNoun(model)), nested, {
      fields: fieldsOf('saved'),
      optional,
    }),
    ...(area.name === 'admin'
      ? [importEndpoint(resource, area, area.operation('import', pluralNoun(model)))]
      : []),
    {
      operation: area.operation('update', model.name),
      method: 'PATCH',
      path: `${path}/:id`,
      ...common('update'),
      ...body('update'),
      docs: docs(
        label('修改', 'Update', model),
        'saved',
        ['record_not_found', 'stale', ...collision, ...inside],
        recordWords('update', uniqueWords(model)),
      ),
      handle: patch,
      reaches,
      writes,
      forRecord,
      hides,
    },
    {
      operation: area.operation('delete', model.name),
      method: 'DELETE',
      path: `${path}/:id`,
      ...common('destroy'),
      accepts: 'nothing',
      docs: docs(
        label('删除', 'Delete', model),
        undefined,
        ['record_not_found', 'stale', ...deletionProblems(resource)],
        recordWords('destroy', (trashing ? trashingWords : deletionWords)(models, model.name)),
      ),
      handle: async (call) => {
        await remove(writeOf(call), idOf(call), acceptedVersions(call));
        return {};
      },
      reaches,
      writes,
      forRecord,
      hides,
    },
    ...versions,
    ...restores,
    ...(area.name === 'admin' ? referencesEndpoints(resource, area) : []),
  ];
};
