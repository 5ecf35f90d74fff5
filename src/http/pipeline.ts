import type { ServerResponse } from 'node:http';
import { anonymous, guard } from '../auth/principal.ts';
import { headersOf, optionalMethods, type Verifiers } from '../auth/registry.ts';
import {
  freeBytes,
  isJsonObject,
  type Json,
  type JsonObject,
  JsonText,
  type OwnedBytes,
  own,
} from '../kernel/json.ts';
import type { Catalogue } from '../kernel/messages/catalogue.ts';
import { Problem } from '../kernel/problem.ts';
import { problemText } from '../kernel/problem-text.ts';
import { decide, readsOwn } from '../policy/decide.ts';
import { isFormMediaType, isJsonMediaType, isMultipartMediaType, parseObject } from './body.ts';
import type { Answer, Endpoint } from './endpoint.ts';
import { parseFields, parseForm, typedFields } from './form.ts';
import type { Piece } from './pieces.ts';
import type { Identify, Request } from './request.ts';

/**
 * A body that is mostly bytes of its own, such as a page of records as the database wrote it. They are neither copied
 * nor left to the garbage collector, which knows of such memory only how much of it there is: some dozens of large
 * answers made it go through the whole heap, for more CPU than everything else that a large page costs.
 */
export class FramedBytes {
  readonly #before: string;
  readonly #bytes: OwnedBytes;
  readonly #after: string;

  constructor(before: string, bytes: OwnedBytes, after: string) {
    this.#before = before;
    this.#bytes = bytes;
    this.#after = after;
  }

  get byteLength(): number {
    return Buffer.byteLength(this.#before) + this.#bytes.byteLength + Buffer.byteLength(this.#after);
  }

  /**
   * Ends a response, whose head is written, with this body: one system call for all of it where the socket takes it. The
   * bytes are freed when they have been sent. @throws Error when called again
   */
  send(response: ServerResponse): void {
    const { socket } = response;
    const bytes = this.#bytes.take();
    response.cork();
    response.write(this.#before);
    response.write(bytes);
    // Called when the operating system has all of it; also when it never will, as the connection is gone.
    response.end(this.#after, () => {
      if (socket?.destroyed !== true) freeBytes(bytes);
    });
  }
}

type BodyType = 'json' | 'form' | 'multipart';

/** Media types that endpoints ask for; those of bodies that are taken beside JSON are not named in a refusal. */
export const mediaTypes = {
  json: 'application/json',
  'json-or-form': 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
} as const;

type TypedAccepts = keyof typeof mediaTypes;

const typeOf = (accepts: TypedAccepts, type: string | undefined): BodyType | undefined => {
  if (accepts === 'multipart') return isMultipartMediaType(type) ? 'multipart' : undefined;
  if (accepts !== 'json' && isFormMediaType(type)) return 'form';
  return accepts !== 'form' && isJsonMediaType(type) ? 'json' : undefined;
};

/** What a body claims to be, before it is read. */
const bodyType = (accepts: TypedAccepts, request: Request): BodyType => {
  const encoding = request.header('content-encoding');
  const plain = encoding === undefined || encoding === 'identity';
  const type = plain ? typeOf(accepts, request.header('content-type')) : undefined;
  if (type === undefined)
    throw new Problem('unsupported_media_type', { params: { type: mediaTypes[accepts] } });
  return type;
};

const parseJsonBody = ({ bodyKey }: Endpoint, request: Request): JsonObject => {
  const body = parseObject(request.bytes, (values) => request.expect(values));
  if (bodyKey === undefined) return body;
  const record = own(body, bodyKey);
  if (!isJsonObject(record)) throw new Problem('missing_key', { params: { key: bodyKey } });
  return record;
};

/** The body of a write: JSON or a form, and in it the object under the body key where the endpoint has one. */
const parseBody = (endpoint: Endpoint, type: 'json' | 'form', request: Request): JsonObject => {
  const { bodyKey, input = {} } = endpoint;
  if (type === 'json') return parseJsonBody(endpoint, request);
  return bodyKey === undefined ? parseFields(request.bytes, input) : parseForm(request.bytes, bodyKey, input);
};

/** What a multipart body may bring where an endpoint says nothing else: ten files of 10 MiB. */
export const defaultLimits = { file: 10_485_760, files: 10 } as const;

const takeParts = async (
  { limits = defaultLimits, input = {} }: Endpoint,
  request: Request,
): Promise<void> => {
  const { texts } = await request.readParts(limits);
  request.body = typedFields(texts, input);
};

/** By what frames a body in HTTP/1.1: its length, or that it comes in chunks. */
const hasNoBody = (request: Request): boolean =>
  request.header('transfer-encoding') === undefined && (request.header('content-length') ?? '0') === '0';

/**
 * Reads the body that an endpoint accepts and parses it; at once where all of it has come. One of bytes is left to
 * the handler.
 * @throws Problem `unsupported_media_type`, and what is wrong with the body
 */
const takeBody = (endpoint: Endpoint, request: Request): Promise<void> | undefined => {
  const { accepts } = endpoint;
  if (accepts === 'bytes' || accepts === 'nothing') return undefined;
  if (endpoint.bodyOptional === true && hasNoBody(request)) return undefined;
  const type = bodyType(accepts, request);
  if (type === 'multipart') return takeParts(endpoint, request);
  const parse = (bytes: Uint8Array): void => {
    request.bytes = bytes;
    request.body = parseBody(endpoint, type, request);
  };
  const read = request.readBody();
  if (read instanceof Promise) return read.then(parse);
  parse(read);
  return undefined;
};

/** The envelope of a success: `{"code":0,"message":…,"data":…}`; JSON text from the database is taken as it is. */
export class Envelope {
  readonly #catalogue: Catalogue;
  /** Everything up to the data, for the success text that nearly every answer has. */
  readonly #head: string;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
    this.#head = `{"code":0,"message":${JSON.stringify(catalogue.success)}`;
  }

