import { field } from '../../fields/define.ts';
import type { JsonSchema } from '../../fields/field.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { JsonText } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import { always, computed, schemaOf } from '../../records/entity.ts';
import { webhookEntity } from '../../service/webhooks/entity.ts';
import { entityPolicy, readEntity, showEntity } from '../entity.ts';
import { createInput, refuseInvalid } from '../input.ts';
import type { Services } from '../services.ts';
import { actorOf, idOf, reachesIn } from '../shared.ts';
import { adminAuth, administratorOnly, adminTag } from './area.ts';
import { createWebhookInput, longestOverlap, webhookValues } from './webhook-input.ts';

/** Seconds for which the secret before signs as well, unless the request says otherwise: a day. */
const usualOverlap = 86_400;

const rotated: JsonSchema = {
  type: 'object',
  title: 'RotatedSecret',
  properties: {
    secret: { type: 'string' },
    previous_until: { type: ['string', 'null'], format: 'date-time' },
  },
  required: ['secret', 'previous_until'],
};

const tested: JsonSchema = {
  type: 'object',
  title: 'WebhookTest',
  properties: {
    delivered: { type: 'boolean' },
    status: { type: ['integer', 'null'] },
    duration: { type: 'integer', description: 'milliseconds' },
    error: { type: ['string', 'null'] },
    body: { type: ['string', 'null'], description: 'beginning of the answer' },
  },
  required: ['delivered', 'status', 'duration', 'error', 'body'],
};

const newWebhookSchema = schemaOf('NewWebhook', {
  ...webhookEntity.fields,
  secret: computed(field.string(always), { note: 'whsec_ and base64; shown once' }),
});

const shownOnce = {
  'zh-CN': '密钥只显示一次。',
  en: 'The secret is shown once.',
} as const;

