/** Authentication by an API key in `X-Api-Key`, within the limits and networks of the key. */

import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { Problem } from '../../kernel/problem.ts';
import { hashKey } from '../api-key.ts';
import {
  type AuthDependencies,
  type Authenticate,
  type AuthMethod,
  type AuthOutcome,
  type AuthRequest,
  absent,
  type IdentifiedUser,
} from '../method.ts';

type ByKey = IdentifiedUser<'api_key'>;

const keyForm = /^[0-9a-f]{64}$/;

const rejection = (hash?: string): AuthOutcome<ByKey> => ({
  kind: 'rejected',
  problem: new Problem('invalid_key'),
  claim: hash === undefined ? undefined : { kind: 'api_key', hash },
});

const open = ({ identities, usage, clock }: AuthDependencies): Authenticate<ByKey> => {
  // Hashes of keys by key. Only the hash is cached; the database checks the key at every use.
  const hashes = new BoundedCache<{ readonly hash: string }>(1_000);

  const identify = async (
    key: string,
    { models, address }: Pick<AuthRequest, 'models' | 'address'>,
  ): Promise<AuthOutcome<ByKey>> => {
    const cached = hashes.get(key);
    if (cached === undefined && !keyForm.test(key)) return rejection();
    const hash = cached?.hash ?? hashKey(key);
    const now = clock();
    const found = await identities.byKeyHash(hash, now, models);
    if (found === undefined) return rejection(hash);
    if (found.networks !== undefined && !found.networks.has(address)) return rejection(hash);
    // Only hashes of existing keys are cached: strangers cannot evict them.
    if (cached === undefined) hashes.set(key, { hash });
    usage.keyUsed(found.keyId, hash, now, address);
    return {
      kind: 'principal',
      principal: {
        ...found.identity,
        method: 'api_key',
        credential: found.keyId,
        scopes: found.scopes,
        limits: found.limits,
        uses: new Set(),
      },
    };
  };
  return (request) => {
    const key = request.header('x-api-key');
    return key === undefined ? absent : identify(key, request);
  };
};

/** `X-Api-Key: <key>`; the principal is the key's owner. */
export const apiKey = {
  name: 'api_key',
  label: { 'zh-CN': 'API 密钥', en: 'API key' },
  area: 'api',
  holder: 'api_key',
  challenge: 'ApiKey realm="gatewright", header="X-Api-Key"',
  refusals: ['invalid_key'],
  writeRefusals: [],
  coversBody: false,
  schemes: {
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Api-Key',
      description: {
        'zh-CN': '64 位小写十六进制；权限与其所有者相同',
        en: '64 lowercase hex digits; acts as its owner',
      },
    },
  },
  overview: { listed: { 'zh-CN': 'API 密钥（`X-Api-Key`）', en: 'API key (`X-Api-Key`)' } },
  secret: {
    option: 'key',
    prefix: '',
    variable: 'API_KEY',
    label: { 'zh-CN': 'API 密钥', en: 'API key' },
    held: { 'zh-CN': '已持有 API 密钥', en: 'API key available' },
    recognisable: true,
  },
  open,
} as const satisfies AuthMethod;
