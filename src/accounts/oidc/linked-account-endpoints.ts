/** Endpoints by which administrators list and remove the provider accounts of users. */

import type { Database } from '../../database/database.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { adminAuth, adminTag } from '../../http/administration.ts';
import { actorOf, idOf, reachesIn } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { entityPolicy } from '../../http/entity-endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import { managedUserEntity } from '../users/entity.ts';
import type { UserStore } from '../users/store.ts';
import type { LinkedAccounts } from './linked-accounts.ts';

/** Schema of a list of accounts at providers. */
export const linkedAccountsSchema: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    title: 'LinkedAccount',
    properties: {
      id: { type: 'integer' },
      provider: { type: 'string' },
      issuer: { type: 'string' },
      subject: { type: 'string' },
      created_at: { type: 'string', format: 'date-time' },
      last_used_at: { type: 'string', format: 'date-time' },
    },
  },
};

export interface LinkedAccountEndpointParts {
  readonly database: Database;
  readonly users: UserStore;
  readonly linkedAccounts: LinkedAccounts;
}

/** The accounts at providers that users have linked, as administrators manage them. */
export const linkedAccountEndpoints = ({
  database,
  users,
  linkedAccounts,
}: LinkedAccountEndpointParts): Endpoint[] => {
  const path = '/admin/users/:id/identities';
  const common = {
    auth: adminAuth,
    policy: entityPolicy(managedUserEntity),
    accepts: 'nothing',
    reaches: reachesIn(database, managedUserEntity),
  } as const;
  return [
    {
      ...common,
      operation: 'adminListUserIdentities',
      method: 'GET',
      path,
      docs: {
        summary: { 'zh-CN': '用户的关联账号', en: 'Linked accounts of a user' },
        tag: adminTag,
        data: linkedAccountsSchema,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        const id = idOf(call);
        if (!(await users.exists(id))) throw new Problem('record_not_found');
        return { data: (await linkedAccounts.listOf(id)).map((each) => ({ ...each })) };
      },
    },
    {
      ...common,
      operation: 'adminUnlinkUserIdentity',
      method: 'DELETE',
      path: `${path}/:identity`,
      docs: {
        summary: { 'zh-CN': '解除用户的关联账号', en: 'Unlink an account of a user' },
        description: {
          'zh-CN':
            '该用户此后不能再用它登录；会话与令牌不受影响。管理员不能为 super_admin 解除。用户仅有这一种登录方式时为 409：请先为其设置密码，或停用该用户。',
          en: 'The user can no longer sign in with it. Sessions and tokens stay. An admin cannot unlink an account of a super_admin. Unlinking the last way to sign in returns 409: set a password first, or disable the user.',
        },
        tag: adminTag,
        problems: ['record_not_found', 'identity_last'],
      },
      handle: async (call) => {
        await linkedAccounts.remove(idOf(call), idOf(call, 'identity'), actorOf(call));
        return {};
      },
    },
  ];
};
