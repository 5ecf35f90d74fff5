/** Endpoints of the deliveries of a webhook: the list, one delivery, and the commands to repeat them. */

import type { Principal } from '../../auth/principal.ts';
import { defaultKey } from '../../fields/keys.ts';
import { checkedModels, idOf, reachesIn } from '../../http/call.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { commandEndpoint, type EntityCommandParts } from '../../http/entity-endpoint.ts';
import { answerList, type ListParts, orderedBy } from '../../http/list-endpoint.ts';
import { listFieldsOf } from '../../http/list-field.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { JsonText } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { admit } from '../../policy/decide.ts';
import type { Grant } from '../../policy/grant.ts';
import { createList, type List } from '../../records/list.ts';
import { createShow, type Show } from '../../records/show.ts';
import { resendDelivery, tryWebhook } from './delivery-administration.ts';
import { readableBy, type ServedModelParts, servedModels, type WebhookPlace } from './place.ts';
import type { Webhooks } from './webhooks.ts';

const removed = {
  'zh-CN': '结束 30 天以上的会被清除。请求头、请求体、响应头与响应体都只保留开头',
  en: 'Finished deliveries are removed after 30 days. Only the beginning of bodies and headers is stored',
} as const;

export interface DeliveryParts extends ServedModelParts, EntityCommandParts, ListParts {
  readonly webhooks: Webhooks;
}

/** Decides which deliveries a caller reaches, and reads them. */
class DeliveryReader {
  readonly #parts: DeliveryParts;
  readonly #place: WebhookPlace;
  readonly #models: readonly ResourceModel[];
  readonly #webhookReached: ReturnType<typeof reachesIn>;
  /** Keyed by the names of the models that may be read, which are asked for at every request. */
  readonly #readers = new BoundedCache<{ readonly list: List; readonly show: Show }>(16);

  constructor(parts: DeliveryParts, place: WebhookPlace) {
    this.#parts = parts;
    this.#place = place;
    this.#models = servedModels(parts);
    this.#webhookReached = reachesIn(parts.database, place.entity);
  }

  /** No caller may read records of a model that is gone. */
  of(asker: Principal): { readonly list: List; readonly show: Show } {
    const readable = readableBy(this.#models, this.#place, asker);
    return this.#readers.getOrMake(readable.join(), () => {
      const { database, clock } = this.#parts;
      const source = this.#place.deliveries(readable);
      return { list: createList(database, source, { clock }), show: createShow(database, source, { clock }) };
    });
  }

  async reachesWebhook(principal: Principal, params: Call['params']): Promise<boolean> {
    const decision = admit(this.#place.policy, principal);
    return decision.allowed && (await this.#webhookReached(decision.grant, params));
  }

  /** The grant on the deliveries of the webhook in the path. @throws Problem `record_not_found` */
  async grantOf({ principal, params, grant }: Call): Promise<Grant> {
    if (!(await this.reachesWebhook(principal, params))) throw new Problem('record_not_found');
    return grant.narrowed({ column: 'webhook_id', value: idOf({ params }) });
  }
}

/** The common parts of the endpoints that show deliveries. */
const shown = (services: DeliveryParts, { auth, deliveries, policyFor }: WebhookPlace) => {
  const described = deliveries([]);
  const endpoint = {
    method: 'GET',
    auth,
    policy: policyFor(described),
    grantsOn: checkedModels(servedModels(services)),
    accepts: 'nothing',
  } as const;
  return { described, endpoint };
};

const listDeliveries = (services: DeliveryParts, place: WebhookPlace, reader: DeliveryReader): Endpoint => {
  const { path, tag, operation } = place;
  const { described, endpoint } = shown(services, place);
  const origin = new URL(services.baseUrl).origin;
  return {
    ...endpoint,
    operation: operation('list', 'Deliveries'),
    path: `${path}/:id/deliveries`,
    csv: true,
    docs: {
      summary: { 'zh-CN': 'Webhook 的发送记录', en: 'Deliveries of a webhook' },
      description: {
        'zh-CN': `由新到旧；${removed['zh-CN']}；调用者无权读取其记录时均为 null，\`withheld\` 为 true。`,
        en: `Newest first. ${removed.en}. They are null, and \`withheld\` is true, if the caller cannot read such records.`,
      },
      tag,
      data: described.schema,
      list: true,
      listFields: listFieldsOf(described, endpoint.policy),
      problems: ['record_not_found'],
    },
    handle: async (call) => {
      const grant = await reader.grantOf(call);
      const query = orderedBy(call.query, '-id');
      return answerList(reader.of(call.principal).list, call, origin, undefined, { grant, query });
    },
    reaches: (grant, params) => reader.reachesWebhook(grant.principal, params),
  };
};

const showDelivery = (services: DeliveryParts, place: WebhookPlace, reader: DeliveryReader): Endpoint => {
  const { path, tag, operation } = place;
  const { described, endpoint } = shown(services, place);
  return {
    ...endpoint,
    operation: operation('get', 'Delivery'),
    path: `${path}/:id/deliveries/:delivery`,
    docs: {
      summary: { 'zh-CN': 'Webhook 的一条发送记录', en: 'Show a delivery of a webhook' },
      tag,
      data: described.schema,
      problems: ['record_not_found'],
    },
    handle: async (call) => {
      const grant = await reader.grantOf(call);
      const record = await reader.of(call.principal).show(grant, idOf(call, 'delivery'));
      if (record === undefined) throw new Problem('record_not_found');
      return { data: new JsonText(record.json) };
    },
    reaches: async (grant, params) => {
      const [webhook, delivery] = [
        defaultKey.parse(params['id'] ?? ''),
        defaultKey.parse(params['delivery'] ?? ''),
      ];
      if (webhook === undefined || delivery === undefined) return false;
      const narrowed = grant.narrowed({ column: 'webhook_id', value: webhook });
      return (await reader.of(grant.principal).show(narrowed, delivery)) !== undefined;
    },
  };
};

/** Users who manage the webhook see one delivery whole; administrators have the list. */
export const deliveryEndpoints = (services: DeliveryParts, place: WebhookPlace): Endpoint[] => {
  const { entity, path, auth, policy, tag, operation, rateLimit } = place;
  const reader = new DeliveryReader(services, place);
  const endpoints = [listDeliveries(services, place, reader)];
  if (place.showsOneDelivery) endpoints.push(showDelivery(services, place, reader));
  const look = () => services.webhooks.look();
  const sending = [
    tryWebhook(look, operation('try', 'Webhook')),
    resendDelivery(look, operation('resend', 'Delivery')),
  ];
  const commands = sending.map((command) =>
    commandEndpoint(services, entity, command, { path, auth, policy, tag, rateLimit }),
  );
  return [...endpoints, ...commands];
};
