import { field } from '../../fields/define.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import { everyKeyFields, everyKeySource } from '../../store/tables/sources.ts';
import { createKey, keyFieldDefinitions } from '../api-keys/new-key.ts';
import { createInput, refuseInvalid } from '../input.ts';
import { listEndpoint } from '../list-endpoint.ts';
import { schemas } from '../schemas.ts';
import type { Services } from '../services.ts';
import { actorOf, idOf, reachesIn } from '../shared.ts';
import { adminAuth, administratorOnly, administratorReads, adminTag } from './area.ts';

/** Keys of every user. */
export const adminKeyEndpoints = (services: Services): Endpoint[] => {
  const input = createInput(
    { ...keyFieldDefinitions, user_id: field.integer({ required: true, min: 1 }) },
    services.locale,
  );
  const path = '/admin/api_keys';
  return [
    listEndpoint(services, everyKeySource, {
      operation: 'adminListApiKeys',
      path,
      auth: adminAuth,
      policy: administratorReads(everyKeyFields),
      docs: {
        summary: { 'zh-CN': '全部 API 密钥', en: 'All API keys' },
        tag: adminTag,
        data: schemas.adminKey,
      },
    }),
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
    {
      operation: 'adminDeleteApiKey',
      method: 'DELETE',
      path: `${path}/:id`,
      auth: adminAuth,
      policy: administratorOnly,
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '删除任意 API 密钥', en: 'Delete any API key' },
        tag: adminTag,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        await services.keys.remove(idOf(call), call.grant, actorOf(call));
        return {};
      },
      reaches: reachesIn(services.database, everyKeySource),
    },
  ];
};
