/**
 * Batches of what a process has counted or noted, written one after the other.
 * @param write writes what has come up to then; what it could not write, it keeps for the next one, and throws
 * @param interval milliseconds between the batches that are written by themselves
 */
export const batchesOf = (write: () => Promise<void>, interval: number) => {
  let last: Promise<void> = Promise.resolve();

  /** Writes what has come up to now. Whoever asks for a batch waits for the one that is under way, too. */
  const flush = (): Promise<void> => {
    last = last.then(write, write);
    return last;
  };

  return {
    flush,

    /** Begins to write batches. The answer ends that and writes the last one. */
    start: (onError: (error: unknown) => void): (() => Promise<void>) => {
      const timer = setInterval(() => flush().catch(onError), interval);
      timer.unref();
      return async () => {
        clearInterval(timer);
        await flush().catch(onError);
      };
    },
  };
};
