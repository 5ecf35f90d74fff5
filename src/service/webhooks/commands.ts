import type { Transaction } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import type { JsonSchema, RuleViolation } from '../../fields/field.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import { always, computed, schemaOf } from '../../records/entity.ts';
import { recordedActions } from '../../records/history/recorded.ts';
import { defineEntityCommand, type EntityCommand, type InputViolation, insertedId } from '../command.ts';
import { actingUserId } from '../context.ts';
import { defaultOverlapSeconds, overlapField } from '../overlap.ts';
import { webhookEntity } from './entity.ts';
import { type DisabledReason, lockWebhook, urlInAudit, webhookAudit } from './webhooks.ts';

/** Parts of the service that commands on webhooks use. */
export interface WebhookCommandParts {
  /** Models whose changes become events. */
  readonly models: readonly string[];
  readonly webhooks: {
    isAllowedUrl(url: string): boolean;
    newSecret(): { readonly secret: string; readonly sealed: string };
    /** Number of the last event that was committed before the call. */
    latest(): Promise<number>;
    /** Sends due deliveries. */
    look(): Promise<void>;
    /** Adds a job that removes the deliveries of a webhook. */
    purge(id: number, transaction: Transaction): Promise<unknown>;
    /** Called after the transaction. */
    wake(): void;
  };
  readonly isEnabledUser: (id: number) => Promise<boolean>;
}

const fields = {
  url: field.text({ required: true }),
  models: field.json({ required: true }),
  actions: field.json(),
  user_id: field.integer({ required: true, min: 1 }),
};

const changedFields = { ...fields, disabled: field.boolean({ required: true }) };

/** Schema of an input, with the requirements beyond the types of its fields. */
const refine =
  (names: readonly string[], required?: readonly string[]) =>
  ({ required: _required, properties, ...schema }: JsonSchema): JsonSchema => {
    const known = isJsonObject(properties) ? properties : {};
    const url = isJsonObject(known['url']) ? known['url'] : {};
    return {
      ...schema,
      properties: {
        ...Object.fromEntries(names.map((name) => [name, known[name] ?? {}])),
        url: { ...url, maxLength: 2_000, pattern: '^https?://' },
        models: { type: 'array', items: { type: 'string' }, minItems: 1 },
        actions: { type: 'array', items: { type: 'string', enum: [...recordedActions] }, minItems: 1 },
      },
      ...(required === undefined ? {} : { required }),
    };
  };

/** Returns the rule that a list of names violates. */
const namesViolation = (sent: Json, known: readonly string[]): RuleViolation | undefined => {
  if (sent === null) return { rule: 'required' };
  if (!Array.isArray(sent) || sent.some((item) => typeof item !== 'string'))
    return { rule: 'type', params: { type: 'array' } };
  if (sent.length === 0) return { rule: 'required' };
  const isKnown = new Set(sent).size === known.filter((name) => sent.includes(name)).length;
  if (isKnown) return undefined;
  return { rule: 'enum', params: { choices: known.join(', ') } };
};

/** The names of a validated list, in the order of the definitions. */
const namesIn = (sent: Json, known: readonly string[]): readonly string[] =>
  known.filter((name) => Array.isArray(sent) && sent.includes(name));

interface WebhookInput {
  readonly url?: string;
  readonly models?: Json;
  readonly actions?: Json;
  readonly user_id?: number;
  readonly disabled?: boolean;
}

/** Columns of the input of a change; lists as JSON text. */
const columnsOf = ({ url, user_id: userId }: WebhookInput, lists: JsonObject) => ({
  ...(url === undefined ? {} : { url }),
  ...Object.fromEntries(Object.entries(lists).map(([name, names]) => [name, JSON.stringify(names)])),
  ...(userId === undefined ? {} : { user_id: userId }),
});

