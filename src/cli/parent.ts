/** Milliseconds between two checks of the parent process. */
const checkIntervalMs = 500;

/**
 * Resolves when the npm that started this process has ended: npm does not always end its children, and nothing else
 * would end this one. A shell leaves its children running, so without npm this never resolves.
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
