import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Agent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { http } from '../kernel/node-http.ts';
import { isPublicAddress, isWebhookUrl } from './address.ts';

/** The outcome of one attempt: the response, or an error. */
export interface Sent {
  readonly status: number | undefined;
  /** Headers of the response, shortened. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly body: string | undefined;
  /** Milliseconds. */
  readonly duration: number;
  /** Undefined where the response arrived in time. */
  readonly error: string | undefined;
}

export interface SendOptions {
  /** Whether private addresses and http are allowed. */
  readonly allowPrivate: boolean;
  /** Milliseconds for the whole attempt: name resolution, connection, request and response. */
  readonly timeout: number;
  /** As `dns.lookup` with `all`; replaced by tests. */
  readonly resolve?: typeof resolveAll;
  /** Certificates that are trusted beside those of Node; for tests. */
  readonly ca?: string;
}

export type SendMessage = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<Sent>;

/** Limits: bytes of a response's body that are read, and characters of its headers that are stored. */
const maxBody = 8_192;
const maxHeaders = 4_096;

/** Milliseconds for which an unused connection is kept open. */
const idleMs = 4_000;

class PrivateAddressError extends Error {}

/** Does not name the address: it would reveal to an administrator how internal names resolve. */
const refusedAddress = (): Error =>
  new PrivateAddressError('the host has an address that is not public: WEBHOOK_PRIVATE=1 would allow it');

const resolveAll = (
  hostname: string,
  options: LookupOptions,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
): void => lookup(hostname, { ...options, all: true }, done);

/**
 * Resolves a host, and permits a connection only if all of its addresses are public. The connection uses the
 * addresses that were checked: the name is not resolved again.
 */
const guardedLookup =
  (resolve: typeof resolveAll): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname, options, (error, addresses) => {
      const isPublic = addresses?.every(({ address }) => isPublicAddress(address)) ?? true;
      const failure = error ?? (isPublic ? undefined : refusedAddress());
      const [first] = addresses ?? [];
      if (failure != null || first === undefined) {
        done(failure ?? new Error(`${hostname} has no address`), []);
        return;
      }
      if (options.all === true) done(null, [...addresses]);
      else done(null, first.address, first.family);
    });
  };

const keptHeaders = ({ headers }: IncomingMessage): Record<string, string> => {
  const kept: Record<string, string> = {};
  let left = maxHeaders;
  for (const [name, value] of Object.entries(headers)) {
    const text = (Array.isArray(value) ? value.join(', ') : (value ?? '')).slice(0, left);
    left -= name.length + text.length;
    if (left < 0) break;
    kept[name] = text;
  }
  return kept;
};

/** The body as a text that every database accepts. */
const textOf = (chunks: readonly Buffer[]): string =>
  Buffer.concat(chunks).subarray(0, maxBody).toString().replaceAll('\0', '\uFFFD');

/** Reads the part of a response that is stored; the rest is not read, and the connection is closed. */
const readBody = (answer: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= maxBody) return;
      resolve(textOf(chunks));
      answer.destroy();
    });
    answer.once('end', () => resolve(textOf(chunks)));
    answer.on('error', reject);
    answer.once('close', () => reject(new Error('the answer was cut off')));
  });

const answered = (request: ClientRequest, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.once('close', () => reject(new Error('the connection was closed without an answer')));
    request.end(body);
  });

const errorText = (error: unknown): string => {
  // For several addresses the error is an AggregateError, whose own message is empty.
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const message = first instanceof Error ? first.message : String(first);
  return message.replaceAll('\0', '').toWellFormed().slice(0, 500).toWellFormed();
};

/**
 * Sends a body by POST and returns the outcome; never rejects. Follows no redirect, uses no proxy, and verifies
 * certificates whatever the environment says. A connection is kept for some seconds, for the next message to the same
 * host: its address was checked when it was opened.
 */
export const createSend = ({ allowPrivate, timeout, resolve = resolveAll, ca }: SendOptions): SendMessage => {
  const lookups = allowPrivate ? {} : { lookup: guardedLookup(resolve) };
  const trust = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  const kept = { keepAlive: true, maxFreeSockets: 10, timeout: idleMs };
  const plain = new http.Agent(kept);
  let secure: Agent | undefined;

  /** TLS takes 9 MB of memory: it is loaded with the first message over https. */
  const openerOf = async (url: URL): Promise<(options: RequestOptions) => ClientRequest> => {
    if (url.protocol === 'http:') return (options) => http.request(url, { ...options, agent: plain });
    const https = await import('node:https');
    secure ??= new https.Agent({ ...kept, ...trust });
    const agent = secure;
    return (options) => https.request(url, { ...options, ...trust, agent });
  };

  /**
   * Repeats a request once on a new connection if a kept one turns out to be closed, which cannot be known before.
   */
  const sendOrReconnect = async (
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<IncomingMessage> => {
    const open = await openerOf(url);
    for (;;) {
      const request = open({ method: 'POST', headers, signal, ...lookups });
      try {
        return await answered(request, body);
      } catch (error) {
        if (!request.reusedSocket || signal.aborted) throw error;
      }
    }
  };

  const attempt = async (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<Omit<Sent, 'duration'>> => {
    let answer: IncomingMessage | undefined;
    try {
      // Private addresses may have been allowed when the URL was stored.
      if (!isWebhookUrl(url, allowPrivate)) throw refusedAddress();
      answer = await sendOrReconnect(new URL(url), headers, body, signal);
      const text = await readBody(answer);
      return { status: answer.statusCode, headers: keptHeaders(answer), body: text, error: undefined };
    } catch (error) {
      const text = signal.aborted ? errorText(signal.reason) : errorText(error);
      return {
        status: answer?.statusCode,
        headers: answer && keptHeaders(answer),
        body: undefined,
        error: text,
      };
    }
  };

  return async (url, headers, body, signal) => {
    const begun = performance.now();
    const over = new AbortController();
    const timer = setTimeout(
      () => over.abort(new Error(`no answer within ${timeout / 1000} s`)),
      timeout,
    ).unref();
    const sent = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Gatewright',
      ...headers,
    };
    try {
      const result = await attempt(url, sent, body, AbortSignal.any([signal, over.signal]));
      return { ...result, duration: Math.round(performance.now() - begun) };
    } finally {
      clearTimeout(timer);
    }
  };
};