const detailOf = ({ url, user_id: userId, disabled }: WebhookInput, lists: JsonObject): JsonObject => ({
  ...(url === undefined ? {} : { url: urlInAudit(url) }),
  ...lists,
  ...(userId === undefined ? {} : { user_id: userId }),
  ...(disabled === undefined ? {} : { disabled }),
});

/** Columns that change with `disabled`: the first reason stays, and an enabled webhook starts without failures. */
const stateOf = (disabled: boolean | undefined, before: boolean, at: string) => {
  if (disabled === undefined || disabled === before) return {};
  return disabled
    ? { disabled: true, disabled_reason: 'by_hand' satisfies DisabledReason, disabled_at: at }
    : { disabled: false, disabled_reason: null, disabled_at: null, failures: 0 };
};

/**
 * Columns of a released lease: its sender ends the attempts it began, and starts no more with the previous settings.
 */
const releasedLease = { lane: null, lane_until: null };

const rotatedSchema: JsonSchema = {
  type: 'object',
  title: 'RotatedSecret',
  properties: {
    secret: { type: 'string' },
    previous_until: { type: ['string', 'null'], format: 'date-time' },
  },
  required: ['secret', 'previous_until'],
};

const shownOnce = { 'zh-CN': '密钥只显示一次。', en: 'The secret is shown once.' } as const;

