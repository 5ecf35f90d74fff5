import type { Principal } from '../auth/principal.ts';
import { Problem } from '../kernel/problem.ts';

/**
 * Milliseconds between two looks at the same credentials. They are spread, so that not all are due at once; whoever is
 * due may wait for as long again behind one who is not, which makes four seconds at most.
 */
const lookInterval = { least: 2_500, spread: 750 } as const;

/** Milliseconds before the next try where nobody could be asked. */
const tryInterval = 500;

/** Milliseconds for which it holds who somebody is: nobody is told anything beyond that. */
const trusted = 5_000;

/** Looks under way at one moment. */
const most = 8;

/** Says again who sent the credentials. @throws Problem of status 401 or 403 where they are good no more */
export type IdentifyAgain = () => Promise<Principal>;

/** Who is told of events by these credentials. */
export interface CredentialHolder {
  identified(principal: Principal): void;
  withdrawn(): void;
}

/** Credentials that somebody holds. */
export interface WatchedCredentials {
  readonly key: string;
  readonly identify: IdentifyAgain;
  readonly holders: Set<CredentialHolder>;
  /** When they were known to be good, and when they are looked at next, by `performance.now()`. */
  verified: number;
  due: number;
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 401 || error.status === 403);

const nextLook = (now: number): number => now + lookInterval.least + Math.random() * lookInterval.spread;

/** Whether something may be told without asking anybody. */
export const isTrusted = ({ verified }: WatchedCredentials): boolean =>
  performance.now() - verified < trusted;

/**
 * Looks at credentials again and again, as the guard does with each request, and once for all who sent the same. That
 * nobody can be asked (the database is away) ends nothing.
 */
export class CredentialWatch {
  readonly #known = new Map<string, WatchedCredentials>();
  /** In the order in which they are looked at. */
  readonly #line = new Set<WatchedCredentials>();
  #asked = 0;
  #pausedUntil = 0;

  /** Credentials that have just been found good. */
  hold(key: string, identify: IdentifyAgain): WatchedCredentials {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const now = performance.now();
    const credentials: WatchedCredentials = {
      ...{ key, identify, verified: now, due: nextLook(now) },
      holders: new Set(),
    };
    this.#known.set(key, credentials);
    this.#line.add(credentials);
    return credentials;
  }

  release(credentials: WatchedCredentials, holder: CredentialHolder): void {
    credentials.holders.delete(holder);
    if (credentials.holders.size > 0) return;
    this.#known.delete(credentials.key);
    this.#line.delete(credentials);
  }

  /** Looks at those that are due. */
  look(): void {
    const now = performance.now();
    if (now < this.#pausedUntil) return;
    for (;;) {
      const [credentials] = this.#line;
      if (credentials === undefined || this.#asked >= most || credentials.due > now) return;
      // To the end of the line, before others are looked at.
      this.#line.delete(credentials);
      this.#line.add(credentials);
      credentials.due = Infinity;
      void this.#ask(credentials);
    }
  }

  async #ask(credentials: WatchedCredentials): Promise<void> {
    const begun = performance.now();
    this.#asked += 1;
    try {
      const principal = await credentials.identify();
      credentials.verified = begun;
      credentials.due = nextLook(begun);
      for (const holder of [...credentials.holders]) holder.identified(principal);
    } catch (error) {
      credentials.due = performance.now() + tryInterval;
      if (!isRefusal(error)) this.#pausedUntil = credentials.due;
      else for (const holder of [...credentials.holders]) holder.withdrawn();
    } finally {
      this.#asked -= 1;
      this.look();
    }
  }
}
