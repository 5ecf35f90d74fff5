/** `Request`: a request from its arrival to its response, with its id, address, headers and log fields. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { finished, Readable } from 'node:stream';
import { callerOf } from '../auth/caller.ts';
import type { AuthRequest, Claim } from '../auth/method.ts';
import { anonymous, type Principal } from '../auth/principal.ts';
import { BusyTime, type Work } from '../kernel/current-work.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Languages, Locale } from '../kernel/messages.ts';
import type { Grant } from '../policy/grant.ts';
import { type BodyReading, type BodySender, noBytes, readBody } from './body.ts';
import type { Connection } from './connections.ts';
import type { Call } from './endpoint.ts';
import { streamBody } from './incoming.ts';
import { type MultipartBody, type MultipartLimits, readMultipart } from './multipart.ts';
import { prefersStrict } from './preferences.ts';
import type { UploadedFile, UploadFolder, UploadFolders } from './uploads.ts';

/** `uri-host [ ":" port ]` (RFC 9112, 3.2; RFC 3986, 3.2.2): an address in brackets, or a name, which may be empty. */
const hostForm = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

let lastValid: string | undefined;

/** Tells whether a value is a valid `Host` header. Several of them, joined by comma and space, are not. */
export const isHost = (value: string): boolean => {
  // Nearly all requests have the same one.
  if (value === lastValid) return true;
  const match = hostForm.exec(value);
  if (match === null || (match[1] !== undefined && !isIPv6(match[1]))) return false;
  lastValid = value;
  return true;
};

/** The characters of UUIDs, ULIDs, W3C trace ids and base64. */
const idForm = /^[\w.:=+/@-]{1,128}$/;

/** Tells whether an `X-Request-Id` of a proxy is valid: it becomes part of a header and of the log as it is. */
export const isRequestId = (text: string): boolean => idForm.test(text);

/** W3C Trace Context, level 2: version, trace, parent and flags; a later version may have more parts behind them. */
const traceForm =
  /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-[\x21-\x7e]{0,128})?$/;

export const isTraceparent = (text: string): boolean =>
  traceForm.test(text) && (text.length === 55 || !text.startsWith('00'));

/** Returns a generator of request ids, which differ between processes. */
export const createRequestIds = (): (() => string) => {
  const process = crypto.randomUUID().slice(0, 8);
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
};

/** Returns whether the address at a distance of `hop` is one of our own proxies. */
export type Trust = (address: string, hop: number) => boolean;

/** Addresses with port or brackets, as some proxies write them: `203.0.113.10:40001`, `[2001:db8::1]:443`. */
const decorated = /^(?:([\d.]+):\d{1,5}|\[([^[\]]+)\](?::\d{1,5})?)$/;

/** Returns the bare address in an entry of `X-Forwarded-For`; undefined when the entry is none. */
const addressIn = (entry: string): string | undefined => {
  if (isIP(entry) !== 0) return entry;
  const [, v4, v6] = decorated.exec(entry) ?? [];
  const bare = v4 ?? v6 ?? '';
  return isIP(bare) === (v4 === undefined ? 6 : 4) ? bare : undefined;
};

/**
 * Returns the address of the caller: the nearest one that is not of our own proxies, going back from the socket through
 * the entries of `X-Forwarded-For`. If an entry on the way is no address (`unknown`, a name, any text), it is that of
 * the socket.
 */
export const callerAddress = (socket: string, forwarded: string | undefined, trust: Trust): string => {
  if (forwarded === undefined || !trust(socket, 0)) return socket;
  const entries = forwarded.split(',').map((entry) => entry.trim());
  let caller = socket;
  for (const [index, entry] of entries
    .filter((text) => text !== '')
    .reverse()
    .entries()) {
    const address = addressIn(entry);
    if (address === undefined) return socket;
    caller = address;
    if (!trust(address, index + 1)) break;
  }
  return caller;
};

