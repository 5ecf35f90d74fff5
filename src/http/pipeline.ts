/** The stages of every request on one page, from the match of its path to its response. Begin here. */

import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { anonymous, guard, type Principal, type UserPrincipal } from '../auth/principal.ts';
import { headersOf, optionalMethods, type Verifiers } from '../auth/registry.ts';
import type { FieldError } from '../kernel/field-error.ts';
import {
  freeBytes,
  isJsonObject,
  type Json,
  type JsonObject,
  JsonText,
  type OwnedBytes,
  own,
} from '../kernel/json.ts';
import {
  type Catalogue,
  type Languages,
  type Locale,
  messageIn,
  type SuccessName,
} from '../kernel/messages.ts';
import { Problem } from '../kernel/problem.ts';
import { problemText } from '../kernel/problem-text.ts';
import { admit, decide, readsOwn } from '../policy/decide.ts';
import { asksForTrash } from '../records/trash.ts';
import { isFormMediaType, isJsonMediaType, isMultipartMediaType, parseObject } from './body.ts';
import { compressed } from './content-coding.ts';
import type { Answer, Endpoint } from './endpoint.ts';
import { parseFields, parseForm, typedFields } from './form.ts';
import type { Limiter } from './limiter.ts';
import type { MultipartLimits } from './multipart.ts';
import type { Piece } from './pieces.ts';
import { tagOfVariant } from './preconditions.ts';
import { namesOfBody, refuseUnknownNames, strictApplied } from './preferences.ts';
import type { Identify, Request } from './request.ts';

/**
 * A response body of bytes between two texts, such as the envelope around a page of records as the database wrote it.
 * The bytes are freed when they are sent, not by the garbage collector: external memory makes it collect the whole heap
 * after some dozens of large responses, which costs more CPU than all other work for a large page.
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
   * Ends a response, whose head is written, with this body; in one system call where the socket takes all of it. The
   * bytes are freed when they have been sent. @throws Error when called again
   */
  send(response: ServerResponse): void {
    const { socket } = response;
    const bytes = this.#bytes.take();
    response.cork();
    response.write(this.#before);
    response.write(bytes);
    // Called when the operating system has all bytes, and when the connection is gone.
    response.end(this.#after, () => {
      if (socket?.destroyed !== true) freeBytes(bytes);
    });
  }
}

type BodyType = 'json' | 'form' | 'multipart';

/** The media type that a refusal names for each kind of body; of several accepted types, JSON. */
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

/** Returns the type of a body by its headers. @throws Problem `unsupported_media_type` */
const bodyType = (accepts: TypedAccepts, request: Request): BodyType => {
  const encoding = request.header('content-encoding');
  const plain = encoding === undefined || encoding === 'identity';
  const type = plain ? typeOf(accepts, request.header('content-type')) : undefined;
  if (type === undefined)
    throw new Problem('unsupported_media_type', { params: { type: mediaTypes[accepts] } });
  return type;
};

const parseJsonBody = ({ bodyKey }: Endpoint, request: Request): JsonObject => {
  const body = parseObject(request.bytes, (values) => request.reserveValues(values));
  if (bodyKey === undefined) return body;
  const record = own(body, bodyKey);
  if (!isJsonObject(record)) throw new Problem('missing_key', { params: { key: bodyKey } });
  return record;
};

/** Parses JSON or a form, and returns the object under the body key where the endpoint has one. */
const parseBody = (endpoint: Endpoint, type: 'json' | 'form', request: Request): JsonObject => {
  const { bodyKey, input = {} } = endpoint;
  if (type === 'json') return parseJsonBody(endpoint, request);
  return bodyKey === undefined ? parseFields(request.bytes, input) : parseForm(request.bytes, bodyKey, input);
};

/** The limits of a multipart body unless the endpoint has its own: ten files of 10 MiB. */
export const defaultLimits = { file: 10_485_760, files: 10 } as const;

const readPartsInto = async (
  { limits = defaultLimits, input = {} }: Endpoint,
  request: Request,
): Promise<void> => {
  const { texts } = await request.readParts(limits);
  request.body = typedFields(texts, input);
};

