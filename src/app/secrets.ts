import type { Logger } from 'pino';
import { createTokens, type Tokens } from '../auth/jwt.ts';
import { createLoginThrottle, type LoginThrottle } from '../auth/login-throttle.ts';
import type { ThrottleStore } from '../auth/ports.ts';
import { createSecretBox, type SecretBox } from '../auth/secret-box.ts';
import { createSessionCookies, type SessionCookies } from '../auth/session.ts';
import type { Clock } from '../kernel/clock.ts';
import { generatedSecret, storedSecret } from '../vault/generated-secret.ts';
import type { Vault } from '../vault/vault.ts';
import type { Config } from './config.ts';

/** Parts whose key derives from the JWT secret; replaced as a whole when the secret changes. */
export interface Keyed {
  readonly tokens: Tokens;
  readonly cookies: SessionCookies;
  readonly throttle: LoginThrottle;
  /** Seals the secrets of webhooks; also opens those that were sealed under a former secret. */
  readonly webhookSecrets: SecretBox;
  /** Seals the secrets of authenticator applications in the same way. */
  readonly totpSecrets: SecretBox;
}

const noSecret = (): Error =>
  new Error(
    'no JWT secret: set JWT_SECRET, or store jwt_secret with `gatewright credentials set jwt_secret`',
  );

/**
 * Checks, before anything is written, that `createKeyed` will have a secret.
 * @throws Error in production where there is none; VaultError where the stored one is damaged
 */
export const assertSecret = async (config: Config, vault: Vault): Promise<void> => {
  if ((config.jwtSecret ?? vault.jwtSecret) !== undefined) return;
  if (config.production) throw noSecret();
  await storedSecret(config.dataDir, 'jwt_secret');
};

/**
 * The current secret: JWT_SECRET, else that of the credentials; outside production one is generated once and stored.
 * @throws Error in production where there is neither
 */
const secretOf = async (config: Config, vault: Vault): Promise<string> => {
  const secret = config.jwtSecret ?? vault.jwtSecret;
  if (secret !== undefined) return secret;
  if (config.production) throw noSecret();
  return generatedSecret(config.dataDir, 'jwt_secret');
};

/** Functions that seal secrets again, by their name in the log. Each returns how many there were. */
export type Resealing = Readonly<Record<string, () => Promise<number>>>;

/**
 * Seals secrets under the current server secret, now and whenever it changes. A failure is logged, and tried again at
 * the next start; until then the former secret opens them.
 */
export const keepSealed = async (resealing: Resealing, vault: Vault, logger: Logger): Promise<void> => {
  const renew = async (): Promise<void> => {
    for (const [name, reseal] of Object.entries(resealing))
      try {
        const count = await reseal();
        if (count > 0) logger.info({ [name]: count }, 'secrets were sealed under the new server secret');
      } catch (error) {
        logger.warn({ err: error }, `secrets of ${name} are sealed under a former server secret`);
      }
  };
  vault.onChange(() => void renew());
  await renew();
};

/**
 * Every former secret that is still available: values that were sealed under it can be opened. They include the
 * generated one, and that of the credentials where JWT_SECRET overrides it.
 */
const formerSecrets = async (config: Config, vault: Vault): Promise<() => readonly string[]> => {
  const stored = await storedSecret(config.dataDir, 'jwt_secret').catch(() => undefined);
  return () => [vault.jwtSecret, ...vault.formerJwtSecrets, stored].filter((secret) => secret !== undefined);
};

/**
 * Tokens, session cookies and login counters under the current secret. A new secret in the credentials file takes
 * effect at once and ends all tokens and sessions; if it is removed, the last one stays in effect.
 */
export const createKeyed = async (
  config: Config,
  vault: Vault,
  store: ThrottleStore,
  clock: Clock,
): Promise<Keyed> => {
  const under = (secret: string): Omit<Keyed, 'webhookSecrets' | 'totpSecrets'> => ({
    tokens: createTokens(secret, clock),
    cookies: createSessionCookies(secret, config.baseUrl),
    throttle: createLoginThrottle({ store, secret, clock }),
  });
  let secret = await secretOf(config, vault);
  const former = await formerSecrets(config, vault);
  const boxesUnder = () => {
    const replaced = former();
    return {
      webhooks: createSecretBox(secret, 'gatewright webhook secrets', replaced),
      totp: createSecretBox(secret, 'gatewright authenticator secrets', replaced),
    };
  };
  let current = under(secret);
  let boxes = boxesUnder();
  vault.onChange(() => {
    const next = config.jwtSecret ?? vault.jwtSecret ?? secret;
    if (next !== secret) {
      secret = next;
      current = under(secret);
    }
    boxes = boxesUnder();
  });
  const boxOf = (name: keyof typeof boxes): SecretBox => ({
    seal: (plain) => boxes[name].seal(plain),
    open: (sealed) => boxes[name].open(sealed),
    renew: (sealed) => boxes[name].renew(sealed),
  });
  return {
    tokens: {
      issue: (userId, expiry) => current.tokens.issue(userId, expiry),
      issueFor: (userId, session) => current.tokens.issueFor(userId, session),
      verify: (token) => current.tokens.verify(token),
      holderOf: (token) => current.tokens.holderOf(token),
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
      runCode: (account, attempt, signal) => current.throttle.runCode(account, attempt, signal),
    },
    webhookSecrets: boxOf('webhooks'),
    totpSecrets: boxOf('totp'),
  };
};
