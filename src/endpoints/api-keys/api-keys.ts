import type { Endpoint } from '../../http/endpoint.ts';
import { ownKeyCommands } from '../../service/api-keys/commands.ts';
import { ownKeyEntity } from '../../service/api-keys/entity.ts';
import { commandEndpoint } from '../entity.ts';
import { listEndpoint } from '../list-endpoint.ts';
import type { Services } from '../services.ts';

/** One's own API keys. A key of another user is as good as missing. */
export const apiKeyEndpoints = (services: Services): Endpoint[] => {
  const place = {
    path: '/api/v1/api_keys',
    auth: ['jwt'],
    policy: { kind: 'user', own: 'holder_id', readable: ownKeyEntity.view },
  } as const;
  const tag = 'API keys';
  return [
    listEndpoint(services, ownKeyEntity, {
      operation: 'listApiKeys',
      ...place,
      docs: { summary: { 'zh-CN': '我的 API 密钥', en: 'My API keys' }, tag, data: ownKeyEntity.schema },
    }),
    ...ownKeyCommands(services.keyScopes).map((command) => {
      const policy = command.verb === 'create' ? ({ kind: 'user' } as const) : place.policy;
      return commandEndpoint(services, ownKeyEntity, command, { ...place, policy, tag });
    }),
  ];
};