/** Reads the record of a multipart body, the text of the body key, and its files. @throws Problem `missing_key` */
const readRecordParts = async (
  { bodyKey = '' }: Endpoint,
  limits: MultipartLimits,
  request: Request,
): Promise<void> => {
  const { texts } = await request.readParts(limits);
  const text = texts.find(([name]) => name === bodyKey)?.[1];
  if (text === undefined) throw new Problem('missing_key', { params: { key: bodyKey } });
  request.bytes = Buffer.from(text);
  request.body = parseObject(request.bytes, (values) => request.reserveValues(values));
};

/** Tells whether a request has no body by the headers that frame one in HTTP/1.1. */
const hasNoBody = (request: Request): boolean =>
  request.header('transfer-encoding') === undefined && (request.header('content-length') ?? '0') === '0';

/** Bytes of a body whose parsing takes a turn of the event loop of its own. */
const longBody = 262_144;

/**
 * Reads and parses the body that an endpoint accepts; synchronously where all of it has arrived. A body of bytes is
 * left to the handler.
 * @throws Problem `unsupported_media_type`, and those of reading and parsing
 */
const readAndParseBody = (endpoint: Endpoint, request: Request): Promise<void> | undefined => {
  const { accepts } = endpoint;
  if (accepts === 'bytes' || accepts === 'nothing') return undefined;
  if (endpoint.bodyOptional === true && hasNoBody(request)) return undefined;
  if (endpoint.parts !== undefined && isMultipartMediaType(request.header('content-type')))
    return readRecordParts(endpoint, endpoint.parts.limits, request);
  const type = bodyType(accepts, request);
  if (type === 'multipart') return readPartsInto(endpoint, request);
  const parse = (bytes: Uint8Array): void => {
    request.bytes = bytes;
    request.body = parseBody(endpoint, type, request);
  };
  const read = request.readBody();
  if (read instanceof Promise)
    return read.then((bytes) => {
      parse(bytes);
      return bytes.length < longBody ? undefined : nextTurn();
    });
  parse(read);
  return undefined;
};

/** Writes envelopes: `{"code":0,"message":…,"data":…}`; JSON text from the database is inserted as it is. */
export class Envelope {
  readonly #catalogue: Catalogue;
  /** The envelope up to the data, with the general success text. */
  readonly #head: string;
  /** Language of the response, where requests choose it; undefined where all are in one language. */
  readonly language: Locale | undefined;

  constructor(catalogue: Catalogue, isChosen = false) {
    this.#catalogue = catalogue;
    this.language = isChosen ? catalogue.locale : undefined;
    this.#head = `{"code":0,"message":${JSON.stringify(catalogue.success)}`;
  }

