import type { Endpoint } from '../../http/endpoint.ts';
import type { Showing } from '../../policy/rule.ts';
import { publicUserEntity } from '../../records/users.ts';
import { listEndpoint } from '../list-endpoint.ts';
import type { Services } from '../services.ts';
import { userOf } from '../shared.ts';

/** Access to users: the list stands for the detail of a user, which has no endpoint of its own. */
export const usersShowing: Showing = {
  auth: ['api_key', 'jwt', 'bearer'],
  policy: { kind: 'isolated', own: 'id', readable: publicUserEntity.view, scope: 'users:read' },
};

/** Users: administrators see all of them, others themselves. */
export const usersEndpoint = (services: Services): Endpoint =>
  listEndpoint(services, publicUserEntity, {
    operation: 'listUsers',
    path: '/api/v1/users',
    ...usersShowing,
    docs: {
      summary: { 'zh-CN': '用户列表', en: 'List users' },
      description: {
        'zh-CN': 'super_admin 与 admin 可见全部用户，其他人仅可见自己。',
        en: 'super_admin and admin see all users, others only themselves.',
      },
      tag: 'Users',
      data: publicUserEntity.schema,
    },
  });

/** The current user. */
export const meEndpoint = (): Endpoint => ({
  operation: 'getMe',
  method: 'GET',
  path: '/api/v1/auth/me',
  auth: ['jwt'],
  policy: { kind: 'user', beforePasswordChange: true },
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '当前用户', en: 'Current user' },
    description: {
      'zh-CN': '令牌所属的用户及其角色。',
      en: 'The user of the token, with their roles.',
    },
    tag: 'Auth',
    data: publicUserEntity.schema,
  },
  handle: (call) => {
    const { id, username, email, name, roles } = userOf(call);
    return { data: { id, username, email, name, roles: [...roles].sort() } };
  },
});
