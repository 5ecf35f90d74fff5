import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseTarget } from '../database/target.ts';
import { DoublingPause } from '../kernel/doubling-pause.ts';
import type { Config } from './config.ts';

/** Milliseconds between two attempts: at first, and at most. */
const firstPauseMs = 250;
const maxPauseMs = 5_000;

const causeOf = (error: Error): string =>
  error.message === '' && error instanceof AggregateError ? String(error.errors[0]) : error.message;

/**
 * Waits for an unreachable database, for DATABASE_WAIT seconds at most.
 * @param report is called once when waiting begins, and once when the database is reachable
 * @throws Error that names the database and the cause; at once where waiting changes nothing
 */
export const awaitDatabase = async (
  target: DatabaseTarget,
  { databaseWait }: Pick<Config, 'databaseWait'>,
  report: (fields: object, message: string) => void,
): Promise<void> => {
  const { place, findUnreachable } = target;
  if (findUnreachable === undefined) return;
  const start = performance.now();
  const secondsWaited = (): number => Math.round((performance.now() - start) / 100) / 10;
  const pause = new DoublingPause(firstPauseMs, maxPauseMs);
  for (let attempt = 1; ; attempt += 1) {
    const error = await findUnreachable();
    if (error === undefined) {
      if (attempt > 1) report({ database: place, seconds: secondsWaited() }, 'the database is there');
      return;
    }
    const left = databaseWait - secondsWaited();
    if (left <= 0)
      throw new Error(
        `the database ${place} cannot be reached (${causeOf(error)}); DATABASE_WAIT is ${databaseWait} s`,
        { cause: error },
      );
    if (attempt === 1)
      report({ database: place, seconds: databaseWait, cause: causeOf(error) }, 'waiting for the database');
    // Jitter, so that processes that wait do not all connect at the same moment.
    await delay(Math.min(pause.next() * (0.5 + Math.random() / 2), left * 1_000));
  }
};
