import { callerOf } from '../auth/caller.ts';
import { guard } from '../auth/guard.ts';
import type { AuthRequest } from '../auth/method.ts';
import type { Principal } from '../auth/principal.ts';
import { type AuthMethodName, authMethod, headersOf, type Verifiers } from '../auth/registry.ts';
import { overloaded, Problem } from '../kernel/problem.ts';
import type { Stopping } from '../kernel/stopping.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import type { EventLog } from '../service/events/event-log.ts';
import { type Audience, type Audiences, createAudiences, type Following } from './audience.ts';
import { ChangeFeed } from './change-feed.ts';
import { ChangeStream } from './change-stream.ts';
import { CredentialWatch } from './credential-watch.ts';
import type { EventSignal } from './signal.ts';

/** Streams of one caller in one process. */
const mostOfCaller = 100;

/** Milliseconds between two looks at who is due: for a comment, for a look at credentials, for another try. */
const tickInterval = 100;

/** Milliseconds between two comments to the same stream; how many of them are written in one tick. */
const keepAlive = { interval: 15_000, most: 400 } as const;

/** Milliseconds in which the log says once at most that nobody can be told. */
const reportInterval = 60_000;

/** Seconds after which whoever finds no room asks again. */
const retryAfter = 5;

export interface ChangesParts {
  readonly log: EventLog;
  readonly signal: EventSignal;
  readonly resources: ReadonlyMap<string, ServedResource>;
  /** By which credentials are looked at again: a look is no use of them, and counts as none. */
  readonly methods: Verifiers;
  readonly stopping: Stopping;
  /** Told now and then, while it lasts, of what keeps streams from being told. */
  readonly failed: (error: unknown) => void;
  /** Streams that may be open at one moment. */
  readonly most: number;
}

/** Who asks to be told of events. */
export interface ChangesRequest extends Pick<AuthRequest, 'address'> {
  readonly principal: Principal;
  readonly following: Following;
  /** Methods by which the caller may have been found. */
  readonly auth: readonly AuthMethodName[];
  /** Models whose grants the principal carries. */
  readonly granted: readonly string[];
  /** The number of the last event that the caller was told; none: from now on. */
  readonly after: number | undefined;
  readonly signal: AbortSignal;
  header(name: string): string | undefined;
  cut(reason: Error): void;
}

const noBytes = new Uint8Array();

/** Headers in which credentials of these methods come. */
const credentialHeadersOf = (auth: readonly AuthMethodName[]): readonly string[] => {
  const names = auth.flatMap((name) => {
    const method = authMethod(name);
    const inCookie = Object.values(method.schemes).some(
      (scheme) => scheme.type === 'apiKey' && scheme.in === 'cookie',
    );
    return [...headersOf(method), ...(inCookie ? ['Cookie'] : [])];
  });
  return [...new Set(names.map((name) => name.toLowerCase()))];
};

