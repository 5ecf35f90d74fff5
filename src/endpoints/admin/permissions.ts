import type { Call, Endpoint } from '../../http/endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import type { PermissionName } from '../../service/roles/roles.ts';
import { schemas } from '../schemas.ts';
import type { Services } from '../services.ts';
import { actorOf } from '../shared.ts';
import { adminAuth, administratorOnly, adminTag } from './area.ts';
import { permissionChangesInput } from './permission-changes.ts';

/** Many entries in one transaction: a role's whole column of the table, a model's whole row, the way back. */
const changePermissions = (services: Services): Endpoint => {
  const input = permissionChangesInput(services);
  return {
    operation: 'changePermissions',
    method: 'PUT',
    path: '/admin/permissions',
    auth: adminAuth,
    policy: administratorOnly,
    accepts: 'json',
    input: input.schema,
    docs: {
      summary: { 'zh-CN': '批量授予与收回权限', en: 'Grant and revoke permissions together' },
      description: {
        'zh-CN': '全部成功或全部不变；返回实际改变的各项，每一项各有一条审计记录。',
        en: 'All of it or nothing. Answers the entries that were changed by it, each of which has its line in the audit list.',
      },
      tag: adminTag,
      data: schemas.permissionChanges,
      problems: ['invalid_record', 'batch_too_large', 'record_not_found'],
    },
    handle: async (call) => {
      const changed = await services.roles.change(await input.read(call.body), actorOf(call));
      return { data: { changed: changed.map((each) => ({ ...each })) } };
    },
  };
};

/** What is granted to roles. */
export const permissionEndpoints = (services: Services): Endpoint[] => {
  const path = '/admin/permissions';
  const entry = { auth: adminAuth, policy: administratorOnly, accepts: 'nothing' } as const;

  /** The permission that a path names. @throws Problem `record_not_found` for a name that nobody registered */
  const named = async (call: Call): Promise<PermissionName> => {
    const { role = '', model = '', action = '' } = call.params;
    const known = services.permissionEntries.some((one) => one.model === model && one.action === action);
    if (!known || !(await services.roles.exists(role))) throw new Problem('record_not_found');
    return { role, model, action };
  };

  return [
    changePermissions(services),
    {
      operation: 'grantPermission',
      method: 'PUT',
      path: `${path}/:role/:model/:action`,
      ...entry,
      docs: {
        summary: { 'zh-CN': '授予权限', en: 'Grant a permission' },
        description: {
          'zh-CN': '自下一个请求起生效；已授予则不变。',
          en: 'It holds from the next request on. What was granted already stays as it is.',
        },
        tag: adminTag,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        await services.roles.grant(await named(call), actorOf(call));
        return {};
      },
    },
    {
      operation: 'revokePermission',
      method: 'DELETE',
      path: `${path}/:role/:model/:action`,
      ...entry,
      docs: {
        summary: { 'zh-CN': '收回权限', en: 'Revoke a permission' },
        description: {
          'zh-CN': '自下一个请求起生效；未授予则不变。',
          en: 'It holds from the next request on. What was not granted stays as it is.',
        },
        tag: adminTag,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        await services.roles.revoke(await named(call), actorOf(call));
        return {};
      },
    },
  ];
};
