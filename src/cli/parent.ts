/** Milliseconds between two checks of the parent process. */
const checkIntervalMs = 500;

/**
 * Resolves when the npm that started this process is gone: npm does not always end what it runs, and no process would be
 * left to. A shell that ends leaves what it started running, so without npm this never resolves.
 */
export const npmGone = (env: Readonly<Record<string, string | undefined>>): Promise<void> =>
  new Promise((resolve) => {
    if (env['npm_lifecycle_event'] === undefined && env['npm_command'] === undefined) return;
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, checkIntervalMs);
    timer.unref();
  });
