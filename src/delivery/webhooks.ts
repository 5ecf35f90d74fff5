/** The door to webhooks: their administration, and the deliveries that the worker sends. */

export { webhooksInArea } from './webhooks/administered-webhooks.ts';
export { webhookCommands } from './webhooks/commands.ts';
export { forgetDelivered } from './webhooks/delivery-administration.ts';
export type { DeliveryParts } from './webhooks/delivery-endpoints.ts';
export { deliveryEndpoints } from './webhooks/delivery-endpoints.ts';
export { deliveryEntity, webhookEntity } from './webhooks/entity.ts';
export type { OwnWebhookParts } from './webhooks/own-webhooks.ts';
export { ownWebhookEndpoints } from './webhooks/own-webhooks.ts';
export type { WebhookEndpointParts, WebhookTestParts } from './webhooks/place.ts';
export { servedModels, testWebhookEndpoint, webhookOf, webhookParts } from './webhooks/place.ts';
export type { Webhooks, WebhookTimes } from './webhooks/webhooks.ts';
export { createWebhooks } from './webhooks/webhooks.ts';
