/** The id and secret that an application signs its requests with: `gatewright app create` makes both. */
export interface SignerOptions {
  readonly appId: string;
  readonly apiSecret: string;
  /** Milliseconds since the epoch; the system's clock unless given. */
  readonly now?: () => number;
}

/** The three headers of a signed request. */
export interface SignatureHeaders {
  readonly 'X-App-Id': string;
  readonly 'X-Timestamp': string;
  readonly 'X-Signature': string;
}

export interface Signer {
  /** Headers for a request with exactly this body, good for 300 seconds. */
  headers(body?: string | Uint8Array): Promise<SignatureHeaders>;
  /** `fetch` that signs; for a client's `fetch` as well. The body must be text or bytes. */
  readonly fetch: typeof fetch;
}

const encoder = new TextEncoder();

const forServers = (what: string): void => {
  if ('document' in globalThis) throw new Error(`${what} is for servers: a page cannot keep an api_secret`);
};

/** `fetch` with the headers of each request, which replace those of the same names. */
const signingFetch =
  (headersOf: (request: HttpRequest) => Promise<object>): typeof fetch =>
  async (input, init = {}) => {
    if (input instanceof Request)
      throw new TypeError('a Request hides its body: give an address and options');
    const { method = 'GET', body } = init;
    const signed = new Headers(init.headers);
    for (const [name, value] of Object.entries(await headersOf({ method, url: input, body })))
      signed.set(name, value);
    return fetch(input, { ...init, headers: signed });
  };

const bytesOf = (body: unknown): Uint8Array<ArrayBuffer> => {
  if (body === undefined || body === null) return new Uint8Array();
  if (typeof body === 'string') return encoder.encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  throw new TypeError(
    'only text and bytes can be signed: others are sent in a form that is not known beforehand',
  );
};

const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

const hexOf = (buffer: ArrayBuffer): string =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Signs requests of an application: HMAC-SHA256 over the timestamp, a line feed and the body. For servers only: a
 * secret that a page holds is everybody's, so it throws where there is a document.
 */
export const createSigner = ({ appId, apiSecret, now = Date.now }: SignerOptions): Signer => {
  forServers('createSigner');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  let key: Promise<CryptoKey> | undefined;

  const headers = async (body: unknown): Promise<SignatureHeaders> => {
    const bytes = bytesOf(body);
    key ??= crypto.subtle.importKey('raw', encoder.encode(apiSecret), algorithm, false, ['sign']);
    const timestamp = String(Math.floor(now() / 1000));
    const start = encoder.encode(`${timestamp}\n`);
    const message = new Uint8Array(start.length + bytes.length);
    message.set(start);
    message.set(bytes, start.length);
    const signature = hexOf(await crypto.subtle.sign(algorithm, await key, message));
    return { 'X-App-Id': appId, 'X-Timestamp': timestamp, 'X-Signature': signature };
  };

  return { headers, fetch: signingFetch(({ body }) => headers(body)) };
};

/** A request to sign by RFC 9421. */
export interface HttpRequest {
  /** `GET` unless given. */
  readonly method?: string;
  /** Absolute. */
  readonly url: string | URL;
  /** Text or bytes, exactly as they are sent. */
  readonly body?: unknown;
}

/**
 * An application, and its secret or its private key: Ed25519, as a `CryptoKey` or PKCS #8 in PEM. The key that a page holds
 * has to be a `CryptoKey`, which need not be extractable.
 */
export type HttpSignerOptions = {
  readonly appId: string;
  /** Milliseconds since the epoch; the system's clock unless given. */
  readonly now?: () => number;
  /** A text that no other request of the application has; 128 random bits unless given. */
  readonly nonce?: () => string;
} & ({ readonly apiSecret: string } | { readonly privateKey: CryptoKey | string });

/** The three headers of an HTTP message signature. */
export interface HttpSignatureHeaders {
  readonly 'Content-Digest': string;
  readonly 'Signature-Input': string;
  readonly Signature: string;
}

export interface HttpSigner {
  /** Headers for exactly this request, good once and for 300 seconds. */
  headers(request: HttpRequest): Promise<HttpSignatureHeaders>;
  /** `fetch` that signs; for a client's `fetch` as well. The body must be text or bytes. */
  readonly fetch: typeof fetch;
}

interface HttpKey {
  readonly alg: 'hmac-sha256' | 'ed25519';
  readonly key: CryptoKey;
}

const importKey = async (options: HttpSignerOptions): Promise<HttpKey> => {
  if ('apiSecret' in options) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const secret = encoder.encode(options.apiSecret);
    return {
      alg: 'hmac-sha256',
      key: await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']),
    };
  }
  const { privateKey } = options;
  if (typeof privateKey !== 'string') return { alg: 'ed25519', key: privateKey };
  const base64 = privateKey.replaceAll(/-----[^-]+-----|\s/g, '');
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return {
    alg: 'ed25519',
    key: await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']),
  };
};

/** Signs requests of an application by RFC 9421: method, address, body, time and a nonce. */
export const createHttpSigner = (options: HttpSignerOptions): HttpSigner => {
  if ('apiSecret' in options || typeof options.privateKey === 'string') forServers('createHttpSigner');
  const { appId, now = Date.now, nonce = () => crypto.randomUUID() } = options;
  let imported: Promise<HttpKey> | undefined;

  const headers = async ({ method = 'GET', url, body }: HttpRequest): Promise<HttpSignatureHeaders> => {
    imported ??= importKey(options);
    const { alg, key } = await imported;
    const { href, hash } = new URL(url);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(body)));
    const contentDigest = `sha-256=:${base64Of(digest)}:`;
    const parameters = `("@method" "@target-uri" "content-digest");created=${Math.floor(now() / 1000)};nonce="${nonce()}";keyid="${appId}";alg="${alg}";tag="gatewright"`;
    const base = [
      `"@method": ${method}`,
      `"@target-uri": ${href.slice(0, href.length - hash.length)}`,
      `"content-digest": ${contentDigest}`,
      `"@signature-params": ${parameters}`,
    ].join('\n');
    const signature = new Uint8Array(await crypto.subtle.sign(key.algorithm.name, key, encoder.encode(base)));
    return {
      'Content-Digest': contentDigest,
      'Signature-Input': `sig=${parameters}`,
      Signature: `sig=:${base64Of(signature)}:`,
    };
  };

  return { headers, fetch: signingFetch(headers) };
};
