import { field } from '../../fields/define.ts';
import type { JsonSchema, RuleViolation } from '../../fields/field.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import { viewEntity } from '../../service/views/entity.ts';
import { maxViews, type ViewRefusal } from '../../service/views/views.ts';
import { entityPolicy, showEntity } from '../entity.ts';
import { createInput, refuseInvalid } from '../input.ts';
import type { Services } from '../services.ts';
import { idOf, reachesIn, userOf } from '../shared.ts';
import { adminAuth, adminTag } from './area.ts';

/** Bytes of a view's query as JSON. */
const queryBytes = 8192;

const text: JsonSchema = { type: 'string' };

/** What a view remembers: conditions by field, an order, the columns in theirs. */
const querySchema: JsonSchema = {
  type: 'object',
  properties: {
    filter: {
      type: 'object',
      description: 'conditions: `status`, `amount@gte`, and `q` for the free search',
    },
    sort: {
      type: 'object',
      properties: { field: text, order: { type: 'string', enum: ['ASC', 'DESC'] } },
      required: ['field', 'order'],
      additionalProperties: false,
    },
    columns: { type: 'array', items: text, description: 'shown columns in their order' },
  },
  additionalProperties: false,
  description: `${queryBytes} bytes at most`,
};

/** Nothing of what is said of a value that may be anything holds for it. */
const withQuery = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...(isJsonObject(schema['properties']) ? schema['properties'] : {}), query: querySchema },
});

const isScalar = (value: Json): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const isSort = (value: Json): boolean =>
  isJsonObject(value) &&
  Object.keys(value).length === 2 &&
  typeof value['field'] === 'string' &&
  (value['order'] === 'ASC' || value['order'] === 'DESC');

/** Each part of a query, and what it may be. */
const parts: Readonly<Record<string, (value: Json) => boolean>> = {
  filter: (value) => isJsonObject(value) && Object.values(value).every(isScalar),
  sort: isSort,
  columns: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
};

const isQuery = (value: Json | undefined): boolean =>
  isJsonObject(value) &&
  Object.entries(value).every(([name, part]) => Object.hasOwn(parts, name) && parts[name]?.(part) === true) &&
  Buffer.byteLength(JSON.stringify(value)) <= queryBytes;

/** How the administrator who asks looks at lists: their own views, which nobody else sees. */
export const viewEndpoints = (services: Services): Endpoint[] => {
  const { locale, views } = services;
  const path = '/admin/views';
  const named = { name: field.string({ required: true, max: 60 }), query: field.json({ required: true }) };
  const input = createInput({ resource: field.string({ required: true, max: 200 }), ...named }, locale);
  const change = createInput(named, locale);
  const answer = showEntity(services, viewEntity);
  const common = { auth: adminAuth, policy: entityPolicy(viewEntity) } as const;
  const body = { accepts: 'json', bodyKey: 'view' } as const;

  const read = (call: Call, fields: typeof input, action: 'create' | 'update') => {
    const { values, errors } = fields.read(call.body, action);
    const wrong = values['query'] !== undefined && !isQuery(values['query'] as Json);
    const flaw = fields.error('query', { rule: 'view_query', params: { max: queryBytes } });
    refuseInvalid(wrong && !errors.some((each) => each.field === 'query') ? [...errors, flaw] : errors);
    return values;
  };
  const refuse = (refusal: ViewRefusal): never => {
    const violation: RuleViolation =
      refusal === 'taken' ? { rule: 'unique' } : { rule: 'too_many', params: { max: maxViews } };
    throw new Problem('invalid_record', { errors: [input.error('name', violation)] });
  };

  return [
    {
      operation: 'createView',
      method: 'POST',
      path,
      ...common,
      ...body,
      input: withQuery(input.schema),
      status: 201,
      docs: {
        summary: { 'zh-CN': '保存列表视图', en: 'Save a view of a list' },
        description: {
          'zh-CN': `同一列表中名称唯一，每人最多 ${maxViews} 个。`,
          en: `Its name is unique among the views of the list; each administrator has ${maxViews} at most.`,
        },
        tag: adminTag,
        data: viewEntity.schema,
      },
      handle: async (call) => {
        const { resource, name, query } = read(call, input, 'create');
        const values = { resource: String(resource), name: String(name), query: query as never };
        const id = await views.create(userOf(call).id, values);
        return typeof id === 'number' ? answer(call, id) : refuse(id);
      },
    },
    {
      operation: 'updateView',
      method: 'PATCH',
      path: `${path}/:id`,
      ...common,
      ...body,
      input: withQuery(change.schema),
      docs: {
        summary: { 'zh-CN': '修改列表视图', en: 'Change a view of a list' },
        tag: adminTag,
        data: viewEntity.schema,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        const { name, query } = read(call, change, 'update');
        const id = idOf(call);
        const refusal = await views.update(userOf(call).id, id, {
          ...(name === undefined ? {} : { name: String(name) }),
          ...(query === undefined ? {} : { query: query as never }),
        });
        return refusal === undefined ? answer(call, id) : refuse(refusal);
      },
      reaches: reachesIn(services.database, viewEntity),
    },
    {
      operation: 'deleteView',
      method: 'DELETE',
      path: `${path}/:id`,
      ...common,
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '删除列表视图', en: 'Delete a view of a list' },
        tag: adminTag,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        await views.remove(userOf(call).id, idOf(call));
        return {};
      },
      reaches: reachesIn(services.database, viewEntity),
    },
  ];
};
