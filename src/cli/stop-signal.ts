import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '../app/server.ts';

/**
 * Milliseconds within which a repeated signal counts as the same one: a terminal, or a supervisor, sends it to the
 * whole group, and npm passes its own on.
 */
const echoMs = 500;

/** Milliseconds after the drain in which the process ends, whatever still runs. */
export const stopLimit = 9_000;

/** Milliseconds that requests in flight get when the process ends because of an error. */
const failedLimit = 1_000;

export type StopSignal = 'SIGTERM' | 'SIGINT';

/**
 * Ends the process, also when a thread is in the middle of something: `process.exit` would wait for a statement of
 * SQLite, or for a file or a host name that the application asks for, for minutes if need be. A program that only ends
 * with the status, put in the place of this one, waits for no listener. Listeners of the exit are called.
 */
export const endNow = (status: number): never => {
  process.emit('exit', status);
  try {
    process.execve?.(process.execPath, [process.execPath, '--eval', `process.exit(${status})`], {});
  } catch {
    // Not on this system.
  }
  return process.exit(status);
};

/** Ends it as the signal ends a process that does not listen for it. */
const endBy = (signal: StopSignal): void => {
  process.emit('exit', 128 + constants.signals[signal]);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
};

/**
 * For a start that failed: ends the process once its status is set and its messages are written, although the
 * application has left timers or connections behind.
 */
export const endIfKeptAlive = (): void => {
  setTimeout(() => endNow(Number(process.exitCode ?? 1)), failedLimit).unref();
};

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/** Reports the first SIGTERM or SIGINT; the second ends the process at once. Returns a function that ends this. */
export const onStopSignal = (listener: (signal: StopSignal) => void): (() => void) => {
  let first: number | undefined;
  const received = (signal: StopSignal): void => {
    const now = performance.now();
    if (first === undefined) listener(signal);
    first ??= now;
    if (now - first > echoMs) endBy(signal);
  };
  for (const signal of stopSignals) process.on(signal, received);
  return () => {
    for (const signal of stopSignals) process.off(signal, received);
  };
};

/** Resolves at the first SIGTERM or SIGINT. The second ends the process at once. */
export const stopSignal = (): Promise<StopSignal> =>
  new Promise((resolve) => {
    onStopSignal(resolve);
  });

/**
 * Stops the server and ends the process with status 0, within 10 s after `drain` seconds: what the application left
 * running, its timers above all, keeps it no longer.
 */
export const endAfter = async (server: Server, drain: number): Promise<never> => {
  const closed = server.close({ drain }).catch(() => {});
  await Promise.race([closed, delay(drain * 1000 + stopLimit)]);
  return endNow(0);
};

/** Ends the process with status 1 after an uncaught error. Requests in flight have a second to be answered. */
export const endFailed = async (server: Server | undefined): Promise<never> => {
  if (server !== undefined) await Promise.race([server.close().catch(() => {}), delay(failedLimit)]);
  return endNow(1);
};
