import type { AuthMethod } from '../method.ts';
import { jwt } from './jwt.ts';

/** The same token and verification as `jwt`, under the contract's second name. */
export const bearer = {
  ...jwt,
  name: 'bearer',
  label: { 'zh-CN': 'Bearer 令牌', en: 'Bearer token' },
  schemes: {
    bearerAuth: {
      ...jwt.schemes.bearerAuth,
      description: {
        'zh-CN': '与 JWT 相同的令牌、相同的校验',
        en: 'The same token and the same verification as JWT',
      },
    },
  },
  overview: {
    listed: { 'zh-CN': 'Bearer 令牌（与 JWT 相同）', en: 'Bearer token (the same token)' },
  },
} as const satisfies AuthMethod;
