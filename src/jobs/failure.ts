import { Problem } from '../kernel/problem.ts';

/** Characters of an error that are kept. */
const kept = 2_000;

const textOf = (error: unknown): string => {
  if (error instanceof Problem) {
    if (error.cause instanceof Error) return `${error.message}: ${error.cause.message}`;
    return [error.message, ...(error.errors ?? []).map(({ message }) => message)].join(': ');
  }
  return error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${String(error)}`;
};

/**
 * What is kept of whatever a job threw: what it says, no stack and no values, of a bounded length, and a text that every
 * database takes.
 */
export const failureText = (error: unknown): string => {
  try {
    return textOf(error).replaceAll('\0', '').toWellFormed().slice(0, kept).toWellFormed();
  } catch {
    // A proxy, or an object without a prototype: it has no text.
    return 'thrown: something that has no text';
  }
};

/** Milliseconds: the first wait, and the longest. */
const first = 10_000;
export const longestRetryMs = 6 * 3_600_000;

/** The part of a wait that is left to chance, so that jobs which failed together do not come back together. */
const jitter = 0.25;

/**
 * Milliseconds to wait after an attempt (from 1) has failed: 10 s × 4^n for the n-th repetition, counted from 0, at most
 * 6 h, less up to a quarter by chance.
 * @param random from 0 to 1
 */
export const retryDelay = (attempt: number, random = Math.random()): number =>
  Math.round(Math.min(first * 4 ** (attempt - 1), longestRetryMs) * (1 - jitter * random));
