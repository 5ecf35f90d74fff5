import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { finished, Readable } from 'node:stream';
import { callerOf } from '../auth/caller.ts';
import type { AuthRequest, Claim } from '../auth/method.ts';
import { anonymous, type Principal } from '../auth/principal.ts';
import { BusyTime, type Work } from '../kernel/current-work.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Grant } from '../policy/grant.ts';
import { type BodyReading, type BodySender, bringsBody, noBytes, readBody } from './body.ts';
import type { Connection } from './connections.ts';
import type { Call } from './endpoint.ts';
import { Incoming, type IncomingOptions } from './incoming.ts';
import { type MultipartBody, type MultipartLimits, readMultipart } from './multipart.ts';
import type { UploadFolder, UploadFolders } from './upload-folders.ts';
import type { UploadedFile } from './uploaded-file.ts';

/** `uri-host [ ":" port ]` (RFC 9112, 3.2; RFC 3986, 3.2.2): an address in brackets, or a name, which may be empty. */
const hostForm = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

let lastValid: string | undefined;

/** Whether a `Host` header can be one. Several of them, joined by comma and space, are none. */
export const isHost = (value: string): boolean => {
  // Nearly every request names the same one.
  if (value === lastValid) return true;
  const match = hostForm.exec(value);
  if (match === null || (match[1] !== undefined && !isIPv6(match[1]))) return false;
  lastValid = value;
  return true;
};

/** What ids are made of in the field: letters, digits, and what UUIDs, ULIDs, W3C traces and base64 have between them. */
const idForm = /^[\w.:=+/@-]{1,128}$/;

/** Whether a text that a proxy sends as `X-Request-Id` can be an id: it goes into a header and into the log as it is. */
export const isRequestId = (text: string): boolean => idForm.test(text);

/** W3C Trace Context, level 2: version, trace, parent and flags; a later version may say more behind them. */
const traceForm =
  /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-[\x21-\x7e]{0,128})?$/;

export const isTraceparent = (text: string): boolean =>
  traceForm.test(text) && (text.length === 55 || !text.startsWith('00'));

/** Makes ids that differ between processes and are cheap to make. */
export const requestIds = (): (() => string) => {
  const process = crypto.randomUUID().slice(0, 8);
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
};

/** Whether the address at a distance of so many hops is one of our own proxies. */
export type Trust = (address: string, hop: number) => boolean;

/** `203.0.113.10:40001`, `[2001:db8::1]`, `[2001:db8::1]:443`: forms in which proxies write addresses as well. */
const decorated = /^(?:([\d.]+):\d{1,5}|\[([^[\]]+)\](?::\d{1,5})?)$/;

/** The bare address in an entry of `X-Forwarded-For`; undefined where there is none. */
const addressIn = (entry: string): string | undefined => {
  if (isIP(entry) !== 0) return entry;
  const [, v4, v6] = decorated.exec(entry) ?? [];
  const bare = v4 ?? v6 ?? '';
  return isIP(bare) === (v4 === undefined ? 6 : 4) ? bare : undefined;
};

/**
 * Who calls: the nearest address that is none of our own proxies, going back from the socket through the entries of
 * `X-Forwarded-For`. What is no address there (`unknown`, a name, a text of somebody's choice) is nobody's: it counts as
 * the socket's.
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

/** A body as a stream: taken from its caller as fast as it is read, never held whole. */
class BodyStream extends Readable {
  readonly #incoming: Incoming;
  #begun = false;

  constructor(sender: BodySender, options: IncomingOptions) {
    super();
    this.#incoming = new Incoming(sender, options, {
      take: (chunk) => this.push(chunk),
      ended: () => void this.push(null),
      failed: (problem) => void this.destroy(problem),
    });
    // Whoever reads it is told by the reading; whoever does not shall not bring the process down.
    this.on('error', () => {});
  }

  override _read(): void {
    if (this.#begun) {
      this.#incoming.resume();
      return;
    }
    this.#begun = true;
    this.#incoming.start();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#incoming.stop();
    callback(error);
  }
}

