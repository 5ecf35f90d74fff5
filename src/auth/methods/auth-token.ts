import { Problem } from '../../kernel/problem.ts';
import { hashKey } from '../api-key.ts';
import { identifiedUser } from '../identified-user.ts';
import {
  type AuthDependencies,
  type Authenticate,
  type AuthMethod,
  type AuthOutcome,
  absent,
  type IdentifiedUser,
} from '../method.ts';

type ByAuthToken = IdentifiedUser<'auth_token'>;

const open =
  ({ identities, usage, clock }: AuthDependencies): Authenticate<ByAuthToken> =>
  async (request): Promise<AuthOutcome<ByAuthToken>> => {
    const key = request.header('x-auth-token');
    if (key === undefined) return absent;
    const now = clock();
    const found = await identities.byKeyHash(hashKey(key), now, request.models);
    if (found === undefined) return { kind: 'rejected', problem: new Problem('invalid_key') };
    usage.keyUsed(found.keyId, now, request.address);
    return { kind: 'principal', principal: identifiedUser(found.identity, 'auth_token', found.keyId) };
  };

/** `X-Auth-Token: <key>`: an API key for software that can be told a token but not the name of its header. */
export const authToken = {
  name: 'auth_token',
  label: { 'zh-CN': '访问令牌', en: 'Auth token' },
  area: 'api',
  holder: 'api_key',
  challenge: 'AuthToken realm="gatewright", header="X-Auth-Token"',
  refusals: ['invalid_key'],
  writeRefusals: [],
  coversBody: false,
  schemes: {
    authToken: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Auth-Token',
      description: { 'zh-CN': '以令牌形式发送的 API 密钥', en: 'An API key, sent as a token' },
    },
  },
  overview: { listed: { 'zh-CN': '访问令牌（`X-Auth-Token`）', en: 'auth token (`X-Auth-Token`)' } },
  secret: {
    option: 'authToken',
    prefix: '',
    variable: 'AUTH_TOKEN',
    label: { 'zh-CN': '访问令牌', en: 'Auth token' },
    held: { 'zh-CN': '已持有访问令牌', en: 'An auth token is held' },
    recognisable: true,
  },
  open,
} as const satisfies AuthMethod;
