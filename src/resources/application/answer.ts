/**
 * `answer`: a response of an application's endpoint other than the envelope, with its own type, status and headers.
 */

import type { Answer } from '../../http/endpoint.ts';
import { isPieceSource, type PieceSource, Pieces } from '../../http/pieces.ts';
import { http } from '../../kernel/node-http.ts';
import { anything, type OptionTable, optionsFlaw, plainObject, textual } from '../../kernel/options.ts';

/** A response other than an envelope. */
export interface AnswerOptions {
  /** 200 to 599; that of the endpoint's definition unless given. 204, 205 and 304 have no body. */
  readonly status?: number;
  /** A list is sent as several headers of that name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Media type. `text/plain; charset=utf-8` for a text, `application/octet-stream` for bytes unless given. */
  readonly type?: string;
  /**
   * A text (sent as UTF-8), bytes, or a stream of them: a Readable, a web ReadableStream or anything that is iterated
   * asynchronously. Nothing unless given.
   */
  readonly body?: string | Uint8Array | PieceSource;
}

const options = {
  status: anything,
  headers: plainObject,
  type: textual,
  body: anything,
} satisfies OptionTable<AnswerOptions>;

/** Headers that the service sets itself, with the reason that the developer reads who sets them. */
const reserved: Readonly<Record<string, string>> = {
  'content-type': 'say it as `type`',
  'access-control-allow-origin': 'CORS_ORIGINS says who may read answers',
  'access-control-allow-credentials': 'CORS_ORIGINS says who may read answers',
  'access-control-expose-headers': 'CORS_ORIGINS says who may read answers',
  'x-content-type-options': 'every answer has it',
  'strict-transport-security': 'every answer has it where BASE_URL is https',
  'x-request-id': 'every answer has it',
  ...Object.fromEntries(
    ['connection', 'keep-alive', 'proxy-connection', 'trailer', 'transfer-encoding', 'upgrade', 'date'].map(
      (name) => [name, 'the connection is the service’s own'],
    ),
  ),
};

/** A token of RFC 9110 without `*`: in a media type that is the wildcard of a range. */
const token = "[\\w!#$%&'+.^`|~-]+";

/** The value of a parameter may be quoted. A semicolon may stand without a parameter. */
const parameters = `(?:[ \\t]*;(?:[ \\t]*${token}=(?:[*\\w!#$%&'+.^\`|~-]+|"(?:[^"\\\\\\r\\n]|\\\\[^\\r\\n])*"))?)*`;

const mediaType = new RegExp(`^${token}/${token}${parameters}$`);

const mediaRange = new RegExp(`^(?:\\*/\\*|${token}/(?:\\*|${token}))${parameters}$`);

/** True if a text is a media type, or a range of them: `image/*`, or every one. */
export const isMediaRangeText = (text: string): boolean => mediaRange.test(text);

/**
 * Content-Security-Policy of a page of the application that brings none: it shows text, its own styles and pictures. No
 * script runs in it, no form is sent, and it is no part of this origin: what a caller once sent in may come out as a
 * page.
 */
const sandbox =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; sandbox";

/** Viewers of these refuse to work in a sandbox, and run nothing in the origin. */
const withoutSandbox = /^application\/pdf(?:\s*;|$)/i;

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

type Headers = Record<string, string | readonly string[]>;

/** The headers in lower case. @throws Error that names what cannot be sent */
const headersOf = (given: NonNullable<AnswerOptions['headers']>): Headers => {
  const headers: Headers = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    const reason = Object.hasOwn(reserved, lower) ? reserved[lower] : undefined;
    if (reason !== undefined) throw new Error(`answer: the header ${name} is not set here: ${reason}`);
    if (Object.hasOwn(headers, lower)) throw new Error(`answer: the header ${name} is there twice`);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    http.validateHeaderName(name);
    for (const each of values) {
      if (typeof each !== 'string')
        throw new Error(`answer: the header ${name} must be a text or a list of texts`);
      http.validateHeaderValue(name, each);
    }
    headers[lower] = typeof value === 'string' ? value : [...value];
  }
  return headers;
};

