import { hash, randomBytes } from 'node:crypto';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import type { Clock } from '../kernel/clock.ts';
import { Problem } from '../kernel/problem.ts';
import { type AuthMethod, type AuthOutcome, type AuthRequest, absent } from './method.ts';
import type { IdentityStore, UsageRecorder } from './ports.ts';
import { userPrincipal } from './user-principal.ts';

const keyForm = /^[0-9a-f]{64}$/;

/** Hex digits of a key that are stored in clear, for its mask. */
export const keyPrefixLength = 8;

/** A new key: 32 random bytes, 64 lowercase hex digits. */
export const newKey = (): string => randomBytes(32).toString('hex');

/**
 * SHA-256 in lowercase hex, the only form in which a key is stored. A key has 256 random bits, so a slow hash would
 * protect nothing more; finding it through an index leaks no more of it than its hash.
 */
export const hashKey = (key: string): string => hash('sha256', key, 'hex');

/** A key, or its stored prefix, as it may be shown: the first 8 hex digits, then `****`. */
export const maskKey = (key: string): string => `${key.slice(0, keyPrefixLength)}****`;

const rejected = (): AuthOutcome => ({ kind: 'rejected', problem: new Problem('invalid_key') });

export interface ApiKeyDependencies {
  readonly identities: IdentityStore;
  readonly usage: UsageRecorder;
  readonly clock: Clock;
}

/** `X-Api-Key: <key>`; the identity is the key's owner. */
export const createApiKeyMethod = ({ identities, usage, clock }: ApiKeyDependencies): AuthMethod => {
  // A key's hash stays the same; whether the key is good the database says every time.
  const hashes = new BoundedCache<{ readonly hash: string }>('apiKeyHashes');

  const identify = async (
    key: string,
    { models, address }: Pick<AuthRequest, 'models' | 'address'>,
  ): Promise<AuthOutcome> => {
    const known = hashes.get(key);
    if (known === undefined && !keyForm.test(key)) return rejected();
    const hash = known?.hash ?? hashKey(key);
    const now = clock();
    const found = await identities.byKeyHash(hash, now, models);
    if (found === undefined) return rejected();
    // Only those that somebody holds: strangers cannot crowd them out.
    if (known === undefined) hashes.set(key, { hash });
    usage.keyUsed(found.keyId, now, address);
    return { kind: 'principal', principal: userPrincipal(found.identity, 'api_key', found.keyId) };
  };
  return {
    name: 'api_key',
    challenge: 'ApiKey realm="gatewright", header="X-Api-Key"',
    schemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
    authenticate(request) {
      const key = request.header('x-api-key');
      return key === undefined ? absent : identify(key, request);
    },
  };
};
