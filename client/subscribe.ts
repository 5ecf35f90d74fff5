import { GatewrightError } from './error.ts';
import type { CallOptions, Transport } from './transport.ts';

/** The actor of an event. */
export interface ChangeActor {
  readonly kind: 'user' | 'application' | 'nobody' | 'system';
  /** Id of the user, app_id of the application. */
  readonly id: string | null;
  readonly name: string | null;
  /** Id of the API key that was used. */
  readonly key: number | null;
  /** Why the service did it on its own account. */
  readonly reason: string | null;
}

/** The kind of change to a record. */
export interface ChangeEvent<Field extends string = string> {
  /** Its place among all events: `after` of a later subscription goes on behind it. */
  readonly number: number;
  /** Name of the model. */
  readonly model: string;
  readonly id: number;
  readonly action: 'create' | 'update' | 'destroy';
  /** ISO 8601. */
  readonly at: string;
  readonly actor: ChangeActor;
  readonly version: number;
  /** Fields whose values became others, of those that the caller may read. */
  readonly fields: readonly Field[];
}

export interface SubscribeOptions extends CallOptions {
  /** Number of the last event that is known; from now on unless given. */
  readonly after?: number | undefined;
  /**
   * Called with the place that is reached: when the stream begins, and every 15 seconds, also where there is nothing to
   * tell. A list that is read from then on returns the records as they were at that place, or newer.
   */
  readonly reached?: (number: number) => void;
}

/** Names of the fields of a record. */
type ChangedField<Shape> = Shape extends { readonly record: infer Record } ? keyof Record & string : string;

/**
 * Follows what happens to the records of a resource, over lost connections and restarts of the service, until the loop is
 * left or the signal aborts. Throws GatewrightError where that cannot go on: 401, 403; 410 where something behind the
 * place is not known any more, and everything has to be read again. Absent where the model has no events.
 */
export type Subscribe<Shape> = Shape extends { readonly events: false }
  ? never
  : (options?: SubscribeOptions) => AsyncIterableIterator<ChangeEvent<ChangedField<Shape>>>;

/** Milliseconds without a sign of the service, which comes every 15 s, after which the connection counts as lost. */
const silence = 45_000;

/** Milliseconds before the next connection: at first, until the service names its own, and at most. */
const pauses = { first: 1_000, most: 30_000 } as const;

/** One event of a stream (HTML Living Standard, 9.2); the service sends no other fields. */
interface Block {
  readonly id: number | undefined;
  readonly retry: number | undefined;
  readonly data: string | undefined;
}

const blockOf = (text: string): Block => {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    fields.set(name, value);
  }
  const number = (name: string): number | undefined => {
    const value = fields.get(name);
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
  };
  return { id: number('id'), retry: number('retry'), data: fields.get('data') };
};

/** The blocks of a body as they come. Ends with the body, and throws where the connection is lost. */
async function* blocks(body: ReadableStream<Uint8Array>, lost: () => void): AsyncGenerator<Block, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const timer = setTimeout(lost, silence);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield blockOf(part);
  }
}

const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });

/** Whether a later try may be answered; what looks like a lost connection is one. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof GatewrightError) || error.status === 0 || error.status === 429 || error.status >= 500;

/** A service that knows the resource, but no events of it, says that a parameter, or the path, is wrong. */
const explained = (error: unknown, path: string): unknown => {
  if (!(error instanceof GatewrightError) || (error.status !== 400 && error.status !== 404)) return error;
  const { status, code } = error;
  const message = `${path} cannot be followed: its model needs \`events: true\` (${error.message})`;
  return new GatewrightError({ status, code, message, cause: error });
};

/** Follows the resource with this last part of its path. */
async function* subscribe<Field extends string>(
  { request }: Transport,
  path: string,
  { signal, after, reached = () => {} }: SubscribeOptions = {},
): AsyncGenerator<ChangeEvent<Field>, void> {
  const ended = new AbortController();
  const end = (): void => ended.abort(signal?.reason);
  signal?.addEventListener('abort', end);
  let place = after;
  let retry: number = pauses.first;
  let failures = 0;
  try {
    for (;;) {
      signal?.throwIfAborted();
      // One for each connection: a connection that is lost is ended, the subscription is not.
      const connection = new AbortController();
      const cut = (): void => connection.abort();
      ended.signal.addEventListener('abort', cut);
      let pause: number | undefined;
      try {
        const headers = place === undefined ? {} : { 'Last-Event-ID': String(place) };
        const answer = await request('GET', `/api/v1/changes?models=${path}`, {
          headers,
          signal: connection.signal,
        });
        if (answer.body === null) throw new TypeError('fetch returned no stream');
        for await (const block of blocks(answer.body, cut)) {
          failures = 0;
          retry = block.retry ?? retry;
          place = block.id ?? place;
          if (block.data !== undefined) yield JSON.parse(block.data);
          else if (block.id !== undefined) reached(block.id);
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (!isPassing(error)) throw explained(error, path);
        if (error instanceof GatewrightError && error.retryAfter !== undefined)
          pause = error.retryAfter * 1000;
      } finally {
        ended.signal.removeEventListener('abort', cut);
        cut();
      }
      // Half of it by chance: clients that lost their connections at once would come back at once.
      const backoff = Math.min(pauses.most, retry * 2 ** failures) * (0.5 + Math.random() / 2);
      failures += 1;
      await wait(pause ?? backoff, ended.signal);
    }
  } finally {
    signal?.removeEventListener('abort', end);
    ended.abort();
  }
}

/** The call that follows the resource with this last part of its path. */
export const subscribing = <Shape>(transport: Transport, path: string): Subscribe<Shape> => {
  const follow: unknown = (options?: SubscribeOptions) =>
    subscribe<ChangedField<Shape>>(transport, path, options);
  // The compiler cannot follow a conditional type that is open.
  return follow as Subscribe<Shape>;
};
