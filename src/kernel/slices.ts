/**
 * Shares the main thread among callers. Promises that resolve at once, as those of SQLite do, keep the event loop from
 * turning: a loop that awaits them would hold up every timer and every other caller. So code that may run in a loop
 * asks `nextSlice` before each step. A run of promises that has used up its slice waits for a later turn, in which
 * timers and requests come first; of several runs that wait, each turn resumes one.
 */

/** Milliseconds for which promises resolve one after the other before others get a turn. */
const sliceMs = 25;

/** Milliseconds after which everything waits for the next turn: `process.nextTick` begins a run, but no turn. */
const turnMs = 75;

/** When the current run and the current turn have to end, by `performance.now()`; 0 before their first step. */
let runEnd = 0;
let turnEnd = 0;

const waiting: (() => void)[] = [];

/** Ticks run when no promise is left to resolve. */
const endRun = (): void => {
  runEnd = 0;
};

const endTurn = (): void => {
  turnEnd = 0;
};

const resumeOne = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeOne);
};

/** Returns undefined while the slice lasts, otherwise a promise of the next one. */
export const nextSlice = (): Promise<void> | undefined => {
  const now = performance.now();
  if (runEnd === 0) {
    runEnd = now + sliceMs;
    process.nextTick(endRun);
  }
  if (turnEnd === 0) {
    turnEnd = now + turnMs;
    setImmediate(endTurn);
  }
  if (now < runEnd && now < turnEnd) return undefined;
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeOne);
  });
};

/** True if any run waits for its next slice. */
export const someWaitForSlice = (): boolean => waiting.length > 0;
