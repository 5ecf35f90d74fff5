/** The endpoint that writes many records of a resource in one transaction, and its schemas. */

import type { JsonSchema } from '../../fields/field.ts';
import { checkedModels } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { JsonText } from '../../kernel/json.ts';
import type { Label } from '../../kernel/messages.ts';
import { idempotentRequest } from '../../ledger/idempotency.ts';
import { type NestedInput, withNested } from '../../model/nested-schema.ts';
import { inputSchema, outputSchema } from '../../model/schema.ts';
import { fieldsOfBodies } from '../../policy/decide.ts';
import type { AnsweredFields, Area } from '../area.ts';
import { maxBatch, readBatch, writeBatch } from '../operations/batch.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { actingFor } from '../operations/transaction.ts';
import { nestedProblems } from './nested-bodies.ts';
import { titleOfMany } from './record-endpoints.ts';

const id: JsonSchema = { type: 'integer', minimum: 1 };
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** The record with its id first. */
const identified = (record: JsonSchema): JsonSchema => ({
  ...record,
  properties: { id, ...(record['properties'] as JsonSchema) },
  required: ['id'],
});

const description: Label = {
  'zh-CN': `依次修改、删除、新建，最多 ${maxBatch} 条，在一个事务中：任一条被拒绝则全部不写入。各条遵循其操作自身的认证方式、权限、校验与钩子；校验信息的字段形如 \`create.17.sku\`，不存在或不可见的 id 为 \`update.3.id\`。`,
  en: `Updates, then deletes, then creates up to ${maxBatch} records in one transaction: where one is refused, nothing is written. Each is held to its own action's methods of authentication, permissions, validation and hooks; messages name fields such as \`create.17.sku\`, and \`update.3.id\` for an id that is not there or not readable.`,
};

/** Writes many records of a resource at once. The policy of each action is asked for the records that it is about. */
export const batchEndpoint = (
  resource: ServedResource,
  area: Area,
  operation: string,
  nested: readonly NestedInput[],
  { fields, optional }: AnsweredFields,
): Endpoint => {
  const { model, context } = resource;
  const { locale } = context;
  const path = `${area.path(model)}/batch`;
  const methods = (['create', 'update', 'destroy'] as const).flatMap((action) => area.auth(model, action));
  const body = (action: 'create' | 'update'): JsonSchema =>
    withNested(inputSchema(model, action, fieldsOfBodies(model, area.name), locale), action, nested, locale);
  const saved = outputSchema(model, fields, locale, optional);
  return {
    operation,
    method: 'POST',
    path,
    auth: [...new Set(methods)],
    policy: area.entrance,
    grantsOn: checkedModels(context.models.values()),
    accepts: 'json',
    checksNames: true,
    input: {
      type: 'object',
      properties: {
        create: listOf(body('create')),
        update: listOf(identified(body('update'))),
        delete: listOf(id),
      },
      additionalProperties: false,
    },
    docs: {
      summary: titleOfMany('批量写入', 'Write several', model),
      description,
      tag: area.tag(model, locale),
      data: {
        type: 'object',
        properties: {
          created: listOf(saved),
          updated: listOf(saved),
          deleted: { type: 'integer', minimum: 0 },
        },
        required: ['created', 'updated', 'deleted'],
      },
      idempotent: true,
      problems: [
        'invalid_parameter',
        'batch_too_large',
        'forbidden',
        'conflict',
        'still_referenced',
        'invalid_record',
        'transaction_timeout',
        ...model.problems,
        ...nestedProblems(resource),
      ],
    },
    handle: async (call) => {
      const key = call.header('idempotency-key');
      const isStrict = call.applyStrict();
      const request = idempotentRequest(key, call.principal, 'POST', path, call.bytes, {
        model: model.name,
        isStrict,
      });
      const batch = { ...readBatch(resource, call.body), isStrict };
      const data = await writeBatch(resource, actingFor(call, area), batch, request);
      return { data: new JsonText(data) };
    },
  };
};
