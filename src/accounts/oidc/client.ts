/**
 * Client of one OpenID Connect provider: discovery, the way to its sign-in page, and verification of accounts and
 * logout tokens.
 */

import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import type { Configuration } from 'openid-client';
import type { Clock } from '../../kernel/clock.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import { createFetched, type Fetched } from './fetched.ts';
import type { OidcProvider } from './provider-options.ts';
import { claimTexts } from './role-mapping.ts';

/** Secrets of one sign-in, which only this service knows. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** An account at the provider, verified. */
export interface ProvidedAccount {
  readonly issuer: string;
  readonly subject: string;
  /** Id of the session at the provider. */
  readonly sessionId: string | null;
  readonly claims: JsonObject;
}

/** The subject or session that the provider has signed out. */
export interface ProviderLogout {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly sessionId: string | undefined;
  /** Id of the token; each counts once. */
  readonly id: string;
  /** Unix seconds until which it could be sent again. */
  readonly until: number;
}

/** A response of the provider that does not prove an account; the message is for the log. */
export class UnprovedAccountError extends Error {}

/** Seconds for each request to the provider. */
const timeout = 10;

/** Milliseconds for which the discovery document and the keys are used. */
const discoveredMs = 3_600_000;
const keysMs = 600_000;

/** Milliseconds between two fetches of the keys, however many tokens name a key that is not among them. */
const keysPauseMs = 30_000;

/** Seconds by which the clocks of provider and service may differ, and for which a logout token is accepted. */
const clockTolerance = 60;
const logoutAge = 300;

/** The claim that announces a logout (OpenID Connect Back-Channel Logout 1.0, 2.4). */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

const unavailable = (cause: unknown): Problem =>
  new Problem('provider_unavailable', { cause, headers: { 'Retry-After': '5' } });

/**
 * The messages of an error and its causes: the library names the check in the cause only. Other causes may be secret.
 */
const messagesOf = (error: unknown): string =>
  error instanceof Error
    ? [error.message, messagesOf(error.cause)].filter((message) => message !== '').join(': ')
    : '';

const textOr = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** The value at a path of claims: a claim of this very name, or a member of an object. */
export const claimAt = (claims: JsonObject, path: string): Json | undefined => {
  const whole = own(claims, path);
  if (whole !== undefined) return whole;
  let value: Json | undefined = claims;
  for (const step of path.split('.')) value = isJsonObject(value) ? own(value, step) : undefined;
  return value;
};

/** Control characters, and halves of a character, which databases refuse or replace. */
const unstorable = /[\p{Cc}\p{Cs}]/u;

/**
 * The value of a claim that identifies something and is stored as it is. @throws UnprovedAccountError for one that
 * cannot be
 */
const storable = (name: string, value: string): string => {
  if (unstorable.test(value)) throw new UnprovedAccountError(`the claim ${name} has a control character`);
  return value;
};

/** Refuses claims whose texts no database stores. A name may have other control characters, which it loses. */
const checkStored = (claims: JsonObject, rolesClaim: string | undefined): void => {
  for (const name of ['name', 'preferred_username', 'email'])
    if (textOr(own(claims, name))?.includes('\0'))
      throw new UnprovedAccountError(`the claim ${name} has a control character`);
  if (rolesClaim === undefined) return;
  for (const value of claimTexts(claimAt(claims, rolesClaim))) storable(rolesClaim, value);
};

export interface ProviderClientParts {
  readonly provider: OidcProvider;
  /** The credential of the client, as it is now. */
  readonly secret: () => string | undefined;
  readonly redirectUri: string;
  /** Milliseconds. */
  readonly clock: Clock;
}

/**
 * Speaks OpenID Connect with one provider: code flow with PKCE, state and nonce. `openid-client` checks the responses.
 */
export class ProviderClient {
  readonly #secret: ProviderClientParts['secret'];
  readonly #redirectUri: string;
  readonly #clock: Clock;
  readonly #boundedFetch: ReturnType<typeof createBoundedFetch>;
  readonly #issuer: string;
  readonly #clientId: string;
  readonly #scopes: readonly string[];
  readonly #roles: OidcProvider['roles'];
  #discovered: { readonly secret: string | undefined; readonly config: Fetched<Configuration> } | undefined;
  #keys: { readonly url: string; readonly set: Fetched<JSONWebKeySet> } | undefined;

