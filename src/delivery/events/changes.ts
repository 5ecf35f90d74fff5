/** The streams of a process: opens them, keeps them alive, checks their credentials, and ends them. */

import { callerOf } from '../../auth/caller.ts';
import type { AuthRequest } from '../../auth/method.ts';
import { guard, type Principal } from '../../auth/principal.ts';
import { type AuthMethodName, authMethod, headersOf, type Verifiers } from '../../auth/registry.ts';
import { overloaded, Problem } from '../../kernel/problem.ts';
import type { Stopping } from '../../kernel/stopping.ts';
import type { EventLog, EventRange } from '../../ledger/event-log.ts';
import type { ServedResource } from '../../resources/operations.ts';
import { type Audience, type Audiences, createAudiences, type Following } from './audience.ts';
import { ChangeFeed } from './change-feed.ts';
import { ChangeStream } from './change-stream.ts';
import { CredentialWatch } from './credential-watch.ts';
import type { EventSignal } from './signal.ts';

/**
 * Streams of one caller in one process.
 * @limit Events, webhooks and jobs | streams of `/changes` of one caller in one process | count | 429
 */
const maxStreamsPerCaller = 100;

/** Milliseconds between two checks for due comments, due credentials and retries. */
const tickMs = 100;

/** Keep-alive comments: milliseconds between two to the same stream, and how many are written in one tick. */
const keepAlive = { intervalMs: 15_000, maxPerTick: 400 } as const;

/** Milliseconds within which failures of the feed are logged only once. */
const reportIntervalMs = 60_000;

/** Seconds after which a caller who finds no place should retry. */
const retryAfterSeconds = 5;

export interface ChangesParts {
  readonly log: EventLog;
  readonly signal: EventSignal;
  readonly resources: ReadonlyMap<string, ServedResource>;
  /** Methods by which credentials are checked again; such a check does not count as a use of them. */
  readonly methods: Verifiers;
  readonly stopping: Stopping;
  /** Called now and then with an error that keeps streams from their events. */
  readonly onError: (error: unknown) => void;
  /** Streams that may be open at the same time. */
  readonly maxStreams: number;
}

/** A request for a stream of events. */
export interface ChangesRequest extends Pick<AuthRequest, 'address' | 'header' | 'proxyHeader'> {
  readonly principal: Principal;
  readonly following: Following;
  /** Methods by which the caller may have been authenticated. */
  readonly auth: readonly AuthMethodName[];
  /** Models whose grants the principal has. */
  readonly granted: readonly string[];
  /** The number of the last event that the caller received; undefined: from now on. */
  readonly after: number | undefined;
  readonly signal: AbortSignal;
  cut(reason: Error): void;
}

const noBytes = new Uint8Array();

/** Headers that contain the credentials of these methods. */
const credentialHeadersOf = (auth: readonly AuthMethodName[]): readonly string[] => {
  const names = auth.flatMap((name) => {
    const method = authMethod(name);
    const inCookie = Object.values(method.schemes).some(
      (scheme) => scheme.type === 'apiKey' && scheme.in === 'cookie',
    );
    return inCookie ? [...headersOf(method), 'Cookie'] : headersOf(method);
  });
  return [...new Set(names.map((name) => name.toLowerCase()))];
};

type Headers = Pick<AuthRequest, 'header' | 'proxyHeader'>;

/** A copy of these headers, which outlives the request. */
const copyOf = (names: readonly string[], request: Headers): Headers & { readonly values: unknown } => {
  const sent = new Map(names.map((name) => [name, request.header(name)]));
  const byProxy = new Map(names.map((name) => [name, request.proxyHeader(name)]));
  return {
    header: (name) => sent.get(name),
    proxyHeader: (name) => byProxy.get(name),
    values: [...sent.values(), ...byProxy.values()],
  };
};

