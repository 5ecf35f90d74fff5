import { createTokens, type Tokens } from './auth/jwt.ts';
import { createLoginThrottle, type LoginThrottle } from './auth/login-throttle.ts';
import type { ThrottleStore } from './auth/ports.ts';
import { createSecretBox, type SecretBox } from './auth/secret-box.ts';
import { createSessionCookies, type SessionCookies } from './auth/session.ts';
import type { Config } from './config.ts';
import type { Clock } from './kernel/clock.ts';
import { generatedSecret, keptSecret } from './vault/generated-secret.ts';
import type { Vault } from './vault/vault.ts';

/** Everything whose key derives from the JWT secret; replaced as a whole when the secret changes. */
export interface Keyed {
  readonly tokens: Tokens;
  readonly cookies: SessionCookies;
  readonly throttle: LoginThrottle;
  /** Seals the secrets of webhooks. */
  readonly webhookSecrets: SecretBox;
}

const noSecret = (): Error =>
  new Error(
    'no JWT secret: set JWT_SECRET, or store jwt_secret with `gatewright credentials set jwt_secret`',
  );

/**
 * Whether `createKeyed` will have a secret; asked before anything is written.
 * @throws Error in production where there is none; VaultError where the one that was kept is damaged
 */
export const assertSecret = async (config: Config, vault: Vault): Promise<void> => {
  if ((config.jwtSecret ?? vault.jwtSecret) !== undefined) return;
  if (config.production) throw noSecret();
  await keptSecret(config.dataDir, 'jwt_secret');
};

/**
 * The secret in force: JWT_SECRET, else the credentials' own; outside production one is generated once and kept.
 * @throws Error in production where neither is there
 */
const secretOf = async (config: Config, vault: Vault): Promise<string> => {
  const secret = config.jwtSecret ?? vault.jwtSecret;
  if (secret !== undefined) return secret;
  if (config.production) throw noSecret();
  return generatedSecret(config.dataDir, 'jwt_secret');
};

/**
 * Tokens, session cookies and login counters under the secret in force. A new secret in the credentials file takes
 * effect at once and ends all tokens and sessions; one that vanishes from it leaves the last one in force.
 */
export const createKeyed = async (
  config: Config,
  vault: Vault,
  store: ThrottleStore,
  clock: Clock,
): Promise<Keyed> => {
  const under = (secret: string): Keyed => ({
    tokens: createTokens(secret, clock),
    cookies: createSessionCookies(secret, config.baseUrl),
    throttle: createLoginThrottle({ store, secret, clock }),
    webhookSecrets: createSecretBox(secret, 'gatewright webhook secrets'),
  });
  let secret = await secretOf(config, vault);
  let current = under(secret);
  vault.onChange(() => {
    const next = config.jwtSecret ?? vault.jwtSecret ?? secret;
    if (next === secret) return;
    secret = next;
    current = under(secret);
  });
  return {
    tokens: {
      issue: (userId) => current.tokens.issue(userId),
      verify: (token) => current.tokens.verify(token),
    },
    cookies: {
      name: current.cookies.name,
      baseUrl: config.baseUrl,
      create: () => current.cookies.create(),
      hash: (id) => current.cookies.hash(id),
      set: (id) => current.cookies.set(id),
      clear: () => current.cookies.clear(),
    },
    throttle: {
      run: (account, address, attempt, signal) => current.throttle.run(account, address, attempt, signal),
    },
    webhookSecrets: {
      seal: (plain) => current.webhookSecrets.seal(plain),
      open: (sealed) => current.webhookSecrets.open(sealed),
    },
  };
};
