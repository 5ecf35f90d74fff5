/** Derives the keys of tokens, cookies and sealed values from the server secret, and follows its changes. */

import type { Logger } from 'pino';
import { createTokens, type Tokens } from '../auth/jwt.ts';
import { createLoginThrottle, type LoginThrottle } from '../auth/login-throttle.ts';
import type { ThrottleStore } from '../auth/ports.ts';
import { createRefreshTokens, type RefreshTokens } from '../auth/refresh-token.ts';
import { createSecretBox, type RekeyableBox, type SecretBox } from '../auth/secret-box.ts';
import { createSessionCookies, type SessionCookies } from '../auth/session.ts';
import type { Clock } from '../kernel/clock.ts';
import { generatedSecret, storedSecret } from '../vault/generated-secret.ts';
import { openVault, type Vault } from '../vault/vault.ts';
import type { Config } from './config.ts';

/** Parts whose keys derive from the JWT secret, and change with it. */
export interface Keyed {
  readonly tokens: Tokens;
  readonly refreshTokens: RefreshTokens;
  readonly cookies: SessionCookies;
  readonly throttle: LoginThrottle;
  /** Seals the secrets of webhooks; also opens secrets sealed under a former server secret. */
  readonly webhookSecrets: SecretBox;
  /** Seals the secrets of authenticator applications in the same way. */
  readonly totpSecrets: SecretBox;
  /** Seals the secrets of sign-ins that are at a provider. */
  readonly providerSecrets: SecretBox;
  /** Seals the tokens of links until they are sent. */
  readonly mailSecrets: SecretBox;
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
 * The current secret: JWT_SECRET, else the secret of the credentials; outside production one is generated once and
 * stored.
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
export const resealOnChange = async (resealing: Resealing, vault: Vault, logger: Logger): Promise<void> => {
  const renew = async (): Promise<void> => {
    for (const [name, reseal] of Object.entries(resealing))
      try {
        const count = await reseal();
        if (count > 0) logger.info({ [name]: count }, 'secrets were encrypted with the new server secret');
      } catch (error) {
        logger.warn({ err: error }, `secrets of ${name} are sealed under a former server secret`);
      }
  };
  vault.onChange(() => void renew());
  await renew();
};

/**
 * The secret of a service, for a command beside it. None is created.
 * @throws Error where this process does not know it; VaultError where the credentials cannot be read
 */
export const secretBeside = async (config: Config): Promise<string> => {
  if (config.jwtSecret !== undefined) return config.jwtSecret;
  const vault = await openVault({
    file: config.credentialsFile,
    keyFile: config.credentialsKeyFile,
    key: config.credentialsKey,
    production: config.production,
    onError: () => {},
  });
  const secret = vault.jwtSecret ?? (await storedSecret(config.dataDir, 'jwt_secret'));
  if (secret === undefined) throw noSecret();
  return secret;
};

/** Keys of a random secret, of which nothing may leave the process: no token is issued and no link is sealed. */
export const withoutSecret = ({ tokens, mailSecrets, ...others }: Keyed, cause: unknown): Keyed => {
  const refuse = (): never => {
    throw new Error('this command does not know the secret of the service, which tokens and links need', {
      cause,
    });
  };
  return {
    ...others,
    tokens: { ...tokens, issue: refuse, issueFor: refuse },
    mailSecrets: { ...mailSecrets, seal: refuse },
  };
};

/**
 * Every former secret that is still available: values that were sealed under it can be opened. They include the
 * generated one, and the credentials' one where JWT_SECRET overrides it.
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
  let secret = await secretOf(config, vault);
  const former = await formerSecrets(config, vault);
  const boxFor = (purpose: string): RekeyableBox => createSecretBox(secret, purpose, former());
  const webhookSecrets = boxFor('gatewright webhook secrets');
  const totpSecrets = boxFor('gatewright authenticator secrets');
  const mailSecrets = boxFor('gatewright mail tokens');
  const providerSecrets = boxFor('gatewright provider sign-ins');
  const tokens = createTokens(secret, clock);
  const refreshTokens = createRefreshTokens(secret);
  const cookies = createSessionCookies(secret, config.baseUrl);
  const throttle = createLoginThrottle({ store, secret, clock });
  vault.onChange(() => {
    const next = config.jwtSecret ?? vault.jwtSecret ?? secret;
    if (next !== secret) {
      secret = next;
      for (const each of [tokens, refreshTokens, cookies, throttle]) each.replaceSecret(secret);
    }
    for (const box of [webhookSecrets, totpSecrets, mailSecrets, providerSecrets])
      box.replaceSecrets(secret, former());
  });
  return {
    tokens,
    refreshTokens,
    cookies,
    throttle,
    webhookSecrets,
    totpSecrets,
    mailSecrets,
    providerSecrets,
  };
};
