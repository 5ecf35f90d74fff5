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
 * Uncaught errors of the application are logged. A rejected promise that is not awaited says nothing of the state
 * of the process, which goes on. An uncaught error does: `end` is called, once.
 */
export const logUncaught = (logger: Logger, end: () => void): void => {
  process.on('unhandledRejection', (reason) => {
    log((err) => logger.error({ err }, 'a promise was rejected and is not awaited'), reason);
  });
  let ending = false;
  process.on('uncaughtException', (error) => {
    log((err) => logger.fatal({ err }, 'an uncaught error: the process ends'), error);
    if (ending) return;
    ending = true;
    end();
  });
};
