import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished, Readable } from 'node:stream';
import { callerOf } from '../auth/caller.ts';
import type { AuthRequest, Claim } from '../auth/method.ts';
import { nobody, type Principal } from '../auth/principal.ts';
import { BusyTime, type Work } from '../kernel/current-work.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Grant } from '../policy/grant.ts';
import { streamBody } from './body-stream.ts';
import { callerAddress, type Trust } from './caller-address.ts';
import type { Connection } from './connections.ts';
import type { Call } from './endpoint.ts';
import { type MultipartBody, type MultipartLimits, readMultipart } from './multipart.ts';
import type { AnswerObserver } from './observe-answer.ts';
import { type BodyReading, type BodySender, noBytes, readBody } from './read-body.ts';
import { isRequestId, isTraceparent } from './request-id.ts';
import type { UploadFolder, UploadFolders } from './upload-folders.ts';
import type { UploadedFile } from './uploaded-file.ts';

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
  principal: Principal = nobody;
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
    this.body = nothing;
    this.#stream?.destroy();
    void this.#folder?.remove();
    if (this.held === 0) return;
    const release = (): void => this.#settings.bodies.memory.release(this);
    if (this.held < large) release();
    else finished(this.response, release);
  }
}
