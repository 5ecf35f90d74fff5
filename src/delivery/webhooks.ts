/** The door to webhooks: their administration, and the deliveries that the worker sends. */

export { webhooksInArea } from './webhooks/administered-webhooks.ts';
export { forgetDelivered } from './webhooks/delivery-administration.ts';
export { webhookEntity } from './webhooks/entity.ts';
export { ownWebhookEndpoints } from './webhooks/own-webhooks.ts';
export type { WebhookEntityParts } from './webhooks/served-webhooks.ts';
export { servedWebhooks } from './webhooks/served-webhooks.ts';
export type { Webhooks, WebhookTimes } from './webhooks/webhooks.ts';
export { createWebhooks } from './webhooks/webhooks.ts';
