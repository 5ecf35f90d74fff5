import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { errorMessage } from '../kernel/error-message.ts';
import type { Scope } from '../model/scope.ts';
import type { ApplicationConfig } from './application.ts';
import type { Closing } from './closing.ts';

/** Milliseconds of a stop that are reserved for the steps behind `onStop`, and the minimum that `onStop` gets. */
const reserveMs = 1_000;
const minOnStopMs = 500;

/** Runs `onStop` within the time of the stop; its error is logged, and everything else is closed all the same. */
const stopApplication = async (onStop: () => unknown, closing: Closing, logger: Logger): Promise<void> => {
  const over = new AbortController();
  const late = Symbol();
  const timeout = delay(Math.max(minOnStopMs, closing.left - reserveMs), late, { signal: over.signal });
  try {
    const ended = await Promise.race([Promise.resolve().then(onStop), timeout]);
    if (ended === late) logger.warn('onStop of the application did not end in time');
  } catch (error) {
    logger.error({ err: error }, 'onStop of the application');
  } finally {
    timeout.catch(() => {});
    over.abort();
  }
};

export interface StartParts {
  /** Makes a scope of the application itself. */
  readonly systemScope: (reason: string) => Scope<'all'>;
}

/**
 * Runs `onStart` of an application, and adds `onStop` to the steps of closing, behind everything that is opened
 * later.
 * @throws Error of `onStart`: the service does not start then
 */
export const startApplication = async (
  { onStart, onStop }: ApplicationConfig,
  { systemScope }: StartParts,
  closing: Closing,
  logger: Logger,
): Promise<void> => {
  try {
    await onStart?.(systemScope('onStart'));
  } catch (cause) {
    throw new Error(`onStart of the application failed: ${errorMessage(cause)}`, { cause });
  }
  if (onStop !== undefined) closing.push(() => stopApplication(onStop, closing, logger));
};
