import type { Endpoint } from '../../http/endpoint.ts';
import { ownKeyEntity } from '../../service/api-keys/entity.ts';
import { createInput, refuseInvalid } from '../input.ts';
import { listEndpoint } from '../list-endpoint.ts';
import { schemas } from '../schemas.ts';
import type { Services } from '../services.ts';
import { actorOf, idOf, reachesIn, userOf } from '../shared.ts';
import { createKey, keyFieldDefinitions } from './new-key.ts';

const tag = 'API keys';

/** One's own API keys. A key of somebody else is as good as missing. */
export const apiKeyEndpoints = (services: Services): Endpoint[] => {
  const input = createInput(keyFieldDefinitions, services.locale);
  return [
    listEndpoint(services, ownKeyEntity, {
      operation: 'listApiKeys',
      path: '/api/v1/api_keys',
      auth: ['jwt'],
      policy: { kind: 'user', own: 'user_id', readable: ownKeyEntity.view },
      docs: { summary: { 'zh-CN': '我的 API 密钥', en: 'My API keys' }, tag, data: ownKeyEntity.schema },
    }),
    {
      operation: 'createApiKey',
      method: 'POST',
      path: '/api/v1/api_keys',
      auth: ['jwt'],
      policy: { kind: 'user' },
      accepts: 'json',
      bodyKey: 'api_key',
      input: input.schema,
      status: 201,
      docs: {
        summary: { 'zh-CN': '创建 API 密钥', en: 'Create an API key' },
        description: {
          'zh-CN': '完整密钥仅在此响应中返回一次。',
          en: 'The full key is in this answer only.',
        },
        tag,
        data: schemas.newKey,
      },
      handle: (call) => {
        const { values, errors } = input.read(call.body);
        refuseInvalid(errors);
        return createKey(services, call, userOf(call).id, values);
      },
    },
    {
      operation: 'deleteApiKey',
      method: 'DELETE',
      path: '/api/v1/api_keys/:id',
      auth: ['jwt'],
      policy: { kind: 'user', own: 'user_id' },
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '删除 API 密钥', en: 'Delete an API key' },
        description: {
          'zh-CN': '立即失效。他人的密钥视为不存在（404）。',
          en: 'It stops working at once. Keys of others do not exist here (404).',
        },
        tag,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        await services.keys.remove(idOf(call), call.grant, actorOf(call));
        return {};
      },
      reaches: reachesIn(services.database, ownKeyEntity),
    },
  ];
};
