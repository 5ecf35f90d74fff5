import type { Identity } from '../../auth/ports.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Translations } from '../../kernel/messages.ts';

/** Characters of a User-Agent that are kept for the list of sessions. */
const maxUserAgent = 200;

export const truncateUserAgent = (header: string | undefined): string =>
  (header ?? '').slice(0, maxUserAgent).toWellFormed();

export const sessionCookieText: Translations = { 'zh-CN': '会话的 Cookie', en: 'The cookie of the session' };

export const sessionUserText: Translations = {
  'zh-CN':
    '仅当管理员要求修改密码时带有 `must_change_password`：在 `PUT /admin/password` 之前，其他路由均为 403。`second_factor.due` 为真时，须先设置两步验证，此前仅可使用 `/admin/second-factor` 下的路由。',
  en: '`must_change_password` is there only while an administrator asks that the password be changed: every other route is 403 until `PUT /admin/password`. While `second_factor.due` is true, only the routes of `/admin/second-factor` can be used until one is set up.',
};

/** The user of a session, and the steps that are due before anything else. */
export const sessionUser = (identity: Identity): JsonObject => {
  const { id, username, email, name, roles, mustChangePassword, secondFactor } = identity;
  const enrolled = secondFactor === 'given' || secondFactor === 'missing';
  const user = {
    id,
    username,
    email,
    name,
    roles: [...roles].sort(),
    second_factor: { enrolled, due: secondFactor === 'due' },
  };
  return mustChangePassword ? { ...user, must_change_password: true } : user;
};