/** Commands on webhooks. */
export const webhookCommands = ({
  models,
  webhooks,
  isEnabledUser,
}: WebhookCommandParts): EntityCommand[] => {
  const listsOf = ({ models: sent, actions }: WebhookInput): JsonObject => ({
    ...(sent === undefined ? {} : { models: namesIn(sent, models) }),
    ...(actions === undefined ? {} : { actions: namesIn(actions, recordedActions) }),
  });

  const common = {
    bodyKey: 'webhook',
    form: true,
    // The user may be deleted between the look-up and the write.
    constraints: { foreign_key: { field: 'user_id', rule: 'reference' } },
    check: async (input: WebhookInput): Promise<InputViolation[]> => {
      const { url, user_id: userId } = input;
      const lists = { models, actions: recordedActions } as const;
      const violations: InputViolation[] = [];
      for (const name of ['models', 'actions'] as const) {
        const sent = input[name];
        const violation = sent === undefined ? undefined : namesViolation(sent, lists[name]);
        if (violation !== undefined) violations.push({ field: name, ...violation });
      }
      if (url !== undefined && !webhooks.isAllowedUrl(url))
        violations.push({ field: 'url', rule: 'webhook_url' });
      if (userId !== undefined && !(await isEnabledUser(userId)))
        violations.push({ field: 'user_id', rule: 'reference' });
      return violations;
    },
  } as const;

  const create = defineEntityCommand({
    ...common,
    verb: 'create',
    operation: 'createWebhook',
    summary: { 'zh-CN': '创建 Webhook', en: 'Create a webhook' },
    description: {
      'zh-CN': `从下一个事件起通知。\`models\` 须为声明了 \`events: true\` 的模型；\`user_id\` 的权限决定发送的内容。${shownOnce['zh-CN']}`,
      en: `It receives events from the next one on. \`models\` must have \`events: true\`; the rights of \`user_id\` decide what is sent. ${shownOnce.en}`,
    },
    input: fields,
    refine: refine(['url', 'user_id'], ['url', 'models', 'user_id']),
    data: schemaOf('NewWebhook', {
      ...webhookEntity.fields,
      secret: computed(field.string(always), { note: 'whsec_ and base64; shown once' }),
    }),
    // The log may have to number events first, in a transaction of its own.
    prepare: () => webhooks.latest(),
    run: async (call) => {
      const { tables, at, actor, values, prepared: cursor } = call;
      const { secret, sealed } = webhooks.newSecret();
      const input = { ...values, actions: values.actions ?? recordedActions };
      const lists = listsOf(input);
      const insert = tables
        .insertInto('gatewright_webhooks')
        .values({
          ...{ url: values.url, user_id: values.user_id, disabled: false, secret: sealed, cursor },
          ...{ models: JSON.stringify(lists['models']), actions: JSON.stringify(lists['actions']) },
          ...{ created_by: actingUserId(actor), created_at: at, updated_at: at },
        })
        .returning('id');
      const id = await insertedId(call, insert);
      const audit = webhookAudit('create', { id, url: values.url }, detailOf(input, lists));
      return { audit, key: id, data: { secret } };
    },
  });

  const update = defineEntityCommand({
    ...common,
    verb: 'update',
    operation: 'updateWebhook',
    summary: { 'zh-CN': '修改 Webhook', en: 'Change a webhook' },
    description: {
      'zh-CN': '`disabled: false` 重新启用：等待中的按原顺序继续发送。',
      en: '`disabled: false` enables it again: waiting deliveries are sent in their order.',
    },
    input: changedFields,
    refine: refine(['url', 'user_id', 'disabled']),
    problems: ['record_not_found'],
    check: async (input, context) => {
      const { tables, reader, id } = context;
      const find = tables.selectFrom('gatewright_webhooks').select('id').where('id', '=', id);
      if ((await reader.get(toQuery(find))) === undefined) throw new Problem('record_not_found');
      return common.check(input);
    },
    run: async (call) => {
      const { transaction, tables, at, id, values } = call;
      const webhook = await lockWebhook(call, id);
      const lists = listsOf(values);
      const state = stateOf(values.disabled, Boolean(webhook.disabled), at);
      const change = tables
        .updateTable('gatewright_webhooks')
        .set({ ...columnsOf(values, lists), ...state, ...releasedLease, updated_at: at })
        .where('id', '=', id);
      await transaction.run(toQuery(change));
      return { audit: webhookAudit('update', webhook, detailOf(values, lists)) };
    },
    after: () => webhooks.look(),
  });

  const remove = defineEntityCommand({
    verb: 'remove',
    operation: 'deleteWebhook',
    summary: { 'zh-CN': '删除 Webhook', en: 'Delete a webhook' },
    description: {
      'zh-CN': '等待中的消息不再发送，发送记录一并删除。',
      en: 'Its deliveries are deleted, and waiting ones are not sent.',
    },
    problems: ['record_not_found'],
    run: async (call) => {
      const { transaction, tables, id } = call;
      const webhook = await lockWebhook(call, id);
      await transaction.run(toQuery(tables.deleteFrom('gatewright_webhooks').where('id', '=', id)));
      await webhooks.purge(id, transaction);
      return { audit: webhookAudit('delete', webhook) };
    },
    after: () => webhooks.wake(),
  });

  const rotate = defineEntityCommand({
    verb: 'rotate',
    operation: 'rotateWebhookSecret',
    summary: { 'zh-CN': '轮换 Webhook 密钥', en: 'Give a webhook another secret' },
    description: {
      'zh-CN': `\`overlap\` 秒（默认 86400，最多 30 天）内旧密钥同时签名。${shownOnce['zh-CN']}`,
      en: `For \`overlap\` seconds (default 86400, at most 30 days) the previous secret signs as well. ${shownOnce.en}`,
    },
    input: { overlap: overlapField },
    data: rotatedSchema,
    problems: ['record_not_found'],
    run: async (call) => {
      const { transaction, tables, at, now, id } = call;
      const overlap = call.values.overlap ?? defaultOverlapSeconds;
      const { secret, sealed } = webhooks.newSecret();
      const webhook = await lockWebhook(call, id);
      const until = overlap === 0 ? null : toTimestamp(now + overlap * 1_000);
      const previous = until === null ? null : webhook.secret;
      const change = tables
        .updateTable('gatewright_webhooks')
        .set({ secret: sealed, previous_secret: previous, previous_until: until, ...releasedLease })
        .set({ updated_at: at })
        .where('id', '=', id);
      await transaction.run(toQuery(change));
      return { audit: webhookAudit('rotate', webhook, { overlap }), data: { secret, previous_until: until } };
    },
  });

  return [create, update, remove, rotate];
};
