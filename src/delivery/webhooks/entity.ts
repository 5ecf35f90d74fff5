/** Webhooks and their deliveries as entities: their fields, labels and computed values. */

import { type Fragment, identifier, join, literal, sql, tableName } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { always, computed, defineEntity, type Entity, type EntityDefinition } from '../../records/entity.ts';
import { recordedActions } from '../../records/history.ts';
import { disabledReasons } from './store.ts';

/** Maximum up to which waiting deliveries are counted. */
const maxCounted = 1_000;

/** Characters of a failed response that a webhook shows. */
const shownBodyLength = 200;

/** A value of the delivery whose attempt failed last; null once a later one has succeeded. */
const ofFailure = (value: Fragment): Fragment =>
  sql`(select ${value} from ${tableName('gatewright_deliveries')} d where d."id" = t."failed_delivery"
    and t."failures" > 0 and d."state" in ('waiting', 'failed'))`;

const action = { type: 'string', enum: [...recordedActions] } as const;

const owners = {
  user_id: computed(field.integer({ label: { 'zh-CN': '用户 id', en: 'User id' } }), {
    note: 'the acting user; null once that user is deleted',
  }),
  username: field.string({ label: { 'zh-CN': '以此用户的权限', en: 'Acts as' } }),
  created_by: computed(field.integer({ label: { 'zh-CN': '创建者（用户 id）', en: 'Made by (user id)' } }), {
    note: 'user who created it, even if deleted',
  }),
  managed: computed(
    field.boolean({ ...always, label: { 'zh-CN': '用户自行管理', en: 'Managed by its user' } }),
    {
      note: 'whether the acting user made it at /api/v1/webhooks, for the records that they manage',
    },
  ),
} as const;

const fields = {
  id: field.integer(always),
  url: field.string({ ...always, label: { 'zh-CN': '地址', en: 'Address' } }),
  models: computed(field.json({ label: { 'zh-CN': '资源', en: 'Resources' } }), {
    comparable: false,
    schema: { type: 'array', items: { type: 'string' } },
  }),
  actions: computed(field.json({ label: { 'zh-CN': '操作', en: 'Actions' } }), {
    comparable: false,
    schema: { type: 'array', items: action },
  }),
  disabled: field.boolean({ ...always, label: { 'zh-CN': '已停用', en: 'Disabled' } }),
  disabled_reason: field.enum(disabledReasons, {
    label: { 'zh-CN': '停用原因', en: 'Why it is off' },
    labels: {
      by_hand: { 'zh-CN': '由管理员关闭', en: 'Switched off by an administrator' },
      by_owner: { 'zh-CN': '由用户自己关闭', en: 'Switched off by its user' },
      failed: {
        'zh-CN': '多次尝试均失败，已自动停用',
        en: 'Disabled after all attempts of a message had failed',
      },
      gone: {
        'zh-CN': '接收方返回 410（不再接收），已自动停用',
        en: 'Disabled: the receiver answered 410, it takes no more',
      },
      secret_unreadable: {
        'zh-CN': '密钥无法解密：请轮换密钥后重新启用',
        en: 'The secret cannot be read: rotate it, then enable it again',
      },
      no_user: {
        'zh-CN': '所选用户已被删除：请另选用户后重新启用',
        en: 'The user whose rights it has was deleted: choose another, then enable it again',
      },
    },
  }),
  disabled_at: field.datetime({ label: { 'zh-CN': '停用时间', en: 'Disabled at' } }),
  previous_until: computed(
    field.datetime({ label: { 'zh-CN': '旧密钥有效至', en: 'Previous secret until' } }),
    {
      note: 'until when the previous secret also signs',
    },
  ),
  failures: computed(
    field.integer({ ...always, label: { 'zh-CN': '连续失败次数', en: 'Failures in a row' } }),
    { note: 'consecutive failed attempts' },
  ),
  paused_until: computed(field.datetime({ label: { 'zh-CN': '暂停至', en: 'Paused until' } }), {
    value: ({ now }) =>
      sql`(case when t."disabled" = false and t."failures" > 0 and t."lane" is null and t."lane_until" > ${now} then t."lane_until" end)`,
    comparable: false,
    note: 'end of the pause after ten failed attempts in a row; null unless it pauses',
  }),
  failure_status: computed(field.integer({ label: { 'zh-CN': '失败响应', en: 'Failed with status' } }), {
    value: ofFailure(sql`d."response_status"`),
    comparable: false,
    note: 'HTTP status of the last failed attempt; null while none has failed since the last success, and if there was no response',
  }),
  failure_error: computed(field.text({ label: { 'zh-CN': '失败原因', en: 'Failed with error' } }), {
    value: ofFailure(sql`d."error"`),
    comparable: false,
    note: 'why the last failed attempt had no complete response',
  }),
  waiting: computed(field.integer({ ...always, label: { 'zh-CN': '等待发送', en: 'Waiting' } }), {
    value: sql`(select count(*) from (select 1 from ${tableName('gatewright_deliveries')} d where d."webhook_id" = t."id" and d."state" = 'waiting' limit ${literal(maxCounted)}) c)`,
    comparable: false,
    note: 'waiting deliveries, counted up to 1,000',
  }),
  last_outcome: computed(
    field.enum(['delivered', 'failed', 'skipped'], {
      label: { 'zh-CN': '最近一次发送', en: 'Last outcome' },
      labels: {
        delivered: { 'zh-CN': '已送达', en: 'Delivered' },
        failed: { 'zh-CN': '失败', en: 'Failed' },
        skipped: { 'zh-CN': '未发送', en: 'Not sent' },
      },
    }),
    {
      value: sql`(select d."state" from ${tableName('gatewright_deliveries')} d where d."webhook_id" = t."id" and d."state" <> 'waiting' order by d."id" desc limit 1)`,
      comparable: false,
      note: 'of the newest delivery that has ended; null while none has',
    },
  ),
  created_at: field.datetime({ ...always, label: { 'zh-CN': '创建时间', en: 'Created' } }),
  updated_at: field.datetime({ ...always, label: { 'zh-CN': '更新时间', en: 'Updated' } }),
};

