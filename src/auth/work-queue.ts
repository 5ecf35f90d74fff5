import { Problem } from '../kernel/problem.ts';

/** Runs tasks, a few at a time, in the order in which they came. */
export interface WorkQueue {
  /** Rejects with the problem `overloaded` at once where too many wait already. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

/** A queue of bounded length: a flood of costly work is refused while it is still cheap to refuse. */
export const createWorkQueue = (concurrency: number, maxWaiting: number): WorkQueue => {
  const waiting: (() => void)[] = [];
  let running = 0;

  const enter = (): Promise<void> | undefined => {
    if (running < concurrency) {
      running += 1;
      return undefined;
    }
    if (waiting.length >= maxWaiting) throw new Problem('overloaded', { headers: { 'Retry-After': '5' } });
    return new Promise((resolve) => waiting.push(resolve));
  };

  /** The place goes straight to the next in line, so that no newcomer takes it in between. */
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };

  return {
    async run(task) {
      await enter();
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
};
