/** The limits on failed sign-ins: per account and address, per address, and per account for codes. */

import { createHmac, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import { DoublingPause } from '../kernel/doubling-pause.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import { Problem } from '../kernel/problem.ts';
import { networkOf } from './client-network.ts';
import { deriveKey, type Rekeyable } from './derived-key.ts';
import type { Reservation, ThrottleStore } from './ports.ts';
import { assertConnected, overloadedError, refuseWaiting } from './work-queue.ts';

/**
 * Length in milliseconds of the window in which failures are counted.
 * @limit Accounts and credentials | the period of failed sign-ins and wrong codes | ms | -
 */
export const throttleWindow = 15 * 60 * 1000;
/**
 * Failures of one account from one address within the window.
 * @limit Accounts and credentials | failed sign-ins to one account from one address per period | count | 429
 */
export const accountLimit = 10;
/**
 * Failures from one address (IPv6: one /64) within the window.
 * @limit Accounts and credentials | failed sign-ins from one address per period | count | 429
 */
export const addressLimit = 100;

/**
 * Wrong codes of one account within the window, from any address: a code has only six digits.
 * @limit Accounts and credentials | wrong codes of two-step verification per period | count | 429
 */
export const codeLimit = 20;

/** Milliseconds that an attempt waits for others with its key, at most. */
const maxWait = 60_000;
/** Milliseconds between two polls, doubling from the first to the second. */
const pause = { first: 25, last: 100 } as const;
/** Attempts that may wait at the same time in this process. */
const maxWaiting = 1_000;

const tooMany = (retryAfterMs: number): Problem =>
  new Problem('too_many_requests', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
  });

export interface ThrottleDependencies {
  readonly store: ThrottleStore;
  /** The server's secret; attempts are counted under an HMAC whose key derives from it. */
  readonly secret: string;
  readonly clock: Clock;
  /** Resolves after this time. */
  readonly delay?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Attempts that are counted by themselves. `sign_in`: passwords and second factors. `link`: requests for links, and
 * their confirmation. `invitation`: tokens of invitations. `provider`: returns from an identity provider. `logout`:
 * logout tokens that an identity provider did not sign. `refresh`: refresh tokens.
 */
export type CountedKind = 'sign_in' | 'link' | 'invitation' | 'provider' | 'logout' | 'refresh';

export interface LoginThrottle {
  /**
   * Runs a login attempt if the limits allow it. `undefined` from the attempt is a failure and is counted; anything
   * else is a success and is not; an attempt that throws gave the caller no information and is not counted either.
   * Throws `too_many_requests` with Retry-After, `overloaded` where concurrent attempts leave no place for long, and
   * `bad_request` where `signal` is aborted before the attempt has begun.
   * @param kind default: `sign_in`. Failures of one kind are no obstacle to another.
   */
  run<T>(
    account: string,
    address: string,
    attempt: () => Promise<T | undefined>,
    signal?: AbortSignal,
    kind?: CountedKind,
  ): Promise<T | undefined>;
  /**
   * Forgets the failed sign-ins of an account from a network, under each of its names. Called after a complete sign-in,
   * never after the password alone. The failures of the network stay: an account of one's own gives no further guesses.
   */
  forget(accounts: readonly string[], address: string): Promise<void>;
  /**
   * As `run`, for attempts of a caller who knows the password of `account`: failures are counted from all addresses.
   * An attempt may itself `run`.
   */
  runCode<T>(
    account: string,
    attempt: () => Promise<T | undefined>,
    signal?: AbortSignal,
  ): Promise<T | undefined>;
}

interface Counter {
  readonly key: string;
  readonly limit: number;
}

/**
 * Reserves a place for a counter before the password is checked, so that concurrent attempts cannot jointly exceed
 * the limit. If only concurrent attempts are in the way (they may all succeed), it waits for one of them to end: the
 * first in the queue polls the database, the others wait for it, so that one key costs a few look-ups a second.
 */
class AttemptGate {
  readonly #store: ThrottleStore;
  readonly #clock: Clock;
  readonly #delay: (milliseconds: number) => Promise<unknown>;
  readonly #queue = new FairQueue({ maxWaiting, refuse: refuseWaiting });
  /** Keys whose first waiting attempt is polling. */
  readonly #polledKeys = new Set<string>();

  constructor({ store, clock, delay = sleep }: ThrottleDependencies) {
    this.#store = store;
    this.#clock = clock;
    this.#delay = delay;
  }

  /** Resolves when a place is reserved, or throws. */
  async reserve(counter: Counter, signal: AbortSignal | undefined): Promise<void> {
    assertConnected(signal);
    const initial = this.#polledKeys.has(counter.key) ? 'busy' : await this.#ask(counter);
    const reservation = initial === 'busy' ? await this.#waitForPlace(counter, signal) : initial;
    if (reservation !== 'granted') throw tooMany(reservation.retryAfterMs);
  }

