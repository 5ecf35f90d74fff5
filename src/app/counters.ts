import type { Logger } from 'pino';
import type { Closing } from './closing.ts';

/** A part that counts in memory and writes its counts in batches. */
export interface WrittenCounter {
  /** Name in the log of batches that could not be written. */
  readonly name: string;
  /** Starts writing batches. Returns a function that stops it and writes the last batch. */
  start(onError: (error: unknown) => void): () => Promise<void>;
  /** Deletes rows that have expired; absent if none does. */
  sweep?(now: number): Promise<void>;
}

/** Starts counters. They are stopped on close, the last one first. */
export const startCounters = (
  counters: readonly WrittenCounter[],
  closing: Closing,
  logger: Logger,
): void => {
  for (const counter of counters)
    closing.push(counter.start((error) => logger.warn({ err: error }, counter.name)));
};

export const sweepCounters = async (counters: readonly WrittenCounter[], now: number): Promise<void> => {
  for (const counter of counters) await counter.sweep?.(now);
};