/** The body of a request as a stream, which fails with the `Problem` that is to be answered. */
export const streamBody = (sender: BodySender, options: IncomingOptions): Readable =>
  bringsBody(sender.raw) ? new BodyStream(sender, options) : Readable.from([], { objectMode: false });

/** What all requests of a server have in common. */
export interface RequestSettings {
  readonly trust: Trust;
  readonly bodies: BodyReading;
  /** Where files lie; absent where no endpoint takes any. */
  readonly uploads: UploadFolders | undefined;
  readonly nextId: () => string;
}

const noModels: readonly string[] = [];
const noFiles: readonly UploadedFile[] = [];
const nothing: JsonObject = Object.freeze({});

/** Told of an answer, of the request, and of the code where it is a refusal or a failure. */
export type AnswerCounter = (
  principal: Principal,
  status: number,
  request: Pick<Call, 'address' | 'path' | 'params'> & {
    readonly method: string;
    readonly claim: Claim | undefined;
  },
  code: number | undefined,
) => void;

/** Says who sent credentials that nobody has asked for. */
export type Identify = (request: AuthRequest) => Promise<Principal>;

/** Bytes of a body that count until the answer is out, and not only until it is made: with fewer nothing is gained. */
const large = 16_384;

/**
 * One of Node's requests, from its arrival to its answer. What costs something is found out when it is asked for; what
 * the stages of the pipeline find out stands here once they have.
 *
 * The server and the pipeline know a request by this class. There are two narrower faces of the same object, and no
 * copies: `AuthRequest` is what may be looked at before anybody knows who sends it, in a layer that knows no HTTP
 * server; `Call` is what a handler may look at, when nothing of it can be missing any more.
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
  /** Whether the query names relations, whose records are read by whoever sends this. */
  relates = false;
  /** Path as it was registered. */
  route: string | undefined;
  principal: Principal = anonymous;
  /** Whose the credentials seem to be that were refused. */
  claim: Claim | undefined;
  /** The parsed body and its bytes; empty until they are read, and where the endpoint takes none. */
  body = nothing;
  bytes: Uint8Array = noBytes;
  files: readonly UploadedFile[] = noFiles;
  /** Whether the answer is another by `Accept`. */
  varies = false;
  count: AnswerCounter | undefined;
  reader: Call['reader'];
  /** Undefined where nobody measures. */
  observe: AnswerObserver | undefined;
  /** Whether the connection is closed with the answer. */
  closes = false;
  /** Bytes that count for the body in the memory for bodies. */
  held = 0;
  #read: Uint8Array | Promise<Uint8Array> | undefined;
  #stream: Readable | undefined;
  #folder: UploadFolder | undefined;
  #grant: Grant | undefined;
  #identify: Identify | undefined;
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

  /** The one that a proxy of ours has given it, else one of its own. */
  get requestId(): string {
    this.#id ??= this.#givenId() ?? this.#settings.nextId();
    return this.#id;
  }

  /**
   * W3C Trace Context: of the span in which this is answered, else of whoever sent it; undefined where none came, or
   * what came is none.
   */
  get traceparent(): string | undefined {
    if (this.#traceparent !== undefined) return this.#traceparent;
    const text = this.raw.headers['traceparent'];
    return typeof text === 'string' && isTraceparent(text) ? text : undefined;
  }

  get url(): string {
    return this.raw.url ?? '';
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
    // A request line may name scheme and host as well (RFC 9112, 3.2.2); links are never made of what a caller says.
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
      // He may have gone before anybody asked.
      if (response.closed && !response.writableFinished) abort.abort();
      // The response's own event: a connection serves many requests, and a listener of each would stay with it.
      response.once('close', () => {
        if (!response.writableFinished) abort.abort();
      });
      this.#abort = abort;
    }
    return this.#abort.signal;
  }

  cut(reason: Error): void {
    // Whoever writes the answer is told by the end of the response, and logs it.
    this.response.destroy(reason);
  }

  /** Whether nobody knows (yet) who sends this. */
  get unidentified(): boolean {
    return this.principal.kind === 'nobody';
  }

  traced(traceparent: string): void {
    this.#traceparent = traceparent;
  }

  /** Told who the caller is as soon as it is known. */
  identified(principal: Principal): void {
    if (this.held > 0 && principal.kind !== 'nobody') this.#settings.bodies.memory.identify(this);
    this.principal = principal;
  }

  refused(claim: Claim): void {
    this.claim = claim;
  }

  /**
   * Told what the policy grants; and how to find out who sent credentials where nobody has to say who they are.
   */
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

  #givenId(): string | undefined {
    const { headers, socket } = this.raw;
    const given = headers['x-request-id'];
    if (typeof given !== 'string' || !isRequestId(given)) return undefined;
    return this.#settings.trust(socket.remoteAddress ?? '', 0) ? given : undefined;
  }

  readBody(): Uint8Array | Promise<Uint8Array> {
    if (this.#stream !== undefined) throw new Error('the body is read as a stream already');
    this.#read ??= readBody(this, this.#settings.bodies);
    return this.#read;
  }

  streamBody(limit: number): Readable {
    if (this.#stream !== undefined) return this.#stream;
    const read = this.#read;
    if (read instanceof Promise) throw new Error('the body is read as bytes already');
    if (read === undefined)
      this.#stream = streamBody(this, { limit, patience: this.#settings.bodies.patience });
    // A signature had to see it whole.
    else this.#stream = Readable.from(read.byteLength === 0 ? [] : [read], { objectMode: false });
    return this.#stream;
  }

  /** Reads a body of parts: its files into a folder of this request's, which is removed with the answer. */
  async readParts(limits: MultipartLimits): Promise<MultipartBody> {
    const { uploads, bodies } = this.#settings;
    if (uploads === undefined) throw new Error('there is no folder for uploads');
    const held = await this.#read;
    this.#folder = await uploads.open(this);
    const body = await readMultipart(this, { ...bodies, limits, folder: this.#folder.path, held });
    this.files = body.files;
    return body;
  }

  /**
   * Told how many values the body will be, before they are made of its bytes.
   * @throws Problem `overloaded` where there is no room for them
   */
  expect(values: number): void {
    this.#settings.bodies.memory.takeParsed(this, values);
  }

  /** Called when the answer is made; what is held of the body is given back when it is out. */
  answered(): void {
    // An idle connection keeps its last request, as the async context of its keep-alive timer does; both without the body.
    this.body = nothing;
    this.bytes = noBytes;
    this.#read = noBytes;
    this.#stream?.destroy();
    void this.#folder?.remove();
    if (this.held === 0) return;
    const release = (): void => this.#settings.bodies.memory.release(this);
    if (this.held < large) release();
    else finished(this.response, release);
  }
}

/** A response that was sent. A stream of events, which has no end of its own, counts as sent when it begins. */
export interface SentAnswer {
  /** Method of the request. */
  readonly method: string;
  readonly status: number;
  /** Code of the envelope; undefined unless it is a refusal or a failure. */
  readonly code: number | undefined;
  /** From the arrival of the request. */
  readonly milliseconds: number;
  /** Time of these in which at least one database statement of the request ran or waited. */
  readonly databaseMilliseconds: number;
}

export type AnswerObserver = (sent: SentAnswer) => void;

/** A request as far as its answer is measured. */
interface Measured {
  readonly method: string;
  /** By `performance.now()`. */
  readonly arrived: number;
  readonly database: BusyTime;
  readonly observe: AnswerObserver | undefined;
}

/** Measures a response once it is sent; `rest` is the result of `Responder.send`. */
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
