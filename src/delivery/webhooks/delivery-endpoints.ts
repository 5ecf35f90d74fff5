/** Endpoints of the deliveries of a webhook: the list, one delivery, and the commands to repeat them. */

import type { Principal } from '../../auth/principal.ts';
import { parseId } from '../../fields/values.ts';
import { checkedModels, idOf, reachesIn } from '../../http/call.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { commandEndpoint, type EntityCommandParts } from '../../http/entity-endpoint.ts';
import { answerList, type ListParts, orderedBy } from '../../http/list-endpoint.ts';
import { listFieldsOf } from '../../http/list-field.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { JsonText } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
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

/** Users who manage the webhook see one delivery whole; administrators have the list. */
export const deliveryEndpoints = (services: DeliveryParts, place: WebhookPlace): Endpoint[] => {
  const { database, clock, webhooks } = services;
  const { entity, auth, tag, operation, deliveries } = place;
  const path = `${place.path}/:id/deliveries`;
  const origin = new URL(services.baseUrl).origin;
  const models = servedModels(services);
  /** Keyed by the names of the models that may be read, which are asked for at every request. */
  const readers = new BoundedCache<{ readonly list: List; readonly show: Show }>(16);
  /** No caller may read records of a model that is gone. */
  const readerFor = (asker: Principal) => {
    const readable = readableBy(models, place, asker);
    return readers.getOrMake(readable.join(), () => {
      const source = deliveries(readable);
      return { list: createList(database, source, { clock }), show: createShow(database, source, { clock }) };
    });
  };
  const described = deliveries([]);
  const policy = place.policyFor(described);
  const webhookReached = reachesIn(database, entity);
  const reachesWebhook = async (principal: Principal, params: Call['params']): Promise<boolean> => {
    const decision = admit(place.policy, principal);
    return decision.allowed && (await webhookReached(decision.grant, params));
  };
  /** The grant on the deliveries of the webhook in the path. @throws Problem `record_not_found` */
  const grantOf = async ({ principal, params, grant }: Call): Promise<Grant> => {
    if (!(await reachesWebhook(principal, params))) throw new Problem('record_not_found');
    return grant.narrowed({ column: 'webhook_id', value: idOf({ params }) });
  };
  const common = {
    method: 'GET',
    auth,
    policy,
    grantsOn: checkedModels(models),
    accepts: 'nothing',
  } as const;

  const list: Endpoint = {
    ...common,
    operation: operation('list', 'Deliveries'),
    path,
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
      listFields: listFieldsOf(described, policy),
      problems: ['record_not_found'],
    },
    handle: async (call) => {
      const grant = await grantOf(call);
      const query = orderedBy(call.query, '-id');
      return answerList(readerFor(call.principal).list, call, origin, undefined, { grant, query });
    },
    reaches: (grant, params) => reachesWebhook(grant.principal, params),
  };

  const detail: Endpoint = {
    ...common,
    operation: operation('get', 'Delivery'),
    path: `${path}/:delivery`,
    docs: {
      summary: { 'zh-CN': 'Webhook 的一条发送记录', en: 'Show a delivery of a webhook' },
      tag,
      data: described.schema,
      problems: ['record_not_found'],
    },
    handle: async (call) => {
      const grant = await grantOf(call);
      const record = await readerFor(call.principal).show(grant, idOf(call, 'delivery'));
      if (record === undefined) throw new Problem('record_not_found');
      return { data: new JsonText(record.json) };
    },
    reaches: async (grant, params) => {
      const [webhook, delivery] = [parseId(params['id'] ?? ''), parseId(params['delivery'] ?? '')];
      if (webhook === undefined || delivery === undefined) return false;
      const narrowed = grant.narrowed({ column: 'webhook_id', value: webhook });
      return (await readerFor(grant.principal).show(narrowed, delivery)) !== undefined;
    },
  };

  const look = () => webhooks.look();
  const sending = [
    tryWebhook(look, operation('try', 'Webhook')),
    resendDelivery(look, operation('resend', 'Delivery')),
  ];
  const { rateLimit } = place;
  return [
    list,
    ...(place.showsOneDelivery ? [detail] : []),
    ...sending.map((command) =>
      commandEndpoint(services, entity, command, {
        path: place.path,
        auth,
        policy: place.policy,
        tag,
        ...(rateLimit === undefined ? {} : { rateLimit }),
      }),
    ),
  ];
};
