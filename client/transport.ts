import { type Auth, type Authenticator, createAuthenticator, type Session } from './authenticator.ts';
import { type FieldError, GatewrightError } from './error.ts';
import { createLongSignIn, type KeptTokens, type LongSignIn, type SignInStorage } from './long-sign-in.ts';

/** Tries in all, and the milliseconds between them where the service does not name any. */
export interface RetryOptions {
  /** 3 where it is not given; 1 never tries again. */
  readonly attempts?: number;
  /** Milliseconds before the second try; doubled for each one more. 200 where it is not given. */
  readonly delay?: number;
  /** Longest wait in milliseconds; an answer that asks for more is thrown. 10,000 where it is not given. */
  readonly maxDelay?: number;
}

export interface TransportOptions {
  /** Address of the service without `/api/v1`, e.g. `https://api.example.com`; `''` is the page's own. */
  readonly baseUrl: string;
  /** Absent: requests carry no credentials but a same-origin cookie. */
  readonly auth?: Auth | undefined;
  readonly retry?: RetryOptions | undefined;
  /**
   * Keeps a long sign-in across reloads and tabs, e.g. `localStorage`. Every script of the page can read it there;
   * without it only this client knows the sign-in.
   */
  readonly storage?: SignInStorage | undefined;
  /** Used instead of the global fetch, e.g. that of a signer. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Whether a write is refused (422, rule `ignored`) for a field that the service would ignore, and not written without
   * it. Where it is not given: yes, if `process.env.NODE_ENV` can be read and is not `production`.
   */
  readonly strict?: boolean | undefined;
}

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions extends CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`: a form, text or bytes. */
  readonly payload?: NonNullable<RequestInit['body']>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends no credentials. */
  readonly anonymous?: boolean;
  /** In place of `strict` of the client. */
  readonly strict?: boolean | undefined;
  /** Whether sending it twice does what sending it once does; by default GET, HEAD and DELETE. */
  readonly repeatable?: boolean;
}

/** A success, out of its envelope. */
export interface Answer<Data> {
  readonly data: Data;
  readonly message: string;
  readonly status: number;
  readonly headers: Headers;
}

export interface Transport {
  /** `path` is whole, e.g. `/api/v1/orders?page=1`. Throws GatewrightError, or the signal's reason. */
  send<Data>(method: string, path: string, options?: RequestOptions): Promise<Answer<Data>>;
  /** The same for endpoints without an envelope. A refusal is thrown all the same. */
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
  readonly authenticator: Authenticator;
  readonly longSignIn: LongSignIn;
}

interface Envelope {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const isEnvelope = (value: unknown): value is Envelope =>
  typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'number';

/** How values are read from JSON and written to it. */
export interface JsonForm {
  /** @throws SyntaxError */
  parse(text: string): unknown;
  stringify(value: unknown): string;
}

const parse = (text: string, json: JsonForm): unknown => {
  try {
    return json.parse(text);
  } catch {
    return undefined;
  }
};

/** Seconds; a date, which the service never sends, counts as absent. */
const retryAfterOf = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
};

const refusal = ({ status, headers }: Response, envelope: unknown): GatewrightError => {
  const retryAfter = retryAfterOf(headers);
  if (!isEnvelope(envelope))
    return new GatewrightError({
      status,
      code: 0,
      message: `HTTP ${status} without an envelope`,
      retryAfter,
    });
  const { code, message, data } = envelope;
  const { errors = [] } = (data ?? {}) as { readonly errors?: readonly FieldError[] };
  return new GatewrightError({ status, code, message, errors, retryAfter, data });
};

const asItIs = async (response: Response): Promise<Response> => {
  if (!response.ok) throw refusal(response, parse(await response.text(), JSON));
  return response;
};

/** Statuses of responses that never have a body, and so no envelope. */
const isEmpty = (status: number): boolean => status === 204 || status === 205;

const read = async <Data>(response: Response, json: JsonForm): Promise<Answer<Data>> => {
  if (isEmpty(response.status))
    return {
      data: undefined as Data,
      message: '',
      status: response.status,
      headers: response.headers,
    };
  const envelope = parse(await response.text(), json);
  if (!response.ok || !isEnvelope(envelope) || envelope.code !== 0) throw refusal(response, envelope);
  const { status, headers } = response;
  return { data: envelope.data as Data, message: envelope.message, status, headers };
};

/** Makes of a response what is answered. @throws GatewrightError */
type Take<Result> = (response: Response) => Promise<Result>;

const wait = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted === true) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });

/** Failures that a second try may help against: no answer, or one that says when to come back. */
const isPassing = ({ status, retryAfter }: GatewrightError): boolean =>
  status === 0 || ((status === 429 || status === 503) && retryAfter !== undefined);

const positionHeader = 'X-Commit-Position';

/** Time for which the header is sent: the service reads from no replica that is a second behind. */
const positionLifetimeMs = 2_000;

/**
 * The position header of the last write. Sent with reads, it makes every instance of the service show that write. Responses
 * have it only if the service reads from a replica.
 */
class LastPosition {
  #text = '';
  #until = Number.NEGATIVE_INFINITY;

  /** Returns the header for a read; none for a write, or without a recent one. */
  headers(method: string): Readonly<Record<string, string>> {
    const isRead = method === 'GET' || method === 'HEAD';
    return isRead && Date.now() <= this.#until ? { [positionHeader]: this.#text } : {};
  }

  /** Stores the header of a response to a write. */
  note({ headers }: Response): void {
    const text = headers.get(positionHeader);
    if (text === null) return;
    this.#text = text;
    this.#until = Date.now() + positionLifetimeMs;
  }
}

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Bundlers replace the expression as it stands here. A page without a bundler has no `process`, and says nothing. */
const isInDevelopment = (): boolean => {
  try {
    return process.env.NODE_ENV !== 'production';
  } catch {
    return false;
  }
};

const repeatableMethods: readonly string[] = ['GET', 'HEAD', 'DELETE'];

/** The envelope's code of a token that is invalid or has run out. */
const invalidToken = 40101;

/** Sends requests: credentials, JSON, envelope, errors, and the tries that are safe. */
export const createTransport = (
  { baseUrl, auth, retry = {}, storage, fetch: given, strict = isInDevelopment() }: TransportOptions,
  json: JsonForm = JSON,
): Transport => {
  const base = baseUrl.replace(/\/+$/, '');
  const { attempts = 3, delay = 200, maxDelay = 10_000 } = retry;
  const position = new LastPosition();

  /** One request, one answer. */
  const ask = async <Result>(path: string, init: RequestInit, take: Take<Result>): Promise<Result> => {
    try {
      // Looked up at each call: tests and monitoring replace the global one.
      const response = await (given ?? fetch)(base + path, init);
      position.note(response);
      return await take(response);
    } catch (cause) {
      if (cause instanceof GatewrightError) throw cause;
      init.signal?.throwIfAborted();
      const message = `No answer from ${base || 'the service'}`;
      throw new GatewrightError({ status: 0, code: 0, message, cause });
    }
  };

  const persist = async <Result>(
    path: string,
    init: RequestInit,
    repeatable: boolean,
    take: Take<Result>,
  ): Promise<Result> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ask(path, init, take);
      } catch (error) {
        if (!(error instanceof GatewrightError) || !repeatable || attempt >= attempts || !isPassing(error))
          throw error;
        const { retryAfter } = error;
        // Half of it by chance, so that many clients do not come back at once.
        const pause =
          retryAfter === undefined
            ? delay * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
            : retryAfter * 1000;
        if (pause > maxDelay) throw error;
        await wait(pause, init.signal ?? undefined);
      }
    }
  };

  const exchange = async <Result>(
    method: string,
    path: string,
    options: RequestOptions,
    take: Take<Result>,
  ): Promise<Result> => {
    const { body, payload, signal, anonymous = false } = options;
    const { repeatable = repeatableMethods.includes(method) } = options;
    const submit = (credentials: Readonly<Record<string, string>>): Promise<Result> => {
      const preference = (options.strict ?? strict) ? { Prefer: 'handling=strict' } : {};
      const type = body === undefined ? {} : { 'Content-Type': 'application/json', ...preference };
      const init: RequestInit = {
        method,
        headers: { ...type, ...credentials, ...position.headers(method), ...options.headers },
        signal: signal ?? null,
      };
      if (payload !== undefined) init.body = payload;
      else if (body !== undefined) init.body = json.stringify(body);
      return persist(path, init, repeatable, take);
    };
    if (anonymous) return submit({});
    const credentials = await authenticator.headers(signal);
    try {
      return await submit(credentials);
    } catch (error) {
      // A refused token means that nothing was done, so any request may be sent once more with a new one.
      if (!(error instanceof GatewrightError) || error.code !== invalidToken) throw error;
      const renewed = await authenticator.renew(credentials, signal);
      if (renewed === undefined) throw error;
      return submit(renewed);
    }
  };

  const send: Transport['send'] = <Data>(method: string, path: string, options: RequestOptions = {}) =>
    exchange(method, path, options, (response) => read<Data>(response, json));
  const request: Transport['request'] = (method, path, options = {}) =>
    exchange(method, path, options, asItIs);

  // A login that is done twice makes two tokens, which does no harm; a renewal returns its pair again.
  const exchanged = async <Data>(path: string, body: object): Promise<Data> =>
    (await send<Data>('POST', `/api/v1/auth/${path}`, { body, anonymous: true, repeatable: true })).data;
  const longSignIn = createLongSignIn(storage, (token) =>
    exchanged<KeptTokens>('refresh', { refresh_token: token }),
  );
  const authenticator = createAuthenticator(auth, (body) => exchanged<Session>('login', body), longSignIn);
  return { send, request, authenticator, longSignIn };
};
