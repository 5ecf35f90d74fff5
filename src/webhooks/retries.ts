const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds to wait after each attempt that has failed but the last: 8 attempts over some 28 hours. */
export const retryDelays: readonly number[] = [
  ...[5 * second, 5 * minute, 30 * minute],
  ...[2 * hour, 5 * hour, 10 * hour, 10 * hour],
];

/** What a receiver can ask for at most; no wait is longer. */
export const longestAskedMs = 24 * hour;

/** The part by which a wait is longer or shorter by chance, so that what failed together does not come back together. */
const jitter = 0.1;

/** Milliseconds that a `Retry-After` asks for (RFC 9110, 10.2.3), at most a day; 0 for what says nothing. */
export const askedDelay = (header: string | undefined, now: number): number => {
  if (header === undefined) return 0;
  const asked = /^\d{1,9}$/.test(header) ? Number(header) * second : Date.parse(header) - now;
  return asked > 0 ? Math.min(asked, longestAskedMs) : 0;
};

/**
 * Milliseconds until the next attempt, where `attempts` were made; undefined where that was the last one. What a receiver
 * asks for makes it longer, never shorter.
 * @param random from 0 to 1
 */
export const nextDelay = (attempts: number, asked: number, random = Math.random()): number | undefined => {
  const delay = retryDelays[attempts - 1];
  return delay === undefined
    ? undefined
    : Math.round(Math.max(delay * (1 - jitter + 2 * jitter * random), asked));
};
