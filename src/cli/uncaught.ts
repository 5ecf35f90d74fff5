import type { Logger } from 'pino';

/** An error of the application's can be anything, also one that cannot be printed. */
const log = (write: (error: unknown) => void, error: unknown): void => {
  try {
    write(error);
  } catch (unprintable) {
    write(unprintable);
  }
};

/**
 * What code of the application leaves behind is logged. A rejected promise that nobody awaits says nothing of the state
 * of the process, which goes on. An error that nobody caught does: `end` is called, once.
 */
export const logUncaught = (logger: Logger, end: () => void): void => {
  process.on('unhandledRejection', (reason) => {
    log((err) => logger.error({ err }, 'a promise was rejected, and nobody awaits it'), reason);
  });
  let ending = false;
  process.on('uncaughtException', (error) => {
    log((err) => logger.fatal({ err }, 'an error that nobody caught: the process ends'), error);
    if (ending) return;
    ending = true;
    end();
  });
};
