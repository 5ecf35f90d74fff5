import { checkedModels } from '../../http/call.ts';
import type { ServedEntity } from '../../http/entity-endpoint.ts';
import { type DeliveryParts, deliveryEndpoints } from './delivery-endpoints.ts';
import {
  servedModels,
  testWebhookEndpoint,
  type WebhookEndpointParts,
  type WebhookPlace,
  type WebhookTestParts,
  webhookOf,
  webhookParts,
} from './place.ts';

export type WebhookEntityParts = WebhookEndpointParts & WebhookTestParts & DeliveryParts;

/** The webhooks of a place with their deliveries; none where no model is offered. */
export const servedWebhooks = (services: WebhookEntityParts, place: WebhookPlace): ServedEntity[] => {
  const parts = webhookParts(services);
  if (place.offered(parts).length === 0) return [];
  const { path, auth, policy, tag } = place;
  return [
    {
      entity: place.entity,
      place: { path, auth, policy, tag },
      entityOf: webhookOf(services, place),
      grantsOn: checkedModels(servedModels(services)),
      commands: place.commands(parts, services),
      endpoints: [testWebhookEndpoint(services, place)],
    },
    // Its rows stand below a webhook, and its columns depend on what the caller may read.
    { entity: place.deliveries([]), list: deliveryEndpoints(services, place) },
  ];
};
