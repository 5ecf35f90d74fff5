import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Services } from '../endpoints/services.ts';
import type { ApplicationConfig } from './application.ts';
import type { Closing } from './closing.ts';

/** Milliseconds of a stop that are kept for what comes behind the application, and the least that it gets. */
const reserve = 1_000;
const least = 500;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Runs `onStop` for as long as the stop may take; what it throws is logged, and the rest is closed all the same. */
const stopApplication = async (onStop: () => unknown, closing: Closing, logger: Logger): Promise<void> => {
  const over = new AbortController();
  const late = Symbol();
  const patience = delay(Math.max(least, closing.left - reserve), late, { signal: over.signal });
  try {
    const ended = await Promise.race([Promise.resolve().then(onStop), patience]);
    if (ended === late) logger.warn('onStop of the application did not end in time');
  } catch (error) {
    logger.error({ err: error }, 'onStop of the application');
  } finally {
    patience.catch(() => {});
    over.abort();
  }
};

/**
 * Runs `onStart` of an application, and has `onStop` run at the end, behind everything that is opened after this.
 * @throws Error where `onStart` throws: the service does not start
 */
export const startApplication = async (
  { onStart, onStop }: ApplicationConfig,
  { systemScope }: Pick<Services, 'systemScope'>,
  closing: Closing,
  logger: Logger,
): Promise<void> => {
  try {
    await onStart?.(systemScope('onStart'));
  } catch (cause) {
    throw new Error(`onStart of the application failed: ${messageOf(cause)}`, { cause });
  }
  if (onStop !== undefined) closing.push(() => stopApplication(onStop, closing, logger));
};