/** The bytes of a body that the application promises, which are counted then. */
const lengthOf = (headers: Headers): number | undefined => {
  const length = headers['content-length'];
  if (length === undefined) return undefined;
  const bytes = typeof length === 'string' && /^\d{1,15}$/.test(length) ? Number(length) : Number.NaN;
  if (Number.isNaN(bytes)) throw new Error('answer: the header Content-Length must be a number of bytes');
  return bytes;
};

const typeOf = (type: string | undefined, body: NonNullable<AnswerOptions['body']>): string => {
  if (type === undefined)
    return typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/octet-stream';
  if (!mediaType.test(type)) throw new Error(`answer: ${JSON.stringify(type)} is not a media type`);
  // A page whose characters a browser had to guess could be made to mean another.
  const unnamed = typeof body === 'string' && /^text\//i.test(type) && !/;\s*charset=/i.test(type);
  return unnamed ? `${type}; charset=utf-8` : type;
};

const isBody = (body: unknown): boolean =>
  body === undefined || typeof body === 'string' || body instanceof Uint8Array || isPieceSource(body);

/** An answer that goes as it is, made by `answer`. */
export class RawAnswer {
  readonly #status: number | undefined;
  readonly #headers: Headers;
  readonly #type: string;
  #body: string | Uint8Array | Pieces | 'sent';

  /** @throws Error that says what cannot be answered so */
  constructor({ status, headers = {}, type, body }: AnswerOptions) {
    if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599))
      throw new Error(`answer: status must be a number from 200 to 599, not ${String(status)}`);
    if (!isBody(body)) throw new Error('answer: body must be a text, bytes or a stream');
    const checked = headersOf(headers);
    const length = lengthOf(checked);
    this.#status = status;
    this.#type = body === undefined ? '' : typeOf(type, body);
    this.#body = isPieceSource(body) ? new Pieces(body, length) : (body ?? '');
    if (!(this.#body instanceof Pieces)) {
      if (length !== undefined && length !== Buffer.byteLength(this.#body))
        throw new Error('answer: the header Content-Length is not the length of the body');
      delete checked['content-length'];
    }
    const policy =
      body === undefined || withoutSandbox.test(this.#type) ? {} : { 'content-security-policy': sandbox };
    this.#headers = { ...policy, ...checked };
  }

  static is(value: unknown): value is RawAnswer {
    return typeof value === 'object' && value !== null && #body in value;
  }

  /**
   * Takes the first piece of a stream. Once `signal` says that the caller has gone, the stream is ended.
   * @throws what the stream fails with; Error where it was answered before
   */
  async begin(signal: AbortSignal): Promise<this> {
    const body = this.#body;
    if (body === 'sent') throw new Error('a stream is answered once: make an answer for each request');
    if (!(body instanceof Pieces)) return this;
    if (signal.aborted) this.discard();
    else signal.addEventListener('abort', () => void body.return(), { once: true });
    try {
      await body.begin();
    } catch (error) {
      void body.return();
      throw error;
    }
    return this;
  }

  /** The answer for the pipeline. */
  toAnswer(): Answer {
    const status = this.#status;
    const body = this.#body;
    const empty = status !== undefined && withoutBody.has(status);
    if (body instanceof Pieces) {
      if (empty) void body.return();
      this.#body = 'sent';
    }
    const headers = this.#headers;
    const raw = empty ? { type: '', body: '' } : { type: this.#type, body };
    return status === undefined ? { headers, raw } : { status, headers, raw };
  }

  /** Ends a stream that will not be read. */
  discard(): void {
    if (this.#body instanceof Pieces) void this.#body.return();
  }
}

/** Ends the stream of options that became no answer. */
const discardBody = (body: unknown): void => {
  if (isPieceSource(body)) void new Pieces(body).return();
};

/**
 * Makes a response other than an envelope, for `handle` to return: a text, bytes or a stream goes as it is.
 * @throws Error for an unknown option, a header that is none or that the service sets itself
 */
export const answer = (given: AnswerOptions): RawAnswer => {
  try {
    const flaw = optionsFlaw(given, options);
    if (flaw !== undefined) throw new Error(`answer: ${flaw}`);
    return new RawAnswer(given);
  } catch (error) {
    discardBody(given?.body);
    throw error;
  }
};