/** Webhooks: who is told of events, and how that went. */
export const webhookEndpoints = (services: Services): Endpoint[] => {
  const { webhooks, resources, identities } = services;
  const models = [...resources.values()].filter(({ model }) => model.events).map(({ model }) => model.name);
  const path = '/admin/webhooks';
  const input = createWebhookInput({
    models,
    takesUrl: webhooks.isAllowedUrl,
    userExists: async (id) => (await identities.byUserId(id, [])) !== undefined,
    locale: services.locale,
  });
  const overlapInput = createInput(
    { overlap: field.integer({ min: 0, max: longestOverlap, default: usualOverlap }) },
    services.locale,
  );
  const [shown, answer] = [readEntity(services, webhookEntity), showEntity(services, webhookEntity)];
  const reaches = reachesIn(services.database, webhookEntity);
  const common = { auth: adminAuth, policy: entityPolicy(webhookEntity) } as const;
  const body = { accepts: 'json-or-form', bodyKey: 'webhook' } as const;

  /** Runs a write; a user who was deleted in the meantime is answered like one who was deleted before. */
  const saving = async <T>(userId: number | undefined, write: () => Promise<T>): Promise<T> => {
    try {
      return await write();
    } catch (error) {
      const gone = error instanceof Problem && error.problem === 'record_not_found' && userId !== undefined;
      if (gone && !(await services.users.exists(userId))) refuseInvalid([input.unknownUser()]);
      throw error;
    }
  };

  return [
    {
      operation: 'createWebhook',
      method: 'POST',
      path,
      ...common,
      ...body,
      input: input.schemas.create,
      status: 201,
      docs: {
        summary: { 'zh-CN': '创建 Webhook', en: 'Create a webhook' },
        description: {
          'zh-CN': `从下一个事件起通知。\`models\` 须为声明了 \`events: true\` 的模型；\`user_id\` 的权限决定发送的内容。${shownOnce['zh-CN']}`,
          en: `It is told of events from the next one on. \`models\` are such with \`events: true\`; the rights of \`user_id\` decide what is sent. ${shownOnce.en}`,
        },
        tag: adminTag,
        data: newWebhookSchema,
      },
      handle: async (call) => {
        const { change, errors } = await input.read(call.body, 'create');
        refuseInvalid(errors);
        const values = webhookValues(change);
        const { secret, sealed } = webhooks.newSecret();
        const cursor = await webhooks.latest();
        const id = await saving(values.userId, () =>
          webhooks.store.create(values, sealed, cursor, actorOf(call)),
        );
        const json = await shown(call, id);
        return { data: new JsonText(`${json.slice(0, -1)},"secret":${JSON.stringify(secret)}}`) };
      },
    },
    {
      operation: 'updateWebhook',
      method: 'PATCH',
      path: `${path}/:id`,
      ...common,
      ...body,
      input: input.schemas.update,
      docs: {
        summary: { 'zh-CN': '修改 Webhook', en: 'Change a webhook' },
        description: {
          'zh-CN': '`disabled: false` 重新启用：等待中的按原顺序继续发送。',
          en: '`disabled: false` enables it again: what waits goes on in its order.',
        },
        tag: adminTag,
        data: webhookEntity.schema,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        const id = idOf(call);
        await shown(call, id);
        const { change, errors } = await input.read(call.body, 'update');
        refuseInvalid(errors);
        await saving(change.userId, () => webhooks.store.update(id, change, actorOf(call)));
        await webhooks.look();
        return answer(call, id);
      },
      reaches,
    },
    {
      operation: 'deleteWebhook',
      method: 'DELETE',
      path: `${path}/:id`,
      auth: adminAuth,
      policy: administratorOnly,
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '删除 Webhook', en: 'Delete a webhook' },
        description: {
          'zh-CN': '等待中的消息不再发送，发送记录一并删除。',
          en: 'What waits is not sent any more, and its deliveries go with it.',
        },
        tag: adminTag,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        await webhooks.remove(idOf(call), actorOf(call));
        return {};
      },
      reaches,
    },
    {
      operation: 'rotateWebhookSecret',
      method: 'POST',
      path: `${path}/:id/rotate`,
      auth: adminAuth,
      policy: administratorOnly,
      accepts: 'json',
      input: overlapInput.schema,
      docs: {
        summary: { 'zh-CN': '轮换 Webhook 密钥', en: 'Give a webhook another secret' },
        description: {
          'zh-CN': `\`overlap\` 秒（默认 86400，最多 30 天）内旧密钥同时签名。${shownOnce['zh-CN']}`,
          en: `For \`overlap\` seconds (86400 unless given, 30 days at most) the one before signs as well. ${shownOnce.en}`,
        },
        tag: adminTag,
        data: rotated,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        const { values, errors } = overlapInput.read(call.body);
        refuseInvalid(errors);
        const overlap = Number(values['overlap'] ?? usualOverlap);
        const { secret, sealed } = webhooks.newSecret();
        const until = await webhooks.store.rotate(idOf(call), sealed, overlap, actorOf(call));
        return { data: { secret, previous_until: until } };
      },
      reaches,
    },
    {
      operation: 'testWebhook',
      method: 'POST',
      path: `${path}/:id/test`,
      auth: adminAuth,
      policy: administratorOnly,
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '发送测试消息', en: 'Send a test message' },
        description: {
          'zh-CN': '立即发送 `{"type": "webhook.test"}`，一次，不保存，并返回接收方的响应。',
          en: 'Sends `{"type": "webhook.test"}` at once, one time, keeps nothing of it, and answers what the receiver said.',
        },
        tag: adminTag,
        data: tested,
        problems: ['record_not_found', 'conflict'],
      },
      handle: async (call) => {
        const sent = await webhooks.test(idOf(call), call.signal);
        // The secret cannot be read: see disabled_reason.
        if (sent === undefined) throw new Problem('conflict');
        const { status = null, duration, error = null, body: text = null } = sent;
        const delivered = error === null && status !== null && status >= 200 && status < 300;
        return { data: { delivered, status, duration, error, body: text } };
      },
      reaches,
    },
  ];
};
