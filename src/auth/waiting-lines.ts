import { PassingMap, PassingSet } from '../kernel/passing-map.ts';
import { overloaded, Problem } from '../kernel/problem.ts';

/** Where somebody waits, and until when at the most. */
export interface Ticket {
  /** Those of one line are served in the order in which they came; lines take turns. */
  readonly line: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiter {
  readonly go: () => void;
  readonly refuse: (problem: Problem) => void;
}

/** What whoever waits in vain is answered. */
export const crowded = (): Problem => overloaded(undefined, 5);

/** Nobody reads this answer; it is no failure of the service. */
const hungUp = ({ reason }: AbortSignal): Problem => new Problem('bad_request', { cause: reason });

/** @throws Problem `bad_request` where the caller is gone */
export const demandCaller = ({ signal }: Ticket): void => {
  if (signal?.aborted === true) throw hungUp(signal);
};

/**
 * Lines of those who wait, of bounded length in all. Where there is no room, whoever came last in the longest line is
 * refused: a crowd makes itself wait, and somebody who comes alone always finds a place.
 */
export interface WaitingLines {
  /** Resolves when it is their turn. Rejects with `overloaded`, or as soon as the caller is gone. */
  wait(ticket: Ticket): Promise<void>;
  /** Lets the first of the next line go on; false where nobody waits. */
  next(): boolean;
  /** Lets the first of this line go on; false where nobody waits in it. */
  nextOf(line: string): boolean;
}

export const createWaitingLines = (most: number): WaitingLines => {
  // In the order in which their turns come.
  const lines = new PassingMap<string, PassingSet<Waiter>>();
  let waiting = 0;

  const join = (line: string, waiter: Waiter): void => {
    const others = lines.get(line) ?? new PassingSet<Waiter>();
    lines.set(line, others);
    others.add(waiter);
    waiting += 1;
  };

  const leave = (line: string, waiter: Waiter): void => {
    const others = lines.get(line);
    if (others?.delete(waiter) !== true) return;
    waiting -= 1;
    if (others.size === 0) lines.delete(line);
  };

  const lengthOf = (line: string): number => lines.get(line)?.size ?? 0;

  /** Whether there is room in a line, be it that the last one of a longer line is sent away for it. */
  const makeRoom = (line: string): boolean => {
    if (waiting < most) return true;
    let longest = line;
    for (const [other, { size }] of lines.entries()) if (size > lengthOf(longest)) longest = other;
    const last = lines.get(longest)?.values().at(-1);
    if (last === undefined || lengthOf(longest) <= lengthOf(line) + 1) return false;
    leave(longest, last);
    last.refuse(crowded());
    return true;
  };

  const nextOf = (line: string): boolean => {
    const first = lines.get(line)?.values()[0];
    if (first === undefined) return false;
    leave(line, first);
    first.go();
    return true;
  };

  return {
    wait: ({ line, signal }) =>
      new Promise((resolve, reject) => {
        if (!makeRoom(line)) return reject(crowded());
        const ended = (): void => signal?.removeEventListener('abort', gone);
        const waiter: Waiter = {
          go: () => {
            ended();
            resolve();
          },
          refuse: (problem) => {
            ended();
            reject(problem);
          },
        };
        const gone = (): void => {
          leave(line, waiter);
          if (signal !== undefined) waiter.refuse(hungUp(signal));
        };
        signal?.addEventListener('abort', gone, { once: true });
        join(line, waiter);
      }),
    next() {
      const [entry] = lines.entries();
      if (entry === undefined) return false;
      const [line, waiters] = entry;
      // To the end: every other line comes first.
      lines.delete(line);
      lines.set(line, waiters);
      return nextOf(line);
    },
    nextOf,
  };
};
