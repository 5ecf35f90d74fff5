import type { Logger } from 'pino';

/** The text of an error, which may be any value of the application, even one that cannot be printed. */
const log = (write: (error: unknown) => void, error: unknown): void => {
  try {
    write(error);
  } catch (unprintable) {
    write(unprintable);
  }
};

/**
 * Logs uncaught errors of the application. An unhandled rejection says nothing about the state of the process, which
 * continues. An uncaught error calls `end`, once.
 */
export const logUncaught = (logger: Logger, end: () => void): void => {
  process.on('unhandledRejection', (reason) => {
    log((err) => logger.error({ err }, 'unhandled promise rejection'), reason);
  });
  let ending = false;
  process.on('uncaughtException', (error) => {
    log((err) => logger.fatal({ err }, 'uncaught exception: the process exits'), error);
    if (ending) return;
    ending = true;
    end();
  });
};
