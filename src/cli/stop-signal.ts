/** SIGTERM and SIGINT: the first stops the process in order, the second ends it at once. */

import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '../app/server.ts';

/**
 * Milliseconds within which a repeated signal counts as the same one: a terminal or a supervisor sends it to the
 * whole group, and npm forwards its own.
 */
const echoMs = 500;

/** Milliseconds after the drain until the process ends, even if work is still running. */
export const stopLimit = 9_000;

/** Milliseconds for requests in flight when the process ends because of an error. */
const failedLimit = 1_000;

export type StopSignal = 'SIGTERM' | 'SIGINT';

/**
 * Ends the process even if a thread is busy: `process.exit` would wait for a statement of SQLite, a file or a host
 * name, possibly for minutes. Replacing the process by a program that only exits with the status avoids that.
 * Listeners of the exit are called.
 */
export const endNow = (status: number): never => {
  process.emit('exit', status);
  try {
    process.execve?.(process.execPath, [process.execPath, '--eval', `process.exit(${status})`], {});
  } catch {
    // Not supported on this system.
  }
  return process.exit(status);
};

/** Ends the process as the signal does without a listener. */
const endBy = (signal: StopSignal): void => {
  process.emit('exit', 128 + constants.signals[signal]);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
};

/**
 * Ends the process after a failed start, once its status is set and its messages are written, even if the application
 * left timers or connections.
 */
export const endIfKeptAlive = (): void => {
  setTimeout(() => endNow(Number(process.exitCode ?? 1)), failedLimit).unref();
};

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Reports the first SIGTERM or SIGINT; the second ends the process at once. Returns a function that removes the
 * listeners.
 */
export const onStopSignal = (listener: (signal: StopSignal) => void): (() => void) => {
  let first: number | undefined;
  const onSignal = (signal: StopSignal): void => {
    const now = performance.now();
    if (first === undefined) listener(signal);
    first ??= now;
    if (now - first > echoMs) endBy(signal);
  };
  for (const signal of stopSignals) process.on(signal, onSignal);
  return () => {
    for (const signal of stopSignals) process.off(signal, onSignal);
  };
};

/** Resolves at the first SIGTERM or SIGINT. The second ends the process at once. */
export const stopSignal = (): Promise<StopSignal> =>
  new Promise((resolve) => {
    onStopSignal(resolve);
  });

/**
 * Stops the server and ends the process with status 0, within 10 s after `drain` seconds, even if the application
 * left timers running.
 */
export const endAfter = async (server: Server, drain: number): Promise<never> => {
  const closed = server.close({ drain }).catch(() => {});
  await Promise.race([closed, delay(drain * 1000 + stopLimit)]);
  return endNow(0);
};

/** Ends the process with status 1 after an uncaught error. Requests in flight get a second. */
export const endAfterFailure = async (server: Server | undefined): Promise<never> => {
  if (server !== undefined) await Promise.race([server.close().catch(() => {}), delay(failedLimit)]);
  return endNow(1);
};
