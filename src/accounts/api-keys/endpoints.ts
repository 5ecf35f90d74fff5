/** Endpoints of one's own API keys, and of those of service accounts of records that one manages. */

import { userOf } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { commandEndpoint, type EntityCommandParts, showEntity } from '../../http/entity-endpoint.ts';
import { type ListParts, listEndpoint } from '../../http/list-endpoint.ts';
import { eachModel } from '../../policy/key-scope.ts';
import type { ServedResource } from '../../resources/operations.ts';
import { RecordOwners } from '../users/record-owners.ts';
import type { NotifyUser } from '../users/user-notices.ts';
import { ownKeyCommands } from './commands.ts';
import { ownKeyEntity } from './entity.ts';

export interface ApiKeyParts extends EntityCommandParts, ListParts {
  readonly keyScopes: ReadonlySet<string>;
  readonly notifyUser: NotifyUser;
  readonly resources: ReadonlyMap<string, ServedResource>;
}

/** One's own API keys. A key of another user is as good as missing. */
export const apiKeyEndpoints = (services: ApiKeyParts): Endpoint[] => {
  const place = {
    path: '/api/v1/api_keys',
    auth: ['jwt'],
    policy: { kind: 'user', own: 'holder_id', readable: ownKeyEntity.view },
  } as const;
  const tag = 'API keys';
  const show = showEntity(services, ownKeyEntity);
  const owners = new RecordOwners(services.resources);
  const grants = { grantsOn: owners.grantsOn };
  return [
    listEndpoint(services, ownKeyEntity, {
      operation: 'listApiKeys',
      ...place,
      docs: { summary: { 'zh-CN': '我的 API 密钥', en: 'My API keys' }, tag, data: ownKeyEntity.schema },
    }),
    {
      operation: 'getCurrentApiKey',
      method: 'GET',
      path: `${place.path}/current`,
      auth: ['api_key'],
      policy: { ...place.policy, scope: eachModel },
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '本次请求所用的 API 密钥', en: 'The API key of this request' },
        description: {
          'zh-CN': '密钥的名称、过期时间、权限范围与网段，供持有者查看自己可以做什么。任何密钥都可以调用。',
          en: 'Its name, expiry, scopes and networks, so that a holder sees what it may do. Every key may call it.',
        },
        tag,
        data: ownKeyEntity.schema,
      },
      handle: async (call) => show(call, userOf(call).credential ?? 0),
    },
    ...ownKeyCommands({
      known: services.keyScopes,
      notify: services.notifyUser,
      manages: ({ actor, transaction }, record) => owners.manages(actor, record, transaction),
    }).map((command) => {
      const policy = command.verb === 'create' ? ({ kind: 'user' } as const) : place.policy;
      return commandEndpoint(services, ownKeyEntity, command, { ...place, ...grants, policy, tag });
    }),
  ];
};