/** The streams by which callers are told of events as they happen. */
export class Changes {
  readonly #parts: ChangesParts;
  readonly #audiences: Audiences;
  readonly #feed: ChangeFeed;
  readonly #watch = new CredentialWatch();
  /** In the order in which they are due to hear that they are still there. */
  readonly #streams = new Set<ChangeStream>();
  readonly #callers = new Map<string, number>();
  #open = 0;
  #silentUntil = 0;
  #ticking: NodeJS.Timeout | undefined;
  #looking: ReturnType<EventLog['range']> | undefined;
  #nextLook: ReturnType<EventLog['range']> | undefined;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
    this.#audiences = createAudiences(parts.resources);
    this.#feed = new ChangeFeed({
      ...parts,
      audiences: this.#audiences,
      failed: (error) => this.#failed(error),
    });
  }

  /**
   * Opens a stream; everything that is committed from now on, and that its caller may be told, comes through it.
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

  /** Streams that are open. */
  get size(): number {
    return this.#open;
  }

  /** Ends all streams: their callers go on elsewhere. */
  close(): void {
    for (const stream of [...this.#streams]) stream.end('the service is about to stop');
    this.#rest();
  }

  #enter(caller: string): void {
    const ofCaller = this.#callers.get(caller) ?? 0;
    if (this.#parts.stopping.begun) throw stopping();
    if (ofCaller >= mostOfCaller)
      throw new Problem('too_many_requests', { headers: { 'Retry-After': String(retryAfter) } });
    if (this.#open >= this.#parts.most) throw overloaded(undefined, retryAfter);
    this.#callers.set(caller, ofCaller + 1);
    this.#open += 1;
  }

  #leave(caller: string): void {
    const left = (this.#callers.get(caller) ?? 0) - 1;
    if (left > 0) this.#callers.set(caller, left);
    else this.#callers.delete(caller);
    this.#open -= 1;
    if (this.#open === 0) this.#rest();
  }

  /** Where the log begins and ends; one look for all who ask before it begins. */
  #look(): ReturnType<EventLog['range']> {
    const { log } = this.#parts;
    const look = async (): ReturnType<EventLog['range']> => {
      await log.settle();
      return log.range();
    };
    this.#nextLook ??= (async () => {
      await this.#looking?.catch(() => {});
      // Whoever asks from now on needs a later one.
      this.#nextLook = undefined;
      this.#looking = look();
      return this.#looking;
    })();
    return this.#nextLook;
  }

  async #placeFor(after: number | undefined): Promise<{ readonly place: number; readonly last: number }> {
    const { first, last } = await this.#look();
    const place = after ?? last;
    // Of what was never told nobody knows what comes behind it, and the events behind the other ones are not all there.
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
      ...{ following, credentials, audience, caller, place },
      keeper: {
        behind: (each) => this.#feed.behind(each),
        identified: (each, principal) => this.#identified(each, principal),
        left: (each) => this.#left(each),
      },
      cut: (reason) => request.cut(reason),
    });
    credentials.holders.add(stream);
    this.#streams.add(stream);
    stream.due = performance.now() + keepAlive.interval;
    this.#feed.add(stream, last);
    this.#ticking ??= setInterval(() => this.#tick(), tickInterval).unref();
    const gone = (): void => stream.end('the caller hung up');
    if (signal.aborted) gone();
    else signal.addEventListener('abort', gone, { once: true });
    return stream;
  }

  #credentialsOf({ auth, granted, following, address, ...request }: ChangesRequest) {
    const headers = new Map(credentialHeadersOf(auth).map((name) => [name, request.header(name)] as const));
    const again: AuthRequest = {
      method: 'GET',
      header: (name) => headers.get(name),
      address,
      readBody: () => noBytes,
      models: granted,
    };
    const asked = auth.map((name) => this.#parts.methods[name]);
    const key = JSON.stringify([following.area.name, ...headers.values()]);
    return [key, () => guard(asked, again)] as const;
  }

  #identified(stream: ChangeStream, principal: Principal): void {
    const audience = this.#audiences.of(stream.following, principal);
    if (audience === undefined) stream.end('none of the models may be read any more');
    else if (audience.key !== stream.audience.key) this.#feed.move(stream, audience);
  }

  #left(stream: ChangeStream): void {
    this.#feed.remove(stream);
    this.#watch.release(stream.credentials, stream);
    this.#streams.delete(stream);
    this.#leave(stream.caller);
  }

  #failed(error: unknown): void {
    const now = performance.now();
    if (now < this.#silentUntil) return;
    this.#silentUntil = now + reportInterval;
    this.#parts.failed(error);
  }

  #tick(): void {
    if (this.#parts.stopping.begun) {
      this.close();
      return;
    }
    this.#watch.look();
    this.#feed.retry();
    this.#keepAlive();
  }

  #keepAlive(): void {
    const now = performance.now();
    let told = 0;
    for (const stream of this.#streams) {
      if (stream.due > now || told >= keepAlive.most) return;
      told += 1;
      this.#streams.delete(stream);
      this.#streams.add(stream);
      stream.due = now + keepAlive.interval;
      stream.keepAlive();
    }
  }

  #rest(): void {
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    this.#feed.end();
  }
}

const stopping = (): Problem => new Problem('stopping', { headers: { 'Retry-After': String(retryAfter) } });
