/**
 * Authentication by the session cookie of the administration area, with protection against requests of other
 * origins.
 */

import { Problem } from '../../kernel/problem.ts';
import type { ProblemName } from '../../kernel/problem-table.ts';
import {
  type AuthDependencies,
  type Authenticate,
  type AuthMethod,
  type AuthOutcome,
  absent,
  type IdentifiedUser,
} from '../method.ts';
import { sameOrigin } from '../same-origin.ts';
import { cookieValues, sessionCookieName } from '../session.ts';

type BySession = IdentifiedUser<'session'>;

/** 32 bytes in canonical base64url: the last character encodes four bits and two zeros. */
const idForm = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const rejection = (name: ProblemName): AuthOutcome<BySession> => ({
  kind: 'rejected',
  problem: new Problem(name),
});

const open = ({ cookies, identities, clock }: AuthDependencies): Authenticate<BySession> => {
  const identify = async (id: string, models: readonly string[]): Promise<AuthOutcome<BySession>> => {
    const found = await identities.bySession(cookies.hash(id), clock(), models);
    return found === undefined
      ? rejection('invalid_session')
      : {
          kind: 'principal',
          principal: { ...found.identity, method: 'session', credential: found.sessionId },
        };
  };
  return (request) => {
    const header = request.header('cookie');
    const [id, ...others] = header === undefined ? [] : cookieValues(header, cookies.name);
    if (id === undefined) return absent;
    if (!safeMethods.has(request.method) && !sameOrigin(request, cookies.baseUrl))
      return rejection('cross_site');
    return others.length === 0 && idForm.test(id)
      ? identify(id, request.models)
      : rejection('invalid_session');
  };
};

/**
 * The session cookie of the administration area. A write needs proof from the browser that a page of this service
 * sent it (`cross_site`, 403, otherwise). Two cookies of the name are refused: one of them was planted.
 */
export const session = {
  name: 'session',
  label: { 'zh-CN': '后台会话', en: 'Admin session' },
  plotted: { 'zh-CN': '会话', en: 'Session' },
  area: 'admin',
  holder: 'user',
  challenge: 'Session realm="gatewright"',
  refusals: ['invalid_session'],
  writeRefusals: ['cross_site'],
  coversBody: false,
  schemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName,
      description: { 'zh-CN': '管理后台的会话', en: 'A session of the administration area' },
    },
  },
  open,
} as const satisfies AuthMethod;
