import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface Account {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

/** Changes of one response by which a test attacks: claims and header of the ID token, the key, the algorithm. */
export interface Forgery {
  readonly claims?: JWTPayload;
  readonly header?: { readonly alg?: string; readonly kid?: string };
  readonly key?: CryptoKey | Uint8Array;
  /** The finished ID token. */
  readonly token?: (token: string) => string;
  /** Instead of the response of the token endpoint. */
  readonly tokenResponse?: object;
}

interface Reply {
  readonly status?: number;
  readonly body: object;
  readonly location?: string;
}

interface Issued {
  readonly account: Account;
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

/** An OpenID Connect provider whose every response a test can change. */
export class OidcServer {
  readonly client = 'gatewright';
  readonly secret = 'secret of the client';
  readonly #codes = new Map<string, Issued>();
  readonly #server = createServer((request, response) => {
    this.#respond(request).then(
      ({ status = 200, body, location }) => {
        const headers = {
          'content-type': 'application/json',
          ...(location === undefined ? {} : { location }),
        };
        response.writeHead(status, headers).end(JSON.stringify(body));
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  #keys: { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey } | undefined;
  #made = 0;
  /** The claims of the last ID token. */
  #subject = '';
  forgery: Forgery = {};
  /** Further or other members of the discovery document. */
  discovery: object = {};
  userinfo: object = {};
  /** The account that a browser at the provider is signed in with. */
  account: Account = { sub: 'the browser' };
  /** Requests for the keys. */
  keyRequests = 0;
  /** Bodies of the requests to the token endpoint. */
  readonly tokenRequests: URLSearchParams[] = [];

  async start(): Promise<this> {
    this.#keys = await generateKeyPair('RS256', { extractable: true });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get key(): CryptoKey {
    if (this.#keys === undefined) throw new Error('the provider was not started');
    return this.#keys.privateKey;
  }

  async publicJwk(): Promise<object> {
    if (this.#keys === undefined) throw new Error('the provider was not started');
    return { ...(await exportJWK(this.#keys.publicKey)), kid: 'k1', use: 'sig', alg: 'RS256' };
  }

  /** Signs in an account at the address to which the service has led. Returns the query of the callback. */
  approve(location: string, account: Account): URLSearchParams {
    const { searchParams: asked } = new URL(location);
    this.#made += 1;
    const code = `code-${this.#made}`;
    const of = (name: string): string => asked.get(name) ?? '';
    this.#codes.set(code, {
      account,
      nonce: of('nonce'),
      challenge: of('code_challenge'),
      redirectUri: of('redirect_uri'),
    });
    return new URLSearchParams({ code, state: of('state'), iss: this.issuer });
  }

  sign(claims: JWTPayload, typ = 'JWT'): Promise<string> {
    const { header = {}, key = this.key } = this.forgery;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1', typ, ...header }).sign(key);
  }

  async #idToken({ account, nonce }: Issued): Promise<string> {
    this.#subject = account.sub;
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: this.issuer, aud: this.client, iat: now, exp: now + 300, nonce, ...account };
    const signed = await this.sign({ ...claims, ...this.forgery.claims });
    return this.forgery.token?.(signed) ?? signed;
  }

  async #respond(request: IncomingMessage): Promise<Reply> {
    const { pathname } = new URL(request.url ?? '/', this.issuer);
    if (pathname === '/.well-known/openid-configuration')
      return {
        body: {
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/authorize`,
          token_endpoint: `${this.issuer}/token`,
          userinfo_endpoint: `${this.issuer}/userinfo`,
          jwks_uri: `${this.issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: true,
          ...this.discovery,
        },
      };
    if (pathname === '/jwks') {
      this.keyRequests += 1;
      return { body: { keys: [await this.publicJwk()] } };
    }
    if (pathname === '/userinfo') return { body: { sub: this.#subject, ...this.userinfo } };
    if (pathname === '/authorize') {
      const location = new URL(request.url ?? '/', this.issuer);
      const query = this.approve(location.href, this.account);
      return { status: 302, body: {}, location: `${location.searchParams.get('redirect_uri')}?${query}` };
    }
    if (pathname === '/token') return this.#exchange(request);
    return { status: 404, body: {} };
  }

  async #exchange(request: IncomingMessage): Promise<Reply> {
    const sent = new URLSearchParams(await text(request));
    this.tokenRequests.push(sent);
    const credentials = Buffer.from(
      (request.headers.authorization ?? '').replace(/^Basic /, ''),
      'base64',
    ).toString();
    const issued = this.#codes.get(sent.get('code') ?? '');
    this.#codes.delete(sent.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url');
    const posted = `${sent.get('client_id')}:${sent.get('client_secret')}`;
    const isClient = [decodeURIComponent(credentials.replaceAll('+', ' ')), posted].includes(
      `${this.client}:${this.secret}`,
    );
    if (!isClient) return { status: 401, body: { error: 'invalid_client' } };
    if (
      issued === undefined ||
      issued.challenge !== challenge ||
      issued.redirectUri !== sent.get('redirect_uri')
    )
      return { status: 400, body: { error: 'invalid_grant' } };
    const body = { access_token: 'access', token_type: 'Bearer', id_token: await this.#idToken(issued) };
    return { body: this.forgery.tokenResponse ?? body };
  }
}
