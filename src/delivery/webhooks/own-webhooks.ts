/** Endpoints of the webhooks that users manage for their own records. */

import type { Principal } from '../../auth/principal.ts';
import { limitPolicy } from '../../auth/rate-limit.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { serveEntity } from '../../http/entity-endpoint.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { Rule } from '../../policy/rule.ts';
import type { Entity } from '../../records/entity.ts';
import { apiArea } from '../../resources/area.ts';
import { grantOfManaged } from '../../resources/operations.ts';
import { ownWebhookCommands } from './commands.ts';
import { deliveryEntity, ownWebhookEntity, ownWebhooksShowing } from './entity.ts';
import type { WebhookPlace } from './place.ts';
import { servedWebhooks, type WebhookEntityParts } from './served-webhooks.ts';

/**
 * Test messages and repeated deliveries that a user can have sent in a minute.
 * @limit Events, webhooks and jobs | test messages and repeated deliveries of a user’s own webhooks in a minute |
 *   count | 429
 */
const maxMessagesPerMinute = 10;

const policyFor = ({ view }: Entity): Rule => ({ kind: 'user', own: 'user_id', readable: view });

const manages = (asker: Principal, model: ResourceModel): boolean =>
  grantOfManaged(model, apiArea, asker) !== undefined;

/**
 * The webhooks of the caller, for the records that they manage. By token only: what outlives a credential is not made
 * by an API key, which may have an end, scopes and networks.
 */
const ownWebhooks: WebhookPlace = {
  path: '/api/v1/webhooks',
  auth: ['jwt'],
  policy: policyFor(ownWebhookEntity),
  tag: 'Webhooks',
  entity: ownWebhookEntity,
  operation: (verb, noun) => `${verb}Own${noun}`,
  webhooks: ownWebhooksShowing,
  policyFor,
  deliveries: (readable) => deliveryEntity(readable, true),
  reads: manages,
  showsOneDelivery: true,
  rateLimit: {
    bucket: 'messages of own webhooks',
    per: 'caller',
    policy: limitPolicy('default', { max: maxMessagesPerMinute, window: '1m' }),
  },
  offered: ({ managedModels }) => managedModels,
  commands: (parts, { resources }) =>
    ownWebhookCommands(parts, ({ principal }, name) => {
      const model = resources.get(name)?.model;
      return model !== undefined && typeof principal !== 'string' && manages(principal, model);
    }),
};

/** One's own webhooks; those of other users are as good as missing. None where no model has events and `manage`. */
export const ownWebhookEndpoints = (services: WebhookEntityParts): Endpoint[] =>
  servedWebhooks(services, ownWebhooks).flatMap((served) => serveEntity(services, served));
