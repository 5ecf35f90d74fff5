/** Commands that save, change and delete a user's views of lists, and the checks of a view's query. */

import { toQuery } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { valueSchemas } from '../../http/schemas.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import {
  defineEntityCommand,
  type EntityCommand,
  type InputViolation,
  insertedId,
  ViolationError,
} from '../../ledger/command.ts';
import { actingUserId, type Change } from '../../ledger/context.ts';

/**
 * Maximum number of views of one user, over all lists.
 * @limit Accounts and credentials | saved views of a user | count | 422 `too_many`
 */
const maxViews = 200;

/**
 * Maximum size of a view's query as JSON, in bytes.
 * @limit Accounts and credentials | a saved view | bytes | 422 `view_query`
 */
const maxQueryBytes = 8192;

const { text } = valueSchemas;

/** A stored query: conditions by field, a sort order, and the columns in their order. */
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
  description: `${maxQueryBytes} bytes at most`,
};

/** A JSON field has a schema that does not describe a query. */
const withQuery = (schema: JsonSchema): JsonSchema => {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return { ...schema, properties: { ...properties, query: querySchema } };
};

const isScalar = (value: Json): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const isSort = (value: Json): boolean =>
  isJsonObject(value) &&
  Object.keys(value).length === 2 &&
  typeof value['field'] === 'string' &&
  (value['order'] === 'ASC' || value['order'] === 'DESC');

/** Checks of the parts of a query. */
const parts: Readonly<Record<string, (value: Json) => boolean>> = {
  filter: (value) => isJsonObject(value) && Object.values(value).every(isScalar),
  sort: isSort,
  columns: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
};

const isQuery = (value: Json): boolean =>
  isJsonObject(value) &&
  Object.entries(value).every(([name, part]) => Object.hasOwn(parts, name) && parts[name]?.(part) === true) &&
  Buffer.byteLength(JSON.stringify(value)) <= maxQueryBytes;

const fields = {
  name: field.string({ required: true, max: 60 }),
  query: field.json({ required: true }),
  shared: field.boolean(),
};

/** Options that the commands to create and to change a view share. */
const common = {
  bodyKey: 'view',
  refine: withQuery,
  constraints: { unique: { field: 'name', rule: 'unique' } },
  check: async ({ query }: { readonly query?: Json }): Promise<readonly InputViolation[]> =>
    query === undefined || isQuery(query)
      ? []
      : [{ field: 'query', rule: 'view_query', params: { max: maxQueryBytes } }],
} as const;

/** Commands change the views of their own user only; their policy admits only users. */
const ownerOf = ({ actor }: Change): number => actingUserId(actor) ?? 0;

/** The refusal for a view that is not the caller's: a shared one is known to them. */
const notOwn = async ({ transaction, tables }: Change, id: number): Promise<Problem> => {
  const view = tables
    .selectFrom('gatewright_views')
    .select('id')
    .where('id', '=', id)
    .where('shared', '=', true);
  return new Problem((await transaction.get(toQuery(view))) === undefined ? 'record_not_found' : 'forbidden');
};

const createView = defineEntityCommand({
  ...common,
  verb: 'create',
  operation: 'createView',
  summary: { 'zh-CN': '保存列表视图', en: 'Save a view of a list' },
  description: {
    'zh-CN': `同一列表中名称唯一，每人最多 ${maxViews} 个。`,
    en: `Its name is unique among the views of the list; each administrator has ${maxViews} at most.`,
  },
  input: { resource: field.string({ required: true, max: 200 }), ...fields },
  run: async (call) => {
    const { transaction, tables, at, values } = call;
    const owner = ownerOf(call);
    const counted = tables
      .selectFrom('gatewright_views')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('user_id', '=', owner);
    const { count } = (await transaction.get<{ count: number }>(toQuery(counted))) ?? { count: 0 };
    if (Number(count) >= maxViews)
      throw new ViolationError({ field: 'name', rule: 'too_many', params: { max: maxViews } });
    const { resource, name, query, shared } = values;
    const columns = { user_id: owner, resource, name, query: JSON.stringify(query), shared: shared ?? false };
    const insert = tables
      .insertInto('gatewright_views')
      .values({ ...columns, created_at: at, updated_at: at })
      .returning('id');
    return { key: await insertedId(call, insert) };
  },
});

const updateView = defineEntityCommand({
  ...common,
  verb: 'update',
  operation: 'updateView',
  summary: { 'zh-CN': '修改列表视图', en: 'Change a view of a list' },
  input: fields,
  problems: ['record_not_found', 'forbidden'],
  run: async (call) => {
    const { name, query, shared } = call.values;
    const update = call.tables
      .updateTable('gatewright_views')
      .set({
        name,
        query: query === undefined ? undefined : JSON.stringify(query),
        shared: shared ?? undefined,
        updated_at: call.at,
      })
      .where('id', '=', call.id)
      .where('user_id', '=', ownerOf(call));
    if ((await call.transaction.run(toQuery(update))) === 0) throw await notOwn(call, call.id);
    return {};
  },
});

const deleteView = defineEntityCommand({
  verb: 'remove',
  operation: 'deleteView',
  summary: { 'zh-CN': '删除列表视图', en: 'Delete a view of a list' },
  problems: ['record_not_found', 'forbidden'],
  run: async (call) => {
    const removal = call.tables
      .deleteFrom('gatewright_views')
      .where('id', '=', call.id)
      .where('user_id', '=', ownerOf(call));
    if ((await call.transaction.run(toQuery(removal))) === 0) throw await notOwn(call, call.id);
    return {};
  },
});

/**
 * Views are settings of a user, like a language: others see a shared one and cannot change it, and the audit log has no
 * lines about them.
 */
export const viewCommands: readonly EntityCommand[] = [createView, updateView, deleteView];
