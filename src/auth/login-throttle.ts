/** The limits on failed sign-ins: per account and address, per address, and per account for codes. */

import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import { DoublingPause } from '../kernel/doubling-pause.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import { Problem } from '../kernel/problem.ts';
import { networkOf } from './client-network.ts';
import { deriveKey, type Rekeyable } from './derived-key.ts';
import type { Reservation, ThrottleStore } from './ports.ts';
import { assertConnected, overloadedError, refuseWaiting } from './work-queue.ts';

/** Length in milliseconds of the window in which failures are counted. */
export const throttleWindow = 15 * 60 * 1000;
/** Failures of one account from one address within the window. */
export const accountLimit = 10;
/** Failures from one address (IPv6: one /64) within the window. */
export const addressLimit = 100;

/** Wrong codes of one account within the window, from any address: a code has only six digits. */
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
 * logout tokens that an identity provider did not sign.
 */
export type CountedKind = 'sign_in' | 'link' | 'invitation' | 'provider' | 'logout';

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
const createGate = ({ store, clock, delay = sleep }: Omit<ThrottleDependencies, 'secret'>) => {
  const queue = new FairQueue({ maxWaiting, refuse: refuseWaiting });
  /** Keys whose first waiting attempt is polling. */
  const polledKeys = new Set<string>();

  const poll = async (
    { key, limit }: Counter,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<Exclude<Reservation, 'busy'>> => {
    const wait = new DoublingPause(pause.first, pause.last);
    for (;;) {
      assertConnected(signal);
      const reservation = await store.reserve(key, limit, throttleWindow, clock());
      if (reservation !== 'busy') return reservation;
      if (clock() >= deadline) throw overloadedError();
      await delay(wait.next());
    }
  };

  const waitForPlace = async (
    counter: Counter,
    signal: AbortSignal | undefined,
  ): Promise<Exclude<Reservation, 'busy'>> => {
    const { key } = counter;
    const deadline = clock() + maxWait;
    if (polledKeys.has(key)) await queue.wait(key, { signal });
    else polledKeys.add(key);
    try {
      return await poll(counter, deadline, signal);
    } finally {
      if (!queue.nextOf(key)) polledKeys.delete(key);
    }
  };

  /** Resolves when a place is reserved, or throws. */
  return async (counter: Counter, signal: AbortSignal | undefined): Promise<void> => {
    const { key, limit } = counter;
    assertConnected(signal);
    const initial = polledKeys.has(key) ? 'busy' : await store.reserve(key, limit, throttleWindow, clock());
    const reservation = initial === 'busy' ? await waitForPlace(counter, signal) : initial;
    if (reservation !== 'granted') throw tooMany(reservation.retryAfterMs);
  };
};

const secretKeyOf = (secret: string) => deriveKey(secret, 'gatewright login throttle');

export const createLoginThrottle = (dependencies: ThrottleDependencies): LoginThrottle & Rekeyable => {
  const { store, clock } = dependencies;
  let secretKey = secretKeyOf(dependencies.secret);
  const reserve = createGate(dependencies);

  /** The table of attempts contains neither accounts nor addresses. JSON separates the parts. */
  const keyOf = (...parts: readonly string[]): string =>
    createHmac('sha256', secretKey).update(JSON.stringify(parts)).digest('hex');

  const settle = async (counters: readonly Counter[], failed: boolean): Promise<void> => {
    await Promise.all(counters.map(({ key }) => store.settle(key, failed, clock())));
  };

  /** Used when an error is being thrown already: that one is reported, and the reservation expires by itself. */
  const release = (counters: readonly Counter[]): Promise<void> => settle(counters, false).catch(() => {});

  /**
   * Always in this order: codes of the account, the account, the address. The holder of an address's place waits for
   * nothing more, so there is no deadlock.
   */
  const reserveAll = async (counters: readonly Counter[], signal: AbortSignal | undefined): Promise<void> => {
    for (const [index, counter] of counters.entries()) {
      try {
        await reserve(counter, signal);
      } catch (error) {
        await release(counters.slice(0, index));
        throw error;
      }
    }
  };

  const counted = async <T>(
    counters: readonly Counter[],
    attempt: () => Promise<T | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<T | undefined> => {
    await reserveAll(counters, signal);
    let result: T | undefined;
    try {
      result = await attempt();
    } catch (error) {
      await release(counters);
      throw error;
    }
    // A failure that cannot be counted is not returned as one: the error of the store is thrown instead.
    await settle(counters, result === undefined);
    return result;
  };

  return {
    run: (account, address, attempt, signal, kind = 'sign_in') => {
      const network = networkOf(address);
      const more = kind === 'sign_in' ? [] : [kind];
      const forAccount = { key: keyOf('account', account, network, ...more), limit: accountLimit };
      const forAddress = { key: keyOf('address', network, ...more), limit: addressLimit };
      return counted([forAccount, forAddress], attempt, signal);
    },
    forget: (accounts, address) => {
      const network = networkOf(address);
      return store.forget([...new Set(accounts)].map((account) => keyOf('account', account, network)));
    },
    runCode: (account, attempt, signal) =>
      counted([{ key: keyOf('code', account), limit: codeLimit }], attempt, signal),
    replaceSecret(next) {
      secretKey = secretKeyOf(next);
    },
  };
};