/** The streams by which callers receive events as they happen. */
export class Changes {
  readonly #parts: ChangesParts;
  readonly #audiences: Audiences;
  readonly #feed: ChangeFeed;
  readonly #watch = new CredentialWatch();
  /** The streams in the order of their next keep-alive comments. */
  readonly #streams = new Set<ChangeStream>();
  readonly #callers = new Map<string, number>();
  #open = 0;
  #nextReportAt = 0;
  #ticking: NodeJS.Timeout | undefined;
  #rangeReading: Promise<EventRange> | undefined;
  #nextRange: Promise<EventRange> | undefined;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
    this.#audiences = createAudiences(parts.resources);
    this.#feed = new ChangeFeed({
      ...parts,
      audiences: this.#audiences,
      onError: (error) => this.#report(error),
    });
  }

  /**
   * Opens a stream of everything that is committed from now on and visible to its caller.
   * @throws Problem `forbidden`, `events_gone`, `too_many_requests`, `overloaded`, `stopping`
   */
  async open(request: ChangesRequest): Promise<ChangeStream> {
    const audience = this.#audiences.of(request.following, request.principal);
    if (audience === undefined) throw new Problem('forbidden');
    const caller = callerOf(request.principal, request.address);
    this.#enter(caller);
    try {
      this.#feed.begin();
      const { place, last } = await this.#placeFor(request.after);
      if (this.#parts.stopping.begun) throw stopping();
      return this.#begin(request, { audience, caller, place, last });
    } catch (error) {
      this.#leave(caller);
      throw error;
    }
  }

  /** Number of open streams. */
  get size(): number {
    return this.#open;
  }

  /** Ends all streams: their clients reconnect elsewhere. */
  close(): void {
    for (const stream of [...this.#streams]) stream.end('the service is about to stop');
    this.#stopTicking();
  }

  #enter(caller: string): void {
    const ofCaller = this.#callers.get(caller) ?? 0;
    if (this.#parts.stopping.begun) throw stopping();
    if (ofCaller >= maxStreamsPerCaller)
      throw new Problem('too_many_requests', { headers: { 'Retry-After': String(retryAfterSeconds) } });
    if (this.#open >= this.#parts.maxStreams) throw overloaded(undefined, retryAfterSeconds);
    this.#callers.set(caller, ofCaller + 1);
    this.#open += 1;
  }

  #leave(caller: string): void {
    const remaining = (this.#callers.get(caller) ?? 0) - 1;
    if (remaining > 0) this.#callers.set(caller, remaining);
    else this.#callers.delete(caller);
    this.#open -= 1;
    if (this.#open === 0) this.#stopTicking();
  }

  /** The first and last number of the log; one look-up for all requests that arrive before it begins. */
  #readRange(): Promise<EventRange> {
    const { log } = this.#parts;
    const readOnce = async (): Promise<EventRange> => {
      await log.settle();
      return log.range();
    };
    this.#nextRange ??= (async () => {
      await this.#rangeReading?.catch(() => {});
      // Later requests need a later look-up.
      this.#nextRange = undefined;
      this.#rangeReading = readOnce();
      return this.#rangeReading;
    })();
    return this.#nextRange;
  }

  async #placeFor(after: number | undefined): Promise<{ readonly place: number; readonly last: number }> {
    const { first, last } = await this.#readRange();
    const place = after ?? last;
    // A number beyond the end was never sent, and behind a number before the beginning events are missing.
    if (place > last || place < first - 1) throw new Problem('events_gone');
    return { place, last };
  }

  #begin(
    request: ChangesRequest,
    { audience, caller, place, last }: { audience: Audience; caller: string; place: number; last: number },
  ): ChangeStream {
    const { following, signal } = request;
    const credentials = this.#watch.hold(...this.#credentialsOf(request));
    const stream = new ChangeStream({
      following,
      credentials,
      audience,
      caller,
      place,
      keeper: {
        catchUp: (each) => this.#feed.catchUp(each),
        onIdentified: (each, principal) => this.#applyPrincipal(each, principal),
        onEnd: (each) => this.#remove(each),
      },
      cut: (reason) => request.cut(reason),
    });
    credentials.holders.add(stream);
    this.#streams.add(stream);
    stream.due = performance.now() + keepAlive.intervalMs;
    this.#feed.add(stream, last);
    this.#ticking ??= setInterval(() => this.#tick(), tickMs).unref();
    const gone = (): void => stream.end('the caller hung up');
    if (signal.aborted) gone();
    else signal.addEventListener('abort', gone, { once: true });
    return stream;
  }

  #credentialsOf({ auth, granted, following, address, ...request }: ChangesRequest) {
    const headers = copyOf(credentialHeadersOf(auth), request);
    const again: AuthRequest = {
      method: 'GET',
      target: '',
      header: headers.header,
      proxyHeader: headers.proxyHeader,
      address,
      readBody: () => noBytes,
      models: granted,
    };
    const verifiers = auth.map((name) => this.#parts.methods[name]);
    const key = JSON.stringify([following.area.name, headers.values]);
    return [key, () => guard(verifiers, again)] as const;
  }

  #applyPrincipal(stream: ChangeStream, principal: Principal): void {
    const audience = this.#audiences.of(stream.following, principal);
    if (audience === undefined) stream.end('the caller may no longer read any of the models');
    else if (audience.key !== stream.audience.key) this.#feed.move(stream, audience);
  }

  #remove(stream: ChangeStream): void {
    this.#feed.remove(stream);
    this.#watch.release(stream.credentials, stream);
    this.#streams.delete(stream);
    this.#leave(stream.caller);
  }

  #report(error: unknown): void {
    const now = performance.now();
    if (now < this.#nextReportAt) return;
    this.#nextReportAt = now + reportIntervalMs;
    this.#parts.onError(error);
  }

  #tick(): void {
    if (this.#parts.stopping.begun) {
      this.close();
      return;
    }
    this.#watch.check();
    this.#feed.retry();
    this.#keepAlive();
  }

  #keepAlive(): void {
    const now = performance.now();
    let written = 0;
    for (const stream of this.#streams) {
      if (stream.due > now || written >= keepAlive.maxPerTick) return;
      written += 1;
      this.#streams.delete(stream);
      this.#streams.add(stream);
      stream.due = now + keepAlive.intervalMs;
      stream.keepAlive();
    }
  }

  #stopTicking(): void {
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    this.#feed.end();
  }
}

const stopping = (): Problem =>
  new Problem('stopping', { headers: { 'Retry-After': String(retryAfterSeconds) } });