const { id: idField, url, models, actions, ...state } = fields;

const webhookDefinition: EntityDefinition = {
  title: 'Webhook',
  from: sql`(select w.*, u."username" from ${tableName('gatewright_webhooks')} w left join ${tableName('users')} u on u."id" = w."user_id")`,
  fields: { id: idField, url, models, actions, ...owners, ...state },
  model: 'Webhook',
  found: { named: 'url', alias: 'username' },
  references: [
    { to: 'User', field: 'user_id', table: 'gatewright_webhooks', column: 'user_id', onDelete: 'null' },
    { to: 'User', field: 'created_by', table: 'gatewright_webhooks', column: 'created_by', onDelete: 'keep' },
  ],
  list: {
    operation: 'listWebhooks',
    path: '/admin/webhooks',
    summary: { 'zh-CN': 'Webhook 列表', en: 'List webhooks' },
  },
  record: {
    operation: 'getWebhook',
    summary: { 'zh-CN': 'Webhook 详情', en: 'Show a webhook' },
    description: {
      'zh-CN': '一个 Webhook 及其状态；密钥不返回。',
      en: 'A webhook and its state, without its secret.',
    },
  },
};

const ownWebhookDefinition: EntityDefinition = {
  title: 'OwnWebhook',
  from: sql`(select * from ${tableName('gatewright_webhooks')} where managed = true)`,
  fields: { ...fields, user_id: computed(field.integer(), { hidden: true }) },
  indexed: ['user_id'],
  list: {
    operation: 'listOwnWebhooks',
    path: '/api/v1/webhooks',
    summary: { 'zh-CN': '我的 Webhook', en: 'My webhooks' },
  },
  record: {
    operation: 'getOwnWebhook',
    summary: { 'zh-CN': '我的一个 Webhook', en: 'Show one of my webhooks' },
    description: {
      'zh-CN': '一个 Webhook 及其状态；密钥不返回。他人的视为不存在（404）。',
      en: 'A webhook and its state, without its secret. Those of other users are not found (404).',
    },
  },
};

/** Holds for a delivery about a record of one of these models. */
const isOf = (alias: string, names: readonly string[]): Fragment =>
  names.length === 0
    ? sql`(1 = 0)`
    : sql`(${identifier(alias, 'model')} in (${join(names.map((each) => literal(each)))}))`;

const withBody = (definition: EntityDefinition, readable: readonly string[]): Entity => {
  const body = computed(field.text({ label: { 'zh-CN': '失败响应体', en: 'Body of the failed response' } }), {
    value: ofFailure(
      sql`(case when ${isOf('d', readable)} then substr(d."response_body", 1, ${literal(shownBodyLength)}) end)`,
    ),
    comparable: false,
    note: `first ${shownBodyLength} characters of the failed response; null if the caller may not read such records`,
  });
  return defineEntity('webhooks', { ...definition, fields: { ...definition.fields, failure_body: body } });
};

/** Webhooks as administrators see them; the body of a failed response only for these models, which they may read. */
export const webhooksShowing = (readable: readonly string[]): Entity => withBody(webhookDefinition, readable);

/**
 * The webhooks that users have made for the records that they manage, as these users see them; the body of a failed
 * response only for these models, which they manage.
 */
export const ownWebhooksShowing = (readable: readonly string[]): Entity =>
  withBody(ownWebhookDefinition, readable);

