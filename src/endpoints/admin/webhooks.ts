import { deliveryEntity, webhookEntity, webhooksShowing } from '../../service/webhooks/entity.ts';
import { entityPolicy } from '../entity.ts';
import type { WebhookPlace } from '../webhooks/place.ts';
import { adminAuth, adminTag, readsInArea } from './area.ts';

/** The webhooks of all users, for administrators. */
export const webhooksInArea: WebhookPlace = {
  path: '/admin/webhooks',
  auth: adminAuth,
  policy: entityPolicy(webhookEntity),
  tag: adminTag,
  entity: webhookEntity,
  operation: (verb, noun) => `${verb}${noun}`,
  webhooks: webhooksShowing,
  policyFor: entityPolicy,
  deliveries: (readable) => deliveryEntity(readable),
  reads: (asker, model) => readsInArea(asker, model) !== undefined,
  showsOneDelivery: false,
};
