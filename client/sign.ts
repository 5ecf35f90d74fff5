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

const bytesOf = (body: unknown): Uint8Array<ArrayBuffer> => {
  if (body === undefined || body === null) return new Uint8Array();
  if (typeof body === 'string') return encoder.encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  throw new TypeError(
    'only text and bytes can be signed: others are sent in a form that is not known beforehand',
  );
};

const hexOf = (buffer: ArrayBuffer): string =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Signs requests of an application: HMAC-SHA256 over the timestamp, a line feed and the body. For servers only: a
 * secret that a page holds is everybody's, so it throws where there is a document.
 */
export const createSigner = ({ appId, apiSecret, now = Date.now }: SignerOptions): Signer => {
  if ('document' in globalThis)
    throw new Error('createSigner is for servers: a page cannot keep an api_secret');
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

  return {
    headers,
    fetch: async (input, init = {}) => {
      if (input instanceof Request)
        throw new TypeError('a Request hides its body: give an address and options');
      const signed = new Headers(init.headers);
      for (const [name, value] of Object.entries(await headers(init.body))) signed.set(name, value);
      return fetch(input, { ...init, headers: signed });
    },
  };
};
