import type { Principal } from '../auth/principal.ts';
import type { Audience, Following } from './audience.ts';
import type { CredentialHolder, WatchedCredentials } from './credential-watch.ts';

/** Milliseconds that a client waits before it connects again, as it is told. */
const retry = 3_000;

/** Who takes care of a stream. */
export interface StreamKeeper {
  /** It is behind the others, and whoever reads it wants more. */
  behind(stream: ChangeStream): void;
  /** Its credentials are good. */
  identified(stream: ChangeStream, principal: Principal): void;
  left(stream: ChangeStream): void;
}

export interface ChangeStreamParts {
  readonly following: Following;
  readonly credentials: WatchedCredentials;
  readonly audience: Audience;
  /** Whom limits count. */
  readonly caller: string;
  /** Number of the event behind which it begins. */
  readonly place: number;
  readonly keeper: StreamKeeper;
  /** Cuts the connection. */
  readonly cut: (reason: Error) => void;
}

const over: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };

const bytes = (text: string): IteratorResult<Uint8Array, undefined> => ({
  done: false,
  value: Buffer.from(text),
});

/**
 * The body of an answer that tells of events as they happen. Nothing waits in it: it takes what there is only where
 * whoever writes the answer has asked for more. Who reads slowly falls behind, and reads from the log on its own.
 */
export class ChangeStream implements AsyncIterableIterator<Uint8Array>, CredentialHolder {
  readonly following: Following;
  readonly credentials: WatchedCredentials;
  readonly caller: string;
  audience: Audience;
  /** It has been told of everything up to this number. */
  place: number;
  /** Whether it is told what the others are, when they are. */
  atHead = false;
  /** When it is to hear next that it is still there, by `performance.now()`. */
  due = 0;
  readonly #keeper: StreamKeeper;
  readonly #cut: (reason: Error) => void;
  #resolve: ((taken: IteratorResult<Uint8Array, undefined>) => void) | undefined;
  #begun = false;
  #over = false;

  constructor({ following, credentials, audience, caller, place, keeper, cut }: ChangeStreamParts) {
    this.following = following;
    this.credentials = credentials;
    this.audience = audience;
    this.caller = caller;
    this.place = place;
    this.#keeper = keeper;
    this.#cut = cut;
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Whether it can be told something at once. */
  get isWaiting(): boolean {
    return this.#resolve !== undefined;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#over) return Promise.resolve(over);
    if (!this.#begun) {
      this.#begun = true;
      // The place is told at once: whoever loses the connection before the first event goes on from here.
      return Promise.resolve(bytes(`retry: ${retry}\nid: ${this.place}\n\n`));
    }
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (!this.atHead) this.#keeper.behind(this);
    });
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#end();
    return Promise.resolve(over);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Told of everything up to a number; `frames` are the bytes of it, and only for one that is waiting. */
  take(frames: Uint8Array | undefined, place: number): void {
    this.place = place;
    if (frames !== undefined) this.#give({ done: false, value: frames });
  }

  /** A comment, so that nobody on the way takes the connection for dead, and the place that it has reached. */
  keepAlive(): void {
    if (this.isWaiting) this.#give(bytes(`:\nid: ${this.place}\n\n`));
  }

  identified(principal: Principal): void {
    this.#keeper.identified(this, principal);
  }

  withdrawn(): void {
    this.end('the credentials are good no more');
  }

  /** Ends the answer. Of a caller who does not read, the connection is cut: it would hold up whoever waits for the end. */
  end(reason: string): void {
    if (this.#over) return;
    const isStuck = this.#begun && !this.isWaiting;
    this.#end();
    if (isStuck) this.#cut(new Error(reason));
  }

  #give(taken: IteratorResult<Uint8Array, undefined>): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(taken);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#keeper.left(this);
    this.#give(over);
  }
}
