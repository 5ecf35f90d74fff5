/**
 * Runs some work and returns its result with the longest time for which one turn of the event loop held the process, in
 * milliseconds of processor time: the load of other processes does not count.
 */
export const longestHold = async <T>(work: () => Promise<T>): Promise<readonly [result: T, hold: number]> => {
  let longest = 0;
  let last = process.threadCpuUsage();
  const look = (): void => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, now.user + now.system - last.user - last.system);
    last = now;
    next = setImmediate(look);
  };
  let next = setImmediate(look);
  try {
    return [await work(), longest / 1000];
  } finally {
    clearImmediate(next);
  }
};

/** The same for the best of three runs at most: other work on the machine may add to a turn, and takes nothing off. */
export const leastHold = async <T>(
  bound: number,
  work: () => Promise<T>,
): Promise<readonly [result: T, hold: number]> => {
  let best = await longestHold(work);
  for (let run = 1; run < 3 && best[1] >= bound; run += 1) {
    const next = await longestHold(work);
    if (next[1] < best[1]) best = next;
  }
  return best;
};
