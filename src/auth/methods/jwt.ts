/** Authentication by the token that the login returns, in `Authorization: Bearer`. */

import { Problem } from '../../kernel/problem.ts';
import type { TokenClaims } from '../jwt.ts';
import {
  type AuthDependencies,
  type Authenticate,
  type AuthMethod,
  type AuthOutcome,
  type AuthRequest,
  absent,
  type IdentifiedUser,
} from '../method.ts';

type ByToken = IdentifiedUser<'jwt'>;

/** The scheme as the contract writes it. */
const prefix = 'Bearer ';
/** The scheme as RFC 9110 (11.1, 11.4) allows it: case-insensitive, followed by one space or more. */
const scheme = /^bearer +/i;

/** The token of the header; undefined for another scheme. */
const tokenIn = (header: string): string | undefined => {
  if (header.startsWith(prefix) && header[prefix.length] !== ' ') return header.slice(prefix.length);
  const [found] = scheme.exec(header) ?? [];
  return found === undefined ? undefined : header.slice(found.length);
};

/** Returns the token of a request that this method has authenticated; undefined for other requests. */
export const tokenOf = (request: Pick<AuthRequest, 'header'>): string | undefined =>
  tokenIn(request.header('authorization') ?? '');

const rejection = (userId?: number): AuthOutcome<ByToken> => ({
  kind: 'rejected',
  problem: new Problem('invalid_token'),
  claim: userId === undefined ? undefined : { kind: 'user', id: userId },
});

/** Any other value of the header is rejected: a caller who tried to sign in never continues anonymously. */
const open = ({ tokens, identities, clock }: AuthDependencies): Authenticate<ByToken> => {
  /**
   * The token names the user; the database says at every request whether the user still exists, what they may do, and
   * whether the token is revoked or its session has ended.
   */
  const identify = async (
    { userId, exp, sessionId }: TokenClaims,
    models: readonly string[],
  ): Promise<AuthOutcome<ByToken>> => {
    const identity =
      sessionId === undefined
        ? await identities.byToken(userId, exp, models)
        : await identities.byUserInSession(userId, sessionId, clock(), models);
    return identity === undefined
      ? rejection(userId)
      : { kind: 'principal', principal: { ...identity, method: 'jwt' } };
  };
  return (request) => {
    const header = request.header('authorization');
    if (header === undefined) return absent;
    const token = tokenIn(header);
    if (token === undefined) return rejection();
    const claims = tokens.verify(token);
    return claims === undefined ? rejection(tokens.holderOf(token)) : identify(claims, request.models);
  };
};

/** `Authorization: Bearer <token>`: the token that the login returns (RFC 6750). */
export const jwt = {
  name: 'jwt',
  label: { 'zh-CN': 'JWT', en: 'JWT' },
  plotted: { 'zh-CN': '令牌（JWT）', en: 'Token (JWT)' },
  area: 'api',
  holder: 'user',
  challenge: 'Bearer realm="gatewright"',
  refusals: ['invalid_token'],
  writeRefusals: [],
  coversBody: false,
  schemes: {
    bearerAuth: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: { 'zh-CN': '登录接口返回的令牌', en: 'The token that the login returns' },
    },
  },
  overview: {
    listed: { 'zh-CN': 'JWT（登录后获得，24 小时有效）', en: 'JWT (from the login, valid for 24 hours)' },
  },
  secret: {
    option: 'token',
    prefix,
    variable: 'TOKEN',
    label: { 'zh-CN': 'JWT 令牌', en: 'JWT' },
    held: { 'zh-CN': '已持有令牌', en: 'Token available' },
    recognisable: false,
  },
  open,
} as const satisfies AuthMethod;