  constructor({ provider, secret, redirectUri, clock }: ProviderClientParts) {
    this.#secret = secret;
    this.#redirectUri = redirectUri;
    this.#clock = clock;
    this.#boundedFetch = createBoundedFetch();
    const { issuer, client: clientId, scopes = ['openid', 'profile', 'email'], roles } = provider;
    this.#issuer = issuer;
    this.#clientId = clientId;
    this.#scopes = scopes;
    this.#roles = roles;
  }

  /** The reason why the provider cannot be used; undefined if its discovery document can be read. */
  async flaw(): Promise<string | undefined> {
    try {
      await this.#configuration();
      return undefined;
    } catch (error) {
      return messagesOf(error instanceof Error ? error.cause : error);
    }
  }

  /** Secrets of a new sign-in. */
  async newSecrets(): Promise<SignInSecrets> {
    const client = await import('openid-client');
    return {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
  }

  /** The address at the provider to which the browser goes. @throws Problem `provider_unavailable` */
  async authorizationUrl({ state, nonce, verifier }: SignInSecrets): Promise<URL> {
    const client = await import('openid-client');
    return client.buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: this.#redirectUri,
      scope: this.#scopes.join(' '),
      response_type: 'code',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /** @throws UnprovedAccountError, Problem `provider_unavailable` */
  async account(query: string, { state, nonce, verifier }: SignInSecrets): Promise<ProvidedAccount> {
    const client = await import('openid-client');
    const config = await this.#configuration();
    const checks = {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    };
    try {
      const tokens = await client.authorizationCodeGrant(
        config,
        new URL(`${this.#redirectUri}?${query}`),
        checks,
      );
      const given = tokens.claims() as unknown as JsonObject;
      const claims = await this.#completeClaims(config, tokens.access_token, given);
      const [subject, issuer] = [textOr(given['sub']), textOr(given['iss'])];
      if (subject === undefined || subject === '' || issuer === undefined)
        throw new UnprovedAccountError('the ID token has no subject');
      checkStored(claims, this.#roles?.claim);
      const session = textOr(given['sid']);
      return {
        issuer,
        subject: storable('sub', subject),
        sessionId: session === undefined ? null : storable('sid', session),
        claims,
      };
    } catch (error) {
      if (error instanceof UnprovedAccountError) throw error;
      throw new UnprovedAccountError(messagesOf(error), { cause: error });
    }
  }

  /** Verifies a logout token of the provider. @throws UnprovedAccountError, Problem `provider_unavailable` */
  async logout(token: string): Promise<ProviderLogout> {
    const { jwtVerify } = await import('jose');
    const { issuer, jwks_uri: url } = (await this.#configuration()).serverMetadata();
    if (url === undefined) throw new UnprovedAccountError('the provider names no keys');
    try {
      const { payload } = await jwtVerify(token, await this.#keyFinder(url), {
        issuer,
        audience: this.#clientId,
        clockTolerance,
        maxTokenAge: logoutAge,
        algorithms: [
          'RS256',
          'PS256',
          'ES256',
          'EdDSA',
          'Ed25519',
          'RS384',
          'RS512',
          'ES384',
          'ES512',
          'PS384',
          'PS512',
        ],
        requiredClaims: ['iat', 'jti', 'events'],
      });
      const { events, nonce, sid, sub, jti, iat = 0 } = payload;
      if (nonce !== undefined) throw new UnprovedAccountError('a logout token has no nonce');
      if (!isJsonObject(events as Json) || !isJsonObject(own(events as JsonObject, logoutEvent)))
        throw new UnprovedAccountError('the token announces no logout');
      const sessionId = typeof sid === 'string' ? sid : undefined;
      if (sub === undefined && sessionId === undefined)
        throw new UnprovedAccountError('the token names neither subject nor session');
      for (const [name, value] of Object.entries({ sub, sid: sessionId, jti }))
        storable(name, String(value ?? ''));
      return {
        issuer,
        subject: sub,
        sessionId,
        id: String(jti),
        until: iat + logoutAge + clockTolerance,
      };
    } catch (error) {
      if (error instanceof UnprovedAccountError || error instanceof Problem) throw error;
      throw new UnprovedAccountError(messagesOf(error), { cause: error });
    }
  }

  async #discover(current: string | undefined): Promise<Configuration> {
    const client = await import('openid-client');
    const execute = this.#issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
    const found = await client.discovery(new URL(this.#issuer), this.#clientId, undefined, client.None(), {
      execute,
      timeout,
      [client.customFetch]: this.#boundedFetch,
    });
    const server = found.serverMetadata();
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate =
      current === undefined
        ? client.None()
        : methods.includes('client_secret_basic')
          ? client.ClientSecretBasic(current)
          : client.ClientSecretPost(current);
    const metadata = { [client.clockTolerance]: clockTolerance };
    const config = new client.Configuration(server, this.#clientId, metadata, authenticate);
    config.timeout = timeout;
    config[client.customFetch] = this.#boundedFetch;
    for (const each of execute) each(config);
    // The signature of the ID token is verified, although it arrives over TLS from the provider itself.
    client.enableNonRepudiationChecks(config);
    return config;
  }

  async #configuration(): Promise<Configuration> {
    const current = this.#secret();
    if (this.#discovered === undefined || this.#discovered.secret !== current)
      this.#discovered = {
        secret: current,
        config: createFetched(() => this.#discover(current), discoveredMs, this.#clock),
      };
    try {
      return await this.#discovered.config.get();
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** The claims of the ID token, and those that the provider returns as user info only. */
  async #completeClaims(config: Configuration, accessToken: string, claims: JsonObject): Promise<JsonObject> {
    const needed = ['preferred_username', 'email'];
    if (this.#roles !== undefined) needed.push(this.#roles.claim);
    if (needed.every((name) => claimAt(claims, name) !== undefined)) return claims;
    const elsewhere = claims['_claim_names'];
    if (
      this.#roles !== undefined &&
      isJsonObject(elsewhere) &&
      own(elsewhere, this.#roles.claim) !== undefined
    )
      throw new UnprovedAccountError(`the claim ${this.#roles.claim} has too many values to be sent`);
    if (config.serverMetadata().userinfo_endpoint === undefined) return claims;
    const client = await import('openid-client');
    const info = await client.fetchUserInfo(config, accessToken, String(claims['sub']));
    return { ...(info as unknown as JsonObject), ...claims };
  }

  /** @throws Problem `provider_unavailable` */
  async #fetchKeys(url: string): Promise<JSONWebKeySet> {
    const response = await this.#boundedFetch(url, { signal: AbortSignal.timeout(timeout * 1000) });
    const read: unknown = response.status === 200 ? await response.json() : undefined;
    if (!isJsonObject(read as Json) || !Array.isArray((read as JsonObject)['keys']))
      throw new Error(`the keys could not be read: status ${response.status}`);
    return read as JSONWebKeySet;
  }

  #keysAt(url: string): Fetched<JSONWebKeySet> {
    if (this.#keys?.url !== url)
      this.#keys = { url, set: createFetched(() => this.#fetchKeys(url), keysMs, this.#clock) };
    return this.#keys.set;
  }

  /** Finds the key of a token. Fetches the keys again if it is not among them, at most once in a while. */
  async #keyFinder(url: string): Promise<JWTVerifyGetKey> {
    const { createLocalJWKSet, errors } = await import('jose');
    const finderIn = async (set: Promise<JSONWebKeySet>) =>
      createLocalJWKSet(
        await set.catch((error: unknown) => {
          throw unavailable(error);
        }),
      );
    return async (header, token) => {
      try {
        return await (await finderIn(this.#keysAt(url).get()))(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return (await finderIn(this.#keysAt(url).renew(keysPauseMs)))(header, token);
      }
    };
  }
}

export const createProviderClient = (parts: ProviderClientParts): ProviderClient => new ProviderClient(parts);

/** A provider by which users sign in. */
export interface SignInProvider {
  readonly name: string;
  readonly provider: OidcProvider;
  readonly client: ProviderClient;
}

/** The providers of an application by name. @param secretOf the credential of a provider, as it is now */
export const createProviders = (
  providers: Readonly<Record<string, OidcProvider>>,
  baseUrl: string,
  secretOf: (name: string) => string | undefined,
  clock: Clock,
): ReadonlyMap<string, SignInProvider> =>
  new Map(
    Object.entries(providers).map(([name, provider]) => {
      const redirectUri = `${baseUrl}/api/v1/auth/oidc/${name}/callback`;
      const client = createProviderClient({ provider, secret: () => secretOf(name), redirectUri, clock });
      return [name, { name, provider, client }];
    }),
  );
