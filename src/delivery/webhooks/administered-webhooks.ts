import { adminAuth, adminTag, readsInArea } from '../../http/administration.ts';
import { entityPolicy } from '../../http/entity-endpoint.ts';
import { webhookCommands } from './commands.ts';
import { deliveryEntity, webhookEntity, webhooksShowing } from './entity.ts';
import type { WebhookPlace } from './place.ts';

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
  offered: ({ models }) => models,
  commands: webhookCommands,
};
