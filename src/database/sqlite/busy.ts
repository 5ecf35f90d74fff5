import { setTimeout as delay } from 'node:timers/promises';
import { isBusy } from './errors.ts';

/** How long a busy database is tried again, in milliseconds. */
export const busyLimit = 10_000;

const longestPause = 50;

/** Pause before the n-th new attempt, in milliseconds. */
export const busyPause = (attempt: number): number => Math.min(2 ** attempt, longestPause);

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
