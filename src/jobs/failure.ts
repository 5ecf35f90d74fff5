import { Problem } from '../kernel/problem.ts';

/** Characters of an error that are stored. */
const maxStoredLength = 2_000;

const textOf = (error: unknown): string => {
  if (error instanceof Problem) {
    if (error.cause instanceof Error) return `${error.message}: ${error.cause.message}`;
    return [error.message, ...(error.errors ?? []).map(({ message }) => message)].join(': ');
  }
  return error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${String(error)}`;
};

/**
 * The stored text of an error that a job threw: its message without stack and values, of a bounded length, in
 * characters that every database accepts.
 */
export const failureText = (error: unknown): string => {
  try {
    return textOf(error).replaceAll('\0', '').toWellFormed().slice(0, maxStoredLength).toWellFormed();
  } catch {
    // A proxy, or an object without a prototype, has no text.
    return 'thrown: a value without a text';
  }
};

/** The first and the longest wait, in milliseconds. */
const firstRetryMs = 10_000;
export const longestRetryMs = 6 * 3_600_000;

/** The random part of a wait, so that jobs that failed at the same time do not retry at the same time. */
const jitter = 0.25;

/**
 * Milliseconds to wait after attempt number `attempt` (from 1) has failed: 10 s × 4^(attempt − 1), at most 6 h, less
 * up to a quarter at random.
 * @param random from 0 to 1
 */
export const retryDelay = (attempt: number, random = Math.random()): number =>
  Math.round(Math.min(firstRetryMs * 4 ** (attempt - 1), longestRetryMs) * (1 - jitter * random));
