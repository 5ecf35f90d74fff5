/** Commands on webhooks, of administrators and of users on their own. */

import type { Transaction } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import type { JsonSchema, RuleViolation } from '../../fields/field.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { isJsonObject, type Json, type JsonObject, withoutUndefined } from '../../kernel/json.ts';
import type { Label } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ProblemName } from '../../kernel/problem-table.ts';
import type { Actor } from '../../ledger/audit.ts';
import {
  defineEntityCommand,
  type EntityCommand,
  type InputViolation,
  insertedId,
  ViolationError,
} from '../../ledger/command.ts';
import { actingUserId, type Change } from '../../ledger/context.ts';
import { defaultOverlapSeconds, overlapField } from '../../ledger/overlap.ts';
import { always, computed, type Entity, schemaOf } from '../../records/entity.ts';
import { recordedActions } from '../../records/history.ts';
import { ownWebhookEntity, webhookEntity } from './entity.ts';
import {
  type CoveredWebhook,
  isCovered,
  type LockedWebhook,
  lockWebhook,
  urlInAudit,
  webhookAudit,
} from './store.ts';

/** Parts of the service that commands on webhooks use. */
export interface WebhookCommandParts {
  /** Models whose changes become events. */
  readonly models: readonly string[];
  /** Models among them whose records callers manage. */
  readonly managedModels: readonly string[];
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

/** Schema of an input, with the requirements beyond the types of its fields. */
const refine =
  (names: readonly string[], modelNames: readonly string[], required?: readonly string[]) =>
  ({ required: _required, properties, ...schema }: JsonSchema): JsonSchema => {
    const known = isJsonObject(properties) ? properties : {};
    const url = isJsonObject(known['url']) ? known['url'] : {};
    return withoutUndefined({
      ...schema,
      properties: {
        ...Object.fromEntries(names.map((name) => [name, known[name] ?? {}])),
        url: { ...url, maxLength: 2_000, pattern: '^https?://', examples: ['https://example.com/'] },
        models: { type: 'array', items: { type: 'string', examples: modelNames.slice(0, 1) }, minItems: 1 },
        actions: { type: 'array', items: { type: 'string', enum: [...recordedActions] }, minItems: 1 },
      },
      required,
    });
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
const columnsOf = ({ url, user_id: userId }: WebhookInput, lists: JsonObject) => {
  const columns: Record<string, string | number> = {};
  for (const [name, names] of Object.entries(lists)) columns[name] = JSON.stringify(names);
  if (url !== undefined) columns['url'] = url;
  if (userId !== undefined) columns['user_id'] = userId;
  return columns;
};

/** The changed settings for the audit log. */
const detailOf = ({ url, user_id: userId, disabled }: WebhookInput, lists: JsonObject): JsonObject =>
  withoutUndefined({
    url: url === undefined ? undefined : urlInAudit(url),
    ...lists,
    user_id: userId,
    disabled,
  });

/**
 * Columns that change with `disabled`: the first reason stays, unless an administrator disables what its user has
 * disabled, and an enabled webhook starts without failures.
 */
const stateOf = (
  disabled: boolean | undefined,
  before: LockedWebhook,
  at: string,
  reason: 'by_hand' | 'by_owner',
) => {
  if (disabled === undefined) return {};
  if (disabled && before.disabled)
    return before.managed && reason === 'by_hand' ? { disabled_reason: reason } : {};
  if (disabled === Boolean(before.disabled)) return {};
  return disabled
    ? { disabled: true, disabled_reason: reason, disabled_at: at }
    : { disabled: false, disabled_reason: null, disabled_at: null, failures: 0, failed_delivery: null };
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

/**
 * The most webhooks that one user manages.
 * @limit Events, webhooks and jobs | webhooks that a user makes for managed records | count | 422 `too_many`
 */
export const maxManagedWebhooks = 10;

/**
 * Transactions are serializable, so that two at once do not exceed the limit.
 * @throws ViolationError if the user has as many as one may have
 */
const assertRoom = async ({ transaction, tables }: Change, user: number): Promise<void> => {
  const counted = tables
    .selectFrom('gatewright_webhooks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', user)
    .where('managed', '=', true);
  const row = await transaction.get<{ count: number }>(toQuery(counted));
  if (Number(row?.count ?? 0) >= maxManagedWebhooks)
    throw new ViolationError({ field: 'url', rule: 'too_many', params: { max: maxManagedWebhooks } });
};

const keepsOrder = {
  'zh-CN': '`disabled: false` 重新启用：等待中的按原顺序继续发送。',
  en: '`disabled: false` enables it again: waiting deliveries are sent in their order.',
} as const;

/** The differences between the commands of administrators and of users on their own webhooks. */
interface WebhookSide {
  /** True for those of users. */
  readonly own: boolean;
  readonly entity: Entity;
  readonly operation: (verb: string, what?: string) => string;
  readonly input: typeof fields;
  /** Names of the models that a new webhook may have. */
  readonly models: readonly string[];
  readonly created: Label;
  readonly updated: Label;
  readonly problems: readonly ProblemName[];
  readonly disabledReason: 'by_hand' | 'by_owner';
  /** The user with whose rights a new webhook sends. */
  readonly userOf: (actor: Actor, values: { readonly user_id: number }) => number;
  /** Tells whether the actor may have a webhook for a model. */
  readonly mayName: (actor: Actor, model: string) => boolean;
}

const administratorsSide = ({ models }: WebhookCommandParts): WebhookSide => ({
  own: false,
  entity: webhookEntity,
  operation: (verb, what = 'Webhook') => `${verb}${what}`,
  input: fields,
  models,
  created: {
    'zh-CN': `从下一个事件起通知。\`models\` 须为声明了 \`events: true\` 的模型；\`user_id\` 的权限决定发送的内容。${shownOnce['zh-CN']}`,
    en: `It receives events from the next one on. \`models\` must have \`events: true\`; the rights of \`user_id\` decide what is sent. ${shownOnce.en}`,
  },
  updated: {
    'zh-CN': `${keepsOrder['zh-CN']}用户自行管理的 Webhook 的 \`user_id\` 不可更改。`,
    en: `${keepsOrder.en} The \`user_id\` of a webhook that its user manages stays.`,
  },
  problems: [],
  disabledReason: 'by_hand',
  userOf: (_actor, values) => values.user_id,
  mayName: () => true,
});

const { user_id: _, ...ownFields } = fields;

const ownersSide = (
  { managedModels }: WebhookCommandParts,
  manages: (actor: Actor, model: string) => boolean,
): WebhookSide => ({
  own: true,
  entity: ownWebhookEntity,
  operation: (verb, what = 'Webhook') => `${verb}Own${what}`,
  // The commands of users never read `user_id`.
  input: ownFields as typeof fields,
  models: managedModels,
  created: {
    'zh-CN': `从下一个事件起通知创建者可管理的记录（模型的 \`manage\` 规则），以创建者的权限发送；\`models\` 须为声明了 \`events: true\` 与 \`manage\` 的模型。每人最多 ${maxManagedWebhooks} 个。${shownOnce['zh-CN']}`,
    en: `It receives events from the next one on, about the records that its creator manages (the rule \`manage\` of the model), with the rights of the creator. \`models\` must have \`events: true\` and \`manage\`. A user has ${maxManagedWebhooks} at most. ${shownOnce.en}`,
  },
  updated: {
    'zh-CN': `${keepsOrder['zh-CN']}由管理员停用的只能由管理员启用：403。`,
    en: `${keepsOrder.en} One that an administrator has disabled is enabled by administrators only: 403.`,
  },
  problems: ['forbidden'],
  disabledReason: 'by_owner',
  userOf: (actor) => actingUserId(actor) ?? 0,
  mayName: (actor, model) => !managedModels.includes(model) || manages(actor, model),
});

const namedFields = ({ input }: WebhookSide): readonly string[] =>
  Object.keys(input).filter((name) => name === 'url' || name === 'user_id');

/** The lists of an input, as they are stored; absent where the input has none. */
const listsOf = ({ models }: WebhookCommandParts, { models: sent, actions }: WebhookInput): JsonObject => {
  const lists: Record<string, Json> = {};
  if (sent !== undefined) lists['models'] = namesIn(sent, models);
  if (actions !== undefined) lists['actions'] = namesIn(actions, recordedActions);
  return lists;
};

/** @throws Problem `forbidden` */
const assertManaged = ({ mayName }: WebhookSide, actor: Actor, { models }: WebhookInput): void => {
  if (Array.isArray(models) && !models.every((name) => mayName(actor, String(name))))
    throw new Problem('forbidden');
};

/** Returns the rules that an input violates. @param known names of the models that the webhook may have */
const violationsOf = async (
  { webhooks, isEnabledUser }: WebhookCommandParts,
  { url, user_id: userId, ...given }: WebhookInput,
  known: readonly string[],
): Promise<InputViolation[]> => {
  const lists = { models: known, actions: recordedActions } as const;
  const violations: InputViolation[] = [];
  for (const name of ['models', 'actions'] as const) {
    const sent = given[name];
    const violation = sent === undefined ? undefined : namesViolation(sent, lists[name]);
    if (violation !== undefined) violations.push({ field: name, ...violation });
  }
  if (url !== undefined && !webhooks.isAllowedUrl(url))
    violations.push({ field: 'url', rule: 'webhook_url' });
  if (userId !== undefined && !(await isEnabledUser(userId)))
    violations.push({ field: 'user_id', rule: 'reference' });
  return violations;
};

/** The user may be deleted between the look-up and the write. */
const constraints = { foreign_key: { field: 'user_id', rule: 'reference' } } as const;

const createCommand = (parts: WebhookCommandParts, side: WebhookSide) => {
  const { webhooks } = parts;
  const { own, entity, input, models } = side;
  const named = namedFields(side);
  return defineEntityCommand({
    verb: 'create',
    operation: side.operation('create'),
    summary: { 'zh-CN': '创建 Webhook', en: 'Create a webhook' },
    description: side.created,
    bodyKey: 'webhook',
    form: !own,
    input,
    refine: refine(named, models, [...named, 'models']),
    problems: side.problems,
    constraints,
    data: schemaOf(
      `New${entity.title}`,
      {
        ...entity.fields,
        secret: computed(field.string(always), { note: 'whsec_ and base64; shown once' }),
      },
      [...entity.view, 'secret'],
    ),
    check: (values: WebhookInput) => violationsOf(parts, values, models),
    // The log may have to number events first, in a transaction of its own.
    prepare: () => webhooks.latest(),
    run: async (call) => {
      const { tables, at, actor, values, prepared: cursor } = call;
      assertManaged(side, actor, values);
      const userId = side.userOf(actor, values);
      if (own) await assertRoom(call, userId);
      const { secret, sealed } = webhooks.newSecret();
      const sent = { ...values, user_id: userId, actions: values.actions ?? recordedActions };
      const lists = listsOf(parts, sent);
      const insert = tables
        .insertInto('gatewright_webhooks')
        .values({
          url: values.url,
          user_id: userId,
          managed: own,
          disabled: false,
          secret: sealed,
          cursor,
          models: JSON.stringify(lists['models']),
          actions: JSON.stringify(lists['actions']),
          created_by: actingUserId(actor),
          created_at: at,
          updated_at: at,
        })
        .returning('id');
      const id = await insertedId(call, insert);
      const detail = detailOf(sent, lists);
      const noted = own ? { ...detail, managed: true } : detail;
      return { audit: webhookAudit('create', { id, url: values.url }, noted), key: id, data: { secret } };
    },
  });
};

const updateCommand = (parts: WebhookCommandParts, side: WebhookSide) =>
  defineEntityCommand({
    verb: 'update',
    operation: side.operation('update'),
    summary: { 'zh-CN': '修改 Webhook', en: 'Change a webhook' },
    description: side.updated,
    bodyKey: 'webhook',
    form: !side.own,
    input: { ...side.input, disabled: field.boolean({ required: true }) },
    refine: refine([...namedFields(side), 'disabled'], side.models),
    problems: ['record_not_found', ...side.problems],
    constraints,
    check: async (values: WebhookInput, { tables, reader, id, grant }) => {
      const find = tables
        .selectFrom('gatewright_webhooks')
        .select(['user_id', 'managed'])
        .where('id', '=', id);
      const found = await reader.get<CoveredWebhook>(toQuery(find));
      // Before the input is judged, so that the answer for a webhook of another user is that for none.
      if (found === undefined || !isCovered(grant, found)) throw new Problem('record_not_found');
      const violations = await violationsOf(
        parts,
        values,
        found.managed ? parts.managedModels : parts.models,
      );
      const { user_id: userId } = values;
      const moves = Boolean(found.managed) && userId !== undefined && userId !== Number(found.user_id);
      return moves ? [...violations, { field: 'user_id', rule: 'fixed' }] : violations;
    },
    run: async (call) => {
      const { transaction, tables, at, id, values, grant, actor } = call;
      const webhook = await lockWebhook(call, id, grant);
      assertManaged(side, actor, values);
      if (side.own && webhook.disabled_reason === 'by_hand' && values.disabled === false)
        throw new Problem('forbidden');
      const lists = listsOf(parts, values);
      const state = stateOf(values.disabled, webhook, at, side.disabledReason);
      const change = tables
        .updateTable('gatewright_webhooks')
        .set({ ...columnsOf(values, lists), ...state, ...releasedLease, updated_at: at })
        .where('id', '=', id);
      await transaction.run(toQuery(change));
      return { audit: webhookAudit('update', webhook, detailOf(values, lists)) };
    },
    after: () => parts.webhooks.look(),
  });

const removeCommand = ({ webhooks }: WebhookCommandParts, { operation }: WebhookSide) =>
  defineEntityCommand({
    verb: 'remove',
    operation: operation('delete'),
    summary: { 'zh-CN': '删除 Webhook', en: 'Delete a webhook' },
    description: {
      'zh-CN': '等待中的消息不再发送，发送记录一并删除。',
      en: 'Its deliveries are deleted, and waiting ones are not sent.',
    },
    problems: ['record_not_found'],
    run: async (call) => {
      const { transaction, tables, id, grant } = call;
      const webhook = await lockWebhook(call, id, grant);
      await transaction.run(toQuery(tables.deleteFrom('gatewright_webhooks').where('id', '=', id)));
      await webhooks.purge(id, transaction);
      return { audit: webhookAudit('delete', webhook) };
    },
    after: () => webhooks.wake(),
  });

const rotateCommand = ({ webhooks }: WebhookCommandParts, { operation }: WebhookSide) =>
  defineEntityCommand({
    verb: 'rotate',
    operation: operation('rotate', 'WebhookSecret'),
    summary: { 'zh-CN': '轮换 Webhook 密钥', en: 'Give a webhook another secret' },
    description: {
      'zh-CN': `\`overlap\` 秒（默认 86400，最多 30 天）内旧密钥同时签名。${shownOnce['zh-CN']}`,
      en: `For \`overlap\` seconds (default 86400, at most 30 days) the previous secret signs as well. ${shownOnce.en}`,
    },
    input: { overlap: overlapField },
    data: rotatedSchema,
    problems: ['record_not_found'],
    run: async (call) => {
      const { transaction, tables, at, now, id, grant } = call;
      const overlap = call.values.overlap ?? defaultOverlapSeconds;
      const { secret, sealed } = webhooks.newSecret();
      const webhook = await lockWebhook(call, id, grant);
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

const commandsOn = (parts: WebhookCommandParts, side: WebhookSide): EntityCommand[] => [
  createCommand(parts, side),
  updateCommand(parts, side),
  removeCommand(parts, side),
  rotateCommand(parts, side),
];

/** Commands of administrators on the webhooks of all users. */
export const webhookCommands = (parts: WebhookCommandParts): EntityCommand[] =>
  commandsOn(parts, administratorsSide(parts));

/**
 * Commands of users on the webhooks that they have made for the records that they manage.
 * @param manages tells whether an actor can manage records of a model
 */
export const ownWebhookCommands = (
  parts: WebhookCommandParts,
  manages: (actor: Actor, model: string) => boolean,
): EntityCommand[] => commandsOn(parts, ownersSide(parts, manages));
