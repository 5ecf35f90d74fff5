import { type ShareLimits, scanQueue } from '../shares.ts';

/** For how many milliseconds a scan waits for a session. */
const scanWait = 10_000;

/**
 * Statements that nothing bounds take half of the sessions at most, a quarter for one caller, so that the rest stay
 * quick.
 */
export const scanLimits = (poolSize: number): ShareLimits => {
  const total = Math.max(1, Math.floor(poolSize / 2));
  return {
    what: 'statements that no index bounds',
    total,
    each: Math.max(1, Math.floor(poolSize / 4)),
    strangers: Math.max(1, total - 1),
    queue: scanQueue,
    wait: scanWait,
  };
};

/**
 * Brief statements have as many sessions of their own, less one, for all callers: they wait for nothing that takes its
 * time, and one caller may keep the server busy with it, as with any other short statement.
 */
export const briefLimits = (poolSize: number): ShareLimits => {
  const total = Math.max(1, Math.ceil(poolSize / 2) - 1);
  const strangers = Math.max(1, total - 1);
  return {
    ...scanLimits(poolSize),
    what: 'brief statements that no index bounds',
    total,
    each: total,
    strangers,
  };
};

/** Transactions with code of an application may last long, so a fifth of the sessions is reserved for others. */
export const applicationLimits = (poolSize: number): ShareLimits => {
  const total = Math.max(1, poolSize - Math.ceil(poolSize / 5));
  return {
    what: 'transactions of the application',
    total,
    each: total,
    strangers: total,
    queue: 10_000,
    wait: scanWait,
  };
};
