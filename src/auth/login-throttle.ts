import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import { Problem } from '../kernel/problem.ts';
import { networkOf } from './client-network.ts';
import { deriveKey } from './derived-key.ts';
import type { Reservation, ThrottleStore } from './ports.ts';
import { assertConnected, crowded, refuseWaiting } from './work-queue.ts';

/** Milliseconds of the window in which failures are counted. */
export const throttleWindow = 15 * 60 * 1000;
/** Failures of one account from one address within the window. */
export const accountLimit = 10;
/** Failures from one address (IPv6: one /64) within the window. */
export const addressLimit = 100;

/** Wrong codes of one account within the window, from wherever they come: a code has but six digits. */
export const codeLimit = 20;

/** Milliseconds that an attempt waits for others of its key to end, at most. */
const maxWait = 60_000;
/** Milliseconds between two looks, doubling from the first to the second. */
const pause = { first: 25, last: 100 } as const;
/** Attempts that wait at one moment in this process. */
const maxWaiting = 1_000;

const tooMany = (retryAfterMs: number): Problem =>
  new Problem('too_many_requests', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
  });

export interface ThrottleDependencies {
  readonly store: ThrottleStore;
  /** The server's secret; the keys under which attempts are counted are an HMAC under a key derived from it. */
  readonly secret: string;
  readonly clock: Clock;
  /** Resolves after so many milliseconds. */
  readonly delay?: (milliseconds: number) => Promise<unknown>;
}

export interface LoginThrottle {
  /**
   * Runs a login attempt if the limits allow it. `undefined` from the attempt is a failure and is counted; anything
   * else is a success and is not; an attempt that throws told the caller nothing and is not counted either. Throws
   * `too_many_requests` with Retry-After, `overloaded` where attempts at the same moment leave no room for long, and
   * `bad_request` where `signal` is aborted before the attempt has begun.
   */
  run<T>(
    account: string,
    address: string,
    attempt: () => Promise<T | undefined>,
    signal?: AbortSignal,
  ): Promise<T | undefined>;
  /**
   * As `run`, for what is tried by somebody who knows the password of `account`: failures are counted wherever they come
   * from. An attempt may itself `run`.
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
 * Reserves a place for a counter before the password is looked at, so that attempts at the same moment cannot pass the
 * limit together. Where only such attempts are in the way (they may all succeed), it waits for one to end: the first
 * in line looks again and again, the others wait for it, so that one key costs the database a few look-ups a second.
 */
const createGate = ({ store, clock, delay = sleep }: Omit<ThrottleDependencies, 'secret'>) => {
  const lines = new FairQueue({ maxWaiting, refuse: refuseWaiting });
  /** Keys of which somebody is first in line. */
  const looking = new Set<string>();

  const poll = async (
    { key, limit }: Counter,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<Exclude<Reservation, 'busy'>> => {
    for (let wait: number = pause.first; ; wait = Math.min(wait * 2, pause.last)) {
      assertConnected(signal);
      const reservation = await store.reserve(key, limit, throttleWindow, clock());
      if (reservation !== 'busy') return reservation;
      if (clock() >= deadline) throw crowded();
      await delay(wait);
    }
  };

  const inLine = async (
    counter: Counter,
    signal: AbortSignal | undefined,
  ): Promise<Exclude<Reservation, 'busy'>> => {
    const { key } = counter;
    const deadline = clock() + maxWait;
    if (looking.has(key)) await lines.wait(key, { signal });
    else looking.add(key);
    try {
      return await poll(counter, deadline, signal);
    } finally {
      if (!lines.nextOf(key)) looking.delete(key);
    }
  };

  /** Returns with a place reserved, or throws. */
  return async (counter: Counter, signal: AbortSignal | undefined): Promise<void> => {
    const { key, limit } = counter;
    assertConnected(signal);
    const first = looking.has(key) ? 'busy' : await store.reserve(key, limit, throttleWindow, clock());
    const reservation = first === 'busy' ? await inLine(counter, signal) : first;
    if (reservation !== 'granted') throw tooMany(reservation.retryAfterMs);
  };
};

export const createLoginThrottle = (dependencies: ThrottleDependencies): LoginThrottle => {
  const { store, clock } = dependencies;
  const secretKey = deriveKey(dependencies.secret, 'gatewright login throttle');
  const reserve = createGate(dependencies);

  /** The table of attempts shows neither accounts nor addresses. JSON keeps the parts apart. */
  const keyOf = (...parts: readonly string[]): string =>
    createHmac('sha256', secretKey).update(JSON.stringify(parts)).digest('hex');

  const settle = async (counters: readonly Counter[], failed: boolean): Promise<void> => {
    await Promise.all(counters.map(({ key }) => store.settle(key, failed, clock())));
  };

  /** For when an error is on its way already: that one is reported, and the reservation expires by itself. */
  const release = (counters: readonly Counter[]): Promise<void> => settle(counters, false).catch(() => {});

  /**
   * Always in this order: an account's codes, the account, the address. Who holds an address's place waits for nothing
   * more, so no two wait for each other.
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
    // A failure that cannot be counted is not answered as one: the error of the store is thrown instead.
    await settle(counters, result === undefined);
    return result;
  };

  return {
    run: (account, address, attempt, signal) => {
      const network = networkOf(address);
      const forAccount = { key: keyOf('account', account, network), limit: accountLimit };
      const forAddress = { key: keyOf('address', network), limit: addressLimit };
      return counted([forAccount, forAddress], attempt, signal);
    },
    runCode: (account, attempt, signal) =>
      counted([{ key: keyOf('code', account), limit: codeLimit }], attempt, signal),
  };
};
