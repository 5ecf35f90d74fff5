import { setTimeout as delay } from 'node:timers/promises';
import { busyLimit } from '../target.ts';
import { isBusy } from './errors.ts';

const longestPause = 50;

/** Attempts after which the pause doubles. */
const attemptsOfPause = 4;

/**
 * Pause before the n-th new attempt, in milliseconds. A transaction of another worker is over after a few: pauses that grow
 * faster make writes wait several times as long as that, and the others write again in the meantime.
 */
export const busyPause = (attempt: number): number =>
  Math.min(2 ** Math.floor(attempt / attemptsOfPause), longestPause);

/** In so many milliseconds every process that waits for the database has made an attempt. */
export const everybodysTurn = longestPause + 5;

/**
 * Runs a synchronous step, again by timer while another process holds the database, so that the event loop goes on.
 * Throws SQLite's error when it stays busy for 10 seconds.
 */
export const whileBusy = async <T>(step: () => T, limit = busyLimit): Promise<T> => {
  const deadline = performance.now() + limit;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return step();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await delay(busyPause(attempt));
  }
};
