import type { Endpoint } from '../../http/endpoint.ts';
import { publicUserEntity } from '../../records/users.ts';
import { userOf } from '../shared.ts';

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
      en: 'The user whose token it is, with the roles that they hold.',
    },
    tag: 'Auth',
    data: publicUserEntity.schema,
  },
  handle: (call) => {
    const { id, username, email, name, roles } = userOf(call);
    return { data: { id, username, email, name, roles: [...roles].sort() } };
  },
});
