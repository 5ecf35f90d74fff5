import type { JsonSchema } from '../../fields/field.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import { webhookEntity } from '../../service/webhooks/entity.ts';
import type { Services } from '../services.ts';
import { idOf, reachesIn } from '../shared.ts';
import { adminAuth, administratorOnly, adminTag } from './area.ts';

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

/** Sends a test message. It changes no record, so it is no command. */
export const testWebhookEndpoint = ({ webhooks, database }: Services): Endpoint => ({
  operation: 'testWebhook',
  method: 'POST',
  path: '/admin/webhooks/:id/test',
  auth: adminAuth,
  policy: administratorOnly,
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '发送测试消息', en: 'Send a test message' },
    description: {
      'zh-CN': '立即发送 `{"type": "webhook.test"}`，一次，不保存，并返回接收方的响应。',
      en: 'Sends `{"type": "webhook.test"}` once, immediately, stores nothing, and returns the response of the receiver.',
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
  reaches: reachesIn(database, webhookEntity),
});
