import { createWaitingLines, demandCaller, type Ticket } from './waiting-lines.ts';

/** Runs tasks, a few at a time; lines take turns. */
export interface WorkQueue {
  /**
   * Rejects with the problem `overloaded` where too many wait. A task whose caller is gone before it has begun is
   * never begun; one that has begun is finished, so that its outcome counts whatever the caller does.
   */
  run<T>(ticket: Ticket, task: () => Promise<T>): Promise<T>;
}

/** A queue of bounded length: a flood of costly work is refused while it is still cheap to refuse. */
export const createWorkQueue = (concurrency: number, maxWaiting: number): WorkQueue => {
  const lines = createWaitingLines(maxWaiting);
  let running = 0;

  const enter = (ticket: Ticket): Promise<void> | undefined => {
    demandCaller(ticket);
    if (running >= concurrency) return lines.wait(ticket);
    running += 1;
    return undefined;
  };

  /** The place goes straight to the next in ticket, so that no newcomer takes it in between. */
  const leave = (): void => {
    if (!lines.next()) running -= 1;
  };

  return {
    async run(ticket, task) {
      await enter(ticket);
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
};
