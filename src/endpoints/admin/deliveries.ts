import type { Principal } from '../../auth/principal.ts';
import { parseId } from '../../fields/values.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { Problem } from '../../kernel/problem.ts';
import { listFieldsOf } from '../../openapi/list-field.ts';
import { createList, type List } from '../../records/list/list.ts';
import { resendDelivery } from '../../service/webhooks/delivery-administration.ts';
import { deliveryEntity, webhookEntity } from '../../service/webhooks/entity.ts';
import { commandEndpoint, entityPolicy } from '../entity.ts';
import { answerList, orderedBy } from '../list-endpoint.ts';
import type { Services } from '../services.ts';
import { checkedModels, idOf } from '../shared.ts';
import { adminAuth, adminTag, readsInArea } from './area.ts';

/** Deliveries of a webhook: its list, and sending one again. */
export const deliveryEndpoints = (services: Services): Endpoint[] => {
  const { database, clock, webhooks } = services;
  const path = '/admin/webhooks/:id/deliveries';
  const origin = new URL(services.baseUrl).origin;
  const models = [...services.resources.values()].map(({ model }) => model);
  /** By the models that may be read, which are asked for at every request. */
  const lists = new BoundedCache<List>(16);
  /** Records of a model that is gone may be read by no administrator. */
  const listFor = (asker: Principal): List => {
    const readable = models.flatMap((model) => (readsInArea(asker, model) ? [model.name] : []));
    const make = () => createList(database, deliveryEntity(readable), { clock });
    return lists.getOrMake(readable.join(), make);
  };
  const described = deliveryEntity([]);
  const policy = entityPolicy(described);
  const reaches: Endpoint['reaches'] = async (_grant, { id: text = '' }) => {
    const id = parseId(text);
    return id !== undefined && (await webhooks.store.exists(id));
  };
  return [
    {
      operation: 'listDeliveries',
      method: 'GET',
      path,
      auth: adminAuth,
      policy,
      grantsOn: checkedModels(models),
      accepts: 'nothing',
      csv: true,
      docs: {
        summary: { 'zh-CN': 'Webhook 的发送记录', en: 'Deliveries of a webhook' },
        description: {
          'zh-CN':
            '由新到旧；结束 30 天以上的会被清除。请求头、请求体、响应头与响应体都只保留开头；管理员无权读取其记录时均为 null，`withheld` 为 true。',
          en: 'Newest first; finished deliveries are removed after 30 days. Only the beginning of bodies and headers is stored. They are null, and `withheld` is true, if the administrator cannot read the record.',
        },
        tag: adminTag,
        data: described.schema,
        list: true,
        listFields: listFieldsOf(described, policy),
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        const id = idOf(call);
        if (!(await webhooks.store.exists(id))) throw new Problem('record_not_found');
        const grant = call.grant.narrowed({ column: 'webhook_id', value: id });
        return answerList(listFor(call.principal), call, origin, undefined, {
          grant,
          query: orderedBy(call.query, '-id'),
        });
      },
      reaches,
    },
    commandEndpoint(
      services,
      webhookEntity,
      resendDelivery(() => webhooks.look()),
    ),
  ];
};
