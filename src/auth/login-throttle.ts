import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import { Problem } from '../kernel/problem.ts';
import { networkOf } from './client-network.ts';
import { deriveKey } from './derived-key.ts';
import type { Reservation, ThrottleStore } from './ports.ts';

/** Milliseconds of the window in which failures are counted. */
export const throttleWindow = 15 * 60 * 1000;
/** Failures of one account from one address within the window. */
export const accountLimit = 10;
/** Failures from one address (IPv6: one /64) within the window. */
export const addressLimit = 100;

/** Milliseconds that an attempt waits for others of its key to end, at most. */
const maxWait = 60_000;
/** Milliseconds between two looks, doubling from the first to the second. */
const pause = { first: 25, last: 100 } as const;
/** Attempts that wait at one moment in this process. */
const maxWaiting = 1_000;

const overloaded = (): Problem => new Problem('overloaded', { headers: { 'Retry-After': '5' } });

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
   * `too_many_requests` with Retry-After, or `overloaded` where attempts at the same moment leave no room for long.
   */
  run<T>(account: string, address: string, attempt: () => Promise<T | undefined>): Promise<T | undefined>;
}

interface Counter {
  readonly key: string;
  readonly limit: number;
}

/** One after the other for each key, in the order of arrival; a key without anybody in line takes no memory. */
const createLines = () => {
  const tails = new Map<string, Promise<void>>();
  const has = (key: string): boolean => tails.has(key);
  const run = <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const turn = (tails.get(key) ?? Promise.resolve()).then(task);
    const step = (): void => {
      if (tails.get(key) === tail) tails.delete(key);
    };
    const tail: Promise<void> = turn.then(step, step);
    tails.set(key, tail);
    return turn;
  };
  return { has, run };
};

/**
 * Reserves a place for a counter before the password is looked at, so that attempts at the same moment cannot pass the
 * limit together. Where only such attempts are in the way (they may all succeed), it waits for one to end: the first
 * in line looks again and again, the others wait for it, so that one key costs the database a few look-ups a second.
 */
const createGate = ({ store, clock, delay = sleep }: Omit<ThrottleDependencies, 'secret'>) => {
  const lines = createLines();
  let waiting = 0;

  const poll = async ({ key, limit }: Counter, deadline: number): Promise<Exclude<Reservation, 'busy'>> => {
    for (let wait: number = pause.first; ; wait = Math.min(wait * 2, pause.last)) {
      const reservation = await store.reserve(key, limit, throttleWindow, clock());
      if (reservation !== 'busy') return reservation;
      if (clock() >= deadline) throw overloaded();
      await delay(wait);
    }
  };

  const inLine = async (counter: Counter): Promise<Exclude<Reservation, 'busy'>> => {
    if (waiting >= maxWaiting) throw overloaded();
    const deadline = clock() + maxWait;
    waiting += 1;
    try {
      return await lines.run(counter.key, () => poll(counter, deadline));
    } finally {
      waiting -= 1;
    }
  };

  /** Returns with a place reserved, or throws. */
  return async (counter: Counter): Promise<void> => {
    const { key, limit } = counter;
    const first = lines.has(key) ? 'busy' : await store.reserve(key, limit, throttleWindow, clock());
    const reservation = first === 'busy' ? await inLine(counter) : first;
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

  /** Always the account's first: who holds an address's place waits for nothing more, so no two wait for each other. */
  const reserveAll = async (account: Counter, address: Counter): Promise<void> => {
    await reserve(account);
    try {
      await reserve(address);
    } catch (error) {
      await release([account]);
      throw error;
    }
  };

  return {
    async run(account, address, attempt) {
      const network = networkOf(address);
      const forAccount = { key: keyOf('account', account, network), limit: accountLimit };
      const forAddress = { key: keyOf('address', network), limit: addressLimit };
      await reserveAll(forAccount, forAddress);
      const counters = [forAccount, forAddress];
      let result: Awaited<ReturnType<typeof attempt>>;
      try {
        result = await attempt();
      } catch (error) {
        await release(counters);
        throw error;
      }
      // A failure that cannot be counted is not answered as one: the error of the store is thrown instead.
      await settle(counters, result === undefined);
      return result;
    },
  };
};