  #start(message: string | undefined): string {
    return message === undefined ? this.#head : `{"code":0,"message":${JSON.stringify(message)}`;
  }

  success(data: Json | JsonText | undefined, message?: string): string | FramedBytes {
    const head = this.#start(message);
    if (data === undefined) return `${head}}`;
    const json = data instanceof JsonText ? data.text : JSON.stringify(data);
    const before = `${head},"data":`;
    return typeof json === 'string' ? `${before}${json}}` : new FramedBytes(before, json, '}');
  }

  /** The same around a long list, piece by piece. */
  async *pieces(chunks: AsyncIterable<string>, message?: string): AsyncGenerator<string> {
    let head: string | undefined = `${this.#start(message)},"data":`;
    for await (const chunk of chunks) {
      yield head === undefined ? chunk : head + chunk;
      head = undefined;
    }
    yield '}';
  }

  failure(problem: Problem): string {
    const message = problemText(this.#catalogue, problem);
    const data = problem.errors === undefined ? problem.data : { errors: problem.errors };
    return JSON.stringify({ code: problem.code, message, data });
  }
}

export interface HttpResponse {
  readonly status: number;
  /** Code of the envelope of a refusal or a failure. */
  readonly code?: number;
  /** Media type; empty where there is no body. */
  readonly type: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | FramedBytes | AsyncIterableIterator<Piece>;
  /** Whether the connection is to be closed with it. */
  readonly closes?: boolean;
  /** What went wrong inside, to be logged; never part of the body. */
  readonly failure?: unknown;
}

type Serve = (request: Request) => Promise<HttpResponse>;

/** Goes around what serves an endpoint. */
export type Around = (endpoint: Endpoint, serve: Serve) => Serve;

interface PipelineParts {
  readonly methods: Verifiers;
  readonly envelope: Envelope;
  /** Goes around what serves each endpoint; nothing unless given. */
  readonly around?: Around | undefined;
}

const json = 'application/json; charset=utf-8';

/**
 * The way of every request, in the order in which it can be refused:
 *
 *     match → guard (401) → policy (403) → read (413, 415) → parse (400) → handle (404, 412, 422) → envelope
 *
 * The endpoint was matched before this is called. A body is read only for a caller who may send it, and where its
 * endpoint wants one; a refusal waits for none. One thing comes before: bytes that are signed are read by the guard, as
 * it cannot tell otherwise who sends them. Whatever a stage throws becomes an error envelope; what is no `Problem` is a
 * 500 that says nothing.
 */
