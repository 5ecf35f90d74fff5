/** Endpoints of the webhooks that users manage for their own records. */

import type { Principal } from '../../auth/principal.ts';
import { limitPolicy } from '../../auth/rate-limit.ts';
import { checkedModels, idOf, reachesIn } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { commandEndpoint, showEntity } from '../../http/entity-endpoint.ts';
import { listEndpoint } from '../../http/list-endpoint.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { Rule } from '../../policy/rule.ts';
import type { Entity } from '../../records/entity.ts';
import { apiArea } from '../../resources/area.ts';
import { grantOfManaged } from '../../resources/operations.ts';
import { ownWebhookCommands } from './commands.ts';
import { type DeliveryParts, deliveryEndpoints } from './delivery-endpoints.ts';
import { deliveryEntity, ownWebhookEntity, ownWebhooksShowing } from './entity.ts';
import {
  servedModels,
  testWebhookEndpoint,
  type WebhookEndpointParts,
  type WebhookPlace,
  type WebhookTestParts,
  webhookOf,
  webhookParts,
} from './place.ts';

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
};

export type OwnWebhookParts = WebhookEndpointParts & WebhookTestParts & DeliveryParts;

/** One's own webhooks; those of other users are as good as missing. None where no model has events and `manage`. */
export const ownWebhookEndpoints = (services: OwnWebhookParts): Endpoint[] => {
  const { resources, database } = services;
  const parts = webhookParts(services);
  if (parts.managedModels.length === 0) return [];
  const { path, auth, policy, tag, operation, entity } = ownWebhooks;
  const grantsOn = checkedModels(servedModels(services));
  const entityOf = webhookOf(services, ownWebhooks);
  const place = { path, auth, policy, tag, grantsOn, entityOf };
  const show = showEntity(services, entity, entityOf);
  const commands = ownWebhookCommands(parts, ({ principal }, name) => {
    const model = resources.get(name)?.model;
    return model !== undefined && typeof principal !== 'string' && manages(principal, model);
  });
  return [
    {
      ...listEndpoint(services, entity, {
        path,
        auth,
        policy,
        sourceOf: entityOf,
        operation: operation('list', 'Webhooks'),
        docs: { summary: { 'zh-CN': '我的 Webhook', en: 'My webhooks' }, tag, data: entity.schema },
      }),
      grantsOn,
    },
    {
      path: `${path}/:id`,
      auth,
      policy,
      grantsOn,
      operation: operation('get', 'Webhook'),
      method: 'GET',
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '我的一个 Webhook', en: 'Show one of my webhooks' },
        description: {
          'zh-CN': '一个 Webhook 及其状态；密钥不返回。他人的视为不存在（404）。',
          en: 'A webhook and its state, without its secret. Those of other users are not found (404).',
        },
        tag,
        data: entity.schema,
        problems: ['record_not_found'],
      },
      handle: (call) => show(call, idOf(call)),
      reaches: reachesIn(database, entity),
    },
    ...commands.map((command) => commandEndpoint(services, entity, command, place)),
    testWebhookEndpoint(services, ownWebhooks),
    ...deliveryEndpoints(services, ownWebhooks),
  ];
};