  #start(text: SuccessName | undefined): string {
    if (text === undefined) return this.#head;
    return `{"code":0,"message":${JSON.stringify(this.#catalogue[text])}`;
  }

  success(data: Json | JsonText | undefined, text?: SuccessName): string | FramedBytes {
    const head = this.#start(text);
    if (data === undefined) return `${head}}`;
    const json = data instanceof JsonText ? data.text : JSON.stringify(data);
    const before = `${head},"data":`;
    return typeof json === 'string' ? `${before}${json}}` : new FramedBytes(before, json, '}');
  }

  /** Returns the envelope of a long list in pieces. */
  async *pieces(chunks: AsyncIterable<string>, text?: SuccessName): AsyncGenerator<string> {
    let head: string | undefined = `${this.#start(text)},"data":`;
    for await (const chunk of chunks) {
      yield head === undefined ? chunk : head + chunk;
      head = undefined;
    }
    yield '}';
  }

  failure(problem: Problem): string {
    const message = problemText(this.#catalogue, problem);
    const data = problem.errors === undefined ? problem.data : { errors: this.#errors(problem.errors) };
    return JSON.stringify({ code: problem.code, message, data });
  }

  #errors(errors: readonly FieldError[]): readonly FieldError[] {
    return errors.map((error) => {
      const message = messageIn(this.#catalogue, error);
      return message === error.message ? error : { ...error, message };
    });
  }
}

/** The envelope for a request; `language` is that of an answer in another language than its request asks for. */
type EnvelopeOf = (request: Request | undefined, language?: Locale) => Envelope;

const envelopesOf = ({ catalogues, first, choose }: Languages): EnvelopeOf => {
  if (choose === undefined) {
    const envelope = new Envelope(first);
    return () => envelope;
  }
  const envelopes = new Map([...catalogues].map(([locale, each]) => [locale, new Envelope(each, true)]));
  const fallback = new Envelope(first, true);
  return (request, language = request?.language) => envelopes.get(language ?? '') ?? fallback;
};

export interface HttpResponse {
  readonly status: number;
  /** Code of the envelope; undefined for a success. */
  readonly code?: number;
  /** Media type; empty where there is no body. */
  readonly type: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | FramedBytes | AsyncIterableIterator<Piece>;
  /** Language of the response, where `Accept-Language` decides about it. */
  readonly language?: Locale | undefined;
  /** True if the connection is closed with this response. */
  readonly closes?: boolean;
  /** The error behind a 5xx, for the log; never part of the body. */
  readonly failure?: unknown;
}

type Serve = (request: Request) => Promise<HttpResponse>;

/** Wraps the function that serves an endpoint. */
export type Around = (endpoint: Endpoint, serve: Serve) => Serve;

interface PipelineParts {
  readonly methods: Verifiers;
  readonly languages: Languages;
  /** None unless given. */
  readonly limiter?: Limiter;
  /** Wraps the function that serves each endpoint; none unless given. */
  readonly around?: Around | undefined;
}

const json = 'application/json; charset=utf-8';

/** Adds the headers of the limits that have counted the request, and of the preference that was applied. */
const withAdded = (response: HttpResponse, { limitHeaders, isStrict }: Request): HttpResponse => {
  if (limitHeaders === undefined && !isStrict) return response;
  const applied =
    isStrict && (response.code === undefined || response.status === 422) ? strictApplied : undefined;
  return { ...response, headers: { ...response.headers, ...limitHeaders, ...applied } };
};

/**
 * The stages of every request, in the order in which they can refuse it:
 *
 *     match → guard (401) → limits (429) → policy (403)
 *           → read (413, 415) → parse (400) → handle (404, 412, 422) → envelope
 *
 * The endpoint is matched before this is called. A limit of networks comes before the guard, which asks the database. A
 * body is read only for a caller who may send it, and only if its endpoint accepts one; a refusal does not wait for the
 * body. The one exception: the guard reads the bytes of a signed request, as it cannot authenticate the caller
 * otherwise. A user whose body was still arriving is authenticated and permitted once more when the body is complete; a
 * body that came with its head costs nothing. An error of a stage becomes an error envelope; one that is no `Problem`
 * becomes a 500 without details.
 */
export const createPipeline = ({ methods, languages, limiter, around }: PipelineParts) => {
  const envelopeOf = envelopesOf(languages);

  /** The response to an error; in the first language where the request could not be read. */
  const failed = (error: unknown, request: Request | undefined): HttpResponse => {
    const envelope = envelopeOf(request);
    const problem = error instanceof Problem ? error : new Problem('internal', { cause: error });
    const failure = problem.status >= 500 ? (problem.cause ?? problem) : undefined;
    return {
      status: problem.status,
      code: problem.code,
      type: json,
      headers: problem.headers,
      body: envelope.failure(problem),
      language: envelope.language,
      failure,
    };
  };

  /** Verifies optional credentials: without any, or with invalid ones, the caller is anonymous. */
  const createIdentify = (takesBody: boolean): Identify => {
    const optional = optionalMethods(takesBody);
    const headers = [...new Set(optional.flatMap(headersOf))].map((name) => name.toLowerCase());
    const verifiers = [...new Set(optional.map(({ name }) => methods[name]))];
    return async (request) => {
      if (headers.every((name) => request.header(name) === undefined)) return anonymous;
      return guard(verifiers, request).catch(() => anonymous);
    };
  };

  const serveOne = (endpoint: Endpoint): Serve => {
    const accepted = [...new Set(endpoint.auth.map((name) => methods[name]))];
    const identify = accepted.length === 0 ? createIdentify(endpoint.accepts !== 'nothing') : undefined;
    const isPersonal = accepted.length > 0 || readsOwn(endpoint.policy);
    // The decision is the same for all anonymous callers.
    const anonymousDecision = decide(endpoint.policy, anonymous);
    /** Verifies a caller again, by the method that has verified them. */
    const verifyAgain = (request: Request, { method }: UserPrincipal): Promise<Principal> => {
      const again = guard([methods[method]], request);
      return identify === undefined ? again : again.catch(() => anonymous);
    };
    const permit = (request: Request, principal: Principal): void => {
      const decision = principal === anonymous ? anonymousDecision : admit(endpoint.policy, principal);
      if (!decision.allowed) throw decision.problem;
      request.permitted(decision.grant, identify);
    };
    const names = endpoint.checksNames === true ? undefined : namesOfBody(endpoint.input);
    const { rateLimit } = endpoint;
    const ofCallers = rateLimit?.per === 'caller' ? rateLimit : undefined;
    const served: Serve = async (request) => {
      try {
        if (rateLimit?.per === 'network') await limiter?.ofNetwork(request, rateLimit);
        // Public records may refer to records that only this caller may read.
        const needsPrincipal = isPersonal || request.relates;
        const principal = needsPrincipal
          ? await (identify?.(request) ?? guard(accepted, request))
          : anonymous;
        request.identified(principal);
        if (ofCallers !== undefined || (principal.kind === 'user' && principal.limits !== undefined)) {
          const counts = limiter?.ofCaller(request, ofCallers, principal);
          if (counts !== undefined) await counts;
        }
        permit(request, principal);
        if (endpoint.accepts !== 'nothing') {
          // Work that has not begun when credentials are revoked does not begin, however late the body ends.
          if (principal.kind === 'user' && !request.raw.complete)
            request.confirmBodyBy(async () => {
              const current = await verifyAgain(request, principal);
              request.identified(current);
              permit(request, current);
            });
          const reading = readAndParseBody(endpoint, request);
          if (reading !== undefined) await reading;
          if (names !== undefined && request.applyStrict())
            refuseUnknownNames(languages.first, names, request.body);
        }
        const handled = endpoint.handle(request);
        const answer = handled instanceof Promise ? await handled : handled;
        const response = respond(answer, endpoint.status ?? 200, envelopeOf(request, answer.language));
        const whole = response instanceof Promise ? await response : response;
        return withAdded(
          endpoint.compressed === true ? compressed(whole, request.header('accept-encoding')) : whole,
          request,
        );
      } catch (error) {
        return withAdded(failed(error, request), request);
      }
    };
    return around === undefined ? served : around(endpoint, served);
  };

  const serve = (endpoint: Endpoint): Serve => {
    const served = serveOne(endpoint);
    const { ofTrash } = endpoint;
    if (ofTrash === undefined) return served;
    const trashed = serveOne({ ...endpoint, ...ofTrash });
    return (request) => (asksForTrash(request.query) ? trashed : served)(request);
  };

  return { serve, failed };
};

export type Pipeline = ReturnType<typeof createPipeline>;

const isPieces = (data: Answer['data']): data is AsyncIterable<string> =>
  typeof data === 'object' && data !== null && Symbol.asyncIterator in data;

const noHeaders: HttpResponse['headers'] = Object.freeze({});

/** The headers of an envelope. Envelopes of two languages have different entity tags. */
const taggedHeaders = (
  headers: HttpResponse['headers'] = noHeaders,
  language: Locale | undefined,
): HttpResponse['headers'] => {
  const { ETag: tag } = headers;
  return language === undefined || typeof tag !== 'string'
    ? headers
    : { ...headers, ETag: tagOfVariant(tag, language) };
};

const respond = (
  answer: Answer,
  success: number,
  envelope: Envelope,
): HttpResponse | Promise<HttpResponse> => {
  const status = answer.status ?? success;
  const { language } = envelope;
  if (answer.raw !== undefined) {
    const { headers = {}, raw } = answer;
    const ofAnswer = language === undefined ? undefined : answer.language;
    return { status, type: raw.type, headers, body: raw.body, language: ofAnswer };
  }
  const headers = taggedHeaders(answer.headers, language);
  if (status === 304) return { status, type: json, headers, body: '', language };
  const { data, message } = answer;
  if (!isPieces(data))
    return { status, type: json, headers, body: envelope.success(data, message), language };
  const pieces = withFirstPiece(envelope.pieces(data, message));
  return pieces.then((body) => ({ status, type: json, headers, body, language }));
};

/** Reads the first piece before the status line is sent, so that its failure still becomes an error envelope. */
const withFirstPiece = async (pieces: AsyncGenerator<string>): Promise<AsyncIterableIterator<string>> => {
  let first: IteratorResult<string> | undefined = await pieces.next();
  const rest: AsyncIterableIterator<string> = {
    [Symbol.asyncIterator]: () => rest,
    next: async () => {
      const piece = first ?? (await pieces.next());
      first = undefined;
      return piece;
    },
    // The method of the pieces themselves: a generator around them would only run it once it has been read from.
    return: () => pieces.return(undefined),
  };
  return rest;
};