/** Settings that all requests of a server share. */
export interface RequestSettings {
  readonly trust: Trust;
  readonly bodies: BodyReading;
  /** Undefined where no endpoint accepts files. */
  readonly uploads: UploadFolders | undefined;
  readonly languages: Languages;
  readonly nextId: () => string;
}

const noModels: readonly string[] = [];
const noFiles: readonly UploadedFile[] = [];
const nothing: JsonObject = Object.freeze({});

/** Counts a response; `code` is undefined for a success. */
export type AnswerCounter = (
  principal: Principal,
  status: number,
  request: Pick<Call, 'address' | 'path' | 'params'> & {
    readonly method: string;
    readonly claim: Claim | undefined;
  },
  code: number | undefined,
) => void;

/** Verifies optional credentials on an endpoint without authentication. */
export type Identify = (request: AuthRequest) => Promise<Principal>;

/** Bodies from this size on count until the response is sent; smaller ones only until it is made. */
const minLargeBodyBytes = 16_384;

/**
 * A request from its arrival to its response. Costly properties are computed on first access; the stages of the
 * pipeline set the others.
 *
 * The server and the pipeline use this class. The same object has two narrower interfaces: `AuthRequest`, for
 * authentication, which does not depend on the HTTP server; and `Call`, for handlers, by when all properties are set.
 */
export class Request implements AuthRequest, Call, BodySender, Work {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly method: string;
  /** Time of arrival by `performance.now()`. */
  readonly arrived = performance.now();
  readonly database = new BusyTime();
  params: Readonly<Record<string, string>> = {};
  models = noModels;
  /** True if the query names relations, whose records only some callers may read. */
  relates = false;
  /** Path of the endpoint as registered; undefined before the endpoint is found. */
  route: string | undefined;
  principal: Principal = anonymous;
  /** The owner that refused credentials claim to have. */
  claim: Claim | undefined;
  /** The parsed body and its bytes; empty until they are read, and where the endpoint accepts none. */
  body = nothing;
  bytes: Uint8Array = noBytes;
  files: readonly UploadedFile[] = noFiles;
  /** True if the response depends on `Accept`. */
  varies = false;
  /** Headers that say how much the limits leave; undefined where none counts this request. */
  limitHeaders: { readonly RateLimit: string; readonly 'RateLimit-Policy': string } | undefined;
  /** True if strict handling was asked for and is applied. */
  isStrict = false;
  count: AnswerCounter | undefined;
  reader: Call['reader'];
  /** Undefined where responses are not measured. */
  observe: AnswerObserver | undefined;
  /** True if the connection is closed with the response. */
  closes = false;
  /** Bytes that count for this request in the memory for bodies. */
  held = 0;
  #read: Uint8Array | Promise<Uint8Array> | undefined;
  #stream: Readable | undefined;
  #folder: UploadFolder | undefined;
  #grant: Grant | undefined;
  #identify: Identify | undefined;
  #confirm: (() => Promise<void>) | undefined;
  readonly #settings: RequestSettings;
  #id: string | undefined;
  #traceparent: string | undefined;
  #abort: AbortController | undefined;

  constructor(
    raw: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
    settings: RequestSettings,
  ) {
    this.raw = raw;
    this.response = response;
    this.connection = connection;
    this.method = raw.method ?? '';
    this.#settings = settings;
  }

  get language(): Locale {
    const { choose, first } = this.#settings.languages;
    return (choose?.(this.header('accept-language')) ?? first).locale;
  }

  get variant(): Locale | undefined {
    return this.#settings.languages.choose === undefined ? undefined : this.language;
  }

  /** The id in the header of a trusted proxy, else a new one. */
  get requestId(): string {
    this.#id ??= this.#givenId() ?? this.#settings.nextId();
    return this.#id;
  }