export const webhookEntity = webhooksShowing([]);
export const ownWebhookEntity = ownWebhooksShowing([]);

/** States of a delivery: `waiting` for its next attempt or for an earlier delivery, or finished. */
export const deliveryStates = ['waiting', 'delivered', 'failed', 'skipped'] as const;

/** When the pause of a delivery's webhook after failures ends, if that is later than the delivery is due. */
const pausedUntil = sql`(select p."lane_until" from ${tableName('gatewright_webhooks')} p where p."id" = t."webhook_id"
  and p."failures" > 0 and p."lane" is null and p."lane_until" > t."next_at")`;

const everyDelivery = sql`${tableName('gatewright_deliveries')}`;

/** Deliveries of managed webhooks, with the user whom the webhook belongs to. */
const ownDeliveries = sql`(select d.*, w."user_id" from ${tableName('gatewright_deliveries')} d
  join ${tableName('gatewright_webhooks')} w on w."id" = d."webhook_id" where w."managed" = true)`;

/**
 * Deliveries as administrators see them; request and response only of records of these models, which they may read.
 * @param own as users see those of the webhooks that they manage
 */
export const deliveryEntity = (readable: readonly string[], own = false): Entity => {
  const isShown = isOf('t', readable);
  const shown = (of: string) => ({
    value: sql`(case when ${isShown} then ${identifier('t', of)} end)`,
    comparable: false,
  });
  return defineEntity('deliveries', {
    title: 'Delivery',
    from: own ? ownDeliveries : everyDelivery,
    fields: {
      id: field.integer(always),
      ...(own ? { user_id: computed(field.integer(), { hidden: true }) } : {}),
      webhook_id: computed(field.integer(always), { hidden: true }),
      message_id: computed(field.string(always), { note: 'webhook-id of every attempt' }),
      event: computed(field.integer({ ...always, label: { 'zh-CN': '变更', en: 'Change' } }), {
        note: 'number of the event',
      }),
      model: field.string({ ...always, label: { 'zh-CN': '资源', en: 'Resource' } }),
      record_id: field.integer({ ...always, label: { 'zh-CN': '记录编号', en: 'Record id' } }),
      action: computed(field.string({ ...always, label: { 'zh-CN': '操作', en: 'Action' } }), {
        schema: action,
      }),
      version: field.integer(always),
      state: field.enum(deliveryStates, {
        ...always,
        label: { 'zh-CN': '状态', en: 'State' },
        labels: {
          waiting: { 'zh-CN': '等待', en: 'Waiting' },
          delivered: { 'zh-CN': '已送达', en: 'Delivered' },
          failed: { 'zh-CN': '失败', en: 'Failed' },
          skipped: { 'zh-CN': '未发送', en: 'Not sent' },
        },
      }),
      attempts: computed(field.integer({ ...always, label: { 'zh-CN': '尝试', en: 'Attempts' } }), {
        note: 'attempts so far, including a current one',
      }),
      next_at: computed(field.datetime({ label: { 'zh-CN': '下次尝试', en: 'Next attempt' } }), {
        value: sql`(case when t."claim" is null then coalesce(${pausedUntil}, t."next_at") end)`,
        note: 'null unless a next attempt is due or planned; not before the pause of a failing webhook ends',
      }),
      sending: computed(field.boolean(always), {
        value: sql`(t."claim" is not null)`,
        note: 'whether an attempt is in progress',
      }),
      status: computed(field.integer({ label: { 'zh-CN': '响应', en: 'Answer' } }), {
        value: sql`t."response_status"`,
        note: 'HTTP status of the last response',
      }),
      duration: computed(field.integer(), { note: 'duration of the last attempt in milliseconds' }),
      error: computed(field.text(), {
        note: 'why the last attempt had no response; for a skipped delivery event_gone, model_gone, user_disabled or record_unreadable',
      }),
      withheld: computed(field.boolean(always), {
        value: sql`(not ${isShown})`,
        note: 'headers and bodies are null because the caller may not read such records',
      }),
      request_headers: computed(field.json(), shown('request_headers')),
      request_body: computed(field.text(), shown('request_body')),
      response_headers: computed(field.json(), shown('response_headers')),
      response_body: computed(field.text(), shown('response_body')),
      created_at: field.datetime({ ...always, label: { 'zh-CN': '变更时间', en: 'Changed' } }),
      attempted_at: field.datetime({ label: { 'zh-CN': '最近尝试', en: 'Last attempt' } }),
      ended_at: field.datetime(),
    },
    indexed: ['webhook_id'],
    model: 'Delivery',
    references: [
      {
        to: 'Webhook',
        field: 'webhook',
        onDelete: 'cascade',
        resource: 'webhooks/:id/deliveries',
        table: 'gatewright_deliveries',
        column: 'webhook_id',
      },
    ],
  });
};