  async #waitForPlace(
    counter: Counter,
    signal: AbortSignal | undefined,
  ): Promise<Exclude<Reservation, 'busy'>> {
    const { key } = counter;
    const deadline = this.#clock() + maxWait;
    if (this.#polledKeys.has(key)) await this.#queue.wait(key, { signal });
    else this.#polledKeys.add(key);
    try {
      return await this.#poll(counter, deadline, signal);
    } finally {
      if (!this.#queue.nextOf(key)) this.#polledKeys.delete(key);
    }
  }

  async #poll(
    counter: Counter,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<Exclude<Reservation, 'busy'>> {
    const wait = new DoublingPause(pause.first, pause.last);
    for (;;) {
      assertConnected(signal);
      const reservation = await this.#ask(counter);
      if (reservation !== 'busy') return reservation;
      if (this.#clock() >= deadline) throw overloadedError();
      await this.#delay(wait.next());
    }
  }

  #ask({ key, limit }: Counter): Promise<Reservation> {
    return this.#store.reserve(key, limit, throttleWindow, this.#clock());
  }
}

const secretKeyOf = (secret: string) => deriveKey(secret, 'gatewright login throttle');

class StoredLoginThrottle implements LoginThrottle, Rekeyable {
  readonly #store: ThrottleStore;
  readonly #clock: Clock;
  readonly #gate: AttemptGate;
  #secretKey: KeyObject;

  constructor(dependencies: ThrottleDependencies) {
    this.#store = dependencies.store;
    this.#clock = dependencies.clock;
    this.#gate = new AttemptGate(dependencies);
    this.#secretKey = secretKeyOf(dependencies.secret);
  }

  run<T>(
    account: string,
    address: string,
    attempt: () => Promise<T | undefined>,
    signal?: AbortSignal,
    kind: CountedKind = 'sign_in',
  ): Promise<T | undefined> {
    const network = networkOf(address);
    const more = kind === 'sign_in' ? [] : [kind];
    const forAccount = { key: this.#keyOf('account', account, network, ...more), limit: accountLimit };
    const forAddress = { key: this.#keyOf('address', network, ...more), limit: addressLimit };
    return this.#runCounted([forAccount, forAddress], attempt, signal);
  }

  forget(accounts: readonly string[], address: string): Promise<void> {
    const network = networkOf(address);
    return this.#store.forget(
      [...new Set(accounts)].map((account) => this.#keyOf('account', account, network)),
    );
  }

  runCode<T>(
    account: string,
    attempt: () => Promise<T | undefined>,
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    return this.#runCounted([{ key: this.#keyOf('code', account), limit: codeLimit }], attempt, signal);
  }

  replaceSecret(next: string): void {
    this.#secretKey = secretKeyOf(next);
  }

  /** The table of attempts contains neither accounts nor addresses. JSON separates the parts. */
  #keyOf(...parts: readonly string[]): string {
    return createHmac('sha256', this.#secretKey).update(JSON.stringify(parts)).digest('hex');
  }

  async #runCounted<T>(
    counters: readonly Counter[],
    attempt: () => Promise<T | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<T | undefined> {
    await this.#reserveAll(counters, signal);
    let result: T | undefined;
    try {
      result = await attempt();
    } catch (error) {
      await this.#release(counters);
      throw error;
    }
    // A failure that cannot be counted is not returned as one: the error of the store is thrown instead.
    await this.#settle(counters, result === undefined);
    return result;
  }

  /**
   * Reserves in one order: codes of the account, the account, the address. The holder of an address's place waits for
   * nothing more, so there is no deadlock.
   */
  async #reserveAll(counters: readonly Counter[], signal: AbortSignal | undefined): Promise<void> {
    for (const [index, counter] of counters.entries()) {
      try {
        await this.#gate.reserve(counter, signal);
      } catch (error) {
        await this.#release(counters.slice(0, index));
        throw error;
      }
    }
  }

  async #settle(counters: readonly Counter[], failed: boolean): Promise<void> {
    await Promise.all(counters.map(({ key }) => this.#store.settle(key, failed, this.#clock())));
  }

  /** Releases while another error is being thrown. Its own error is ignored: the reservation expires by itself. */
  #release(counters: readonly Counter[]): Promise<void> {
    return this.#settle(counters, false).catch(() => {});
  }
}

export const createLoginThrottle = (dependencies: ThrottleDependencies): LoginThrottle & Rekeyable =>
  new StoredLoginThrottle(dependencies);
