import { field } from '../../fields/define.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import type { KeyChange } from '../../service/api-keys/api-keys.ts';
import { keyEntity } from '../../service/api-keys/entity.ts';
import { createKey, endOf, keyFieldDefinitions } from '../api-keys/new-key.ts';
import { entityPolicy, showEntity } from '../entity.ts';
import { createInput, refuseInvalid } from '../input.ts';
import { schemas } from '../schemas.ts';
import type { Services } from '../services.ts';
import { actorOf, idOf, reachesIn } from '../shared.ts';
import { adminAuth, administratorOnly, adminTag } from './area.ts';
import { keyUsageEndpoint } from './key-usage.ts';

const changeOf = (values: Readonly<Record<string, unknown>>): KeyChange => ({
  ...(typeof values['name'] === 'string' ? { name: values['name'] } : {}),
  ...('expires_at' in values ? { expiresAt: endOf(values['expires_at']) } : {}),
});

/** One key, and what becomes of it. */
const oneKeyEndpoints = (services: Services, path: string): Endpoint[] => {
  const input = createInput(keyFieldDefinitions, services.locale);
  const { required: _none, ...changes } = input.schema;
  const show = showEntity(services, keyEntity);
  const one = {
    path: `${path}/:id`,
    auth: adminAuth,
    policy: entityPolicy(keyEntity),
    reaches: reachesIn(services.database, keyEntity),
  } as const;
  return [
    {
      operation: 'adminUpdateApiKey',
      method: 'PATCH',
      ...one,
      accepts: 'json-or-form',
      bodyKey: 'api_key',
      input: changes,
      docs: {
        summary: { 'zh-CN': '修改 API 密钥的名称或过期时间', en: 'Rename an API key, or change its end' },
        description: {
          'zh-CN':
            '`expires_at` 为 null 即永不过期，已过去的时间使密钥立即失效。已过期的密钥不能延期：409（40909）。',
          en: '`expires_at: null` takes its end away, a past one ends it at once. A key that has expired is not extended: 409 (40909).',
        },
        tag: adminTag,
        data: keyEntity.schema,
        problems: ['record_not_found', 'key_expired'],
      },
      handle: async (call) => {
        const id = idOf(call);
        const { values, errors } = input.read(call.body, 'update');
        refuseInvalid(errors);
        await services.keys.update(id, changeOf(values), actorOf(call));
        return show(call, id);
      },
    },
    {
      operation: 'adminDeleteApiKey',
      method: 'DELETE',
      ...one,
      policy: administratorOnly,
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '删除任意 API 密钥', en: 'Delete any API key' },
        description: {
          'zh-CN': '立即失效，无论属于谁。',
          en: 'It stops working at once, whoever owns it.',
        },
        tag: adminTag,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        await services.keys.remove(idOf(call), call.grant, actorOf(call));
        return {};
      },
    },
  ];
};

/** Keys of every user. */
export const adminKeyEndpoints = (services: Services): Endpoint[] => {
  const input = createInput(
    { ...keyFieldDefinitions, user_id: field.integer({ required: true, min: 1 }) },
    services.locale,
  );
  const path = '/admin/api_keys';
  return [
    {
      operation: 'adminCreateApiKey',
      method: 'POST',
      path,
      auth: adminAuth,
      policy: administratorOnly,
      accepts: 'json-or-form',
      bodyKey: 'api_key',
      input: input.schema,
      status: 201,
      docs: {
        summary: { 'zh-CN': '为用户创建 API 密钥', en: 'Create an API key for a user' },
        description: {
          'zh-CN': '密钥以该用户的身份与权限行事。完整密钥仅在此响应中返回一次。',
          en: 'The key acts as this user, with the rights of the user. The full key is in this answer only.',
        },
        tag: adminTag,
        data: schemas.newKey,
      },
      handle: async (call) => {
        const { values, errors } = input.read(call.body);
        const userId = Number(values['user_id']);
        const unknownUser = input.error('user_id', { rule: 'reference' });
        const asked = !errors.some(({ field: name }) => name === 'user_id');
        const found = !asked || (await services.users.exists(userId));
        refuseInvalid(found ? errors : [...errors, unknownUser]);
        try {
          return await createKey(services, call, userId, values);
        } catch (error) {
          // Deleted between the look-up and the write.
          if (error instanceof Problem && error.problem === 'record_not_found') refuseInvalid([unknownUser]);
          throw error;
        }
      },
    },
    ...oneKeyEndpoints(services, path),
    keyUsageEndpoint(services, path),
  ];
};
