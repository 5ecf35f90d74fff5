import { FairQueue, type QueueRefusal } from '../kernel/fair-queue.ts';
import { overloaded, Problem } from '../kernel/problem.ts';

/** The line of a caller in a queue; lines take turns. */
export interface Ticket {
  readonly line: string;
  /** Aborted when the caller hangs up. */
  readonly signal?: AbortSignal | undefined;
}

/** The error of a caller who waited too long. */
export const overloadedError = (): Problem => overloaded(undefined, 5);

/** The error of a caller who leaves a queue without a turn. A hang-up is not a failure of the service. */
export const refuseWaiting = (why: QueueRefusal, cause?: unknown): Problem =>
  why === 'gone' ? new Problem('bad_request', { cause }) : overloadedError();

/** @throws Problem `bad_request` where the caller has hung up */
export const assertConnected = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted === true) throw refuseWaiting('gone', signal.reason);
};

/** Runs tasks, a few at a time; lines take turns. */
export interface WorkQueue {
  /**
   * Rejects with the problem `overloaded` where too many wait. A task whose caller hangs up before it begins never
   * begins; a task that has begun is finished, so that its outcome counts even if the caller hangs up.
   */
  run<T>(ticket: Ticket, task: () => Promise<T>): Promise<T>;
}

/** A queue of bounded length: a flood of expensive work is refused while a refusal is still cheap. */
export const createWorkQueue = (concurrency: number, maxWaiting: number): WorkQueue => {
  const waiting = new FairQueue({ maxWaiting, refuse: refuseWaiting });
  let running = 0;

  const enter = async ({ line, signal }: Ticket): Promise<void> => {
    assertConnected(signal);
    if (running >= concurrency) return waiting.wait(line, { signal });
    running += 1;
  };

  /** Passes the place directly to the next waiting task, so that no newcomer takes it in between. */
  const leave = (): void => {
    if (waiting.next() === undefined) running -= 1;
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
