/** Endpoints of the API on users: their list, and the current user. */

import type { UserPrincipal } from '../../auth/principal.ts';
import { userOf } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { type ListParts, listEndpoint } from '../../http/list-endpoint.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Languages } from '../../kernel/messages.ts';
import { publicUserEntity, usersShowing } from '../../records/user-entity.ts';
import type { LinkedAccounts } from '../oidc/linked-accounts.ts';
import { meSchemaIn } from './identity-schemas.ts';
import type { UserStore } from './store.ts';

/** Users: administrators see all of them, others themselves. */
export const usersEndpoint = (services: ListParts): Endpoint =>
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

export interface MeParts {
  readonly linkedAccounts: LinkedAccounts;
  readonly users: Pick<UserStore, 'localeOf'>;
  readonly languages: Languages;
}

export const mePath = '/api/v1/auth/me';

/**
 * `email_taken` of a user without an address: another user had it at the first sign-in with a provider. Absent
 * otherwise.
 */
export const takenAddress = async (
  { linkedAccounts }: Pick<MeParts, 'linkedAccounts'>,
  { id, email }: Pick<UserPrincipal, 'id' | 'email'>,
): Promise<{ readonly email_taken?: true }> =>
  email === null && (await linkedAccounts.isAddressTaken(id)) ? { email_taken: true } : {};

/** The current user as `/auth/me` returns it; with the language of their mail where `LOCALE=auto:…` declares any. */
export const meData = async (services: MeParts, user: UserPrincipal): Promise<JsonObject> => {
  const { id, username, email, name, roles } = user;
  const { declared } = services.languages;
  const chosen = declared === undefined ? {} : { locale: await services.users.localeOf(id) };
  const taken = await takenAddress(services, user);
  return { id, username, email, name, roles: [...roles].sort(), ...chosen, ...taken };
};

export const meEndpoint = (services: MeParts): Endpoint => ({
  operation: 'getMe',
  method: 'GET',
  path: mePath,
  auth: ['jwt'],
  policy: { kind: 'user', beforePasswordChange: true },
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '当前用户', en: 'Current user' },
    description: {
      'zh-CN':
        '令牌所属的用户及其角色。若其首次以身份提供方登录时，邮箱已属于其他用户，则 `email` 为 null，且带有 `email_taken`。',
      en: 'The user of the token, with their roles. If their address belonged to another user at the first sign-in with a provider, `email` is null and `email_taken` is there.',
    },
    tag: 'Auth',
    data: meSchemaIn(services.languages),
  },
  handle: async (call) => ({ data: await meData(services, userOf(call)) }),
});