  /**
   * W3C Trace Context of the span in which the request is answered, else of the header; undefined without a valid one.
   */
  get traceparent(): string | undefined {
    if (this.#traceparent !== undefined) return this.#traceparent;
    const text = this.raw.headers['traceparent'];
    return typeof text === 'string' && isTraceparent(text) ? text : undefined;
  }

  get url(): string {
    return this.raw.url ?? '';
  }

  get target(): string {
    const { url } = this;
    return url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  }

  get query(): string {
    const { url } = this;
    const mark = url.indexOf('?');
    return mark < 0 ? '' : url.slice(mark + 1);
  }

  get path(): string {
    const { url } = this;
    const end = url.search(/[?#]/);
    const path = end < 0 ? url : url.slice(0, end);
    // A request target may contain scheme and host (RFC 9112, 3.2.2); links are never built from them.
    return path.startsWith('/') ? path : path.replace(/^[a-z]+:\/\/[^/]*/i, '');
  }

  get address(): string {
    const { headers, socket } = this.raw;
    const forwarded = headers['x-forwarded-for'];
    return callerAddress(socket.remoteAddress ?? '', forwarded?.toString(), this.#settings.trust);
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      const { response } = this;
      // The caller may have hung up before the signal was first read.
      if (response.closed && !response.writableFinished) abort.abort();
      // An event of the response: listeners on the socket would accumulate, as a connection serves many requests.
      response.once('close', () => {
        if (!response.writableFinished) abort.abort();
      });
      this.#abort = abort;
    }
    return this.#abort.signal;
  }

  cut(reason: Error): void {
    // The writer of the response logs the reason.
    this.response.destroy(reason);
  }

  /** True if the caller is anonymous, or not yet authenticated. */
  get unidentified(): boolean {
    return this.principal.kind === 'nobody';
  }

  traced(traceparent: string): void {
    this.#traceparent = traceparent;
  }

  /**
   * Sets the principal, once authentication has verified it.
   * @throws Problem `overloaded` where the body of a caller who is no longer identified has no room
   */
  identified(principal: Principal): void {
    const { held } = this;
    const { memory } = this.#settings.bodies;
    if (held > 0 && principal.kind !== 'nobody') memory.identify(this);
    const isNowUnidentified = held > 0 && principal.kind === 'nobody' && !this.unidentified;
    if (isNowUnidentified) memory.release(this);
    this.principal = principal;
    if (isNowUnidentified) memory.take(this, held);
  }

  refused(claim: Claim): void {
    this.claim = claim;
  }

  /** Adds what a limit leaves, by the items of both headers. */
  limited(state: string, policy: string): void {
    const { limitHeaders: before } = this;
    this.limitHeaders =
      before === undefined
        ? { RateLimit: state, 'RateLimit-Policy': policy }
        : {
            RateLimit: `${before.RateLimit}, ${state}`,
            'RateLimit-Policy': `${before['RateLimit-Policy']}, ${policy}`,
          };
  }

  /** Sets the grant, and on an endpoint without authentication the function that verifies optional credentials. */
  permitted(grant: Grant, identify: Identify | undefined): void {
    this.#grant = grant;
    this.#identify = identify;
  }

  get grant(): Grant {
    if (this.#grant === undefined) throw new Error('the policy has not decided yet');
    return this.#grant;
  }

  get caller(): string | Promise<string> {
    if (this.#identify === undefined) return callerOf(this.principal, this.address);
    return this.#identify(this).then((principal) => callerOf(principal, this.address));
  }

  header(name: string): string | undefined {
    const value = this.raw.headers[name];
    return typeof value === 'string' ? value : value?.join(', ');
  }

  applyStrict(): boolean {
    const prefer = this.header('prefer');
    this.isStrict = prefer !== undefined && prefersStrict(prefer);
    return this.isStrict;
  }

  proxyHeader(name: string): string | undefined {
    const value = this.header(name);
    if (value === undefined) return undefined;
    return this.#settings.trust(this.raw.socket.remoteAddress ?? '', 0) ? value : undefined;
  }

  #givenId(): string | undefined {
    const given = this.proxyHeader('x-request-id');
    return given !== undefined && isRequestId(given) ? given : undefined;
  }

  /**
   * Sets a check of the caller, which ends every way of reading a body that is still arriving: the body is complete for
   * its reader only once the check has resolved.
   */
  confirmBodyBy(confirm: () => Promise<void>): void {
    this.#confirm = confirm;
  }

  readBody(): Uint8Array | Promise<Uint8Array> {
    if (this.#stream !== undefined) throw new Error('the body is already read as a stream');
    this.#read ??= this.#confirmed(readBody(this, this.#settings.bodies));
    return this.#read;
  }

  #confirmed(body: Uint8Array | Promise<Uint8Array>): Uint8Array | Promise<Uint8Array> {
    const confirm = this.#confirm;
    if (confirm === undefined || !(body instanceof Promise)) return body;
    return body.then((bytes) => confirm().then(() => bytes));
  }

  streamBody(limit: number): Readable {
    if (this.#stream !== undefined) return this.#stream;
    const read = this.#read;
    if (read instanceof Promise) throw new Error('the body is already being read as bytes');
    if (read === undefined)
      this.#stream = streamBody(
        this,
        { limit, stallTimeoutMs: this.#settings.bodies.stallTimeoutMs },
        this.#confirm,
      );
    // The verification of a signature has read all of it.
    else this.#stream = Readable.from(read.byteLength === 0 ? [] : [read], { objectMode: false });
    return this.#stream;
  }

  /** Reads a multipart body. Its files go to a folder of this request, which is removed with the response. */
  async readParts(limits: MultipartLimits): Promise<MultipartBody> {
    const { uploads, bodies } = this.#settings;
    if (uploads === undefined) throw new Error('there is no folder for uploads');
    const bytes = await this.#read;
    this.#folder = await uploads.open(this);
    const body = await readMultipart(this, { ...bodies, limits, folder: this.#folder.path, bytes });
    await this.#confirm?.();
    this.files = body.files;
    return body;
  }

  /**
   * Reserves memory for the values of the body before its text is parsed.
   * @throws Problem `overloaded` where there is no room for them
   */
  reserveValues(values: number): void {
    this.#settings.bodies.memory.takeParsed(this, values);
  }

  /** Called when the response is made. Releases the body; the memory of a large one once the response is sent. */
  answered(): void {
    // The keep-alive timer of an idle connection retains this request: drop the body so that it can be freed.
    this.body = nothing;
    this.bytes = noBytes;
    this.#read = noBytes;
    this.#stream?.destroy();
    void this.#folder?.remove();
    if (this.held === 0) return;
    const release = (): void => this.#settings.bodies.memory.release(this);
    if (this.held < minLargeBodyBytes) release();
    else finished(this.response, release);
  }
}

/** A response that was sent. A stream of events, which does not end by itself, counts as sent when it begins. */
export interface SentAnswer {
  /** Method of the request. */
  readonly method: string;
  readonly status: number;
  /** Code of the envelope; undefined for a success. */
  readonly code: number | undefined;
  /** Time since the arrival of the request. */
  readonly milliseconds: number;
  /** The part of it in which at least one database statement of the request ran or waited. */
  readonly databaseMilliseconds: number;
}

export type AnswerObserver = (sent: SentAnswer) => void;

/** The properties of a request by which its response is measured. */
interface Measured {
  readonly method: string;
  /** Time of arrival by `performance.now()`. */
  readonly arrived: number;
  readonly database: BusyTime;
  readonly observe: AnswerObserver | undefined;
}

/** Calls the observer once a response is sent; `rest` is the result of `Responder.send`. */
export const observeAnswer = (
  { method, arrived, database, observe }: Measured,
  { status, code, type }: { readonly status: number; readonly code?: number; readonly type: string },
  rest: Promise<void> | undefined,
): void => {
  if (observe === undefined) return;
  const measure = (): void => {
    const now = performance.now();
    const databaseMilliseconds = database.until(now);
    observe({ method, status, code, milliseconds: now - arrived, databaseMilliseconds });
  };
  if (rest === undefined || type === 'text/event-stream') measure();
  else void rest.then(measure);
};