export const createPipeline = ({ methods, envelope, around }: PipelineParts) => {
  const failed = (error: unknown): HttpResponse => {
    const problem = error instanceof Problem ? error : new Problem('internal', { cause: error });
    const failure = problem.status >= 500 ? (problem.cause ?? problem) : undefined;
    return {
      status: problem.status,
      code: problem.code,
      type: json,
      headers: problem.headers,
      body: envelope.failure(problem),
      failure,
    };
  };

  /** Who sent credentials that nobody has asked for; without any, or with none that are good, it is nobody. */
  const identifying = (takesBody: boolean): Identify => {
    const unasked = optionalMethods(takesBody);
    const headers = [...new Set(unasked.flatMap(headersOf))].map((name) => name.toLowerCase());
    const lookedAt = [...new Set(unasked.map(({ name }) => methods[name]))];
    return async (request) => {
      if (headers.every((name) => request.header(name) === undefined)) return anonymous;
      return guard(lookedAt, request).catch(() => anonymous);
    };
  };

  const serve = (endpoint: Endpoint): Serve => {
    const accepted = [...new Set(endpoint.auth.map((name) => methods[name]))];
    const unasked = accepted.length === 0 ? identifying(endpoint.accepts !== 'nothing') : undefined;
    const isPersonal = accepted.length > 0 || readsOwn(endpoint.policy);
    // All strangers are alike.
    const ofAnonymous = decide(endpoint.policy, anonymous);
    const served: Serve = async (request) => {
      try {
        // Records that everybody reads may lead to some that only this caller does.
        const asked = isPersonal || request.relates;
        const principal = asked ? await (unasked?.(request) ?? guard(accepted, request)) : anonymous;
        request.identified(principal);
        const decision = principal === anonymous ? ofAnonymous : decide(endpoint.policy, principal);
        if (!decision.allowed) throw decision.problem;
        request.permitted(decision.grant, unasked);
        if (endpoint.accepts !== 'nothing') {
          const taking = takeBody(endpoint, request);
          if (taking !== undefined) await taking;
        }
        const handled = endpoint.handle(request);
        const answer = handled instanceof Promise ? await handled : handled;
        const response = respond(answer, endpoint.status ?? 200, envelope);
        return response instanceof Promise ? await response : response;
      } catch (error) {
        return failed(error);
      }
    };
    return around === undefined ? served : around(endpoint, served);
  };

  return { serve, failed };
};

export type Pipeline = ReturnType<typeof createPipeline>;

const isPieces = (data: Answer['data']): data is AsyncIterable<string> =>
  typeof data === 'object' && data !== null && Symbol.asyncIterator in data;

const respond = (
  answer: Answer,
  success: number,
  envelope: Envelope,
): HttpResponse | Promise<HttpResponse> => {
  const status = answer.status ?? success;
  const headers = answer.headers ?? {};
  if (answer.raw !== undefined) return { status, type: answer.raw.type, headers, body: answer.raw.body };
  if (status === 304) return { status, type: json, headers, body: '' };
  if (!isPieces(answer.data))
    return { status, type: json, headers, body: envelope.success(answer.data, answer.message) };
  const pieces = started(envelope.pieces(answer.data, answer.message));
  return pieces.then((body) => ({ status, type: json, headers, body }));
};

/** Takes the first piece before the status line goes out, so that a failure to begin is still an error envelope. */
const started = async (pieces: AsyncGenerator<string>): Promise<AsyncIterableIterator<string>> => {
  let first: IteratorResult<string> | undefined = await pieces.next();
  const rest: AsyncIterableIterator<string> = {
    [Symbol.asyncIterator]: () => rest,
    next: async () => {
      const piece = first ?? (await pieces.next());
      first = undefined;
      return piece;
    },
    // That of the pieces themselves: a generator around them would not pass it on before somebody reads it.
    return: () => pieces.return(undefined),
  };
  return rest;
};
