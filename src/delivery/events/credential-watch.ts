/** Checks the credentials of open streams periodically. */

import type { Principal } from '../../auth/principal.ts';
import { Problem } from '../../kernel/problem.ts';

/**
 * Milliseconds between two checks of the same credentials, spread so that they are not all due at once. A check may
 * wait as long again behind credentials that are due earlier, which makes four seconds at most.
 */
const checkInterval = { minMs: 2_500, spreadMs: 750 } as const;

/** Milliseconds before the next attempt after a check failed. */
const retryMs = 500;

/** Milliseconds for which a check is trusted: after that the stream receives nothing. */
const trustMs = 5_000;

/** Checks that run at the same time. */
const maxChecks = 8;

/** Authenticates the credentials again. @throws Problem of status 401 or 403 where they are no longer valid */
export type IdentifyAgain = () => Promise<Principal>;

/** A stream that depends on credentials. */
export interface CredentialHolder {
  onIdentified(principal: Principal): void;
  onRevoked(): void;
}

/** Credentials with the streams that depend on them. */
export interface WatchedCredentials {
  readonly key: string;
  readonly identify: IdentifyAgain;
  readonly holders: Set<CredentialHolder>;
  /** Times of the last successful and of the next check, by `performance.now()`. */
  verified: number;
  due: number;
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 401 || error.status === 403);

const nextCheck = (now: number): number => now + checkInterval.minMs + Math.random() * checkInterval.spreadMs;

/** Tells whether events may be sent without a new check. */
export const isTrusted = ({ verified }: WatchedCredentials): boolean =>
  performance.now() - verified < trustMs;

/**
 * Checks credentials periodically, as the guard does for each request, and once for all streams with the same ones. A
 * check that cannot be made (the database is unavailable) ends no stream.
 */
export class CredentialWatch {
  readonly #byKey = new Map<string, WatchedCredentials>();
  /** The credentials in the order of their next checks. */
  readonly #queue = new Set<WatchedCredentials>();
  #runningChecks = 0;
  #pausedUntil = 0;

  /** Adds credentials that have just been verified. */
  hold(key: string, identify: IdentifyAgain): WatchedCredentials {
    const existing = this.#byKey.get(key);
    if (existing !== undefined) return existing;
    const now = performance.now();
    const credentials: WatchedCredentials = {
      key,
      identify,
      verified: now,
      due: nextCheck(now),
      holders: new Set(),
    };
    this.#byKey.set(key, credentials);
    this.#queue.add(credentials);
    return credentials;
  }

  release(credentials: WatchedCredentials, holder: CredentialHolder): void {
    credentials.holders.delete(holder);
    if (credentials.holders.size > 0) return;
    this.#byKey.delete(credentials.key);
    this.#queue.delete(credentials);
  }

  /** Checks the credentials that are due. */
  check(): void {
    const now = performance.now();
    if (now < this.#pausedUntil) return;
    for (;;) {
      const [credentials] = this.#queue;
      if (credentials === undefined || this.#runningChecks >= maxChecks || credentials.due > now) return;
      // Move to the end of the queue before the others are checked.
      this.#queue.delete(credentials);
      this.#queue.add(credentials);
      credentials.due = Infinity;
      void this.#verify(credentials);
    }
  }

  async #verify(credentials: WatchedCredentials): Promise<void> {
    const begun = performance.now();
    this.#runningChecks += 1;
    try {
      const principal = await credentials.identify();
      credentials.verified = begun;
      credentials.due = nextCheck(begun);
      for (const holder of [...credentials.holders]) holder.onIdentified(principal);
    } catch (error) {
      credentials.due = performance.now() + retryMs;
      if (!isRefusal(error)) this.#pausedUntil = credentials.due;
      else for (const holder of [...credentials.holders]) holder.onRevoked();
    } finally {
      this.#runningChecks -= 1;
      this.check();
    }
  }
}
